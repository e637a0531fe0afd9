"""The checks' page, `examples/checks.md`: written from the schema and from runs.

    PYTHONPATH=tests python -m examples.page

writes it anew. Owns the page's order and layout. What a check means, its options and a
rule's example are the schema's own words; kind, severity and messages are what judging
says; `checks.yaml` beside this file has for each check a run that violates it and one
that does not, and for a spec's own keys an example, since the schema has none.

Knows no check: one that comes new into the schema needs its runs in `checks.yaml`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

import yaml

from examples.told import a_told_run
from surefoot.cli.findings import Findings
from surefoot.cli.report import line
from surefoot.emit.texts import Texts
from surefoot.evaluate import judge, mask
from surefoot.model import Run
from surefoot.specs import Spec, json_schema, meanings
from surefoot.specs.match import compile_spec
from surefoot.specs.meanings import Meaning
from surefoot.specs.rules import RULES
from surefoot.specs.schema import CheckId

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "examples" / "checks.md"
RUNS: Final = Path(__file__).parent / "checks.yaml"

#: Rules whose kind depends on what is written.
KIND_BY_OPTION: Final = {
    "all_of": "its children's",
    "any_of": "its children's",
    "calls": "`min` absent, `max` seen",
    "effects": "final; with `authorised` absent",
    "args": "final; with `occurrence` absent",
}
#: The keys that make a check, where they are not the check's own id.
_KEYS: Final = {"taint": ("untrusted", "privileged")}
_WIDTH: Final = 92
_DEFS: Final = json_schema()["$defs"]
#: What many rules have: the README tells how calls and values are written.
_SHARED: Final = frozenset({"Call", "Predicate"})
#: What every rule has; told of once, at the top.
_COMMON: Final = frozenset({"id", "severity", "when"})

_HEAD: Final = """\
# The checks

<!-- Written by `PYTHONPATH=tests python -m examples.page` from the schema; do not edit. -->

