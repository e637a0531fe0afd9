from pathlib import Path
from typing import Any

import pytest

from specs.rules.test_rules import a_spec, problems
from surefoot.evaluate.repeats import NoRepeat
from surefoot.specs.build import checks


def test_what_may_be_repeated_is_a_matcher_or_several() -> None:
    rule = {"id": "r", "no_repeat": True, "except": ["wait", {"tool": "status", "ok": True}]}

    (check,) = checks(a_spec(rule))

    assert isinstance(check, NoRepeat)
    assert check.spared is not None
    assert check.spared.label == "wait or status (succeeded)"
    assert not check.changed_result_ok


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            {"loop": {"window": 2, "times": 3}},
            "rules[0].loop.window: 3 calls never fit in 2 steps; write more",
        ),
        (
            {"loop": {"times": 1, "window": 10}},
            "rules[0].loop.times: too small; write at least 2",
        ),
        (
            {"loop": {"times": 3, "window": 1001}},
            "rules[0].loop.window: Input should be less than or equal to 1000",
        ),
        (
            {"retries": {"max": 0}},
            "rules[0].retries.max: too small; write at least 1",
        ),
        ({"no_repeat": True, "except": []}, "rules[0].except: names no call"),
        (
            {"no_repeat": True, "except": "lokup"},
            "rules[0].except: 'lokup' is not in this spec's tools",
        ),
    ],
)
def test_rules_that_cannot_be_meant_are_refused(
    tmp_path: Path, rule: dict[str, Any], words: str
) -> None:
    (told,) = problems(tmp_path, {"id": "r"} | rule, tools=["lookup"])

    assert told.startswith(words)


def test_bounds_that_just_make_sense_are_taken(tmp_path: Path) -> None:
    assert problems(tmp_path, {"id": "r", "loop": {"window": 3, "times": 3}}) == []
    assert problems(tmp_path, {"id": "r", "loop": {"window": 1000, "times": 2}}) == []
    assert problems(tmp_path, {"id": "r", "retries": {"max": 1}}) == []
