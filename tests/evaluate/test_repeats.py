from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, a_view, grade, judged, messages, steps_of
from surefoot.cli.offline import runs
from surefoot.cli.read import requests
from surefoot.evaluate.repeats import clusters, episodes, identity
from surefoot.model import ArgsQuality, Cut, PathGrade, Step, StepEvidence, Verdict
from surefoot.specs import SpecSet
from worlds import FIXTURES

REPEATED = ["soft: repeated call: lookup"]
WRAPPED = ArgsQuality.WRAPPED_TEXT


def lookup(
    value: object = "88213", *, ok: bool = True, span: tuple[int, int] | None = None
) -> tuple[Step, StepEvidence]:
    return a_call("lookup", {"id": value}, ok=ok, span=span)


def test_every_repeat_after_a_success_is_told_at_its_step() -> None:
    verdict = judged(a_run(lookup(), "check", lookup(), lookup()), no_repeat=True)

    assert [str(one) for one in verdict.violations] == REPEATED * 2
    assert steps_of(verdict) == [2, 3]
    assert verdict.violations[1].observed == "same arguments as step 0"
    assert verdict.violations[1].expected == "no identical call after one that succeeded"


def test_a_retry_after_a_failure_is_no_repeat() -> None:
    assert messages(a_run(lookup(ok=False), lookup()), no_repeat=True) == []
    assert messages(a_run(lookup(), lookup(ok=False)), no_repeat=True) == REPEATED


def test_the_order_of_the_arguments_does_not_matter() -> None:
    run = a_run(a_call("lookup", {"a": 1, "b": 2}), a_call("lookup", {"b": 2, "a": 1}))

    assert messages(run, no_repeat=True) == REPEATED


def test_of_two_calls_at_once_one_repeats_the_other_only_if_both_succeeded() -> None:
    one, other, failed = (lookup(ok=ok, span=(0, 10)) for ok in (True, True, False))

    assert messages(a_run(one, other), no_repeat=True) == REPEATED
    assert messages(a_run(one, failed), no_repeat=True) == []


def test_a_nameless_argument_is_compared_by_its_value() -> None:
    wrapped = a_call("lookup", {"input": "88213"}, quality=WRAPPED)
    other = a_call("lookup", {"input": "5"}, quality=WRAPPED)

    assert messages(a_run(lookup(), wrapped), no_repeat=True) == REPEATED
    assert messages(a_run(wrapped, lookup(88213)), no_repeat=True) == REPEATED
    assert messages(a_run(lookup(), other), no_repeat=True) == []
    exact = a_call("lookup", {"order": "88213"})
    assert messages(a_run(lookup(), exact), no_repeat=True) == []


@pytest.mark.parametrize("quality", ["redacted", "truncated", "missing"])
def test_hidden_arguments_may_repeat_what_succeeded(quality: str) -> None:
    hidden = a_call("lookup", quality=ArgsQuality(quality))

    for run in (a_run(lookup(), hidden), a_run(hidden, lookup())):
        verdict = judged(run, no_repeat=True)
        assert [one.reason for one in verdict.undecided] == [f"args_{quality}"]
    assert grade(a_run(lookup(ok=False), hidden), no_repeat=True) is PathGrade.OK
    assert grade(a_run(hidden, "check"), no_repeat=True) is PathGrade.OK
    assert grade(a_run(hidden, lookup(), lookup()), no_repeat=True) is PathGrade.VIOLATED


def test_names_that_cannot_be_sorted_are_compared_all_the_same() -> None:
    odd = {1: "a", "b": "c"}

    assert identity(odd) == identity(dict(odd))  # type: ignore[arg-type]  # odd on purpose
    for other in ({1: "a", "b": "d"}, {1: "a", "d": "c"}, {1: "a"}):
        assert identity(odd) != identity(other)  # type: ignore[arg-type]  # as above
    assert identity({1: 1, "b": "2"}) != identity({1: "1", "b": "2"})  # type: ignore[dict-item]
    assert identity({"a": {1}}) == identity({"a": {1}})


# no_repeat as a rule, with its options


def found(run: Any, **rule: Any) -> Verdict:
    return judged(run, rules=[{"id": "r"} | rule])


def poll(result: str, *, ok: bool = True, **known: Any) -> tuple[Step, StepEvidence]:
    return a_call("status", {"job": 7}, result=result, ok=ok, **known)


def no_repeat(run: Any, **options: Any) -> Verdict:
    return found(run, no_repeat=True, **options)


