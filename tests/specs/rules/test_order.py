"""What a spec file may say of order, and what is refused."""

from typing import Any

import pytest

from specs.rules.said import said
from surefoot.evaluate.followed import After
from surefoot.evaluate.order import Before
from surefoot.model import Severity
from surefoot.specs.rules.order import AfterRule, BeforeRule, NextRule, PrecedeEachRule

PAIR = ["x", "y"]
TWICE = ["x", "x"]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"before": TWICE}, "before: twice the same call, so it can never fire; name two"),
        (
            {"precede_each": TWICE},
            "precede_each: twice the same call, of which the first has none; name two",
        ),
        (
            {"after": TWICE},
            "after: twice the same call, of which the last is followed by none; name two",
        ),
        (
            {"next": TWICE},
            "next: twice the same call, of which the last is followed by none; name two",
        ),
        (
            {"before": [{"tool": "x", "ok": False}, "y"], "ended": True},
            "before[0]: ended calls succeeded, so no run keeps it; drop ok: false",
        ),
        (
            {"between": {"absent": "x", "from": "y", "to": "x"}},
            "between.absent: what it ends with, so it can never fire; name another",
        ),
        ({"before": ["x"]}, "before: no pair; write [first, second]"),
        ({"after": "x"}, "after: no pair; write [first, second]"),
        ({"next": ["x", "y", "z"]}, "next: no pair; write [first, second]"),
        ({"never_after": [[], "y"]}, "never_after[0]: names no call; write a tool's name, or "),
        ({"after": PAIR, "within": 3}, "within: no duration; write 500ms, 6s, 30m or 1h30m"),
        ({"after": PAIR, "within_steps": 0}, "within_steps: too small; write at least "),
        ({"before": PAIR, "ended": "yes"}, "ended: neither true nor false; write one of them"),
        ({"between": {"absent": "x", "to": "y"}}, "between.from: missing; write it"),
        ({"before": PAIR, "within": "3s"}, "within: "),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(rule: dict[str, Any], words: str) -> None:
    (problem,) = said({"id": "r"} | rule)

    assert problem.startswith(f"rules[0].{words}")


@pytest.mark.parametrize(
    "rule",
    [
        {"never_after": TWICE},
        {"before": [{"tool": "x", "ok": False}, "y"]},
        {"before": [["x", {"tool": "z", "ok": False}], "y"], "ended": True},
        {"between": {"absent": "x", "from": "y", "to": "y"}},
        {"between": {"absent": "x", "from": "x", "to": "y"}},
        {"after": PAIR, "within": "1h", "within_steps": 1},
        {"precede_each": [["x", "y"], "x"]},
    ],
)
def test_what_may_fire_is_taken(rule: dict[str, Any]) -> None:
    assert said({"id": "r"} | rule) == []


def test_names_outside_the_vocabulary_are_refused_wherever_they_stand() -> None:
    rule = {"id": "r", "between": {"absent": "x", "from": "y", "to": ["z", "q"]}}

    (problem,) = said(rule, {"id": "s", "after": PAIR}, tools=["x", "y", "z"])

    assert problem.startswith("rules[0].between.to[1]: 'q' is not in this spec's tools")


def test_options_reach_the_check() -> None:
    before = BeforeRule.model_validate({"before": PAIR, "ended": True}).check()
    after = AfterRule.model_validate(
        {"after": PAIR, "within": "30s", "within_steps": 3, "severity": "warn"}
    ).check()

    assert isinstance(before, Before)
    assert before.ended
    assert (before.pairs[0].first.label, before.pairs[0].then.label) == ("x", "y")
    assert isinstance(after, After)
    assert (after.within_ns, after.steps) == (30_000_000_000, 3)
    assert after.severity is Severity.WARN


def test_usual_severities() -> None:
    assert PrecedeEachRule.model_validate({"precede_each": PAIR}).check().severity is Severity.HARD
    assert NextRule.model_validate({"next": PAIR}).check().severity is Severity.SOFT
