from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, judged, steps_of
from evaluate.test_repeats import SPANS, of_recording, ordered, orders
from surefoot.evaluate.failures import is_empty
from surefoot.model import (
    ArgsQuality,
    Cut,
    Evidence,
    PathGrade,
    Run,
    Severity,
    Step,
    StepEvidence,
    Verdict,
)

FAILED = a_call("lookup", {"id": 1}, ok=False, result="timed out")


def found(run: Run, **rule: Any) -> Verdict:
    return judged(run, rules=[{"id": "r"} | rule])


def handled(run: Run, **options: Any) -> Verdict:
    return found(run, handled_errors=options or True)


# handled_errors


def test_a_failure_that_nothing_was_made_of_is_told_at_its_step() -> None:
    (told,) = handled(a_run("check", FAILED, "check")).violations

    assert str(told) == "lookup failed and nothing was made of it"
    assert (told.step, told.subject, told.severity) == (1, "lookup", Severity.HARD)
    assert told.expected == "lookup called again with success"
    assert told.observed == "failed: 'timed out'"


def test_a_retry_with_success_handles_it_whatever_its_arguments() -> None:
    corrected = a_call("lookup", {"id": 2})

    assert handled(a_run(FAILED, a_call("lookup", {"id": 1}))).path is PathGrade.OK
    assert handled(a_run(FAILED, FAILED, "check", corrected)).path is PathGrade.OK
    assert steps_of(handled(a_run(corrected, FAILED))) == [1]
    assert steps_of(handled(a_run(FAILED, "check"))) == [0]


def test_each_tool_is_told_once_at_its_first_open_failure() -> None:
    silent = a_call("lookup", ok=False)
    verdict = handled(a_run(FAILED, "lookup", silent, a_call("pay", ok=False), FAILED))

    assert steps_of(verdict) == [2, 3]
    assert [one.subject for one in verdict.violations] == ["lookup", "pay"]
    assert [one.observed for one in verdict.violations] == ["failed, 2 times", "failed"]


def test_a_fallback_after_it_handles_it_too_if_it_succeeds() -> None:
    broken = a_call("ask", ok=False)

    assert handled(a_run(FAILED, "ask"), fallback="ask").path is PathGrade.OK
    assert steps_of(handled(a_run("ask", FAILED), fallback="ask")) == [1]
    assert steps_of(handled(a_run(FAILED, broken), fallback="ask", step="lookup")) == [0]
    (told,) = handled(a_run(FAILED), fallback=["ask", "escalate"]).violations
    assert told.expected == "lookup called again with success, or ask or escalate after it"


def test_only_the_steps_that_are_meant_count() -> None:
    assert handled(a_run(FAILED), step="pay").path is PathGrade.OK
    assert steps_of(handled(a_run(FAILED), step={"tool": "lookup", "args": {"id": 1}})) == [0]


def test_an_unordered_success_counts_as_the_later_one() -> None:
    done, failed = (a_call("lookup", ok=ok, span=(0, 10)) for ok in (True, False))
    turn = [a_call("lookup", ok=ok, turn=1) for ok in (True, False)]

    assert handled(a_run(done, failed)).path is PathGrade.OK
    assert handled(a_run(*turn)).path is PathGrade.OK
    after = a_call("lookup", ok=False, span=(10, 20))
    within = a_call("lookup", ok=False, span=(9, 20))
    assert steps_of(handled(a_run(done, after))) == [1]
    assert handled(a_run(done, within)).path is PathGrade.OK


def test_doubts_whether_a_call_is_meant_or_a_fallback_leave_it_open() -> None:
    unread = a_call("ask", result_known=False)
    fallback = {"tool": "ask", "result": {"regex": "taken over"}}

    verdict = handled(a_run(FAILED, unread), fallback=fallback)

    assert [one.reason for one in verdict.undecided] == ["results_missing"]


def test_a_call_that_no_tool_ran_neither_fails_nor_handles() -> None:
    assert handled(a_run(a_call("lookup", ok=False, ran=False))).path is PathGrade.OK
    assert steps_of(handled(a_run(FAILED, a_call("lookup", ran=False)))) == [0]


@st.composite
def calls(draw: st.DrawFn, turns: Sequence[int] = (-1,)) -> list[tuple[Step, StepEvidence]]:
    spans = sorted(draw(st.lists(SPANS, min_size=1, max_size=6)))
    return [
        a_call(
            draw(st.sampled_from("abc")),
            ok=draw(st.booleans()),
            turn=draw(st.sampled_from(turns)),
            span=span,
        )
        for span in spans
    ]


def is_open(made: Sequence[tuple[Step, StepEvidence]]) -> bool:
    """Whether an `a` or `b` failed, and neither it nor `c` succeeded afterwards."""
    return any(
        not step.ok
        and step.tool != "c"
        and not any(later.ok and later.tool in (step.tool, "c") for later, _ in made[at:])
        for at, (step, _) in enumerate(made)
    )


@given(calls())
def test_a_failure_is_open_exactly_if_it_is_in_every_order(
    made: list[tuple[Step, StepEvidence]],
) -> None:
    run = a_run(*made)

    verdict = handled(run, fallback="c", step=["a", "b"])

    is_violated = all(is_open(ordered(run, order)) for order in orders(run))
    assert (verdict.path is PathGrade.VIOLATED) == is_violated


