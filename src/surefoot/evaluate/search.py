"""Which of many values stand in a text.

Owns the speed of it. Knows needles and texts, no step. The plain way, each value in
each text, is quadratic, and is used while there are few values. Beyond that:

- A value with digits has a mark: its longest row of digits and `,.@:/+_-`. A text is
  cut into such rows at C's speed. Most rows were in an earlier text already; new ones
  are searched for all marks at once (Aho-Corasick). A value is then looked for only in
  texts that hold a row with its mark, which seldom disappoints.
- An address without digits has a joint, the two characters on each side of its `@`, and
  is looked for only in texts that hold it.
- Values without either (`high`, `step-1`) are few in most runs, and looked for one by
  one; where they are many, all at once in the whole text.

The first two cost about 5 ns a character of text, however many values there are, the
last 15 to 30 ns. Aho-Corasick tells of every value that ends at a character: values
built to be endings of each other, at most 40 characters long, cost 40 times that.
"""

import enum
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import ahocorasick

from surefoot.evaluate.values import Needle, decoded, is_in, readable, spellings

_BLANK = ord(" ")
_IN_MARKS = frozenset(b"0123456789,.@:/+_-")
_TO_ROWS = bytes(code if code in _IN_MARKS else _BLANK for code in range(256))
#: A mark tells values apart if it is so long, or has so many digits: `-0-1`, `882`.
_TELLING_LENGTH = 4
_TELLING_DIGITS = 3
_JOINT_LENGTH = 5
#: Up to so many values each in each text is the quickest way.
FEW = 8
#: Up to so many values without a mark they are looked for one by one.
_MANY = 32


class _Beside(enum.Enum):
    """What may stand next to a mark in a row of a text, if its value stands there."""

    NOTHING = enum.auto()  #: the value goes on with what is no mark
    NO_DIGIT = enum.auto()
    ANYTHING = enum.auto()


class _Mark(NamedTuple):
    needle: Needle
    before: _Beside
    after: _Beside


class Finder:
    """Looks for the same values in one text after another."""

    def __init__(self, needles: Collection[Needle], *, substring: bool) -> None:
        self._substring = substring
        self._marks: dict[str, list[_Mark]] = {}
        self._joints: dict[str, list[Needle]] = {}
        self._plain: list[Needle] = []
        self._seen: set[bytes] = set()
        self._holders: dict[bytes, list[Needle]] = {}
        self._rows_of: dict[Needle, list[bytes]] = {}
        self._gone: set[Needle] = set()
        for needle in needles:
            marks = [_mark(needle, word, substring=substring) for word in spellings(needle)]
            if None not in marks:
                for found in filter(None, marks):
                    self._marks.setdefault(found[0], []).append(found[1])
            elif joint := _joint(needle.text):
                self._joints.setdefault(joint, []).append(needle)
            else:
                self._plain.append(needle)
        self._all_marks = _automaton(self._marks)
        many = self._plain if len(self._plain) > _MANY else ()
        self._spelled = {word: needle for needle in many for word in spellings(needle)}
        self._all_plain = _automaton(self._spelled)

    def within(self, text: str, is_open: Callable[[Needle], bool]) -> Iterator[Needle]:
        """Those needles in `text` that `is_open` still asks for, each once."""
        prepared: str | None = text if self._substring else None
        for needle in self._candidates(text):
            if is_open(needle):
                if prepared is None:
                    prepared = readable(text)
                if is_in(needle, prepared, substring=self._substring):
                    yield needle

    def forget(self, needle: Needle) -> None:
        """Let go of what is known of `needle`, which nobody asks for any more.

        A value that was found stands in many texts to come, and need not be met in each.
        """
        self._gone.add(needle)
        for row in self._rows_of.pop(needle, ()):
            holders = self._holders[row]
            holders.remove(needle)
            if not holders:
                del self._holders[row]

    def _candidates(self, text: str) -> Iterable[Needle]:
        """Every needle that stands in `text`, and a few that do not."""
        found: dict[Needle, None] = {}
        if self._all_plain is not None:
            prepared = text if self._substring else readable(text)
            words = {word for _, word in self._all_plain.iter(prepared)}
            found |= {self._spelled[word]: None for word in words}
        if self._all_marks is not None:
            rows = _rows(text if self._substring else decoded(text))
            self._look_at(self._all_marks, rows - self._seen)
            for row in self._holders.keys() & rows:
                for needle in self._holders[row]:
                    found[needle] = None
        if self._joints and "@" in text:
            for joint in self._joints.keys() & _joints(text):
                found |= dict.fromkeys(self._joints[joint])
        return found if self._all_plain is not None else (*self._plain, *found)

    def _look_at(self, all_marks: "ahocorasick.Automaton", rows: set[bytes]) -> None:
        """Note which needles the marks in new `rows` speak for."""
        self._seen |= rows
        joined = f" {b' '.join(rows).decode('ascii')} "
        for last, text in all_marks.iter(joined):
            start, end = last + 1 - len(text), last + 1
            before, after = joined[start - 1], joined[end]
            for mark in self._marks[text]:
                if _may_stand(mark.before, before) and _may_stand(mark.after, after):
                    row = joined[joined.rindex(" ", 0, start) + 1 : joined.index(" ", end)]
                    self._hold(row.encode("ascii"), mark.needle)

    def _hold(self, row: bytes, needle: Needle) -> None:
        if needle not in self._gone:
            self._holders.setdefault(row, []).append(needle)
            self._rows_of.setdefault(needle, []).append(row)


