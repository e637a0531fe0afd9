"""Which tools a name in a spec means.

Owns exact names, globs and aliases. Knows no step and no check. A tool is known under
the name that its span carries; frameworks write one tool in several ways (`Get Order`
and `get_order`, `functions.lookup`, `mcp__desk__lookup`, `lookup.run`), so a spec's
name also means those, unless the spec names the other spelling itself.
"""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

_OTHER = re.compile(r"[^a-z0-9]+")
#: What frameworks put around a tool's name.
_WRAPPING = re.compile(
    r"^(?:functions\.|mcp__.+?__)?(?P<name>.+?)(?:\.(?:run|__call__|acall|tool))?$", re.DOTALL
)
_GLOB = re.compile(r"[*?\[]")


class NameSet(Protocol):
    """Some tools, however they are told apart from the others."""

    def covers(self, tool: str, aliases: tuple[str, ...] = ()) -> bool:
        """Whether `tool`, or one of its other spellings, is among them."""
        ...


def is_glob(name: str) -> bool:
    """Whether `name` stands for more than one tool."""
    return _GLOB.search(name) is not None


def normal(name: str) -> str:
    """`name` without case and punctuation: `Get Order` is `get_order`.

    A name without a single letter or digit of ASCII stays as it is.
    """
    plain = _OTHER.sub("_", name.casefold()).strip("_")
    return plain or name


def bare(tool: str) -> str:
    """`tool` without what frameworks put around a name: `mcp__desk__lookup` is `lookup`."""
    match = _WRAPPING.match(tool)
    return match["name"] if match else tool


def aliases(tool: str) -> tuple[str, ...]:
    """Other spellings that may stand for `tool`, its bare name first."""
    name = bare(tool)
    return tuple(dict.fromkeys((name, normal(tool), normal(name))))


@dataclass(frozen=True, slots=True)
class Names:
    """Names and globs as a spec file lists them."""

    exact: frozenset[str]
    globs: tuple[str, ...] = ()
    normals: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str]) -> "Names":
        """Split `names` into exact ones and globs."""
        listed = list(names)
        exact = frozenset(name for name in listed if not is_glob(name))
        return cls(
            exact,
            tuple(name for name in listed if is_glob(name)),
            frozenset(normal(name) for name in exact),
        )

    def covers(self, tool: str, aliases: tuple[str, ...] = ()) -> bool:
        """See `NameSet`. Exact first, then globs, then aliases."""
        if tool in self.exact or (self.globs and self._globbed(tool)):
            return True
        for alias in aliases:
            if alias in self.normals or (self.globs and self._globbed(alias)):
                return True
        return False

    def _globbed(self, name: str) -> bool:
        return any(fnmatchcase(name, glob) for glob in self.globs)


@dataclass(frozen=True, slots=True)
class Exactly:
    """Names that mean themselves alone, in whatever container they came."""

    names: Container[str]

    def covers(self, tool: str, aliases: tuple[str, ...] = ()) -> bool:  # noqa: ARG002 - see NameSet
        """See `NameSet`."""
        return tool in self.names
