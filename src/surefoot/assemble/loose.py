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
        (?P<open>(?:[A-Za-z_][\w.]*+)?\(|[\[{])
      | (?P<close>[\])}])
      | (?P<mark>[:=])
      | (?P<comma>,)
      | (?P<text>[bBrRuU]{0,2}(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+'))
      | (?P<cut>[bBrRuU]{0,2}["'].*+)
      | (?P<angle><[^<>]*+>)
      | (?P<word>[^\s,:=\[\](){}"']++)
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
    top = _Frame("(")
    stack = [top]
    whole = True
    at, end = 0, len(text)
    while at < end:
        token = _TOKEN.match(text, at)
        if token is None:
            break
        at = token.end()
        kind = token.lastgroup
        piece = token[kind] if kind else ""
        frame = stack[-1]
        if kind == "open":
            if len(stack) > MAX_DEPTH:
                return None
            stack.append(_Frame(piece))
        elif kind == "close":
            if len(stack) == 1:
                return None
            stack.pop()
            stack[-1].put(frame.close())
        elif kind == "mark":
            frame.mark()
        elif kind == "cut":
            whole = False
            if partial:
                frame.put(unescape(piece.lstrip("bBrRuU")[1:]))
        elif kind != "comma":
            if at == end and len(stack) > 1 and kind != "text":
                break  # `"amount": 20` may be the beginning of 200
            frame.put(_scalar(kind, piece))
    whole = whole and len(stack) == 1
    while len(stack) > 1:
        frame = stack.pop()
        stack[-1].put(frame.close())
    return _result(top, whole=whole)


def _result(top: _Frame, *, whole: bool) -> Loose | None:
    if top.pairs:
        return Loose(top.pairs, whole)
    if len(top.items) == 1 and isinstance(top.items[0], dict | list):
        return Loose(top.items[0], whole)
    return None


def _scalar(kind: str | None, piece: str) -> Any:
    if kind == "text":
        body = piece.lstrip("bBrRuU")[1:-1]
        return unescape(body) if "\\" in body else body
    if kind == "angle":
        return piece
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
