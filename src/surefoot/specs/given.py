"""Specs as Python code gives them: paths, dicts of a spec's keys, and `Spec`s.

Owns what may be given and how that is told; what a spec means is `schema`'s.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from surefoot.errors import SpecError
from surefoot.specs.inline import parse
from surefoot.specs.load import load
from surefoot.specs.match import SpecSet
from surefoot.specs.schema import Spec

_RIGHT = "give spec files or folders, or dicts and surefoot.Specs"


def given(specs: object) -> SpecSet:
    """The set of what was given: one of these, or a list of one kind.

    Raises:
        SpecError: A spec is wrong, or it is none; of two of a name none is right.
    """
    if is_path(specs):
        return load([Path(str(specs))])
    several = specs if isinstance(specs, Sequence) else [specs]
    if several and all(map(is_path, several)):
        return load([Path(str(one)) for one in several])
    found: list[Spec] = []
    for one in several:
        found += _parsed(one)
    names = [one.name for one in found]
    if not found:
        raise SpecError(f"no spec was given; {_RIGHT}")
    if taken := next((name for name in names if names.count(name) > 1), None):
        raise SpecError(f"two specs are named {taken!r}; names are unique in a set")
    return SpecSet.of(found)


def is_path(thing: object) -> bool:
    """Whether this names a file or folder."""
    return isinstance(thing, str | os.PathLike)


def _parsed(one: Any) -> Iterable[Spec]:
    if isinstance(one, Spec):
        return (one,)
    if isinstance(one, Mapping):
        return parse(one)
    raise SpecError(f"{type(one).__name__} is no spec; {_RIGHT}")
