from typing import Any

import pytest

from evaluate.runs import a_call, a_run, a_spec, a_view, grade, judged, messages, steps_of
from surefoot.model import ArgsQuality, Severity, StepKind, Undecided, Violation


def the_violation(*calls: Any, **rule: Any) -> Violation:
    """The only one that a rule finds in a run of these calls."""
    (found,) = judged(a_run(*calls), rules=[{"id": "r"} | rule]).violations
    return found


def test_an_unknown_tool_is_told_once_at_its_first_call() -> None:
    verdict = judged(a_run("a", "x", "x", "y"), tools=["a"])

    assert [str(one) for one in verdict.violations] == ["unknown tool: x", "unknown tool: y"]
    assert steps_of(verdict) == [1, 3]


def test_each_missing_tool_is_told_and_stands_at_no_step() -> None:
    verdict = judged(a_run("a"), required=["a", "b", "c"])

    assert [one.subject for one in verdict.violations] == ["b", "c"]
    assert steps_of(verdict) == [None, None]


def test_a_forbidden_glob_tells_each_tool_that_it_caught() -> None:
    verdict = judged(a_run("send_mail", "a", "send_sms", "send_mail"), forbidden=["send_*"])

    assert [one.subject for one in verdict.violations] == ["send_mail", "send_sms"]
    assert steps_of(verdict) == [0, 2]
    assert verdict.violations[0].observed == "send_mail called, 2 times"


def test_the_budget_is_broken_at_the_first_call_over_it() -> None:
    verdict = judged(a_run("a", "b", "c", "d"), max_steps=2)

    assert steps_of(verdict) == [2]
    assert verdict.violations[0].severity is Severity.SOFT
    assert verdict.violations[0].expected == "at most 2 steps"


def test_no_step_at_all_may_be_a_budget() -> None:
    assert messages(a_run(), max_steps=0) == []
    assert messages(a_run("a"), max_steps=0) == ["soft: 1 steps > max 0"]


def test_attempts_of_one_call_are_one_step() -> None:
    assert messages(a_run(a_call("a", attempts=3)), max_steps=1) == []


def test_an_unknown_tool_says_whether_it_ran_and_what_was_expected() -> None:
    ran, asked = judged(a_run("x", a_call("y", ran=False)), tools=["a"]).violations

    assert (ran.check, ran.severity) == ("tools", Severity.HARD)
    assert (ran.expected, ran.observed, ran.subject) == ("a tool of the vocabulary", "x", "x")
    assert asked.observed == "y, asked for by the model and not run"


def test_a_tool_is_told_though_a_handoff_of_its_name_came_before() -> None:
    handoff = a_call("x", kind=StepKind.HANDOFF)

    assert messages(a_run(handoff, "x"), tools=["a"]) == ["unknown tool: x"]
    assert messages(a_run(handoff), tools=["a"]) == []


def test_a_missing_call_says_what_was_expected_and_seen() -> None:
    none = the_violation("a", "a", required="b")
    assert none.message == "missing required tool: b"
    assert (none.expected, none.observed) == ("a call of b", "none among 2 calls")

    few = the_violation("a", "b", required="b", min=3)
    assert few.message == "b called once, required 3 times"
    assert (few.expected, few.observed, few.subject) == ("3 calls of b", "1 among 2 calls", "b")


@pytest.mark.parametrize(("times", "path"), [(1, "violated"), (2, "ok"), (3, "ok")])
def test_a_tool_is_to_be_called_so_often_at_least(times: int, path: str) -> None:
    assert grade(a_run(*["b"] * times), rules=[{"id": "r", "required": "b", "min": 2}]) == path


def test_a_forbidden_call_says_what_was_expected_and_where_the_others_are() -> None:
    verdict = judged(a_run("a", "send_mail", "a", "send_mail", "send_sms"), forbidden=["send_*"])
    mail, sms = verdict.violations

    assert (mail.step, mail.also) == (1, (3,))
    assert (mail.expected, mail.observed) == ("no call of send_*", "send_mail called, 2 times")
    assert (sms.step, sms.also, sms.observed) == (4, (), "send_sms called")


def test_the_first_call_over_the_most_is_told() -> None:
    found = the_violation("a", "b", "a", "a", "a", calls={"step": "a", "max": 2})

    assert (found.check, found.severity, found.step) == ("r", Severity.HARD, 3)
    assert found.message == "a called 4 times, at most 2 allowed"
    assert (found.expected, found.observed) == ("at most 2 times", "4 times")
    assert (found.subject, found.also) == ("a", (4,))


def test_once_is_said_as_such_and_as_often_as_allowed_is_fine() -> None:
    once = {"step": "a", "max": 1}

    assert the_violation("a", "a", calls=once).expected == "at most once"
    assert the_violation("a", calls={"step": "a", "max": 0}).observed == "once"
    assert messages(a_run("a", "b"), rules=[{"id": "r", "calls": once}]) == []


def test_tools_that_exclude_each_other_are_told_at_the_first_call_of_the_second() -> None:
    found = the_violation("x", "c", "c", "a", "b", "a", exclusive=["a", "b", "c"])

    assert (found.check, found.severity, found.step) == ("r", Severity.HARD, 3)
    assert found.message == "a and c exclude each other"
    assert found.expected == "only one of a, b, c"
    assert found.observed == "c at step 1, a at step 3"
    assert found.also == (1, 2, 4, 5)


def test_one_of_tools_that_exclude_each_other_may_be_called_often() -> None:
    assert messages(a_run("x", "b", "b"), rules=[{"id": "r", "exclusive": ["a", "b"]}]) == []


def test_a_run_without_a_call_is_told() -> None:
    found = the_violation(no_action=True)
    assert (found.check, found.severity, found.step) == ("r", Severity.HARD, None)
    assert found.message == "no tool was called"
    assert (found.expected, found.observed) == ("at least one call", "no call")

    asked = the_violation(a_call("a", ran=False), a_call("b", ran=False), no_action=True)
    assert asked.observed == "none ran of 2 that the model asked for"
    assert messages(a_run("a"), rules=[{"id": "r", "no_action": True}]) == []


def test_a_broken_budget_says_how_many_steps_there_were_and_which_are_too_many() -> None:
    (found,) = judged(a_run("a", "b", "c", "d"), max_steps=2).violations

    assert (found.message, found.observed) == ("4 steps > max 2", "4 steps")
    assert (found.step, found.also) == (2, (3,))
    (none,) = judged(a_run("a", "b"), max_steps=0).violations
    assert (none.step, none.also) == (0, (1,))


@pytest.mark.parametrize(
    "rule",
    [
        {"required": {"tool": "a", "args": {"x": 1}}},
        {"forbidden": {"tool": "a", "args": {"x": 1}}},
        {"calls": {"step": {"tool": "a", "args": {"x": 1}}, "max": 0}},
        {"exclusive": ["b", {"tool": "a", "args": {"x": 1}}]},
    ],
    ids=lambda rule: next(iter(rule)),
)
def test_what_a_hidden_argument_decides_is_undecided(rule: dict[str, Any]) -> None:
    run = a_run("b", a_call("a", quality=ArgsQuality.REDACTED))
    (check,) = a_spec(rules=[{"id": "r"} | rule]).checks

    assert list(check(a_view(run))) == [Undecided("r", "args_redacted")]
