"""The checks' page says what the schema and the judge say, of every check there is."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from examples import page
from examples.told import a_told_run
from surefoot.specs import Spec, load
from surefoot.specs.rules import RULES
from surefoot.specs.schema import CheckId

TEXT = page.PAGE.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Written:
    """A section as it stands on the page, whoever wrote it there."""

    title: str
    prose: str
    spec: str
    violates: str
    messages: str
    keeps: str


def written() -> list[Written]:
    found = []
    for part in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n## ")[0].partition("\n")
        blocks = re.findall(r"^```(?:yaml|text)\n(.*?)^```$", body, re.DOTALL | re.MULTILINE)
        prose = re.sub(r"^```.*?^```$", "", body, flags=re.DOTALL | re.MULTILINE)
        found.append(Written(title, prose, *blocks))
    return found


SECTIONS = written()


def named(one: Written) -> str:
    return one.title


def test_the_page_is_what_the_schema_and_the_runs_make_of_it() -> None:
    assert page.page(page.runs()) == TEXT, "write it anew: see page.py"


def test_every_check_of_the_schema_has_its_section_in_its_order() -> None:
    keys = {"taint": "`untrusted` and `privileged`"}
    both = set(get_args(CheckId))

    assert [one.title for one in SECTIONS] == [
        *(keys.get(key, f"`{key}`") for key in get_args(CheckId)),
        *(f"`{key}` (rule)" if key in both else f"`{key}`" for key in RULES),
    ]


def test_what_has_runs_is_a_check() -> None:
    told = page.runs()

    assert set(told["keys"]) == set(get_args(CheckId))
    assert set(told["rules"]) == set(RULES)


@pytest.mark.parametrize(("part", "check"), [("keys", "secrets"), ("rules", "approval")])
def test_a_check_without_a_run_makes_no_page(part: str, check: str) -> None:
    told = page.runs()
    del told[part][check]

    with pytest.raises(KeyError, match=check):
        page.page(told)


@pytest.mark.parametrize("one", SECTIONS, ids=named)
def test_a_run_gets_the_messages_on_the_page_and_the_other_none(
    one: Written, tmp_path: Path
) -> None:
    file = tmp_path / "spec.yaml"
    file.write_text(one.spec, encoding="utf-8")
    (spec,) = yaml.safe_load(one.spec)["specs"]
    assert [rules.name for rules in load([file]).specs] == ["refund-desk"]
    model = Spec.model_validate(spec)

    told = page.messages(model, a_told_run(one.violates))
    assert told
    assert told == one.messages.splitlines()
    assert page.messages(model, a_told_run(one.keeps)) == []


@pytest.mark.parametrize("one", SECTIONS, ids=named)
def test_a_run_violates_nothing_but_its_check(one: Written) -> None:
    (spec,) = yaml.safe_load(one.spec)["specs"]
    ids = [rule["id"] for rule in spec.get("rules", ())] or [*re.findall(r"`(\w+)`\.", one.prose)]
    (check,) = ids or re.findall(r"\w+", one.title)
    checks = [line.split(": ")[0] for line in one.messages.splitlines()]

    assert checks[0] == check
    assert set(checks[1:]) <= {check, "output"}


@pytest.mark.parametrize("one", [one for one in SECTIONS if "id:" in one.spec], ids=named)
def test_a_rules_example_is_the_schemas(one: Written) -> None:
    (spec,) = yaml.safe_load(one.spec)["specs"]
    key = re.findall(r"\w+", one.title)[0]

    assert spec["rules"] == [plain(RULES[key].example)]


@pytest.mark.parametrize("one", SECTIONS, ids=named)
def test_a_section_tells_meaning_kind_and_severity(one: Written) -> None:
    _, meaning, facts, *_ = re.split(r"\n\n", "\n" + one.prose)
    contents = re.findall(rf"^  - \[{re.escape(one.title)}\]\(#[\w-]+\): (.+)$", TEXT, re.MULTILINE)

    assert contents == [meaning.strip()]
    assert re.match(r"Kind: .+\. Severity: (hard|soft|warn)\.", facts)


def test_links_lead_to_sections() -> None:
    titles = re.findall(r"^##+ (.+)$", TEXT, flags=re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles]
    links = re.findall(r"\]\(#([\w-]+)\)", TEXT)

    assert len(set(anchors)) == len(anchors)
    assert links == anchors


def test_the_readme_has_the_sections_that_the_page_links_to_and_links_to_the_page() -> None:
    readme = (page.ROOT / "README.md").read_text(encoding="utf-8")
    titles = re.findall(r"^##+ (.+)$", readme, flags=re.MULTILINE)
    anchors = {title.lower().replace(" ", "-") for title in titles}

    assert set(re.findall(r"README\.md#([\w-]+)", TEXT)) <= anchors
    assert "](examples/checks.md)" in readme


def plain(value: Any) -> Any:
    """As YAML has it: lists for tuples."""
    return yaml.safe_load(yaml.safe_dump(dict(value)))
