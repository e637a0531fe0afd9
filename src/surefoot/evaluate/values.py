r"""Which argument values are identifiers, and when one stands in a text.

Owns two rules of reading, and no step:

- `substring`: the seed's. A top-level argument whose text is 3 to 40 characters of
  letters, digits and `_.@:/+-`, found wherever these characters stand in a row.
- `boundary`: also longer tokens without blanks, URLs, and the leaves of nested
  arguments; found where the value stands between non-alphanumerics, whatever the case,
  numbers by value (200, 200.0, 1,200), escapes of JSON decoded.

A letter of a script that writes no blanks between words (Chinese, Japanese, Thai) is no
neighbour that hides a value: an order number stands next to such letters as it is.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

#: Identifier-shaped values that say nothing about where they come from.
_LITERALS = frozenset({"true", "false", "none", "null", "yes", "nan"})
#: The seed's shape. `$` lets one line feed follow, and so must we.
_IDENTIFIER = re.compile(r"[\w.@:/+-]{3,40}$")
_LONG = re.compile(r"[\w.@:/+?=&%#~,!$*-]{41,}")
_URL = re.compile(r"\w[\w.+-]*://[\w.@:/+?=&%#~,!$*-]+")
#: In prose: numbers with thousands, and runs that may be identifiers.
_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])|[\w.@:/+?=&%#~-]{3,}")
_EDGES = ".@:/+?=&%#~-"
#: What tells an identifier from a word: a digit, an address, a host's name.
_STRONG = re.compile(r"\d|\w@\w|://|\w{2}\.\w{2}")
_NUMBER = re.compile(r"\+?(-?)((?:0|[1-9]\d*)|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?", re.ASCII)
_SHORTEST = 3

#: The escapes of JSON that glue a letter to what follows. Levels do not matter: in
#: `\\n` the backslash that is left over is no alphanumeric.
_LETTERS = re.compile(r"\\[bfnrt]")
_CODE = re.compile(r"\\u([0-9a-fA-F]{4})")


class Needle(NamedTuple):
    """What to look for. number: its canonical text (`1200.5`) stands for its value."""

    text: str
    number: bool = False


class Value(NamedTuple):
    """One value of a call's arguments.

    path: where it stands, `items[0].order_id`. shown: as the call has it. prose: found
    within a longer text.
    """

    path: str
    shown: str
    needle: Needle
    prose: bool = False


def seed_values(args: Mapping[str, Any]) -> list[Value]:
    """The identifiers among `args` by the seed's rule."""
    found = []
    for name, value in args.items():
        text = str(value)
        if text.lower() not in _LITERALS and _IDENTIFIER.match(text):
            found.append(Value(name, text, Needle(text)))
    return found


def values(args: Mapping[str, Any], *, prose: bool = False) -> list[Value]:
    """The identifiers among the leaves of `args`; with `prose` also those inside texts."""
    found = []
    for path, leaf in leaves(args):
        text = str(leaf).strip()
        if _is_identifier(text):
            found.append(Value(path, text, needle(text)))
        elif prose:
            found += [Value(path, token, needle(token), prose=True) for token in _tokens(text)]
    return found


def leaves(args: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every leaf of nested `args` with its path, in order."""
    stack: list[tuple[str, Any]] = [(str(name), args[name]) for name in reversed(list(args))]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            stack += [(f"{path}.{name}", value[name]) for name in reversed(value)]
        elif isinstance(value, list | tuple):
            stack += [(f"{path}[{i}]", value[i]) for i in range(len(value) - 1, -1, -1)]
        else:
            yield path, value


def needle(text: str) -> Needle:
    """What to look for to find `text` by the boundary rule."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return Needle(text.casefold())
    sign, whole, fraction = match.groups()
    fraction = (fraction or "").rstrip("0")
    return Needle(f"{sign}{whole.replace(',', '')}{'.' * bool(fraction)}{fraction}", number=True)


def readable(text: str) -> str:
    """`text` as the boundary rule reads it: casefolded, escapes of JSON decoded beside it."""
    if "\\" in text:
        decoded = _CODE.sub(lambda match: chr(int(match[1], 16)), text)
        text = f"{text}\n{_LETTERS.sub(' ', decoded)}"
    return text.casefold()


def stands_in(needle: Needle, text: str) -> bool:
    """Whether `needle` stands between non-alphanumerics of the `readable` text."""
    if not needle.number:
        return _stands(needle.text, text, zeros=False)
    return any(_stands(word, text, zeros="." in word) for word in spellings(needle))


def spellings(needle: Needle) -> tuple[str, ...]:
    """How a text may write the needle: numbers also with thousands."""
    if not needle.number:
        return (needle.text,)
    whole, point, fraction = needle.text.partition(".")
    grouped = f"{int(whole):,}{point}{fraction}"
    return (needle.text,) if grouped == needle.text else (needle.text, grouped)


def _stands(word: str, text: str, *, zeros: bool) -> bool:
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        while zeros and text[end : end + 1] == "0":
            end += 1
        before, after = text[start - 1 : start], text[end : end + 1]
        if not _are_glued(before, word[0]) and not _are_glued(after, text[end - 1]):
            return True
        start = text.find(word, start + 1)
    return False


def _are_glued(outside: str, edge: str) -> bool:
    """Whether a neighbour makes a value a part of something longer."""
    return (
        outside.isalnum()
        and edge.isalnum()
        and not _is_blankless(outside)
        and not _is_blankless(edge)
    )


def _is_blankless(char: str) -> bool:
    """Whether `char` is of a script that puts no blanks between words."""
    return "\u0e00" <= char <= "\u0eff" or char >= "\u2e80"


def _is_identifier(text: str) -> bool:
    if text.casefold() in _LITERALS or not any(map(str.isalnum, text)):
        return False
    if _IDENTIFIER.match(text) or _URL.fullmatch(text):
        return True
    return _LONG.fullmatch(text) is not None and not any(map(_is_blankless, text))


def _tokens(text: str) -> list[str]:
    """The identifiers inside prose: what no plain word looks like."""
    found = (match[0].strip(_EDGES) for match in _TOKEN.finditer(text))
    strong = (token for token in found if len(token) >= _SHORTEST and _STRONG.search(token))
    return list(dict.fromkeys(strong))
