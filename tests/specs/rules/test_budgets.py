from pathlib import Path
from typing import Any

import pytest

from specs.rules.test_rules import a_spec, problems
from surefoot.specs.build import checks, spec_hash
from surefoot.specs.match import compile_spec


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({}, ": without bounds it can never fire; write one of duration, step_duration, tokens"),
        ({"tokens": -1}, ".tokens: too small; write at least 0"),
        ({"tokens": 1.5}, ".tokens: "),
        ({"cost": "1"}, ".cost"),
        ({"duration": 5}, ".duration: no duration; write 500ms"),
        ({"step_duration": "soon"}, ".step_duration: 'soon' is no duration"),
        ({"step_duration": {"pay": "x"}}, ".step_duration.pay: 'x' is no duration"),
        ({"step_duration": {"pya": "1s"}}, ".step_duration.pya: 'pya' is not in this spec's tools"),
    ],
)
def test_a_budget_that_cannot_be_meant_is_refused(
    tmp_path: Path, section: dict[str, Any], words: str
) -> None:
    told = problems(tmp_path, {"id": "r", "budget": section}, tools=["pay"])

    assert told[0].startswith(f"rules[0].budget{words}")


def test_bounds_of_nothing_at_all_are_bounds(tmp_path: Path) -> None:
    section = {"tokens": 0, "llm_calls": 0, "cost": 0}

    assert problems(tmp_path, {"id": "r", "budget": section}) == []


def test_a_tool_with_a_time_of_its_own_is_named_by_the_spec() -> None:
    spec = a_spec({"id": "r", "budget": {"step_duration": {"fetch.page": "1s", "x*": "2s"}}})

    assert compile_spec(spec).scope.universe == {"fetch.page"}


def test_each_bound_tells_specs_apart() -> None:
    sections: list[dict[str, Any]] = [
        {"duration": "1s"},
        {"step_duration": "1s"},
        {"step_duration": {"pay": "1s"}},
        {"tokens": 1},
        {"llm_calls": 1},
        {"cost": 1},
    ]
    specs = [a_spec({"id": "r", "budget": section}) for section in sections]

    assert len({spec_hash(spec) for spec in specs}) == len(sections)
    made = [check for spec in specs for check in checks(spec)]
    assert len({repr(check) for check in made}) == len(sections)
