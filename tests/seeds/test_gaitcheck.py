"""gaitcheck's checks and ours agree on generated runs: on the verdict, and where it is told.

A run is made once and written in both shapes. What differs by intent:

- gaitcheck's `ToolArgs` fails where the tool was never called. Our `args` says nothing of
  calls that were not made; with `required` beside it the two are the same.
- gaitcheck counts messages as steps. A step of ours is a call, so our `max_steps` is its
  `max_tool_calls`.
- Both compare as Python does, so true is 1. NaN, which equals nothing, is left out:
  Python's `in` finds it all the same.
- gaitcheck's `where` takes callables, our predicates are data: `PREDICATES` has pairs.
- A rule of ours that could never fire is refused at load, so none is generated.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import gaitcheck
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, judged
from surefoot.model import Run, Verdict

TOOLS = st.sampled_from(["lookup", "check", "refund"])
KEYS = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 2, 1.0, 0.5, -3, "", "a", "ab", "x", "1"])
VALUES = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(KEYS, SCALARS, max_size=2)
ARGS = st.dictionaries(KEYS, VALUES, max_size=3)
CALLS = st.lists(st.tuples(TOOLS, ARGS, st.booleans()), max_size=6)

Calls = list[tuple[str, dict[str, Any], bool]]
Test = Callable[[Any], bool]


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def amount(value: Any) -> float | None:
    """A number, or a text that writes one, as frameworks turn one into the other."""
    if value == "1":
        return 1
    return value if is_number(value) else None


def has_length(value: Any) -> bool:
    return isinstance(value, str | list | dict)


#: One of our predicates, and the same as a callable.
PREDICATES: st.SearchStrategy[tuple[Any, Test]] = st.one_of(
    SCALARS.map(lambda one: (one, lambda value: value == one)),
    VALUES.map(lambda one: ({"eq": one}, lambda value: value == one)),
    VALUES.map(lambda one: ({"ne": one}, lambda value: value != one)),
    st.lists(VALUES, min_size=1).map(lambda some: ({"in": some}, lambda value: value in some)),
    st.lists(VALUES).map(lambda some: ({"not_in": some}, lambda value: value not in some)),
    st.integers(-1, 2).map(
        lambda bound: (
            {"ge": bound},
            lambda value: (n := amount(value)) is not None and n >= bound,
        )
    ),
    st.integers(-1, 2).map(
        lambda bound: (
            {"lt": bound},
            lambda value: (n := amount(value)) is not None and n < bound,
        )
    ),
    st.sampled_from(["a", "^a$", "b|x"]).map(
        lambda told: (
            {"regex": told},
            lambda value: isinstance(value, str) and re.search(told, value) is not None,
        )
    ),
    st.integers(0, 2).map(
        lambda size: ({"len": size}, lambda value: has_length(value) and len(value) == size)
    ),
    st.sampled_from(
        [
            ({"exists": True}, lambda _value: True),
            ({"type": "string"}, lambda value: isinstance(value, str)),
            ({"type": "number"}, is_number),
            ({"type": "boolean"}, lambda value: isinstance(value, bool)),
            ({"type": "null"}, lambda value: value is None),
            ({"type": "array"}, lambda value: isinstance(value, list)),
        ]
    ),
)
WHERE = st.dictionaries(KEYS, PREDICATES, max_size=2)


def ours(where: dict[str, tuple[Any, Test]]) -> dict[str, Any]:
    return {key: one for key, (one, _) in where.items()}


def theirs(where: dict[str, tuple[Any, Test]]) -> dict[str, Test]:
    return {key: test for key, (_, test) in where.items()}


def a_trace(calls: Calls, state: dict[str, Any] | None = None) -> gaitcheck.Trace:
    """The run in gaitcheck's shape, with a message before some calls."""
    steps = []
    for tool, args, speaks in calls:
        if speaks:
            steps.append(gaitcheck.Step("message", content="Let me see."))
        steps.append(gaitcheck.Step("tool_call", name=tool, args=args))
    return gaitcheck.Trace(tuple(steps), end_state=state or {})


def our_run(calls: Calls, **fields: Any) -> Run:
    return a_run(*(a_call(tool, args) for tool, args, _ in calls), **fields)


def agree(
    check: gaitcheck.Check, calls: Calls, *rules: dict[str, Any], told: bool = True
) -> Verdict:
    """Ask both. told: whether the first step that is told must be the same too."""
    result = check.check(a_trace(calls))
    verdict = judge_by(our_run(calls), *rules)

    assert bool(verdict.violations) != result.passed
    steps = [one.step for one in verdict.violations if one.step is not None]
    if told:
        assert min(steps, default=None) == our_step(calls, result.step_index)
    return verdict


