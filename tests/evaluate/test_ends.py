import json
from collections.abc import Mapping
from typing import Any

import pytest
from gaitcheck.checks.end_state import EndState as Theirs
from gaitcheck.trace import Trace
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, judged, steps_of
from evaluate.test_repeats import of_recording
from surefoot.evaluate.predicates import number_of
from surefoot.model import ArgsQuality, Cut, Evidence, PathGrade, Run, Severity, Verdict


def found(run: Run, **rule: Any) -> Verdict:
    return judged(run, rules=[{"id": "r"} | rule])


def end(run: Run, **section: Any) -> Verdict:
    return found(run, end_state=section)


def of_output(output: str, **section: Any) -> Verdict:
    return end(a_run(output=output, flaw=""), output=True, **section)


# completion


def test_a_run_without_a_flaw_and_with_an_answer_is_complete() -> None:
    assert found(a_run(flaw="", output="done"), completion=True).path is PathGrade.OK


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (a_run(flaw="error in agent", output=""), "error in agent"),
        (a_run(flaw="finish reason length", output="so far"), "finish reason length"),
        (a_run(flaw="no answer"), "no answer"),
        (a_run(flaw="", output=" \n"), "no answer"),
    ],
)
def test_a_flaw_or_a_missing_answer_is_told(run: Run, why: str) -> None:
    (told,) = found(run, completion=True).violations

    assert str(told) == f"soft: not completed: {why}"
    assert (told.step, told.expected, told.observed) == (None, "an answer, and no error", why)


def test_spans_that_do_not_tell_how_the_run_ended_leave_it_open() -> None:
    verdict = found(a_run(flaw=None, output="done"), completion=True)

    assert [one.reason for one in verdict.undecided] == ["output_unknown"]


@pytest.mark.parametrize("name", ["langgraph/good", "mcp/good", "strands/loops"])
def test_recorded_runs_with_an_answer_are_complete(name: str) -> None:
    run = of_recording(name)

    assert found(run, completion=True).path is PathGrade.OK
    assert end(run, output=True, contains="T-5521").path is PathGrade.OK
    assert end(run, last="escalate_to_human", contains="ticket T-5521").path is PathGrade.OK
    assert end(run, last="lookup_order", contains="T-5521").path is PathGrade.VIOLATED


# end_state of the output

STATE = '{"order": {"status": "open", "total": 200.0, "items": [{"id": 1}, {"id": 2}]}, "n": null}'


def test_each_condition_that_does_not_hold_is_told() -> None:
    verdict = of_output(
        STATE,
        contains=["order", "n", "gone", "order.gone"],
        equals={"order.total": 200, "order.status": "closed"},
        where={"order.total": {"le": 100}, "order.items[*].id": {"ge": 2}, "x": {"exists": False}},
    )

    assert [(one.message, one.expected) for one in verdict.violations] == [
        ("final output: gone is missing", "gone is there"),
        ("final output: order.gone is missing", "order.gone is there"),
        ("final output: order.status is 'open'", "order.status is 'closed'"),
        ("final output: order.total is 200.0", "order.total is <= 100"),
        ("final output: order.items[0].id is 1", "order.items[*].id is >= 2"),
    ]
    assert [one.subject for one in verdict.violations][:2] == ["gone", "order.gone"]
    assert verdict.violations[2].observed == "order.status is 'open'"
    assert {one.severity for one in verdict.violations} == {Severity.HARD}
    assert steps_of(verdict) == [None] * 5


def test_a_key_that_is_not_there_equals_nothing() -> None:
    for section in ({"equals": {"gone": None}}, {"where": {"gone": {"ne": 1}}}):
        (told,) = of_output(STATE, **section).violations
        assert told.message == "final output: gone is missing"


def test_in_a_text_that_is_no_json_words_must_stand() -> None:
    text = "Escalated, ticket T-5521. All done!"

    assert of_output(text, contains=["ticket T-5521.", "done!"]).path is PathGrade.OK
    (told,) = of_output(text, contains=["T-5521", "refunded"]).violations
    assert told.message == "final output: 'refunded' is not in the text"
    assert told.expected == "refunded is there"
    assert of_output('"a\\u0062c"', contains="abc").path is PathGrade.OK
    assert of_output("42", contains="4").path is PathGrade.OK


def test_a_text_that_is_no_json_has_no_keys() -> None:
    (told,) = of_output("status: open", equals={"status": "open"}).violations

    assert told.observed == "status is missing"


def test_keys_are_no_words_and_words_no_keys() -> None:
    assert of_output('{"a": "status"}', contains="status").path is PathGrade.VIOLATED
    assert of_output('{"T-1 done!": 1}', contains="T-1 done!").path is PathGrade.OK
    assert of_output('{"a..b": 1}', contains="a..b").path is PathGrade.OK
    assert of_output('{"a.b": 1}', contains="a..b").path is PathGrade.VIOLATED
    assert of_output('["x"]', contains="x").path is PathGrade.VIOLATED
    assert of_output('["x"]', contains="[0]").path is PathGrade.OK
    assert of_output('["a.", 1]', contains="a.").path is PathGrade.VIOLATED


