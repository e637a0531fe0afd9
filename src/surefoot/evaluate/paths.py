"""Where a value stands inside another: `items[0].order_id`, `items[*].order_id`.

Owns how such a path is written and followed. Knows no step. A key that is written with
dots or brackets itself is found too, if it stands at the top.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_PART = re.compile(r"\[(?P<index>\d{1,9}|\*)\]|\.?(?P<key>[^.\[\]]+)")
#: More parts than any argument has levels.
_MAX_PARTS = 64


@dataclass(frozen=True, slots=True)
class Path:
    """A path, ready to follow. parts: a key, an index, or None for every item."""

    text: str
    parts: tuple[str | int | None, ...]

    @classmethod
    def of(cls, text: str) -> "Path":
        """Read a path.

        Raises:
            ValueError: It is none; the message says what one looks like.
        """
        parts: list[str | int | None] = []
        at = 0
        while at < len(text):
            match = _PART.match(text, at)
            if match is None or (match["key"] and bool(parts) != (text[at] == ".")):
                break
            index = match["index"]
            parts.append(match["key"] if index is None else None if index == "*" else int(index))
            at = match.end()
        if at < len(text) or not parts or len(parts) > _MAX_PARTS:
            raise ValueError(f"{text!r} is no path; write order_id, items[0].order_id or items[*]")
        return cls(text, tuple(parts))

    def follow(self, value: Any) -> list[tuple[str, Any]]:
        """Every value at the path with where it stands; none if there is nothing."""
        if isinstance(value, Mapping) and self.text in value:
            return [(self.text, value[self.text])]
        found: list[tuple[str, Any]] = [("", value)]
        for part in self.parts:
            found = [inner for where, outer in found for inner in _step(where, outer, part)]
        return found

    def gaps(self, value: Any) -> list[str]:
        """Where nothing stands though the path asks for it; of an empty list it asks nothing."""
        if isinstance(value, Mapping) and self.text in value:
            return []
        gaps: list[str] = []
        found: list[tuple[str, Any]] = [("", value)]
        for at, part in enumerate(self.parts):
            reached: list[tuple[str, Any]] = []
            for where, outer in found:
                inner = list(_step(where, outer, part))
                if not inner and not (part is None and isinstance(outer, list | tuple)):
                    gaps.append(_written(where, self.parts[at:]))
                reached += inner
            found = reached
        return gaps


def _written(where: str, parts: tuple[str | int | None, ...]) -> str:
    """A path that starts at `where`."""
    for part in parts:
        if isinstance(part, str):
            where = f"{where}.{part}" if where else part
        else:
            where = f"{where}[{'*' if part is None else part}]"
    return where


def _step(where: str, value: Any, part: str | int | None) -> Iterator[tuple[str, Any]]:
    if isinstance(part, str):
        if isinstance(value, Mapping) and part in value:
            yield (f"{where}.{part}" if where else part), value[part]
    elif isinstance(value, list | tuple):
        indices = range(len(value)) if part is None else (part,)
        for index in indices:
            if index < len(value):
                yield f"{where}[{index}]", value[index]
