from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from evaluate.runs import a_call, a_run, a_spec, grade, judged
from surefoot.evaluate import Kind, Needs, View, judge
from surefoot.evaluate.check import NEEDS, Finding
from surefoot.model import (
    Outcome,
    OutputGrade,
    PathGrade,
    Severity,
    Undecided,
    Value,
    Violation,
)


@dataclass(frozen=True)
class Broken:
    """A check that trips over its second violation."""

    severity: Severity = Severity.HARD
    id: str = "broken"
    kind: ClassVar[Kind] = Kind.FINAL
    needs: ClassVar[Needs] = NEEDS[Kind.FINAL]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        yield Violation(self.id, self.severity, "first")
        raise ZeroDivisionError(len(view.ran))


def test_a_check_that_crashes_is_undecided_and_the_others_still_run() -> None:
    spec = a_spec(required=["a"], forbidden=["b"])
    spec = replace(spec, checks=(spec.checks[0], Broken(), spec.checks[1]))

    verdict = judge(a_run("b"), spec)

    assert [one.check for one in verdict.violations] == ["required", "forbidden"]
    assert verdict.undecided == (Undecided("broken", "check_failed"),)
    assert verdict.crashed == ("broken",)
    assert judge(a_run("a"), spec).path is PathGrade.INCONCLUSIVE


def test_violations_come_in_the_order_of_checks_then_steps() -> None:
    lookup = a_call("lookup", {"id": "48327"}, result="AKIAIOSFODNN7EXAMPLE")
    run = a_run("x", lookup, lookup, "y", task="t")

    verdict = judged(
        run,
        tools=["lookup", "check"],
        required=["check"],
        before=[["check", "lookup"]],
        max_steps=3,
        no_repeat=True,
        ground=True,
        secrets=True,
    )

    assert [(one.check, one.step) for one in verdict.violations] == [
        ("tools", 0),
        ("tools", 3),
        ("required", None),
        ("before", 1),
        ("max_steps", 3),
        ("no_repeat", 2),
        ("ground", 1),
        ("ground", 2),
        ("secrets", 1),
        ("secrets", 2),
    ]


@pytest.mark.parametrize("level", ["hard", "soft", "warn"])
def test_any_violation_violates_the_path_whatever_its_severity(level: str) -> None:
    verdict = judged(a_run("a"), forbidden=["a"], severity={"forbidden": level})

    assert verdict.path is PathGrade.VIOLATED
    assert verdict.violations[0].severity == level


def test_a_check_that_is_off_is_not_there() -> None:
    assert grade(a_run("a"), forbidden=["a"], severity={"forbidden": "off"}) is PathGrade.OK


def test_a_spec_without_checks_is_kept() -> None:
    assert grade(a_run("a")) is PathGrade.OK


@pytest.mark.parametrize(
    ("value", "output"),
    [
        (True, OutputGrade.OK),
        (False, OutputGrade.FAILED),
        ("true", OutputGrade.OK),
        ("False", OutputGrade.FAILED),
        ("1", OutputGrade.OK),
        (0, OutputGrade.FAILED),
        (1.0, OutputGrade.UNKNOWN),
        ("perhaps", OutputGrade.UNKNOWN),
        (None, OutputGrade.UNKNOWN),
        (("true",), OutputGrade.UNKNOWN),
    ],
)
def test_an_attribute_of_the_root_tells_how_the_output_was(
    value: Value, output: OutputGrade
) -> None:
    verdict = judged(a_run("a", attributes={"surefoot.output_ok": value}))

    assert verdict.output is output
    assert verdict.output_source == ("none" if output is OutputGrade.UNKNOWN else "attribute")


def test_without_an_attribute_the_structure_tells() -> None:
    fine, flawed = a_run("a", flaw=""), a_run("a", flaw="no answer")

    assert judged(fine).output is OutputGrade.OK
    assert judged(flawed).output is OutputGrade.FAILED
    assert judged(flawed).output_source == "structural"


def test_the_first_source_that_answers_wins() -> None:
    run = a_run("a", attributes={"app.ok": False}, flaw="")

    verdict = judged(run, output_ok=[{"attribute": "app.ok"}, "structural"])
    assert (verdict.output, verdict.output_source) == (OutputGrade.FAILED, "attribute")
    verdict = judged(run, output_ok=["structural", {"attribute": "app.ok"}])
    assert (verdict.output, verdict.output_source) == (OutputGrade.OK, "structural")
    verdict = judged(run, output_ok=[{"evaluation": {"name": "x", "pass": ["yes"]}}])
    assert (verdict.output, verdict.output_source) == (OutputGrade.UNKNOWN, "none")


def test_a_good_answer_on_a_bad_path_is_lucky() -> None:
    verdict = judged(a_run("a", flaw=""), forbidden=["a"])

    assert verdict.outcome is Outcome.LUCKY
    assert verdict.is_green


def test_arguments_nested_too_deep_for_python_crash_no_check() -> None:
    """An agent writes them, or who speaks through it: they must not blind a check."""
    deep: Any = "AKIAIOSFODNN7EXAMPLE"
    for _ in range(3_000):
        deep = [deep]
    call = a_call("lookup", {"v": deep})

    verdict = judged(a_run(call, call, task="t"), no_repeat=True, ground=True, secrets=True)

    assert not verdict.crashed
    assert [one.check for one in verdict.violations] == [
        "no_repeat",
        "ground",
        "ground",
        "secrets",
        "secrets",
    ]
