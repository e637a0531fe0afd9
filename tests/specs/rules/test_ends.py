from pathlib import Path
from typing import Any

import pytest

from specs.rules.test_rules import a_spec, problems
from surefoot.specs.match import SpecSet


@pytest.mark.parametrize(
    ("section", "words"),
    [
        (
            {"contains": "x"},
            "end_state: not one place; write one of output: true, last, attribute",
        ),
        (
            {"output": True, "last": "pay", "contains": "x"},
            "end_state: not one place; write one of output: true, last, attribute",
        ),
        (
            {"output": True},
            "end_state: without conditions it can never fire; add equals or contains",
        ),
        (
            {"attribute": "k", "equals": {}, "where": {}},
            "end_state: without conditions it can never fire; add equals or contains",
        ),
        (
            {"output": True, "equals": {"a..b": 1}},
            "end_state.equals.a..b: no path; write status, or items[0].status",
        ),
        (
            {"last": ["pay", {"tool": "pay", "ok": False}], "contains": "x"},
            "end_state.last[1].ok: a call that failed tells no state; leave ok out",
        ),
        ({"output": False, "contains": "x"}, "end_state.output: not one that is known"),
    ],
)
def test_an_end_state_that_cannot_be_meant_is_refused(
    tmp_path: Path, section: dict[str, Any], words: str
) -> None:
    told = problems(tmp_path, {"id": "r", "end_state": section})

    assert [one.startswith(f"rules[0].{words}") for one in told] == [True]


def test_words_of_a_text_need_be_no_path(tmp_path: Path) -> None:
    section = {"output": True, "contains": ["ticket T-5521.", "a..b"]}

    assert problems(tmp_path, {"id": "r", "end_state": section}) == []
    assert problems(tmp_path, {"id": "r", "end_state": {"output": True, "equals": 0}}) == []
    done = {"last": {"tool": "pay", "ok": True}, "contains": "x"}
    assert problems(tmp_path, {"id": "r", "end_state": done}) == []


def test_the_door_keeps_attributes_that_rules_read() -> None:
    inner = {"end_state": {"attribute": "order.status", "equals": "closed"}}
    deep = {"any_of": [{"not": {"end_state": {"attribute": "b", "contains": "x"}}}]}
    spec = a_spec({"id": "a"} | inner, {"id": "b"} | deep, {"id": "c", "completion": True})

    keys = SpecSet.of([spec]).wanted_keys()

    assert {"order.status", "b"} <= keys
    assert keys <= SpecSet.of([spec]).wanted().keys
    assert "attribute" not in keys
