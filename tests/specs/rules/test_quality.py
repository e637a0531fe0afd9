from pathlib import Path

import pytest

from specs.rules.test_rules import problems


@pytest.mark.parametrize("key", ["data_quality", "completion", "no_repeat"])
def test_a_switch_is_on_or_not_there(tmp_path: Path, key: str) -> None:
    assert problems(tmp_path, {"id": "r", key: True}) == []

    (told,) = problems(tmp_path, {"id": "r", key: False})

    assert told == f"rules[0].{key}: not one that is known; write true"
