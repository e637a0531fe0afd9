"""Metrics that pages and dashboards name: each is one that Surefoot exports."""

import re
from pathlib import Path

import pytest

from dashboards import samples

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for pattern in ("README.md", "deploy/**/*.*", "examples/**/*.md", "examples/*.yaml")
    for path in ROOT.glob(pattern)
    if path.suffix in (".json", ".md", ".yaml") and "surefoot_" in path.read_text("utf-8")
)
#: A name; some end in a choice, as `surefoot_forward_{sent,failed}_total` in a text.
NAME = re.compile(r"\bsurefoot_(?!\()\w*(?:(?<=_)\{[\w,]+\}\w*)?")
#: Beginnings of names, as a pattern for `grep` has them.
BEGINNINGS = re.compile(r"\bsurefoot_\(([\w|]+)\)_")
SELECTED = re.compile(r"\b(surefoot_\w+)\{([^}]*=[^}]*)\}")


def named(text: str) -> set[str]:
    """What a text names, choices spelled out."""
    found: set[str] = set()
    for name in NAME.findall(text):
        before, _, rest = name.partition("{")
        chosen, _, after = rest.partition("}")
        found |= {f"{before}{one}{after}" for one in chosen.split(",")}
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_metric_that_is_named_is_exported(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert named(text) - set(samples()) == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_beginning_in_a_pattern_is_one_of_a_metric(page: Path) -> None:
    for pattern in BEGINNINGS.findall(page.read_text(encoding="utf-8")):
        for word in pattern.split("|"):
            assert any(name.startswith(f"surefoot_{word}_") for name in samples()), word


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_label_that_is_asked_for_is_one_of_its_metric(page: Path) -> None:
    for name, selector in SELECTED.findall(page.read_text(encoding="utf-8")):
        assert set(re.findall(r"(\w+)\s*(?:=|!)", selector)) <= samples()[name], name
