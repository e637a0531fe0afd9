from evaluate.runs import a_call, a_run, judged, messages, steps_of
from surefoot.model import Severity


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