def _rows(text: str) -> set[bytes]:
    """The rows of mark characters in `text`."""
    return set(text.encode("ascii", "replace").translate(_TO_ROWS).split())


def _mark(needle: Needle, word: str, *, substring: bool) -> tuple[str, _Mark] | None:
    """The mark of `word`, a spelling of `needle`; None if it has none that tells."""
    cut = word.encode("ascii", "replace").translate(_TO_ROWS).decode("ascii")
    rows = (row for row in cut.split() if any(map(str.isdigit, row)))
    mark = max(rows, key=len, default="")
    digits = sum(map(str.isdigit, mark))
    if len(mark) < _TELLING_LENGTH and digits < _TELLING_DIGITS:
        return None
    start = cut.index(mark)
    end = start + len(mark)
    before = after = _Beside.NOTHING
    if start == 0:
        before = _Beside.ANYTHING if substring or not mark[0].isdigit() else _Beside.NO_DIGIT
    if end == len(word):
        # A number may be written with more zeros.
        is_loose = substring or needle.number or not mark[-1].isdigit()
        after = _Beside.ANYTHING if is_loose else _Beside.NO_DIGIT
    return mark, _Mark(needle, before, after)


def _joint(word: str) -> str | None:
    """The two characters on each side of the first `@` of `word`, whatever the case."""
    left, at, right = word.partition("@")
    joint = f"{left[-2:]}@{right[:2]}".casefold()
    is_whole = len(joint) == _JOINT_LENGTH and joint.count("@") == 1
    return joint if at and is_whole and joint.isascii() else None


def _joints(text: str) -> set[str]:
    parts = text.split("@")
    return {
        f"{left[-2:].casefold()[-2:]}@{right[:2].casefold()[:2]}" for left, right in pairwise(parts)
    }


def _may_stand(allowed: _Beside, char: str) -> bool:
    if allowed is _Beside.NOTHING:
        return char == " "
    return allowed is _Beside.ANYTHING or not char.isdigit()


def _automaton(words: Collection[str]) -> "ahocorasick.Automaton | None":
    if not words:
        return None
    automaton = ahocorasick.Automaton()
    for word in words:
        automaton.add_word(word, word)
    automaton.make_automaton()
    return automaton
