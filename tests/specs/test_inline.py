"""A dict is read as a file would be, and its mistakes are told without a file."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from surefoot.errors import SpecError
from surefoot.specs import load
from surefoot.specs.inline import parse
from surefoot.specs.match import SpecSet

DESK: dict[str, Any] = {
    "name": "desk",
    "before": [("check_policy", "issue_refund")],
    "rules": [{"id": "no-mail", "forbidden": "send_email"}],
}


@pytest.mark.parametrize("written", [DESK, {"specs": [DESK]}])
def test_a_dict_says_what_a_file_says(tmp_path: Path, written: dict[str, Any]) -> None:
    file = tmp_path / "desk.yaml"
    plain = DESK | {"before": [["check_policy", "issue_refund"]]}
    file.write_text(yaml.safe_dump({"specs": [plain]}), encoding="utf-8")

    assert SpecSet.of(parse(written)).hash == load([file]).hash


def test_a_spec_without_a_name_gets_one() -> None:
    assert [spec.name for spec in parse({"forbidden": ["a"]})] == ["spec"]


def test_several_specs_need_their_names() -> None:
    with pytest.raises(SpecError) as refused:
        parse({"specs": [{"forbidden": ["a"]}]})

    assert str(refused.value) == "specs[0].name: missing; write it"


def test_every_problem_is_told_with_its_place() -> None:
    with pytest.raises(SpecError) as refused:
        parse({"forbiden": ["a"], "max_steps": "many", "tools": ["a"], "required": ["b"]})

    places = [line.split(": ")[0] for line in str(refused.value).splitlines()]
    assert sorted(places) == ["specs[0].forbiden", "specs[0].max_steps", "specs[0].required[0]"]


def test_what_yaml_cannot_say_is_refused() -> None:
    with pytest.raises(SpecError) as refused:
        parse({"tools": {"a", "b"}})

    assert str(refused.value) == (
        "no spec: Object of type set is not JSON serializable; "
        "write texts, numbers, booleans, lists and dicts"
    )


def test_the_callers_dict_stays_as_it_was() -> None:
    written = {"forbidden": ["a"]}
    parse(written)

    assert written == {"forbidden": ["a"]}
