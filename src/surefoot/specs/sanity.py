"""Specs that cannot mean what they say.

Owns the rules that hold between keys: names outside the vocabulary, and rules that can
never fire or never be kept. Knows no file. Each problem reads `what is wrong; what
would be right`.
"""

import difflib
from collections.abc import Collection, Container, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from surefoot.evaluate.names import Names, is_glob
from surefoot.specs.contradictions import contradictions
from surefoot.specs.coverage import may_be_one
from surefoot.specs.rules.agents import AgentToolsRule
from surefoot.specs.rules.base import Call, Place, Problem
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
#: Of whose results a rule speaks, whoever was given them.
_FROM_ANYONE = frozenset({("taint", "from"), ("exfiltration", "from")})


def problems(spec: "Spec", unknown: Container[str] = ()) -> Iterator[Problem]:
    """Yield every problem of one spec, in the order of its keys.

    unknown: keys that the spec has, but with a value that is wrong and left out here. What
    may rest on them is not told.
    """
    yield from _outside_vocabulary(spec)
    if "severity" not in unknown:
        yield from contradictions(spec)
    yield from _half_taint(spec, unknown)
    yield from _idle_severities(spec, unknown)
    if "match" not in unknown:
        yield from _idle_scope(spec)
        if "scope" not in unknown:
            yield from _agents_not_judged(spec)
    yield from _ids(spec)
    for index, rule in enumerate(spec.rules):
        yield from ((("rules", index, *at), words) for at, words in rule.faults())


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


def names_in(model: Any) -> Iterator[tuple[Place, str]]:
    """Every tool that the matchers of a rule name, with where it stands in the file."""
    for where, found in _calls_in(model):
        if isinstance(found, Call):
            for index, name in enumerate(found.tool):
                yield (*where, "tool", index), name
        else:
            yield where, found


def _calls_in(model: Any) -> Iterator[tuple[Place, Call | Tool]]:
    """Every matcher of a rule, and every key that names a tool, with where it stands."""
    if isinstance(model, Call):
        yield (), model
        return
    for key, value in _inside(model):
        if isinstance(key, Tool):
            yield (key,), key
        for where, found in _calls_in(value):
            yield (key, *where), found


def _inside(model: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(model, BaseModel):
        fields = type(model).model_fields.items()
        return [(info.alias or field, getattr(model, field)) for field, info in fields]
    if isinstance(model, dict):
        return model.items()
    return enumerate(model) if isinstance(model, tuple) else ()


def _named(spec: "Spec") -> Iterator[tuple[Place, str]]:
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


def _half_taint(spec: "Spec", unknown: Container[str]) -> Iterator[Problem]:
    halves = {"untrusted": spec.untrusted, "privileged": spec.privileged}
    given = [key for key, names in halves.items() if names]
    if len(given) == 1:
        other = next(key for key in halves if key not in given)
        if other not in unknown:
            why = f"without {other} this can never fire"
            yield (given[0],), f"{why}; name {other} tools, or drop it"


def _idle_severities(spec: "Spec", unknown: Container[str]) -> Iterator[Problem]:
    active = active_checks(spec)
    for check, level in spec.severity.items():
        keys = ("untrusted", "privileged") if check == "taint" else (check,)
        if check not in active and level != "off" and not any(key in unknown for key in keys):
            needed = "untrusted and privileged" if check == "taint" else check
            yield (
                ("severity", check),
                f"this spec has no such check, so it can never fire; add {needed}, or drop it",
            )


def _idle_scope(spec: "Spec") -> Iterator[Problem]:
    if spec.scope == "run" and not spec.match.agent:
        why = "without match.agent the whole run is judged anyway"
        yield ("scope",), f"{why}; name an agent there, or drop it"


def _agents_not_judged(spec: "Spec") -> Iterator[Problem]:
    """Rules on agents of which no step is judged."""
    if spec.scope == "run" or not spec.match.agent:
        return
    judged = spec.match.agent
    why = f"this spec judges {', '.join(judged)} alone, so no call is meant"
    words = f"{why}; name such an agent, or write scope: run"
    for where, found in _calls_in(spec.rules):
        is_free = any(pair in _FROM_ANYONE for pair in pairwise(where))
        if isinstance(found, Call) and _are_others(found.agent, judged) and not is_free:
            yield ("rules", *where, "agent"), words
    for index, rule in enumerate(spec.rules):
        if isinstance(rule, AgentToolsRule) and _are_others(rule.agent_tools, judged):
            yield ("rules", index, rule.key), words


def _are_others(agents: Collection[str], judged: Collection[str]) -> bool:
    return bool(agents) and not any(may_be_one(one, by) for one in agents for by in judged)


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
