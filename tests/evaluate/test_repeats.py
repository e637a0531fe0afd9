import pytest

from evaluate.runs import a_call, a_run, grade, judged, messages, steps_of
from surefoot.evaluate.repeats import identity
from surefoot.model import ArgsQuality, PathGrade, Step, StepEvidence

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


@pytest.mark.parametrize("quality", ["redacted", "truncated", "missing"])
def test_hidden_arguments_may_repeat_what_succeeded(quality: str) -> None:
    hidden = a_call("lookup", quality=ArgsQuality(quality))

    assert grade(a_run(lookup(), hidden), no_repeat=True) is PathGrade.INCONCLUSIVE
    assert grade(a_run(hidden, lookup()), no_repeat=True) is PathGrade.INCONCLUSIVE
    assert grade(a_run(lookup(ok=False), hidden), no_repeat=True) is PathGrade.OK
    assert grade(a_run(hidden, "check"), no_repeat=True) is PathGrade.OK
    assert grade(a_run(hidden, lookup(), lookup()), no_repeat=True) is PathGrade.VIOLATED


def test_names_that_cannot_be_sorted_are_compared_all_the_same() -> None:
    odd = {1: "a", "b": "c"}

    assert identity(odd) == identity(dict(odd))  # type: ignore[arg-type]  # odd on purpose
