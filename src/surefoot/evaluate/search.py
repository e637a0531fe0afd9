r"""Which of many values stand in a text.

Owns the speed of it. Knows needles and texts, no step. The plain way, each value in each
text, is quadratic, and is used while there are few values. Beyond that all values are one
pattern of plain alternatives, which RE2 makes an automaton of: 1 to 3 ns a character of
text, however many values there are.

A value that begins like a word of prose is looked for from its first character that is no
letter (`-88213`), or shortly before it. So most texts leave the automaton in its first
states, which it has made before and the processor has at hand; with ten thousand values,
those that all words of a language lead to would be too many for its cache.

RE2 tells the leftmost longest literal; the search goes on one character further, so that
values inside it and across its end are met too, and those which begin like it are known
beforehand. What the pattern finds is then looked at in its place: the rest of the value,
and the boundary rule, which knows more letters than RE2's `\b`. Literals are at most
`_LITERAL` bytes long, few values share one, and 2 to 3 us are spent on each place, so no
text takes more than linear time. Values that nobody asks for any more leave the pattern
once it has met them often.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

import re2

from surefoot.evaluate.values import Needle, are_glued, has_zeros, readable, spellings

#: Up to so many values each in each text is the quickest way.
FEW = 8
#: So many bytes of a value tell it from others; the rest is compared in place.
_LITERAL = 40
#: So many values one pattern holds at most.
_MOST = 20_000
#: What RE2 may take, far above what it takes (some 100 MB for so many values, until the
#: verdict). With a fourth of it RE2 finds no room for its tables and takes ten times as long.
_MEMORY = 1 << 29

_OPTIONS = re2.Options()
_OPTIONS.encoding = re2.Options.Encoding.LATIN1  # bytes as they are
_OPTIONS.longest_match = True
_OPTIONS.never_capture = True
_OPTIONS.log_errors = False
_OPTIONS.max_mem = _MEMORY

#: To lower case, and `_` to a byte that no text has and that is no part of a word.
_PLAIN = bytes(0xFF if code == ord("_") else code for code in bytes(range(256)).lower())
_ZEROS = re.compile(b"0*")
_NO_LETTER = re.compile(rb"[^A-Za-z\x80-\xff]")
_AT = ord("@")
#: So many characters are looked for before such a character at least, where it is an `@`.
_NAME = 2
#: So many characters must be left of a value whose beginning is skipped, and so many values
#: may have the same ones left: each is looked at where they stand.
_TELLING = 5
_SHARED = 4
_BACKSLASH = ord("\\")
_CODE = ord("u")
_ESCAPES = b"bfnrt"
_ASCII = 0x80


class _Word(NamedTuple):
    """One spelling of a needle, as bytes. first, last: its edges.

    skipped: so many bytes of it stand in front of its literal.
    """

    needle: Needle
    whole: bytes
    first: str
    last: str
    zeros: bool
    skipped: int = 0


class Finder:
    """Looks for the same values in one text after another."""

    def __init__(self, needles: Collection[Needle], *, substring: bool) -> None:
        self._substring = substring
        #: Blanks and backslashes meet escapes of JSON, which must then be read first.
        self._wide = not substring and any(
            char in needle.text for needle in needles for char in (" ", "\\")
        )
        self._left = dict.fromkeys(needles)
        self._patterns: list[_Pattern] = []
        self._compile()

    def within(self, text: str, is_open: Callable[[Needle], bool]) -> Iterator[Needle]:
        """Those needles in `text` that `is_open` still asks for, each once."""
        if self._wasted > 2 * self._size and len(self._left) < self._compiled:
            self._compile()
        if not self._patterns:
            return
        told: set[Needle] = set()
        for pattern in self._patterns:
            for needle in pattern.within(text):
                if needle in told or needle not in self._left or not is_open(needle):
                    self._wasted += 1
                else:
                    told.add(needle)
                    yield needle

    def forget(self, needle: Needle) -> None:
        """Let go of `needle`, which nobody asks for any more."""
        self._left.pop(needle, None)

    def _spelled(self) -> Iterator[_Word]:
        """Every spelling of the values that are left."""
        for needle in self._left:
            for spelling in spellings(needle) if not self._substring else (needle.text,):
                whole = _encoded(spelling)
                whole = whole if self._substring else whole.translate(_PLAIN)
                yield _Word(needle, whole, spelling[0], spelling[-1], has_zeros(needle))

    def _compile(self) -> None:
        words: dict[bytes, list[_Word]] = {}
        for word in self._spelled():
            for skipped in _starts(word.whole):
                of_literal = words.setdefault(word.whole[skipped:][:_LITERAL], [])
                if len(of_literal) < _SHARED or not skipped:
                    of_literal.append(word._replace(skipped=skipped) if skipped else word)
                    break
        literals = sorted(words)
        self._patterns = [
            _Pattern(
                {literal: words[literal] for literal in literals[start : start + _MOST]},
                substring=self._substring,
                escapes=not self._wide,
            )
            for start in range(0, len(literals), _MOST)
        ]
        self._compiled = len(self._left)
        self._size = len(literals)
        self._wasted = 0


class _Pattern:
    """Some literals as one pattern. words: by literal, in the order of bytes."""

    def __init__(self, words: dict[bytes, list[_Word]], *, substring: bool, escapes: bool) -> None:
        self._words = words
        self._substring = substring
        self._escapes = escapes and not substring
        #: By literal, the longest other one that it begins with.
        self._shorter: dict[bytes, bytes | None] = {}
        above: list[bytes] = []
        for literal in words:
            while above and not literal.startswith(above[-1]):
                above.pop()
            self._shorter[literal] = above[-1] if above else None
            above.append(literal)
        told = b"|".join(map(re2.escape, words)) if substring else self._bounded()
        self._search = re2.compile(told, _OPTIONS).search

    def _bounded(self) -> bytes:
        """The pattern by the boundary rule: a word's edge where a value has one."""
        kinds: dict[tuple[bool, bool], list[bytes]] = {}
        for literal, words in self._words.items():
            begins = _is_word(literal[0]) and not any(word.skipped for word in words)
            ends = _is_word(literal[-1]) and not any(
                word.needle.cut or len(word.whole) - word.skipped > _LITERAL for word in words
            )
            zeros = b"0*" if any(word.zeros for word in words) else b""
            kinds.setdefault((begins, ends), []).append(re2.escape(literal) + zeros)
        parts = []
        for (begins, ends), told in kinds.items():
            before = rb"(?:\b|\\[bfnrt])" if begins and self._escapes else rb"\b" * begins
            parts.append(before + b"(?:" + b"|".join(told) + b")" + rb"\b" * ends)
        if self._escapes:
            parts.append(rb"\\u[0-9a-f]{4}")
        return b"|".join(parts)

    def within(self, text: str) -> Iterator[Needle]:
        """Every needle that stands in `text`, once for each place and spelling, or oftener."""
        data = _encoded(text)
        is_read = self._substring
        if not is_read:
            is_read = not text.isascii() or (not self._escapes and "\\" in text)
            data = (_encoded(readable(text)) if is_read else data).translate(_PLAIN)
        found: Any = self._search(data, 0)
        while found is not None:
            start, end = found.span()
            at = start
            if self._escapes and data[start] == _BACKSLASH:
                if data[start + 1] == _CODE and not is_read:
                    is_read, data = True, _encoded(readable(text)).translate(_PLAIN)
                    found = self._search(data, 0)
                    continue
                at += 2
            told = data[at:end]
            literal = told if told in self._words else self._without_zeros(told)
            while literal is not None:
                for word in self._words[literal]:
                    if self._is_whole(word, data, at):
                        yield word.needle
                literal = self._shorter[literal]
            found = self._search(data, start + 1)

    def _without_zeros(self, told: bytes) -> bytes | None:
        """The number that more zeros followed; None for the code of a letter, read already."""
        literal = told.rstrip(b"0")
        return literal if literal in self._words else None

    def _is_whole(self, word: _Word, data: bytes, at: int) -> bool:
        """Whether all of the word is there, and what is around leaves it a value of its own."""
        start = at - word.skipped
        is_part = word.skipped or len(word.whole) > _LITERAL
        if is_part and (start < 0 or not data.startswith(word.whole, start)):
            return False
        return self._substring or self._stands(word, data, start)

    def _stands(self, word: _Word, data: bytes, at: int) -> bool:
        escaped = (
            self._escapes and at > 1 and data[at - 2] == _BACKSLASH and data[at - 1] in _ESCAPES
        )
        if not escaped and are_glued(_before(data, at), word.first):
            return False
        if word.needle.cut:
            return True
        end = at + len(word.whole)
        last = word.last
        if word.zeros:
            start, end = end, _ZEROS.match(data, end).end()  # type: ignore[union-attr]  # matches nothing too
            last = "0" if end > start else last
        return not are_glued(_after(data, end), last)


def _starts(whole: bytes) -> Iterator[int]:
    """Where a literal of the value may begin, so that few texts lead into it; 0 is the last.

    Hosts are shared by many, names before them are not.
    """
    found = _NO_LETTER.search(whole)
    if found is not None and len(whole) - found.start() >= _TELLING:
        yield max(0, found.start() - _NAME)
    yield 0


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _is_word(code: int) -> bool:
    return code < _ASCII and chr(code).isalnum()


def _before(data: bytes, at: int) -> str:
    """The character before a place."""
    if at == 0:
        return ""
    if data[at - 1] < _ASCII:
        return chr(data[at - 1])
    start = at - 1
    while start > 0 and data[start] & 0xC0 == _ASCII:
        start -= 1
    return data[start:at].decode("utf-8", "replace")[-1:]


def _after(data: bytes, at: int) -> str:
    """The character at a place."""
    if at >= len(data):
        return ""
    return chr(data[at]) if data[at] < _ASCII else data[at : at + 4].decode("utf-8", "replace")[:1]