def judge_by(run: Run, *rules: dict[str, Any]) -> Verdict:
    verdict = judged(run, rules=[{"id": f"r{at}"} | rule for at, rule in enumerate(rules)])
    assert not verdict.undecided
    return verdict


def our_step(calls: Calls, index: int | None) -> int | None:
    """The call that stands at `index` among calls and messages."""
    if index is None:
        return None
    steps = a_trace(calls).steps
    return len([step for step in steps[:index] if step.type == "tool_call"])


@given(CALLS, WHERE, st.data())
def test_tool_args(calls: Calls, where: dict[str, tuple[Any, Test]], data: st.DataObject) -> None:
    """Half of what is asked for is what one of the calls has, since little else would pass."""
    made = [(tool, args) for tool, args, _ in calls]
    tool, like = data.draw(st.sampled_from(made) if made else st.tuples(TOOLS, ARGS))
    equals = data.draw(st.just({}) | st.just(like) | st.dictionaries(KEYS, VALUES, max_size=2))
    where = {key: one for key, one in where.items() if key not in equals}
    required = data.draw(st.just([]) | st.just([*like]) | st.lists(KEYS, max_size=2))
    where = data.draw(st.just({}) | st.just(where))
    check = gaitcheck.ToolArgs(tool, required, equals, theirs(where))
    asked = {"step": tool, "required": required, "equals": equals, "where": ours(where)}
    rules: list[dict[str, Any]] = [{"required": tool}]
    if required or equals or where:
        rules.append({"args": asked})

    agree(check, calls, {"all_of": rules})


def test_tool_args_of_a_tool_that_was_never_called() -> None:
    """Here `args` alone differs, and says so."""
    check = gaitcheck.ToolArgs("lookup", ["a"])

    assert not check.check(a_trace([])).passed
    assert not judge_by(our_run([]), {"args": {"step": "lookup", "required": ["a"]}}).violations


@given(CALLS, st.integers(0, 6))
def test_step_budget(calls: Calls, most: int) -> None:
    agree(gaitcheck.StepBudget(max_tool_calls=most), calls, {"max_steps": most}, told=False)
    silent = [(tool, args, False) for tool, args, _ in calls]
    agree(gaitcheck.StepBudget(max_steps=most), silent, {"max_steps": most}, told=False)


@given(CALLS, st.lists(TOOLS, min_size=1, max_size=2))
def test_no_forbidden_tools(calls: Calls, forbid: list[str]) -> None:
    agree(gaitcheck.NoForbiddenTools(forbid), calls, {"forbidden": forbid})


@given(CALLS, st.data())
def test_tool_sequence(calls: Calls, data: st.DataObject) -> None:
    """Which difference is told, and where, is each one's own: ours is the first in any order."""
    order = data.draw(st.sampled_from(["strict", "subsequence", "any"]))
    made = [tool for tool, _, _ in calls]
    near = st.lists(st.sampled_from(made), max_size=4) if made else st.just([])
    expect = data.draw(near | st.just(made) | st.lists(TOOLS, max_size=4))
    if not expect and order != "strict":
        expect = ["lookup"]

    check = gaitcheck.ToolSequence(expect, order)

    agree(check, calls, {"sequence": {"expect": expect, "order": order}}, told=False)


@given(
    st.dictionaries(KEYS, VALUES, max_size=3),
    st.dictionaries(KEYS, VALUES, max_size=2),
    st.lists(KEYS, max_size=2),
    WHERE,
)
def test_end_state(
    state: dict[str, Any],
    equals: dict[str, Any],
    contains: list[str],
    where: dict[str, tuple[Any, Test]],
) -> None:
    """Told by the final output, and by a tool's last result."""
    result = gaitcheck.EndState(equals, contains, theirs(where)).check(a_trace([], state))
    if not (equals or contains or where):
        assert result.passed
        return
    asked = {"equals": equals, "contains": contains, "where": ours(where)}
    text = json.dumps(state)
    runs = {
        "output": (a_run("lookup", output=text), True),
        "last": (a_run(a_call("lookup", result="{}"), a_call("lookup", result=text)), "lookup"),
    }

    for place, (run, told) in runs.items():
        verdict = judge_by(run, {"end_state": {place: told} | asked})
        assert bool(verdict.violations) != result.passed
