"""Which calls are surely among others, and which agents may be the same.

Owns what matchers say of each other without a run. Each answer is given only where it is
certain, since specs are refused for it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from surefoot.evaluate.names import is_glob, normal
from surefoot.specs.rules.base import Call


def is_every(globs: Iterable[str]) -> bool:
    """Whether one of these globs fits any name at all."""
    return any(glob and not glob.strip("*") for glob in globs)


@dataclass(frozen=True, slots=True)
class Some:
    """Calls, to be asked which others are among them. by_name: those of exact names."""

    by_name: Mapping[str, Sequence[Call]]
    others: Sequence[Call]

    @classmethod
    def of(cls, calls: Iterable[Call]) -> "Some":
        """These calls."""
        by_name: dict[str, list[Call]] = {}
        others: list[Call] = []
        for call in calls:
            for name in call.tool:
                by_name.setdefault(name, []).append(call)
            if not call.tool or any(map(is_glob, call.tool)):
                others.append(call)
        return cls(by_name, others)

    def hold_all(self, calls: Iterable[Call]) -> bool:
        """Whether each call that `calls` mean is surely among these."""
        return all(self._holds(name, call) for name, call in _single(calls))

    def hold_some(self, calls: Iterable[Call]) -> bool:
        """Whether so is each that some tool and matcher of `calls` mean."""
        return any(self._holds(name, call) for name, call in _single(calls))

    def _holds(self, name: str, call: Call) -> bool:
        candidates = (*self.by_name.get(name, ()), *self.others)
        return any(_is_within(name, call, other) for other in candidates)


def all_among(calls: Iterable[Call], others: Iterable[Call]) -> bool:
    """Whether each call that `calls` mean is surely one that `others` mean."""
    return Some.of(others).hold_all(calls)


def _single(calls: Iterable[Call]) -> Iterator[tuple[str, Call]]:
    """Each matcher with each tool that it names; with "" if it names none."""
    return ((name, call) for call in calls for name in call.tool or ("",))


def named(names: Iterable[str]) -> tuple[Call, ...]:
    """The calls of these tools, or of what these globs fit."""
    return tuple(Call(tool=(name,)) for name in names)


def may_be_one(one: str, other: str) -> bool:
    """Whether two names or globs may mean the same agent."""
    if is_glob(one) and is_glob(other):
        return True
    return one == other or fnmatchcase(one, other) or fnmatchcase(other, one)


def _is_within(name: str, call: Call, other: Call) -> bool:
    """Whether what `call` means of the tool `name` is within `other`."""
    return (
        (not other.tool or is_every(other.tool) or _is_named(name, other.tool))
        and (not other.agent or is_every(other.agent) or _are_agents(call.agent, other.agent))
        and other.ok in (None, call.ok)
        and all(call.args.get(path) == told for path, told in other.args.items())
        and (other.result is None or other.result == call.result)
    )


def _is_named(name: str, others: Sequence[str]) -> bool:
    """A name also means its other spellings, which a glob must fit as well."""
    if not name or name in others:
        return bool(name)
    if is_glob(name):
        return False
    return any(fnmatchcase(name, one) and fnmatchcase(normal(name), one) for one in others)


def _are_agents(agents: Sequence[str], others: Sequence[str]) -> bool:
    return bool(agents) and all(
        one in others or (not is_glob(one) and any(fnmatchcase(one, glob) for glob in others))
        for one in agents
    )