def test_without_options_the_rule_is_the_key() -> None:
    run = a_run(lookup(), lookup(ok=False), "check", lookup())

    assert no_repeat(run).violations == tuple(
        replace(one, check="r") for one in judged(run, no_repeat=True).violations
    )
    assert steps_of(no_repeat(run)) == [1, 3]


def test_what_is_excepted_neither_repeats_nor_is_repeated() -> None:
    run = a_run(lookup(), lookup(), poll("x"), poll("x"))

    assert steps_of(no_repeat(run, **{"except": "status"})) == [1]
    assert steps_of(no_repeat(run, **{"except": ["status", "look*"]})) == []
    pending = {"except": {"tool": "status", "result": {"regex": "pending"}}}
    polled = a_run(poll("pending"), poll("pending"), poll("done"), poll("done"))
    assert steps_of(no_repeat(polled, **pending)) == [3]


def test_who_may_be_excepted_leaves_it_open() -> None:
    hidden = a_call("status", {"job": 7}, result_known=False)
    pending = {"except": {"tool": "status", "result": {"regex": "pending"}}}

    verdict = no_repeat(a_run(poll("done"), hidden), **pending)
    certain = no_repeat(a_run(poll("done"), hidden, poll("done")), **pending)

    assert [one.reason for one in verdict.undecided] == ["results_missing"]
    assert steps_of(certain) == [2]


def test_a_poll_that_brings_news_is_no_repeat() -> None:
    run = a_run(poll("1 %"), poll("1 %"), poll("50 %"), poll("1 %"), poll("1 %"))

    verdict = no_repeat(run, changed_result_ok=True)

    assert steps_of(verdict) == [1, 4]
    assert [one.observed for one in verdict.violations] == [
        "same arguments and result as step 0",
        "same arguments and result as step 3",
    ]


def test_a_poll_that_fails_is_no_repeat_and_tells_nothing_of_the_next() -> None:
    run = a_run(poll("1 %"), poll("timed out", ok=False), poll("1 %"), poll("2 %"))

    assert steps_of(no_repeat(run, changed_result_ok=True)) == [2]


def test_unordered_polls_may_have_told_their_results_in_any_order() -> None:
    one, same, other = (poll(result, span=(0, 10)) for result in ("x", "x", "y"))

    assert steps_of(no_repeat(a_run(one, same), changed_result_ok=True)) == [1]
    assert steps_of(no_repeat(a_run(one, same, other), changed_result_ok=True)) == []
    turn = [poll(result, turn=3) for result in ("x", "y", "x")]
    assert steps_of(no_repeat(a_run(*turn, poll("x")), changed_result_ok=True)) == []


@pytest.mark.parametrize(
    ("unread", "reason"),
    [
        (poll("", result_known=False), "results_missing"),
        (poll("x", result_capped=True), "text_capped"),
        (poll(Cut("x")), "text_capped"),
    ],
)
def test_a_result_that_cannot_be_read_may_be_the_same(unread: Any, reason: str) -> None:
    verdict = no_repeat(a_run(poll("x"), unread), changed_result_ok=True)

    assert [one.reason for one in verdict.undecided] == [reason]
    assert no_repeat(a_run(unread, "check"), changed_result_ok=True).path is PathGrade.OK
    assert steps_of(no_repeat(a_run(unread, poll("y"), poll("y")), changed_result_ok=True)) == [2]


SPANS = st.tuples(st.integers(0, 12), st.integers(1, 4)).map(lambda one: (one[0], sum(one)))


@st.composite
def calls(draw: st.DrawFn) -> list[tuple[Step, StepEvidence]]:
    """Few tools, arguments and results; some overlap, some share a turn, some fail."""
    spans = sorted(draw(st.lists(SPANS, min_size=1, max_size=6)))
    return [
        a_call(
            draw(st.sampled_from("ab")),
            {"x": draw(st.integers(0, 1))},
            result=draw(st.sampled_from("uv")),
            ok=draw(st.integers(0, 3)) > 0,
            turn=draw(st.sampled_from((-1, -1, 0, 1))),
            attempts=draw(st.sampled_from((1, 1, 1, 2))),
            span=span,
        )
        for span in spans
    ]


def orders(run: Any) -> Iterator[Sequence[int]]:
    """Every order in which the calls may have been made."""
    view = a_view(run)
    for order in permutations(range(len(run.steps))):
        if not any(view.are_ordered(b, a) for i, a in enumerate(order) for b in order[i + 1 :]):
            yield order


def ordered(run: Any, order: Sequence[int]) -> list[tuple[Step, StepEvidence]]:
    return [(run.steps[i], run.evidence[i]) for i in order]


