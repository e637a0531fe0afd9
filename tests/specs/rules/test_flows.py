"""What a spec file may say of flows, and what is refused."""

from typing import Any

import pytest

from specs.rules.said import said
from surefoot.evaluate.flows import Exfiltration, Taint, Trifecta
from surefoot.evaluate.planted import Injected
from surefoot.model import Severity
from surefoot.specs.rules.flows import ExfiltrationRule, InjectedRule, TaintRule, TrifectaRule


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"taint": {"from": "a"}}, "taint.to: missing"),
        ({"exfiltration": {"to": "a"}}, "exfiltration.from: missing"),
        ({"exfiltration": {"from": "a", "to": "b", "cleared_by": "c"}}, "exfiltration.cleared_by"),
        ({"trifecta": {"untrusted": "a", "private": "b"}}, "trifecta.egress: missing"),
        (
            {"injected": {}},
            "injected: without a sign it can never fire; write canaries or patterns",
        ),
        ({"injected": {"calls": "a"}}, "injected: without a sign it can never fire"),
        (
            {"injected": {"canaries": ["--"]}},
            "injected.canaries[0]: no letter and no digit; write a text that no other text holds",
        ),
        ({"injected": {"patterns": ["(?=a)"]}}, "injected.patterns[0]: RE2 refuses the pattern"),
    ],
)
def test_what_is_wrong_is_said(rule: dict[str, Any], words: str) -> None:
    (problem,) = said({"id": "r"} | rule)

    assert problem.startswith(f"rules[0].{words}")


def test_tools_outside_the_vocabulary_are_refused() -> None:
    rule = {"id": "r", "taint": {"from": "x", "to": "q", "cleared_by": "z"}}

    assert len(said(rule, tools=["x"])) == 2


def test_what_is_said_reaches_the_checks() -> None:
    taint = TaintRule.model_validate({"taint": {"from": "a", "to": "b", "cleared_by": "c"}}).check()
    way = ExfiltrationRule.model_validate({"exfiltration": {"from": "a", "to": "b"}}).check()
    three = TrifectaRule.model_validate(
        {"trifecta": {"untrusted": "a", "private": "b", "egress": "c"}}
    ).check()
    planted = InjectedRule.model_validate({"injected": {"canaries": "One 1"}}).check()

    assert isinstance(taint, Taint)
    assert taint.flow.cleared_by is not None
    labels = (taint.flow.sources.label, taint.flow.sinks.label, taint.flow.cleared_by.label)
    assert labels == ("a", "b", "c")
    assert isinstance(way, Exfiltration)
    assert (way.id, way.severity, way.flow.cleared_by) == ("exfiltration", Severity.HARD, None)
    assert isinstance(three, Trifecta)
    assert (three.id, three.severity) == ("trifecta", Severity.WARN)
    assert isinstance(planted, Injected)
    assert (planted.id, planted.severity, planted.calls) == ("injected", Severity.HARD, None)
    assert [one.text for one in planted.signs.canaries] == ["one 1"]
