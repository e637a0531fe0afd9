import gc
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, a_spec, grade, judged
from surefoot.evaluate import Kind, Needs, View, judge
from surefoot.evaluate.check import NEEDS, Finding
from surefoot.evaluate.values import text_of
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
    verdict = judged(run, output_ok=["evaluation"])
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


# Whatever stands in arguments, no check is switched off by it.

#: More digits than `str` and `int` take.
LONG = 10**5000 + 7
#: By name, since hypothesis writes down what it samples from, and these cannot be written.
ODD: dict[str, Any] = {
    "long": LONG,
    "minus": -LONG,
    "longer": 10**20_000,
    "hex": 1 << 100_000,
    "inf": float("inf"),
    "nan": float("nan"),
    "bytes": b"a",
    "set": {LONG},
}


def odd(name: str) -> Any:
    return ODD[name]


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from(["\ud800", "a\udfff-1", "\x00", "-" + "1" * 4500, "9" * 5000, "1e999"])
    | st.sampled_from(list(ODD)).map(odd)
)
KEYS = (
    st.text(max_size=4)
    | st.integers()
    | st.sampled_from(["\ud800", None, 1.5, ("a", 1)])
    | st.just("long").map(odd)
)


def nested(depth: int, leaf: object) -> object:
    value = leaf
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


ARGS = st.recursive(
    LEAVES | st.builds(nested, st.sampled_from([900, 10_000]), LEAVES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
TEXTS = st.text(max_size=20) | st.sampled_from(["9" * 5000, "\ud800", "a\udfff-1 \\ud800"])
EVERYTHING: dict[str, Any] = {
    "tools": ["a", "b"],
    "required": ["a"],
    "before": [["a", "b"]],
    "max_steps": 2,
    "no_repeat": True,
    "ground": True,
    "secrets": True,
    "untrusted": ["a"],
    "privileged": ["b"],
}


def every_check(**keys: Any) -> Any:
    return a_spec(**EVERYTHING | keys)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.dictionaries(KEYS, ARGS, max_size=4), TEXTS),
        max_size=5,
    ),
    TEXTS,
    st.sampled_from(["boundary", "substring"]),
)
def test_no_argument_makes_a_check_crash(
    calls: list[tuple[str, dict[str, Any], str]], task: str, provenance: str
) -> None:
    made = [a_call(tool, args, result=result) for tool, args, result in calls]

    verdict = judge(a_run(*made, *made, task=task), every_check(provenance=provenance))

    assert verdict.crashed == ()


@pytest.mark.parametrize(
    "number", [LONG, "1" * 5000, "-" + "1" * 5000], ids=["number", "text", "negative"]
)
@pytest.mark.parametrize("many", [0, 20])
def test_a_number_of_5000_digits_is_grounded_and_tainted_like_any_other(
    number: int | str, many: int
) -> None:
    others = {f"n{index}": f"ord-{index}" for index in range(many)}
    a = a_call("a", result=f"pay {text_of(number)} now {' '.join(others.values())}")
    run = a_run(a, a_call("b", {"x": number, **others}), task="go")
    unknown = a_run("a", a_call("b", {"x": number, **others}), task=" ".join(others.values()))

    tainted = [one.arg for one in judge(run, every_check()).violations if one.check == "taint"]
    invented = [
        one.arg for one in judge(unknown, every_check()).violations if one.check == "ground"
    ]

    assert tainted == ["x", *others]
    assert invented == ["x"]


def test_two_calls_with_one_long_number_are_a_repeat() -> None:
    one, other = a_call("a", {"x": LONG, "y": 1}), a_call("a", {"y": 1, "x": LONG})

    assert len(judged(a_run(one, other, a_call("a", {"x": -LONG})), no_repeat=True).violations) == 1


def test_a_judged_run_is_let_go_without_the_garbage_collector() -> None:
    run = a_run(a_call("lookup", {"id": "48327"}, result="48327"), "pay", task="t")
    spec = a_spec(ground=True, secrets=True, untrusted=["fetch"], privileged=["pay"])
    gc.collect()
    gc.disable()
    try:
        judge(run, spec)
        assert gc.collect() == 0
    finally:
        gc.enable()
