"""The page is whole: each block and each row on it is a pair that some test runs."""

import re
from importlib.metadata import version

import pytest
import yaml

from coming_from.page import FILE, GIVEN, PAIRS, TEXT, Pair, of
from surefoot.specs.inline import parse

TOOLS = ["luckrate", "trajectorycheck", "gaitcheck", "agentevals", "agentevals-cli", "promptfoo"]


def test_each_tool_has_its_pairs() -> None:
    assert {pair.tool for pair in PAIRS} == set(TOOLS)
    assert [len(of(tool)) for tool in TOOLS] == [2, 1, 9, 7, 3, 8]


@pytest.mark.parametrize("tool", ["luckrate", "gaitcheck"])
def test_it_names_the_version_that_is_tested(tool: str) -> None:
    assert f"\n{tool} {version(tool)}. " in TEXT


def test_every_block_is_marked() -> None:
    """Each stands in a pair, is given for all rows of a tool, or is the frame."""
    pairs = TEXT.count("<!-- pair: ")

    assert TEXT.count("\n```\n") == 2 * pairs + len(GIVEN) + 1


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_our_side_loads(pair: Pair) -> None:
    assert len(pair.specs().specs) == 1


def test_the_frame_loads() -> None:
    (frame,) = re.findall(r"<!-- spec: frame -->\n```yaml\n(.*?)```", TEXT, re.DOTALL)
    (spec,) = parse(yaml.safe_load(frame))

    assert spec.name == "refund-desk"


def test_the_readme_links_it() -> None:
    readme = FILE.parents[1] / "README.md"
    assert "(examples/coming-from.md)" in readme.read_text(encoding="utf-8")