def changed_by_pairs(made: Sequence[tuple[Step, StepEvidence]]) -> list[int]:
    """Calls that succeeded with the result of the identical one that did so before."""
    repeats = []
    for i, (step, _) in enumerate(made):
        before = [s for s, _ in made[:i] if s.ok and (s.tool, s.args) == (step.tool, step.args)]
        if step.ok and before and before[-1].result == step.result:
            repeats.append(i)
    return repeats


@given(calls())
def test_a_repeat_with_the_same_result_is_one_in_every_order(
    made: list[tuple[Step, StepEvidence]],
) -> None:
    run = a_run(*made)
    steps = steps_of(no_repeat(run, changed_result_ok=True))

    every = [changed_by_pairs(ordered(run, order)) for order in orders(run)]

    if steps:
        assert all(every)
    if len(every) == 1:
        assert steps == every[0]


# retries


FAILED = a_call("pay", {"id": 1}, ok=False)
PAID = a_call("pay", {"id": 1})


def retries(run: Any, most: int = 2) -> Verdict:
    return found(run, retries={"max": most})


def test_a_call_may_fail_so_often_and_no_more() -> None:
    assert retries(a_run(FAILED, FAILED)).path is PathGrade.OK

    verdict = retries(a_run(FAILED, "check", FAILED, FAILED, FAILED))

    assert [str(one) for one in verdict.violations] == [
        "soft: pay failed 4 times with the same arguments, at most 2 allowed"
    ]
    (told,) = verdict.violations
    assert (told.step, told.subject) == (3, "pay")
    assert told.expected == "at most 2 failures until it succeeds"
    assert told.observed == "4 failures"


def test_a_success_ends_the_series_and_each_series_is_told() -> None:
    assert retries(a_run(FAILED, FAILED, PAID, FAILED, FAILED)).path is PathGrade.OK
    assert steps_of(retries(a_run(*[FAILED] * 3, PAID, *[FAILED] * 3))) == [2, 6]


def test_other_arguments_are_another_call() -> None:
    other = a_call("pay", {"id": 2}, ok=False)

    assert retries(a_run(FAILED, other, FAILED, other)).path is PathGrade.OK
    assert steps_of(retries(a_run(FAILED, other, FAILED, other, other, FAILED))) == [4, 5]


def test_attempts_that_one_span_hides_count() -> None:
    def tried(times: int, *, ok: bool) -> tuple[Step, StepEvidence]:
        return a_call("pay", {"id": 1}, ok=ok, attempts=times)

    assert retries(a_run(tried(3, ok=True))).path is PathGrade.OK
    assert steps_of(retries(a_run(tried(4, ok=True)))) == [0]
    assert retries(a_run(tried(2, ok=False))).path is PathGrade.OK
    assert steps_of(retries(a_run(tried(3, ok=False)))) == [0]
    assert steps_of(retries(a_run(FAILED, tried(3, ok=True)))) == [1]
    assert steps_of(retries(a_run(tried(3, ok=False), FAILED))) == [0]
    assert retries(a_run(FAILED, tried(2, ok=True), tried(3, ok=True))).path is PathGrade.OK


def test_an_unordered_success_parts_the_failures_as_well_as_it_can() -> None:
    fails = [a_call("pay", {"id": 1}, ok=False, turn=0) for _ in range(4)]
    paid = a_call("pay", {"id": 1}, turn=0)

    assert retries(a_run(*fails, paid)).path is PathGrade.OK
    assert steps_of(retries(a_run(FAILED, *fails, paid))) == [5]
    assert steps_of(retries(a_run(*fails, paid, FAILED))) == [5]
    assert retries(a_run(*fails, paid, paid, FAILED)).path is PathGrade.OK
    assert steps_of(retries(a_run(*fails))) == [2]
    assert steps_of(retries(a_run(*[FAILED] * 3, *fails, paid))) == [2]
    long = a_call("pay", {"id": 1}, ok=False, turn=0, attempts=3)
    assert steps_of(retries(a_run(paid, long))) == [1]
    assert steps_of(retries(a_run(long, paid))) == [0]
    assert retries(a_run(fails[0], paid, FAILED, FAILED)).path is PathGrade.OK


