"""What stands on the page of other tools' specs: the tests' data.

A pair is what another tool is told and what Surefoot is told, which must mean the same.
Long ones stand side by side, as two blocks of code after `<!-- pair: tool: name -->`; short
ones are the rows of a table after `<!-- pairs: tool -->`, whose right side is a rule. What
all of a tool's rows share stands in a block after `<!-- given: tool -->`.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from surefoot.specs import SpecSet
from surefoot.specs.inline import parse

FILE = Path(__file__).parents[2] / "examples" / "coming-from.md"
TEXT = FILE.read_text(encoding="utf-8")
_CODE = r"```\w+\n(.*?)```"
#: What a row's spec has beside its rule: the checks that are on unless they are off.
_SILENT: dict[str, Any] = {"name": "pair", "ground": False, "secrets": False}


@dataclass(frozen=True, slots=True)
class Pair:
    """What one tool is told, and a spec file's content that says the same."""

    tool: str
    name: str
    theirs: str
    ours: dict[str, Any]

    def __str__(self) -> str:
        """What a test of it is called."""
        return f"{self.tool}: {self.name}"

    def specs(self, **more: Any) -> SpecSet:
        """Our side, loaded; with more keys."""
        (spec,) = self.ours["specs"]
        return SpecSet.of(parse(spec | more))


def _blocks() -> list[Pair]:
    found = re.findall(r"<!-- pair: ([\w-]+): (\w+) -->\n<table>(.*?)</table>", TEXT, re.DOTALL)
    pairs = []
    for tool, name, body in found:
        theirs, ours = re.findall(_CODE, body, re.DOTALL)
        pairs.append(Pair(tool, name, theirs, yaml.safe_load(ours)))
    return pairs


def _rows() -> list[Pair]:
    pairs = []
    for tool, table in re.findall(r"<!-- pairs: ([\w-]+) -->\n(.*?)\n\n", TEXT, re.DOTALL):
        for row in table.splitlines()[2:]:
            theirs, ours = re.findall(r"`([^`]+)`", row)
            rule = {"id": "row"} | yaml.safe_load(f"{{{ours}}}")
            pairs.append(Pair(tool, theirs, theirs, {"specs": [_SILENT | {"rules": [rule]}]}))
    return pairs


PAIRS = [*_blocks(), *_rows()]
GIVEN: dict[str, str] = dict(re.findall(rf"<!-- given: ([\w-]+) -->\n{_CODE}", TEXT, re.DOTALL))


def of(tool: str) -> list[Pair]:
    """The pairs of one tool, in the page's order."""
    return [pair for pair in PAIRS if pair.tool == tool]
