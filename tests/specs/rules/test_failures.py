from pathlib import Path
from typing import Any

import pytest

from specs.rules.test_rules import a_spec, problems
from surefoot.evaluate.failures import HandledErrors
from surefoot.specs.build import checks


def test_true_means_every_call_and_no_fallback() -> None:
    sections: tuple[Any, ...] = (True, {})
    for told in sections:
        (check,) = checks(a_spec({"id": "r", "handled_errors": told}))

        assert isinstance(check, HandledErrors)
        assert check.fallback is None
        assert check.step.label == "a call"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            {"handled_errors": {"step": ["pay", {"tool": "ask", "ok": True}]}},
            "rules[0].handled_errors.step[1].ok: of calls with ok: true it can never fire",
        ),
        (
            {"handled_errors": {"fallback": {"tool": "ask", "ok": False}}},
            "rules[0].handled_errors.fallback.ok: of calls with ok: false it can never fire",
        ),
        ({"handled_errors": False}, "rules[0].handled_errors: not one that is known; write true"),
        ({"handled_errors": {"fallbak": "ask"}}, "rules[0].handled_errors.fallbak: unknown key"),
        (
            {"must_succeed": {"tool": "pay", "ok": True}},
            "rules[0].must_succeed.ok: of calls with ok: true it can never fire; leave ok out",
        ),
        (
            {"empty_result": {"tool": "pay", "ok": False}},
            "rules[0].empty_result.ok: of calls with ok: false it can never fire; leave ok out",
        ),
    ],
)
def test_rules_that_can_never_fire_are_refused(
    tmp_path: Path, rule: dict[str, Any], words: str
) -> None:
    (told,) = problems(tmp_path, {"id": "r"} | rule)

    assert told.startswith(words)


def test_an_outcome_that_says_the_same_twice_is_taken(tmp_path: Path) -> None:
    failed, done = {"tool": "pay", "ok": False}, {"tool": "pay", "ok": True}

    assert problems(tmp_path, {"id": "r", "must_succeed": failed}) == []
    assert problems(tmp_path, {"id": "r", "empty_result": done}) == []
    section = {"step": failed, "fallback": done}
    assert problems(tmp_path, {"id": "r", "handled_errors": section}) == []
