"""What a spec file may say of effects, approvals and models, and what is refused."""

from typing import Any

import pytest

from specs.rules.said import said
from surefoot.evaluate.authority import BY_NAME, Approval, Effects, Models
from surefoot.specs.rules.authority import ApprovalRule, EffectsRule, ModelsRule


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            {"approval": {"step": "x", "by": "x"}},
            "approval.by: nothing approves itself, so no run keeps it; name another",
        ),
        ({"approval": {"step": "x"}}, "approval.by: missing; write it"),
        ({"approval": {"step": "x", "by": "y", "same": ["a."]}}, "approval.same[0]: 'a.' is no "),
        ({"approval": {"step": "x", "by": "y", "max_age": "1"}}, "approval.max_age: '1' is no "),
        (
            {"approval": {"step": "x", "by": "y", "granted": {"a": {"is": 1}}}},
            "approval.granted.a: 'is' is no operator; ",
        ),
        ({"effects": {"authorized": "x"}}, "effects.authorized: unknown key; did you mean autho"),
        ({"effects": {"tools": []}}, "effects.tools: names no call; "),
        ({"models": []}, "models: empty; write at least one, or leave the key out"),
    ],
)
def test_each_problem_is_told(rule: dict[str, Any], words: str) -> None:
    (problem,) = said({"id": "a"} | rule)

    assert problem.startswith(f"rules[0].{words}")


def test_without_tools_the_names_speak() -> None:
    check = EffectsRule.model_validate({"effects": {}}).check()

    assert isinstance(check, Effects)
    assert check.tools is BY_NAME
    assert check.authorised is None


def test_one_path_alone_is_a_list_of_one() -> None:
    told = {"step": "x", "by": "y", "same": "order.id", "max_age": "10m"}
    check = ApprovalRule.model_validate({"approval": told}).check()

    assert isinstance(check, Approval)
    assert [path.parts for path in check.same] == [("order", "id")]
    assert check.max_age_ns == 600_000_000_000


def test_one_model_alone_is_a_list_of_one() -> None:
    check = ModelsRule.model_validate({"models": "gpt-*"}).check()

    assert isinstance(check, Models)
    assert check.globs == ("gpt-*",)