def test_the_state_as_a_whole_may_be_compared() -> None:
    assert of_output("closed", equals="closed").path is PathGrade.OK
    assert of_output("5.0", equals=5).path is PathGrade.OK
    assert of_output("[1, 2]", equals=[1, 2]).path is PathGrade.OK
    (told,) = of_output("open", equals="closed").violations
    assert (told.message, told.expected) == ("final output: it is 'open'", "it is 'closed'")


def test_no_output_is_told_unless_the_spans_do_not_tell() -> None:
    (told,) = end(a_run(flaw="no answer"), output=True, contains="x").violations
    assert (told.message, told.expected) == ("final output: there is none", "a final output")
    verdict = end(a_run(flaw=None), output=True, contains="x")
    assert [one.reason for one in verdict.undecided] == ["output_unknown"]
    assert end(a_run(flaw=None, output="x"), output=True, contains="x").path is PathGrade.OK


def test_a_cut_output_is_undecided_whatever_it_says() -> None:
    for words in ("x", "y"):
        verdict = of_output(Cut("x"), contains=words)
        assert [one.reason for one in verdict.undecided] == ["text_capped"]


# of a tool's last result


def state(value: object, **known: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value)
    return a_call("lookup", result=text, **known)


CLOSED = {"last": "lookup", "equals": {"status": "closed"}}
IS_OPEN, IS_CLOSED = {"status": "open"}, {"status": "closed"}


def test_the_last_result_that_went_well_counts() -> None:
    assert end(a_run(state(IS_OPEN), state(IS_CLOSED), "pay"), **CLOSED).path is PathGrade.OK
    (told,) = end(a_run(state(IS_CLOSED), "pay", state(IS_OPEN)), **CLOSED).violations
    assert told.message == "result of lookup: status is 'open'"
    assert told.step == 2
    failed = state("timed out", ok=False)
    assert end(a_run(state(IS_CLOSED), failed), **CLOSED).path is PathGrade.OK


def test_without_such_a_result_there_is_no_state() -> None:
    (told,) = end(a_run("pay", state(IS_CLOSED, ok=False)), **CLOSED).violations

    assert told.message == "result of lookup: there is none"
    assert (told.step, told.expected, told.subject) == (None, "a result of lookup", "")


def test_of_unordered_results_any_may_be_the_last() -> None:
    first, second = state(IS_CLOSED, span=(0, 10)), state(IS_OPEN, span=(5, 20))

    assert end(a_run(first, second), **CLOSED).path is PathGrade.OK
    assert steps_of(end(a_run(first, second, state(IS_OPEN, span=(30, 40))), **CLOSED)) == [2]
    turn = [state(IS_CLOSED, turn=1), state(IS_OPEN, turn=1)]
    assert end(a_run(*turn), **CLOSED).path is PathGrade.OK
    early = [state(IS_CLOSED, turn=1, span=(0, 5)), state(IS_OPEN, turn=2, span=(6, 7))]
    late = state(IS_OPEN, turn=1, span=(6, 9))
    assert steps_of(end(a_run(*early, late), **CLOSED)) == [2]
    beside = state(IS_OPEN, turn=2, span=(4, 7))
    assert end(a_run(early[0], beside, late), **CLOSED).path is PathGrade.OK


@pytest.mark.parametrize(
    ("unread", "reason"),
    [
        (state("", result_known=False), "results_missing"),
        (state(IS_CLOSED, result_capped=True), "text_capped"),
    ],
)
def test_a_last_result_that_cannot_be_read_is_undecided(unread: Any, reason: str) -> None:
    verdict = end(a_run(state(IS_CLOSED), unread), **CLOSED)

    assert [one.reason for one in verdict.undecided] == [reason]
    assert end(a_run(unread, state(IS_CLOSED)), **CLOSED).path is PathGrade.OK


def test_a_call_that_may_be_the_last_leaves_it_open_unless_it_alters_nothing() -> None:
    first = {"tool": "lookup", "args": {"id": 1}}
    known = {"args": {"id": 1}}
    hidden = {"quality": ArgsQuality.MISSING}

    def verdict(one: object, then: object) -> Verdict:
        run = a_run(state(one), state(then, **hidden))
        run.steps[0].args = known["args"]
        return end(run, last=first, equals={"status": "closed"})

    assert verdict(IS_CLOSED, IS_CLOSED).path is PathGrade.OK
    assert steps_of(verdict(IS_OPEN, IS_OPEN)) == [0]
    assert [one.reason for one in verdict(IS_CLOSED, IS_OPEN).undecided] == ["args_missing"]
    assert [one.reason for one in verdict(IS_OPEN, IS_CLOSED).undecided] == ["args_missing"]


