"""What each rule can decide on each level of evidence: the whole table."""

import importlib
from pathlib import Path

import pytest

from evaluate.levels import LEVELS, Row
from evaluate.runs import judged
from surefoot.model import Evidence, PathGrade
from surefoot.specs.rules import RULES

GRADES = {"ok": PathGrade.OK, "violated": PathGrade.VIOLATED, "open": PathGrade.INCONCLUSIVE}
FAMILIES = sorted(path.stem for path in Path(__file__).parent.glob("rows_*.py"))
TABLE: dict[str, Row] = {
    name: row
    for family in FAMILIES
    for name, row in importlib.import_module(f"evaluate.{family}").ROWS.items()
}


def test_every_rule_of_the_schema_has_a_row() -> None:
    assert {name.partition(",")[0] for name in TABLE} == set(RULES)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", TABLE)
def test_each_level_decides_what_the_table_says(name: str, level: str) -> None:
    spec, violating, clean, table = TABLE[name]
    bad, good = table.get(level, "violated ok").split()

    for run, expected in ((violating, bad), (clean, good)):
        run.levels = frozenset({Evidence(level)})
        verdict = judged(run, **spec)

        assert verdict.crashed == ()
        assert verdict.path is GRADES[expected]
        assert {one.check for one in verdict.violations} <= {"r"}
        assert [one.check for one in verdict.undecided] == ["r"] * (expected == "open")
        assert all(level in one.reason for one in verdict.undecided)
