"""Users' regular expressions over agents' text: RE2, which never backtracks.

Owns how a pattern is compiled and searched for. Whoever writes a tool's result writes the
text that is searched, so the time must not depend on it more than linearly: RE2 promises
that, at the price of look-around and back-references. Works on bytes, since RE2 does, and
finding where a match stands in a `str` would cost a pass over it for each match.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import re2

#: Longer patterns are tables of words, which belong into `in`; the time is text x pattern.
LONGEST = 1_000
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


@dataclass(frozen=True, slots=True, eq=False)
class Regex:
    """A pattern, ready to search with. Found anywhere in a text, unless it is anchored."""

    text: str
    compiled: Any

    @classmethod
    def of(cls, text: str) -> "Regex":
        """Compile `text`.

        Raises:
            ValueError: RE2 refuses it; the message says why.
        """
        if len(text) > LONGEST:
            raise ValueError(f"longer than {LONGEST} characters; write several patterns")
        try:
            return cls(text, re2.compile(_encoded(text), _OPTIONS))
        except re2.error as problem:
            why = problem.args[0]
            why = why.decode("utf-8", "replace") if isinstance(why, bytes) else why
            right = "RE2 has no look-around and no back-references"
            raise ValueError(f"RE2 refuses the pattern {text!r}: {why}; {right}") from problem

    def is_in(self, text: str) -> bool:
        """Whether the pattern is found in `text`. Linear in it."""
        return self.compiled.search(_encoded(text)) is not None

    @property
    def groups(self) -> int:
        """How many groups the pattern captures."""
        count: int = self.compiled.groups
        return count

    def matches(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each match, leftmost first, with what its groups caught (empty ones left out)."""
        for match in self.compiled.finditer(_encoded(text)):
            caught = tuple(_decoded(group) for group in match.groups() if group)
            yield _decoded(match[0]), caught


class Screen:
    """Which of several patterns are found in a text, by one look at it."""

    def __init__(self, patterns: Sequence[Regex]) -> None:
        """Join `patterns`.

        Raises:
            ValueError: RE2 finds no room for all of them.
        """
        self._patterns = tuple(patterns)
        self._set = re2.Set.SearchSet(_OPTIONS)
        try:
            for pattern in self._patterns:
                self._set.Add(pattern.compiled.pattern)
            self._set.Compile()
        except re2.error as problem:
            raise ValueError("too much for one pass") from problem

    def __contains__(self, pattern: Regex) -> bool:
        """Whether it tells of `pattern`."""
        return pattern in self._patterns

    def found(self, text: str) -> tuple[Regex, ...]:
        """Those that are found in `text`. Linear in it, however many there are."""
        return tuple(self._patterns[at] for at in self._set.Match(_encoded(text)) or ())


def _encoded(text: str) -> bytes:
    """As UTF-8; half of a surrogate pair, which is no text, becomes a question mark."""
    return text.encode("utf-8", "replace")


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")
