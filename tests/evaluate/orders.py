"""Small runs with calls in several orders, and each of these orders, for the order checks' tests.

An order is a row of all calls in which none stands before one that surely came before it:
every permutation is tried, so that nothing of the code under test is trusted but
`View.are_ordered`.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product
from types import FrameType
from typing import Any

from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, a_spec, a_view, judged
from surefoot.evaluate import View
from surefoot.model import ArgsQuality, PathGrade, Run, Verdict, Violation

#: The calls of one order by name.
Named = tuple[str, ...]

_spans = st.tuples(st.integers(0, 8), st.integers(0, 3)).map(lambda it: (it[0], it[0] + it[1]))


@st.composite
def small_runs(draw: st.DrawFn, tools: str = "abc", most: int = 6, mates: str = "any") -> Run:
    """Runs of a few calls that overlap, or not.

    mates: `any` calls may be of one turn, `near` ones whose turns do not mix, or `none`.
    """
    times = sorted(draw(st.lists(_spans, min_size=2, max_size=most)))
    turn, turns = 0, []
    for _ in times:
        turn += draw(st.booleans())
        turns.append({"any": draw(st.integers(-1, 2)), "near": turn, "none": -1}[mates])
    return a_run(
        *(
            a_call(draw(st.sampled_from(tools)), span=span, turn=turn)
            for span, turn in zip(times, turns, strict=True)
        )
    )


def orders(run: Run) -> Iterator[tuple[int, ...]]:
    """Every order of the calls of a run."""
    view = a_view(run)
    count = len(run.steps)
    sure = [
        (one, two) for one in range(count) for two in range(count) if view.are_ordered(one, two)
    ]
    for order in permutations(range(count)):
        place = {index: at for at, index in enumerate(order)}
        if all(place[one] < place[two] for one, two in sure):
            yield order


def names(run: Run) -> Iterator[Named]:
    """Every order of the calls of a run, by name."""
    for order in orders(run):
        yield tuple(run.steps[index].tool for index in order)


def is_mixed(run: Run) -> bool:
    """Whether a call surely comes after one of a turn, and overlaps with a later one of it.

    Then there are fewer orders than one number for each call can tell.
    """
    view = a_view(run)
    turns = [known.turn for known in run.evidence]
    return any(
        turns[one] == turns[two] != turns[other]
        and view.are_ordered(one, other)
        and not view.are_ordered(other, two)
        for one, other, two in combinations(range(len(turns)), 3)
        if turns[one] >= 0
    )


def found(run: Run, **rule: Any) -> PathGrade:
    """What a spec with this one rule says of a run."""
    return _verdict(run, rule).path


def violations(run: Run, **rule: Any) -> tuple[Violation, ...]:
    """The violations by this one rule."""
    return tuple(_verdict(run, rule).violations)


def _verdict(run: Run, rule: dict[str, Any]) -> Verdict:
    verdict = judged(run, rules=[{"id": "r"} | rule])
    assert verdict.crashed == ()
    assert {one.check for one in verdict.violations} <= {"r"}
    assert {one.check for one in verdict.undecided} <= {"r"}
    assert None not in {one.severity for one in verdict.violations}
    return verdict


def is_broken_in_any_order(run: Run, keeps: Callable[[Named], bool]) -> bool:
    """Whether no order of the calls keeps a rule."""
    return not any(map(keeps, set(names(run))))


#: The only argument of a call that is meant, of one that is not, and of one that may be.
MEANT, OTHER, HIDDEN = "meant", "other", "hidden"


@st.composite
def doubtful_runs(draw: st.DrawFn, tools: str = "abc") -> tuple[Run, list[Run]]:
    """A run with calls whose arguments are hidden, and each run that it may have been.

    A call that is not meant has a name of its own there, `_`.
    """
    run = draw(small_runs(tools, most=4, mates="near"))
    told = [draw(st.sampled_from((MEANT, OTHER, HIDDEN))) for _ in run.steps]

    def with_(words: Iterable[str], tool: Callable[[str, str], str]) -> Run:
        return replace(
            run,
            steps=[
                replace(step, tool=tool(step.tool, word), args={"k": word})
                for step, word in zip(run.steps, words, strict=True)
            ],
            evidence=[
                replace(
                    known,
                    args_quality=ArgsQuality.REDACTED if word == HIDDEN else ArgsQuality.EXACT,
                )
                for known, word in zip(run.evidence, words, strict=True)
            ],
        )

    choices = [(MEANT, OTHER) if word == HIDDEN else (word,) for word in told]
    return with_(told, lambda tool, _: tool), [
        with_(words, lambda tool, word: tool if word == MEANT else "_")
        for words in product(*choices)
    ]


def meant(tool: str) -> dict[str, Any]:
    """A matcher for the calls of a tool that are meant."""
    return {"tool": tool, "args": {"k": MEANT}}


def told(runs: Iterable[Run], keeps: Callable[[Named], bool]) -> PathGrade:
    """What can be said of a run that may have been any of these."""
    broken = {is_broken_in_any_order(run, keeps) for run in runs}
    if broken == {True}:
        return PathGrade.VIOLATED
    return PathGrade.INCONCLUSIVE if True in broken else PathGrade.OK


def work(job: Callable[[], object]) -> int:
    """How many lines of Python a job executes."""
    lines = 0

    def count(_frame: FrameType, event: str, _told: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        job()
    finally:
        sys.settrace(before)
    return lines


def _at_once(tools: str) -> list[Any]:
    return [a_call(tool, span=(at, 9 * len(tools))) for at, tool in enumerate(tools)]


def _nested(tools: str) -> list[Any]:
    return [a_call(tool, span=(at, 9 * len(tools) - at)) for at, tool in enumerate(tools)]


#: How the calls of a long run stand to each other.
SHAPES: dict[str, Callable[[str], Iterable[Any]]] = {
    "in a row": list,
    "at once": _at_once,
    "nested": _nested,
    "one turn": lambda tools: [a_call(tool, turn=0) for tool in tools],
    "two turns": lambda tools: [a_call(tool, turn=at % 2) for at, tool in enumerate(tools)],
    "heaps": lambda tools: [a_call(tool, turn=at // 40) for at, tool in enumerate(tools)],
}


@cache
def a_long_run(shape: str, count: int) -> Run:
    """A run of so many calls of `a`, `b` and `c`, by forty agents."""
    run = a_run(*SHAPES[shape](("acbbacbca" * count)[:count]))
    for index, step in enumerate(run.steps):
        step.agent = f"m{index % 40}"
    return run


def growth(shape: str, **rule: Any) -> float:
    """How many times the lines of 500 calls a rule executes for 5,000."""
    spec = a_spec(rules=[{"id": "r"} | rule])
    (check,) = [one for one in spec.checks if one.id == "r"]

    def judge(count: int) -> None:
        deque(check(View(a_long_run(shape, count), spec.scope)), maxlen=0)

    for count in (500, 5000):
        a_long_run(shape, count)
    return work(lambda: judge(5000)) / work(lambda: judge(500))