# of an attribute


def attribute(value: object, **section: Any) -> Verdict:
    run = a_run(attributes={} if value is None else {"order.state": value})  # type: ignore[dict-item]
    return end(run, attribute="order.state", **section)


def test_an_attribute_of_the_root_may_tell_the_state() -> None:
    assert attribute("closed", equals="closed").path is PathGrade.OK
    assert attribute('{"status": "closed"}', equals={"status": "closed"}).path is PathGrade.OK
    assert attribute({"status": "closed"}, equals={"status": "closed"}).path is PathGrade.OK
    assert attribute(("a", "b"), equals={"[1]": "b"}).path is PathGrade.OK
    assert attribute(7, equals=7).path is PathGrade.OK
    assert attribute(7, contains="7").path is PathGrade.OK
    assert attribute(7, contains="8").path is PathGrade.VIOLATED
    (told,) = attribute(2.5, equals=2).violations
    assert told.message == "attribute order.state: it is 2.5"
    (told,) = attribute(None, contains="x").violations
    assert told.message == "attribute order.state: there is none"
    assert told.expected == "an attribute order.state"
    assert attribute(Cut("x"), contains="x").path is PathGrade.INCONCLUSIVE


# the same as gaitcheck's

KEYS = st.text("ab_", min_size=1, max_size=2)
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(0, 3), st.floats(0, 3), st.text("ab1", max_size=2)
)
NESTED = st.one_of(VALUES, st.lists(VALUES, max_size=2), st.dictionaries(KEYS, VALUES, max_size=2))
OPERATORS: dict[str, Any] = {
    "ge": lambda value, bound: (number := number_of(value)) is not None and number >= bound,
    "ne": lambda value, bound: value != bound,
    "in": lambda value, bound: value in (bound, 1),
}


@given(
    st.dictionaries(KEYS, NESTED, max_size=3),
    st.dictionaries(KEYS, NESTED, max_size=2),
    st.lists(KEYS, max_size=2),
    st.dictionaries(KEYS, st.tuples(st.sampled_from(sorted(OPERATORS)), st.integers(0, 3))),
)
def test_gaitcheck_says_the_same_of_json_objects(
    told: Mapping[str, Any],
    equals: dict[str, Any],
    contains: list[str],
    where: dict[str, tuple[str, int]],
) -> None:
    written = json.dumps(told)
    predicates = {
        key: (lambda value, name=name, bound=bound: OPERATORS[name](value, bound))
        for key, (name, bound) in where.items()
    }
    theirs = Theirs(equals=equals, contains=contains, where=predicates)
    operators = {
        key: {name: [bound, 1] if name == "in" else bound} for key, (name, bound) in where.items()
    }
    if not (equals or contains or where):
        return

    expected = theirs.check(Trace(steps=(), end_state=json.loads(written))).passed

    section = {"equals": equals, "contains": contains, "where": operators}
    last = end(a_run(a_call("t", result=written)), last="t", **section)
    for verdict in (of_output(written, **section), last):
        assert (verdict.path is PathGrade.OK) == expected


@pytest.mark.parametrize(
    ("results", "path"),
    [
        (["bad?", "good?"], "inconclusive"),
        (["good?", "bad?"], "inconclusive"),
        (["bad?", "bad?"], "violated"),  # without either there is none
        (["good", "bad?", "good?"], "inconclusive"),
        (["good", "good?", "good?"], "ok"),
        (["bad", "bad?", "bad?"], "violated"),
        (["bad?", "good"], "ok"),
        (["good?", "bad"], "violated"),
    ],
)
def test_any_of_the_doubtful_calls_may_have_been_the_last(results: list[str], path: str) -> None:
    """The first alone, the second alone, both or none."""
    calls = [
        a_call(
            "look",
            {} if text.endswith("?") else {"x": 1},
            result=text,
            quality=ArgsQuality.REDACTED if text.endswith("?") else ArgsQuality.EXACT,
        )
        for text in results
    ]
    last = {"tool": "look", "args": {"x": 1}}
    assert end(a_run(*calls), last=last, contains="good").path == path


def test_a_doubtful_call_whose_result_is_not_told_leaves_the_end_open() -> None:
    hidden = a_call("look", quality=ArgsQuality.REDACTED, result_known=False)
    last = {"tool": "look", "args": {"x": 1}}
    verdict = end(a_run(a_call("look", {"x": 1}, result="bad"), hidden), last=last, contains="good")

    assert [one.reason for one in verdict.undecided] == ["args_redacted"]


def test_an_answer_of_which_no_word_is_left_is_open() -> None:
    run = a_run(flaw="", output=Cut(" "), levels={Evidence.TEXT_CAPPED})

    for rule in ({"completion": True}, {"end_state": {"output": True, "contains": "done"}}):
        assert [one.reason for one in found(run, **rule).undecided] == ["text_capped"]