@pytest.mark.parametrize("quality", ["redacted", "truncated", "missing"])
def test_hidden_arguments_may_be_those_of_another_failure(quality: str) -> None:
    hidden = a_call("pay", ok=False, quality=ArgsQuality(quality))
    done = a_call("pay", quality=ArgsQuality(quality))

    verdict = retries(a_run(FAILED, FAILED, hidden))

    assert [one.reason for one in verdict.undecided] == [f"args_{quality}"]
    assert retries(a_run(FAILED, hidden)).path is PathGrade.OK
    assert retries(a_run(FAILED, FAILED, done, FAILED)).path is PathGrade.INCONCLUSIVE
    assert steps_of(retries(a_run(FAILED, FAILED, hidden, FAILED))) == [3]
    often = a_call("pay", ok=False, quality=ArgsQuality(quality), attempts=3)
    assert steps_of(retries(a_run(often))) == [0]
    assert steps_of(retries(a_run(done, often))) == [1]


def retried(made: Iterable[tuple[Step, StepEvidence]], most: int) -> list[int]:
    """Where the failures of one call since it last succeeded are first too many."""
    over = []
    made = list(made)
    for i, (step, known) in enumerate(made):
        count = 0
        for before, tries in made[:i]:
            if (before.tool, before.args) == (step.tool, step.args):
                count = 0 if before.ok else count + tries.attempts
        if count <= most < count + known.attempts - step.ok:
            over.append(i)
    return over


@given(calls(), st.integers(1, 3))
def test_failures_are_too_many_only_if_they_are_in_every_order(
    made: list[tuple[Step, StepEvidence]], most: int
) -> None:
    run = a_run(*made)
    steps = steps_of(retries(run, most))

    every = [retried(ordered(run, order), most) for order in orders(run)]

    if steps:
        assert all(every)
    if len(every) == 1:
        assert steps == every[0]


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.integers(1, 3))
def test_failures_of_one_turn_are_too_many_exactly_if_they_are_in_every_order(
    oks: list[bool], most: int
) -> None:
    made = [a_call("pay", ok=ok, turn=0) for ok in oks]

    verdict = retries(a_run(*made), most)

    room = (1 + sum(oks)) * most
    assert (verdict.path is PathGrade.VIOLATED) == (oks.count(False) > room)


# what both rest on


@given(calls())
def test_clusters_part_calls_exactly_where_all_are_ordered(
    made: list[tuple[Step, StepEvidence]],
) -> None:
    view = a_view(a_run(*made))
    every = range(len(made))

    parted = list(clusters(view, every))

    assert [index for cluster in parted for index in cluster] == list(every)
    begins = {cluster[0] for cluster in parted}
    for cut in every:
        is_cut = all(view.are_ordered(a, b) for a in every[:cut] for b in every[cut:])
        assert (cut in begins) == is_cut


def test_an_episode_lasts_while_the_result_is_the_same() -> None:
    def numbers(*results: str, **known: Any) -> list[int]:
        made = [poll(result, **known) for result in results]
        return episodes(a_view(a_run(*made)), range(len(made)))

    assert numbers(*"aabab") == [1, 1, 2, 3, 4]
    assert numbers(*"aa", span=(0, 5)) == [1, 1]
    assert numbers(*"aab", span=(0, 5)) == [1, 2, 3]
    assert numbers(*"aa", result_known=False) == [1, 2]
    both = [poll("a"), *(poll(result, turn=0) for result in "ab"), poll("")]
    assert episodes(a_view(a_run(*both)), range(4)) == [1, 2, 3, 4]
    assert numbers() == []


def of_recording(name: str) -> Any:
    (run,) = runs(requests([FIXTURES / name]), SpecSet())
    return run


@pytest.mark.parametrize("framework", ["langgraph", "mcp", "n8n", "openaiagents", "strands"])
def test_a_recorded_error_is_tried_again_once(framework: str) -> None:
    run = of_recording(f"{framework}/toolerror")

    assert [step.ok for step in run.steps[:2]] == [False, True]
    assert retries(run, 1).path is PathGrade.OK
    assert no_repeat(run).path is PathGrade.OK
    run.evidence[0].attempts = 2
    assert [str(one) for one in retries(run, 1).violations] == [
        "soft: lookup_order failed 2 times with the same arguments, at most 1 allowed"
    ]


@pytest.mark.parametrize("framework", ["crewai", "googleadk", "langgraph", "n8n", "vercel"])
def test_a_recorded_loop_repeats_the_same_result_and_no_news(framework: str) -> None:
    run = of_recording(f"{framework}/loops")

    assert steps_of(no_repeat(run, changed_result_ok=True)) == [1, 2, 3]
    assert steps_of(no_repeat(run, **{"except": "lookup_order"})) == []
    for number, step in enumerate(run.steps):
        step.result += f" ({number})"
    assert steps_of(no_repeat(run, changed_result_ok=True)) == []