What a spec can ask of an agent's run, check by check: what it means, a spec to copy, a run that
violates it with the message that `surefoot check` prints, and a run that does not. All of them
are run by a test. How a spec is written, which runs it judges and how calls and values are named
is in the [README](../README.md#write-a-spec); every key with its type is in `surefoot schema`.

**Kind** says what a part of a run can decide. *Final*: no further span can undo a violation, so
it stands on any evidence, and may be told while the run is still open
([when](../README.md#what-appears-when)). *Seen*: it rests on what was seen. *Absent*: it rests on
what is not there, so it needs the whole run. Where the evidence does not suffice, a check is
inconclusive: neither passed nor violated.

**Severity** is what a violation weighs unless the spec says otherwise: for a spec's keys under
`severity`, for a rule beside it. A rule may also have `when: {input, step, args}`, and then
counts only in such runs, or at such calls.

**Runs** are told as a list of calls, in order, with what each returned; "main" is the agent
unless another is named. A number of seconds before a call is when it was made, where that
matters. Messages count steps from 0; a line `output` says that the answer
[failed](../README.md#whether-an-answer-was-good) as well.
"""
_KEYS_HEAD: Final = """\
## Keys of a spec

These stand at the top of a spec. Messages name them by their key, unless a check id is told.
`ground` and `secrets` are on unless a spec switches them off.
"""
_RULES_HEAD: Final = """\
## Rules

A rule stands under `rules`, with an `id` of your own that messages, dashboards and alerts name.
A run violates it unless the sentence that says what it means is true. Where an option's calls or
values are asked for, see [how rules are written](../README.md#rules).
"""


@dataclass(frozen=True, slots=True)
class Section:
    """What the page says of one check.

    spec: the text of a whole spec file. violates, keeps: runs as they are told. rule: it
    is one, and no key of a spec.
    """

    title: str
    key: str
    spec: str
    violates: str
    keeps: str
    rule: bool

    @property
    def anchor(self) -> str:
        """Where links point, as code hosts make it of the title."""
        return self.title.replace("`", "").replace(" ", "-").replace("(", "").replace(")", "")

    @property
    def loaded(self) -> Spec:
        """The spec, as loading it takes it."""
        (spec,) = yaml.safe_load(self.spec)["specs"]
        return Spec.model_validate(spec)

    @property
    def meaning(self) -> Meaning:
        """What the schema says of the check."""
        rules = [one.model_copy(update={"when": None}) for one in self.loaded.rules]
        named = {one.label() for one in rules} or {self.key}
        (meaning,) = (
            one
            for one in meanings(self.loaded.model_copy(update={"rules": tuple(rules)}))
            if one.id in named
        )
        return meaning

    @property
    def text(self) -> str:
        """What the check means; of several keys the last one's sentence tells."""
        keys = () if self.rule else _KEYS.get(self.key, ())
        return str(Spec.model_fields[keys[-1]].description) if keys else self.meaning.text

    @property
    def id_told(self) -> str:
        """The check's id, where it is not the key."""
        return "" if self.rule or self.key not in _KEYS else f" Check id: `{self.key}`."

    @property
    def kind(self) -> str:
        """The check's kind, as a reader is told it."""
        return KIND_BY_OPTION.get(self.key, self.meaning.kind) if self.rule else self.meaning.kind


def runs() -> dict[str, Any]:
    """What `checks.yaml` tells: under `keys` and `rules` each check's runs."""
    told: dict[str, Any] = yaml.safe_load(RUNS.read_text(encoding="utf-8"))
    return told


def sections(told: Mapping[str, Any]) -> Iterator[Section]:
    """Every check of the schema: the keys of a spec, then the rules.

    Raises:
        KeyError: `told` says nothing of one.
    """
    for key in get_args(CheckId):
        one = told["keys"][key]
        title = " and ".join(f"`{name}`" for name in _KEYS.get(key, (key,)))
        yield _section(title, key, one, one["spec"], rule=False)
    for key, model in RULES.items():
        title = f"`{key}` (rule)" if key in told["keys"] else f"`{key}`"
        yield _section(title, key, told["rules"][key], {"rules": [dict(model.example)]}, rule=True)


def messages(spec: Spec, run: Run) -> list[str]:
    """What `surefoot check` says of `run`, without file and trace."""
    findings = Findings(Texts(mask)).of_verdict(run, judge(run, compile_spec(spec)))
    return [line(one).plain.removeprefix(f"{one.trace}: ") for one in findings]


def page(told: Mapping[str, Any]) -> str:
    """The whole page, with these runs. Raises as `sections` does."""
    every = list(sections(told))
    keys = [one for one in every if not one.rule]
    rules = [one for one in every if one.rule]
    parts = [_HEAD, *_contents(keys, "Keys of a spec"), *_contents(rules, "Rules")]
    parts += ["", _KEYS_HEAD, *map(_written, keys), _RULES_HEAD, *map(_written, rules)]
    return "\n".join(parts).rstrip() + "\n"


def _contents(listed: list[Section], title: str) -> Iterator[str]:
    yield f"- [{title}](#{title.lower().replace(' ', '-')})"
    for one in listed:
        yield f"  - [{one.title}](#{one.anchor}): {one.text}"


def _written(one: Section) -> str:
    spec, meaning = one.loaded, one.meaning
    lines = [
        f"### {one.title}",
        "",
        one.text,
        "",
        f"Kind: {one.kind}. Severity: {meaning.severity}.{one.id_told}",
        "",
    ]
    options = list(_options(one) if one.rule else _keys(one.key))
    lines += [*options, ""] if options else []
    lines += ["```yaml", one.spec.rstrip(), "```", "", "This run violates it:", ""]
    lines += ["```text", one.violates.rstrip(), "```", "", "Surefoot says:", ""]
    lines += ["```text", *messages(spec, a_told_run(one.violates)), "```", ""]
    lines += ["This one does not:", "", "```text", one.keeps.rstrip(), "```", ""]
    return "\n".join(lines)


def _section(
    title: str, key: str, told: Mapping[str, str], spec: Mapping[str, Any], *, rule: bool
) -> Section:
    text = "specs:\n  - name: refund-desk\n" + _block(spec, "    ")
    return Section(title, key, text, told["violates"], told["keeps"], rule)


def _keys(key: str) -> Iterator[str]:
    """The keys that make one check together, each in the schema's words."""
    for name in _KEYS.get(key, ()):
        yield f"- `{name}`: {Spec.model_fields[name].description}"


def _options(one: Section) -> Iterator[str]:
    """What may be written in the rule's section and beside its key, in the schema's words."""
    yield from _described(_DEFS[RULES[one.key].__name__], "- ")


def _described(section: Mapping[str, Any], bullet: str) -> Iterator[str]:
    for name, told in section.get("properties", {}).items():
        if "description" in told and name not in _COMMON:
            yield f"{bullet}`{name}`: {' '.join(told['description'].split())}"
            for ref in _refs(told):
                yield from _described(_DEFS[ref], f"  {bullet}")


def _refs(told: Mapping[str, Any]) -> Iterator[str]:
    """The sections of the rule's own that may stand there: by themselves, not in a list."""
    name = told.get("$ref", "").removeprefix("#/$defs/")
    if name and name not in _SHARED and not name.endswith("Rule"):
        yield name
    for choice in ("oneOf", "anyOf"):
        for one in told.get(choice, ()):
            yield from _refs(one)


def _block(value: Any, indent: str) -> str:
    """YAML as a person writes it: each key on a line, and what fits one line on one."""
    lines = []
    for key, inner in value.items():
        flow = _flow(inner)
        if key == "rules":
            items = [_block(item, indent + "    ") for item in inner]
            lines.append(f"{indent}rules:\n")
            lines += [f"{indent}  - {item.lstrip()}" for item in items]
        elif isinstance(inner, dict) and len(f"{indent}{key}: {flow}") > _WIDTH:
            lines.append(f"{indent}{key}:\n{_block(inner, indent + '  ')}")
        else:
            lines.append(f"{indent}{key}: {flow}\n")
    return "".join(lines)


def _flow(value: Any) -> str:
    """A value on one line, as YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str):
        plain = yaml.safe_dump([value], default_flow_style=True, width=1000).strip()[1:-1]
        return plain if not plain.startswith('"') else json.dumps(value)
    return json.dumps(value)


if __name__ == "__main__":
    PAGE.write_text(page(runs()), encoding="utf-8")
