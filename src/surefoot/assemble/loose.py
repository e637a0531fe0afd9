r"""Read what is almost JSON: Python reprs, and texts that were cut off.

Owns one forgiving reader for three kinds of text that real spans carry where JSON was
meant: `{'order_id': '88213'}` (a Python repr), `{"order_id": "88213", "reas` (cut by an
attribute limit, with no mark on the wire), and `ToolCall(tool_name='x', tool_kwargs={})`
(a repr of an object, read as a dict whose key `()` holds the class name).

It knows no attribute and no framework. It never raises, keeps its own stack instead of
recursing, and takes time linear in the text: each token is matched once, and the
quantifiers over strings are possessive. `ast.literal_eval` was refused: it recurses,
warns about odd escapes, and gives nothing at all for a text that was cut.
"""

import re
from typing import Any, NamedTuple

#: Deeper than any honest arguments; what is nested deeper is text to us.
MAX_DEPTH = 64

_TOKEN = re.compile(
    r"""\s*+(?:
        (?P<mark>[:=])
      | (?P<comma>,)
      | (?P<text>[bBrRuU]{0,2}(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+'))
      | (?P<open>(?:[A-Za-z_][\w.]*+)?\(|[\[{])
      | (?P<close>[\])}])
      | (?P<cut>[bBrRuU]{0,2}["'].*+)
      | (?P<angle><[^<>]*+>)
      | (?P<word>[^\s,:=\[\](){}"']++)
      | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}
_WORDS: dict[str, Any] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_MAX_CODE_POINT = 0x10FFFF


class Loose(NamedTuple):
    """What was read. `whole` is False if the text ended inside of it."""

    value: Any
    whole: bool


class _Frame:
    """One bracket that is still open."""

    __slots__ = ("items", "key", "name", "pairs")

    def __init__(self, name: str) -> None:
        self.name = name
        self.items: list[Any] = []
        self.pairs: dict[str, Any] = {}
        self.key: str | None = None

    def put(self, value: Any) -> None:
        """Take a value: the pending key's, or one more item."""
        if self.key is None:
            self.items.append(value)
        else:
            self.pairs[self.key] = value
            self.key = None

    def mark(self) -> None:
        """Turn the last item into a key, at `:` or `=`."""
        if self.items:
            last = self.items.pop()
            self.key = last if isinstance(last, str) else str(last)

    def close(self) -> Any:
        """Give the finished value: a dict if it had keys, else a list."""
        if self.name not in ("{", "[", "("):
            return {"()": self.name[:-1], **self.pairs} if self.pairs else self._bare()
        if self.pairs or (self.name == "{" and not self.items):
            return self.pairs
        return self.items

    def _bare(self) -> Any:
        return {"()": self.name[:-1], "": self.items}


def read(text: str, *, partial: bool = False) -> Loose | None:
    """Read the one structure that `text` is; None if it is none.

    Args:
        text: Any text. Key-value pairs side by side (`a='x' b='y'`) read as a dict.
        partial: Keep a string value that was cut off. Without it only pairs that are
            complete are kept, since half a value is another value.
    """
    reader = _Reader(partial=partial)
    frame, end = reader.frame, len(text)
    for token in _TOKEN.finditer(text):  # leaves nothing out: whatever comes is some token
        kind = token.lastgroup or ""
        if kind == "text":
            frame.put(_unquoted(token["text"]))
        elif kind == "mark":
            frame.mark()
        elif kind not in ("comma", "end"):
            if not reader.take(kind, token[kind], last=token.end() == end):
                return None
            frame = reader.frame
    return reader.finish()


class _Reader:
    """The brackets that are open, and what stands in them. `frame` is the innermost."""

    __slots__ = ("_partial", "_stack", "_top", "_whole", "frame")

    def __init__(self, *, partial: bool) -> None:
        self._partial = partial
        self._top = self.frame = _Frame("(")
        self._stack = [self._top]
        self._whole = True

    def take(self, kind: str, piece: str, *, last: bool) -> bool:
        """Take a bracket, a word or a text that was cut; False if this is no structure."""
        if kind == "open":
            self.frame = _Frame(piece)
            self._stack.append(self.frame)
            return len(self._stack) <= MAX_DEPTH
        if kind == "close":
            return self._close()
        if kind == "cut":
            self._whole = False
            if self._partial:
                self.frame.put(unescape(piece.lstrip("bBrRuU")[1:]))
        elif not (last and len(self._stack) > 1):  # `20` may be the beginning of 200
            self.frame.put(piece if kind == "angle" else _word(piece))
        return True

    def _close(self) -> bool:
        if len(self._stack) == 1:
            return False
        closed = self._stack.pop().close()
        self.frame = self._stack[-1]
        self.frame.put(closed)
        return True

    def finish(self) -> Loose | None:
        """Close what is still open, and give the one structure that was read."""
        whole = self._whole and len(self._stack) == 1
        while len(self._stack) > 1:
            self._close()
        if self._top.pairs:
            return Loose(self._top.pairs, whole)
        items = self._top.items
        if len(items) == 1 and isinstance(items[0], dict | list):
            return Loose(items[0], whole)
        return None


def _unquoted(piece: str) -> str:
    body = piece[1:-1] if piece[0] in "\"'" else piece.lstrip("bBrRuU")[1:-1]
    return unescape(body) if "\\" in body else body


def _word(piece: str) -> Any:
    if piece in _WORDS:
        return _WORDS[piece]
    try:
        return int(piece)
    except ValueError:
        pass
    try:
        number = float(piece)
    except ValueError:
        return piece
    return number if abs(number) < float("inf") else piece


def unescape(text: str) -> str:
    r"""Decode backslash escapes, `\uXXXX` and surrogate pairs among them.

    Half a pair becomes U+FFFD, so that what comes out can always be encoded.
    """
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_decoded, text)
    return whole_characters(plain)


def whole_characters(text: str) -> str:
    """Join surrogate pairs; replace half ones by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _decoded(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        point = int(code[1:], 16)
        return chr(point) if point <= _MAX_CODE_POINT else "\ufffd"
    return _PLAIN.get(code, code)
