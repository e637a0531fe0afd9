"""Which calls are surely among others, and which agents may be the same.

Owns what matchers say of each other without a run. Each answer is given only where it is
certain, since specs are refused for it.
"""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from surefoot.evaluate.names import is_glob, normal
from surefoot.specs.rules.base import Call


def is_every(globs: Iterable[str]) -> bool:
    """Whether one of these globs fits any name at all."""
    return any(set(glob) == {"*"} for glob in globs)


def all_among(calls: Iterable[Call], others: Sequence[Call]) -> bool:
    """Whether each call that `calls` mean is surely one that `others` mean."""
    single = (
        call.model_copy(update={"tool": (name,) if name else ()})
        for call in calls
        for name in call.tool or ("",)
    )
    return all(any(_is_within(one, other) for other in others) for one in single)


def named(names: Iterable[str]) -> tuple[Call, ...]:
    """The calls of these tools, or of what these globs fit."""
    return tuple(Call(tool=(name,)) for name in names)


def may_be_one(one: str, other: str) -> bool:
    """Whether two names or globs may mean the same agent."""
    if is_glob(one) and is_glob(other):
        return True
    return one == other or fnmatchcase(one, other) or fnmatchcase(other, one)


def _is_within(call: Call, other: Call) -> bool:
    return (
        _are_named(call.tool, other.tool)
        and (not other.agent or is_every(other.agent) or _are_agents(call.agent, other.agent))
        and other.ok in (None, call.ok)
        and all(call.args.get(path) == told for path, told in other.args.items())
        and (other.result is None or other.result == call.result)
    )


def _are_named(names: Sequence[str], others: Sequence[str]) -> bool:
    if not others or is_every(others):
        return True
    return bool(names) and all(_is_named(name, others) for name in names)


def _is_named(name: str, others: Sequence[str]) -> bool:
    """A name also means its other spellings, which a glob must fit as well."""
    if name in others:
        return True
    spellings = (name, normal(name))
    fits = (all(fnmatchcase(one, glob) for one in spellings) for glob in others if is_glob(glob))
    return not is_glob(name) and any(fits)


def _are_agents(agents: Sequence[str], others: Sequence[str]) -> bool:
    return bool(agents) and all(
        one in others or (not is_glob(one) and any(fnmatchcase(one, glob) for glob in others))
        for one in agents
    )