@given(calls(turns=(-1, 0, 1)))
def test_a_failure_among_turns_is_open_only_if_it_is_in_every_order(
    made: list[tuple[Step, StepEvidence]],
) -> None:
    run = a_run(*made)

    if handled(run, fallback="c", step=["a", "b"]).violations:
        assert all(is_open(ordered(run, order)) for order in orders(run))


@pytest.mark.parametrize("framework", ["agno", "langgraph", "mcp", "n8n", "vercel"])
def test_a_recorded_error_was_handled_by_the_retry(framework: str) -> None:
    run = of_recording(f"{framework}/toolerror")

    assert handled(run).path is PathGrade.OK
    assert steps_of(found(run, must_succeed="lookup_order")) == [0]
    run.steps[1].ok = False
    assert steps_of(handled(run)) == [0]


# must_succeed


def test_each_failure_of_what_must_succeed_is_told() -> None:
    verdict = found(a_run(FAILED, "lookup", FAILED, "pay"), must_succeed="lookup")

    assert steps_of(verdict) == [0, 2]
    assert str(verdict.violations[0]) == "soft: lookup failed"
    assert verdict.violations[0].expected == "lookup succeeds"
    assert verdict.violations[0].observed == "'timed out'"
    assert verdict.violations[0].subject == "lookup"
    (silent,) = found(a_run(a_call("pay", ok=False)), must_succeed=["pay", "lookup"]).violations
    assert (silent.expected, silent.observed) == ("pay or lookup succeeds", "failed")


def test_a_matcher_narrows_what_must_succeed() -> None:
    hidden = a_call("lookup", ok=False, quality=ArgsQuality.MISSING)
    first = {"tool": "lookup", "args": {"id": 1}}

    assert steps_of(found(a_run(FAILED), must_succeed=first)) == [0]
    assert found(a_run(FAILED), must_succeed=first | {"args": {"id": 2}}).path is PathGrade.OK
    assert [one.reason for one in found(a_run(hidden), must_succeed=first).undecided] == [
        "args_missing"
    ]


# empty_result

EMPTY = [
    "",
    " \n\t",
    "null",
    " null ",
    "[]",
    "{}",
    '""',
    '" "',
    '{"results": []}',
    "[[], {}, null]",
]
EMPTY += ['{"a": {"b": [""]}, "c": null}']
USABLE = ["0", "false", "none", "n", "nul", "no order", "[0]", '{"count": 0}', '[{"a": false}]']
USABLE += ['[["x"], []]', '[[], ["x"]]', '"x"', "[", "{results}", '"', "[] and more", "None"]


@pytest.mark.parametrize("result", EMPTY)
def test_a_result_with_nothing_usable_is_empty(result: str) -> None:
    assert is_empty(result)


@pytest.mark.parametrize("result", USABLE)
def test_a_result_with_anything_usable_is_none(result: str) -> None:
    assert not is_empty(result)


def test_deep_results_are_read_without_recursion() -> None:
    assert is_empty("[" * 900 + "]" * 900)
    assert not is_empty("[" * 900 + "1" + "]" * 900)


def test_a_success_that_returned_nothing_usable_is_told() -> None:
    verdict = found(a_run(a_call("lookup", result="[]"), "lookup", FAILED), empty_result="look*")

    assert steps_of(verdict) == [0, 1]
    assert str(verdict.violations[0]) == "warn: lookup returned nothing usable"
    assert [one.observed for one in verdict.violations] == ["'[]'", "an empty text"]
    assert {one.expected for one in verdict.violations} == {"a result of look*"}
    assert {one.subject for one in verdict.violations} == {"lookup"}


def test_a_failure_is_no_empty_result_and_other_tools_do_not_count() -> None:
    assert found(a_run(a_call("a", ok=False), "b"), empty_result="a").path is PathGrade.OK


@pytest.mark.parametrize(
    ("unread", "reason"),
    [
        (a_call("lookup", result_known=False), "results_missing"),
        (a_call("lookup", result=" ", result_capped=True), "text_capped"),
        (a_call("lookup", result=Cut("")), "text_capped"),
    ],
)
def test_a_result_that_is_not_told_is_undecided_and_not_empty(unread: Any, reason: str) -> None:
    verdict = found(a_run(unread), empty_result="lookup")

    assert [one.reason for one in verdict.undecided] == [reason]
    assert steps_of(found(a_run(unread, "lookup"), empty_result="lookup")) == [1]


def test_a_beginning_that_says_something_is_not_empty() -> None:
    run = a_run(a_call("lookup", result=Cut("an order")), a_call("lookup", ok=False, result=""))

    assert found(run, empty_result="lookup").path is PathGrade.OK


OPEN_ENDED = ["", "  ", "[", '[""', '{"a": nu', "nul", '{"a": {"b": [', '{"b": [], "b"', '"', '"  ']
TELLING = ["no", "x", "[1", '["x', '{"a": "b', '{"a": [], "b": 0', "[null, tru", "[false", '"x']


@pytest.mark.parametrize(
    ("beginning", "grade"),
    [
        *((text, PathGrade.INCONCLUSIVE) for text in OPEN_ENDED),
        *((text, PathGrade.OK) for text in (*TELLING, '{"a": -', '["", {"a": "b')),
    ],
)
def test_the_beginning_of_a_result_may_be_empty_if_its_end_can_make_it_so(
    beginning: str, grade: PathGrade
) -> None:
    run = a_run(
        a_call("look", result=Cut(beginning), result_capped=True), levels={Evidence.TEXT_CAPPED}
    )
    assert found(run, empty_result="look").path is grade
