"""What a spec file may say of a sequence, and what is refused."""

from typing import Any

import pytest

from specs.rules.said import said
from surefoot.evaluate.sequence import How, ToolSequence
from surefoot.specs.rules.sequence import SequenceRule


@pytest.mark.parametrize(
    ("sequence", "words"),
    [
        ({"expect": [], "order": "any"}, ".expect: empty, so any can never fire; name a call"),
        ({"expect": [], "order": "superset"}, ".expect: empty, so superset can never fire; "),
        ({"expect": ["a"], "order": "sorted"}, ".order: "),
        ({"order": "any"}, ".expect: missing; write it"),
        ({"expect": "a"}, ".expect: "),
    ],
)
def test_what_is_wrong_is_said(sequence: dict[str, Any], words: str) -> None:
    (problem,) = said({"id": "r", "sequence": sequence})

    assert problem.startswith(f"rules[0].sequence{words}")


@pytest.mark.parametrize("order", ["strict", "subset"])
def test_no_call_at_all_may_be_expected(order: str) -> None:
    assert said({"id": "r", "sequence": {"expect": [], "order": order}}) == []


def test_what_is_expected_reaches_the_check() -> None:
    rule = {"sequence": {"expect": ["a", ["b", "c"], {"tool": "d", "ok": True}]}}

    check = SequenceRule.model_validate(rule).check()

    assert isinstance(check, ToolSequence)
    assert [one.label for one in check.expect] == ["a", "b or c", "d (succeeded)"]
    assert check.how is How.STRICT
