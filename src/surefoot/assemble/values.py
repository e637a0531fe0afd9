r"""What an attribute's value says, whatever type it came in.

Owns: the structure inside a text (JSON, JSON in JSON, a Python repr, a beginning), plain
Python values out of OTLP ones, text normal form, and the mark of a hidden value. Knows no
attribute key. Nothing here raises, whatever the value, and what it gives is nested at
most `MAX_DEPTH` deep, so that those who read it may recurse.

Never trust a mime type: it is missing, or wrong, in half of the frameworks.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson

from surefoot.assemble import loose
from surefoot.assemble.loose import MAX_DEPTH
from surefoot.model import Cut

#: What OpenInference writes where inputs or outputs are hidden.
#: Source: Arize-ai/openinference, spec/configuration.md.
REDACTED = "__REDACTED__"

_OPENERS = frozenset(("{", "[", '"', "'", "("))
_UNICODE_ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})++")
#: A text inside a text inside a text: no more than this.
_UNQUOTES = 3


class Structure(NamedTuple):
    """A dict or a list. `whole` is False if its text ended early."""

    value: Any
    whole: bool


def structure(value: object, *, partial: bool = False) -> Structure | None:
    """Give the dict or list that `value` is or spells; None for bare text and scalars.

    Args:
        value: An attribute's value.
        partial: In a text that was cut, keep the text value that was cut off.
    """
    if not isinstance(value, str):
        found = plain(value) if isinstance(value, dict | list | tuple) else None
        return None if found is None else Structure(found, whole=True)
    for _ in range(_UNQUOTES):
        first = value[:1]
        if first not in _OPENERS and not (first.isspace() and value.lstrip()[:1] in _OPENERS):
            return None
        inner = _json(value)
        if inner is None:
            return _loosely(value, partial=partial)
        if not isinstance(inner, str):
            return Structure(inner, whole=True) if isinstance(inner, dict | list) else None
        value = inner
    return None


def fields(value: object) -> dict[str, Any]:
    """Give the dict that `value` is or spells; empty where there is none."""
    found = structure(value)
    return found.value if found and isinstance(found.value, dict) else {}


def _json(text: str) -> Any:
    try:
        found = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeError):
        return None
    if len(text) <= 2 * MAX_DEPTH or text.count("[") + text.count("{") <= MAX_DEPTH:
        return found
    return str(text) if _depth(found) > MAX_DEPTH else found


def _loosely(text: str, *, partial: bool) -> Structure | None:
    if text.lstrip()[:1] not in "{[(":
        return None
    read = loose.read(text, partial=partial)
    return Structure(read.value, read.whole) if read else None


def _depth(value: Any) -> int:
    """Count levels without recursing; what stands in the innermost is one more."""
    level = [value] if isinstance(value, dict | list) else []
    depth, filled = 0, True
    while level:
        depth += 1
        filled = any(level)
        level = [
            child
            for item in level
            for child in (item.values() if item.__class__ is dict else item)
            if child.__class__ is dict or child.__class__ is list
        ]
    return depth + filled


def plain(value: object, depth: int = 0) -> Any:
    """Give an OTLP value as JSON knows it: dicts, lists, texts, numbers, None."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if depth >= MAX_DEPTH:
        return ""
    if isinstance(value, dict):
        return {str(key): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, Iterable):
        return [plain(inner, depth + 1) for inner in value]
    return str(value)


def text_of(value: object) -> str:
    """Give `value` as text: a text itself, any other as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else dumps(plain(value))


def dumps(value: Any) -> str:
    """Give compact JSON with sorted keys; the repr of what JSON cannot hold."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, ValueError):
        return repr(value)


def same_key(value: Any) -> str:
    """Give a text that is equal for equal arguments: 200 and 200.0 are the same."""
    return dumps(_integral(value))


def _integral(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _integral(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_integral(inner) for inner in value]
    return value


def is_hidden(value: object) -> bool:
    """Whether the sender hid this value, or a part of it."""
    if isinstance(value, str):
        return REDACTED in value
    if isinstance(value, dict | tuple | list):
        return REDACTED in dumps(plain(value))
    return False


def is_cut(value: object) -> bool:
    """Whether this text is only a beginning, by our own limit."""
    return isinstance(value, Cut)


def normal(text: str) -> str:
    r"""Give the text's normal form: `\uXXXX` decoded, NFC.

    JSON inside JSON leaves escapes that nobody decodes, and a search for the name that
    the customer typed would miss it.
    """
    if "\\u" in text:
        text = _UNICODE_ESCAPE.sub(lambda match: loose.unescape(match[0]), text)
    return text if text.isascii() else unicodedata.normalize("NFC", text)
