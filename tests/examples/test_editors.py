"""An example spec names its schema, and that schema is the one that is printed."""

import re
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from surefoot.cli.replay import SPEC
from surefoot.specs import json_schema, load

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    file
    for file in sorted((ROOT / "examples").rglob("*.yaml"))
    if "specs" in yaml.safe_load(file.read_text(encoding="utf-8"))
]
COMMENT = re.compile(
    r"# yaml-language-server: \$schema=\./(\S+)\n# \(.*`surefoot schema > (\S+)`\)"
)


def test_there_are_examples() -> None:
    assert {file.parent.name for file in EXAMPLES} == {"examples", "langgraph", "pytest", "vercel"}


@pytest.mark.parametrize("file", EXAMPLES, ids=str)
def test_an_example_tells_editors_its_schema_and_people_how_to_write_it(file: Path) -> None:
    comment = COMMENT.match(file.read_text(encoding="utf-8"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert comment
    assert comment[1] == comment[2]
    assert f"`# yaml-language-server: $schema=./{comment[1]}`" in readme
    assert f"/{comment[1]}\n" in readme
    assert comment[1] in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("file", EXAMPLES, ids=str)
def test_an_editor_takes_the_example_and_marks_a_mistake_in_it(file: Path) -> None:
    told = yaml.safe_load(file.read_text(encoding="utf-8"))
    schema = jsonschema_rs.validator_for(json_schema())

    assert load([file]).specs
    assert schema.is_valid(told)
    told["specs"][0]["max_step"] = 5
    assert not schema.is_valid(told)


def test_the_demo_judges_by_the_example() -> None:
    assert SPEC.read_bytes() == (ROOT / "examples" / "refund-desk.yaml").read_bytes()
