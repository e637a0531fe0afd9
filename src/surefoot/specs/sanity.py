"""Specs that cannot mean what they say.

Owns the rules that hold between keys: names outside the vocabulary, and rules that can
never fire or never be kept. Knows no file. Each problem reads `what is wrong; what
would be right`.
"""

import difflib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from surefoot.evaluate.names import Names, is_glob
from surefoot.specs.rules.base import Call
from surefoot.specs.types import Tool

if TYPE_CHECKING:
    from surefoot.specs.schema import Spec

#: The checks that a spec's own keys switch on, in the order in which they report.
SEEDS = (
    "tools",
    "required",
    "forbidden",
    "before",
    "max_steps",
    "no_repeat",
    "taint",
    "ground",
    "secrets",
)
#: Where in a spec, and what is wrong there.
Problem = tuple[tuple[str | int, ...], str]


def problems(spec: "Spec") -> Iterator[Problem]:
    """Yield every problem of one spec, in the order of its keys."""
    yield from _outside_vocabulary(spec)
    yield from _contradictions(spec)
    yield from _half_taint(spec)
    yield from _idle_severities(spec)
    yield from _ids(spec)
    for index, rule in enumerate(spec.rules):
        yield from ((("rules", index, *at), words) for at, words in rule.problems())


def active_checks(spec: "Spec") -> set[str]:
    """The ids of the checks that the spec's keys switch on."""
    keys = {
        "tools": spec.tools,
        "required": spec.required,
        "forbidden": spec.forbidden,
        "before": spec.before,
        "max_steps": spec.max_steps is not None,
        "no_repeat": spec.no_repeat,
        "taint": spec.untrusted and spec.privileged,
        "ground": spec.ground,
        "secrets": spec.secrets,
    }
    return {name for name, value in keys.items() if value}


def names_in(model: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every tool that the matchers of a rule name, with where it stands in the file."""
    if isinstance(model, Call):
        for index, name in enumerate(model.tool):
            yield ("tool", index), name
        return
    for key, value in _inside(model):
        if isinstance(key, Tool):
            yield (key,), key
        for where, name in names_in(value):
            yield (key, *where), name


def _inside(model: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(model, BaseModel):
        fields = type(model).model_fields.items()
        return [(info.alias or field, getattr(model, field)) for field, info in fields]
    if isinstance(model, dict):
        return model.items()
    return enumerate(model) if isinstance(model, tuple) else ()


def _named(spec: "Spec") -> Iterator[tuple[tuple[str | int, ...], str]]:
    for key in ("required", "forbidden", "untrusted", "privileged"):
        for index, name in enumerate(getattr(spec, key)):
            yield (key, index), name
    for index, pair in enumerate(spec.before):
        for side, name in enumerate(pair):
            yield ("before", index, side), name
    for where, name in names_in(spec.rules):
        yield ("rules", *where), name


def _outside_vocabulary(spec: "Spec") -> Iterator[Problem]:
    if not spec.tools:
        return
    vocabulary = Names.of(spec.tools)
    for where, name in _named(spec):
        if is_glob(name):
            inside = bool(vocabulary.globs) or any(map(Names.of([name]).covers, spec.tools))
        else:
            inside = vocabulary.covers(name)
        if not inside:
            near = difflib.get_close_matches(name, spec.tools, n=1)
            right = f"name one of {', '.join(spec.tools)}, or add it there"
            right = f"did you mean {near[0]}? Else add it there" if near else right
            yield where, f"{name!r} is not in this spec's tools; {right}"


def _contradictions(spec: "Spec") -> Iterator[Problem]:
    for index, name in enumerate(spec.forbidden):
        if name in spec.required:
            yield (
                ("forbidden", index),
                f"{name!r} is required too, so every run is violated; keep one of the two",
            )
    seen: set[tuple[str, str]] = set()
    for index, (first, then) in enumerate(spec.before):
        if first == then:
            yield ("before", index), f"{first!r} cannot come before itself; name two tools"
        elif (then, first) in seen:
            yield (
                ("before", index),
                "the pair stands the other way round above, so no run keeps both; drop one",
            )
        elif first in spec.forbidden:
            yield (
                ("before", index),
                f"{first!r} is forbidden, so {then!r} can never be called; forbid that instead",
            )
        seen.add((first, then))


def _half_taint(spec: "Spec") -> Iterator[Problem]:
    halves = {"untrusted": spec.untrusted, "privileged": spec.privileged}
    given = [key for key, names in halves.items() if names]
    if len(given) == 1:
        other = next(key for key in halves if key not in given)
        yield (given[0],), f"without {other} this can never fire; name {other} tools, or drop it"


def _idle_severities(spec: "Spec") -> Iterator[Problem]:
    active = active_checks(spec)
    for check, level in spec.severity.items():
        if check not in active and level != "off":
            needed = "untrusted and privileged" if check == "taint" else check
            yield (
                ("severity", check),
                f"this spec has no such check, so it can never fire; add {needed}, or drop it",
            )


def _ids(spec: "Spec") -> Iterator[Problem]:
    """Dashboards hang on ids, so each rule has one, and no other check has the same."""
    taken = dict.fromkeys(SEEDS, "a check of this name")
    for index, rule in enumerate(spec.rules):
        if rule.id is None:
            yield ("rules", index, "id"), "missing; write a name that will stay"
        elif rule.id in taken:
            right = f"{taken[rule.id]} has it; ids are unique in a spec, choose another"
            yield ("rules", index, "id"), f"{rule.id!r} is taken; {right}"
        else:
            taken[rule.id] = f"rules[{index}]"
