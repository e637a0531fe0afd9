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
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import orjson

#: Identifier-shaped values that say nothing about where they come from.
_LITERALS = frozenset({"true", "false", "none", "null", "yes", "nan"})
#: The seed's shape. `$` lets one line feed follow, and so must we.
_IDENTIFIER = re.compile(r"[\w.@:/+-]{3,40}$")
_LONG = re.compile(r"[\w.@:/+?=&%#~,!$*-]{41,}")
_URL = re.compile(r"\w[\w.+-]*://[\w.@:/+?=&%#~,!$*-]+")
#: In prose: runs that may be identifiers, and commas, which part them or their thousands.
_TOKEN = re.compile(r"[\w.@:/+?=&%#~,-]{3,}")
_EDGES = ".@:/+?=&%#~-"
#: What tells an identifier from a word: a digit, an address, a host's name.
_STRONG = re.compile(r"\d|\w@\w|://|\w{2}\.\w{2}")
_NUMBER = re.compile(r"\+?(-?)((?:0|[1-9]\d*)|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?", re.ASCII)
_SHORTEST = 3
_SEEDS_LONGEST = 40
#: Of a longer value its beginning is looked for, which says as much.
_LONGEST = 1_000
#: A path is not made longer than this: it only tells where to look, and a key of 100 KB
#: above as many leaves would make gigabytes of paths.
_LONGEST_PATH = 500
#: So many characters has a number at least that may be written with thousands.
_THOUSAND = 4

#: Longest integer written in decimal, some 20,000 digits; the time grows with the square.
_LONG_BITS = 1 << 16

#: The escapes of JSON that glue a letter to what follows. Levels do not matter: in
#: `\\n` the backslash that is left over is no alphanumeric.
_LETTERS = re.compile(r"\\[bfnrt]")
_CODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_ZEROS = re.compile("0*")
#: What glues nothing: no alphanumeric, or one of a script without blanks.
_LOOSE = re.compile(r"[\W_\u0e00-\u0eff\u2e80-\U0010ffff]")


class Needle(NamedTuple):
    """What to look for.

    number: its canonical text (`1200.5`) stands for its value. cut: only the beginning of
    the value, so that anything may follow.
    """

    text: str
    number: bool = False
    cut: bool = False


class Value(NamedTuple):
    """One value of a call's arguments.

    path: where it stands, `items[0].order_id`. shown: as the call has it. prose: found
    within a longer text.
    """

    path: str
    shown: str
    needle: Needle
    prose: bool = False


def text_of(value: object) -> str:
    """`str(value)`, or its leaves where Python cannot write it as a whole."""
    try:
        return str(value)
    except (RecursionError, ValueError):  # nested too deep, or a number too long
        if isinstance(value, int):
            return _long_number(value)
        if not isinstance(value, dict | list | tuple):
            return f"<{type(value).__name__}>"
        return "\n".join(f"{path}: {text_of(leaf)}" for path, leaf in leaves({"": value}))


def json_value(text: str, otherwise: Any = None) -> Any:
    """The JSON value that `text` writes; `otherwise` if it is no JSON."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return otherwise


def _long_number(value: int) -> str:
    """An integer that `str` refuses: in decimal, or in hex where that takes seconds."""
    return str(Decimal(value)) if value.bit_length() <= _LONG_BITS else hex(value)


def seed_values(args: Mapping[str, Any]) -> list[Value]:
    """The identifiers among `args` by the seed's rule."""
    found = []
    for name, value in args.items():
        text = text_of(value)
        if text.lower() not in _LITERALS and _IDENTIFIER.match(text):
            found.append(Value(text_of(name), text, Needle(text)))
    return found


def values(args: Mapping[str, Any], *, prose: bool = False) -> list[Value]:
    """The identifiers among the leaves of `args`; with `prose` also those inside texts."""
    found: list[Value] = []
    for path, leaf in leaves(args):
        text = (leaf if type(leaf) is str else text_of(leaf)).strip()
        if _is_identifier(text):
            found.append(Value(path, text, needle(text)))
        elif prose:
            found += [Value(path, token, needle(token), prose=True) for token in _tokens(text)]
    return found


def leaves(args: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Every leaf of nested `args` with its path, in order."""
    found = []
    for name, top in args.items():
        if not isinstance(top, dict | list | tuple):
            found.append((text_of(name), top))
            continue
        stack: list[tuple[str, Any]] = [(text_of(name), top)]
        while stack:
            path, value = stack.pop()
            if isinstance(value, dict):
                keys = reversed(value)
                stack += [(_beyond(path, f".{text_of(key)}"), value[key]) for key in keys]
            elif isinstance(value, list | tuple):
                indices = range(len(value) - 1, -1, -1)
                stack += [(_beyond(path, f"[{i}]"), value[i]) for i in indices]
            else:
                found.append((path, value))
    return found


def _beyond(path: str, part: str) -> str:
    return path if len(path) > _LONGEST_PATH else path + part[:_LONGEST_PATH]


def needle(text: str) -> Needle:
    """What to look for to find `text` by the boundary rule."""
    if len(text) > _LONGEST:
        return Needle(text[:_LONGEST].casefold(), cut=True)
    if text.isdigit() and text.isascii() and text[0] != "0":
        return Needle(text, number=True)
    match = _NUMBER.fullmatch(text)
    if match is None:
        return Needle(text.casefold())
    sign, whole, fraction = match.groups()
    fraction = (fraction or "").rstrip("0")
    return Needle(f"{sign}{whole.replace(',', '')}{'.' * bool(fraction)}{fraction}", number=True)


def decoded(text: str) -> str:
    """`text`, and below it itself with the escapes of JSON decoded, if it has any."""
    return f"{text}\n{unescaped(text)}" if "\\" in text else text


def unescaped(text: str) -> str:
    """`text` with the escapes of JSON decoded; what is no letter then is a blank."""
    if "\\u" in text:
        text = _CODE.sub(lambda match: chr(int(match[1], 16)), text)
    return _LETTERS.sub(" ", text)


def readable(text: str) -> str:
    """`text` as the boundary rule reads it: whatever the case, escapes decoded."""
    return decoded(text).casefold()


def is_in(needle: Needle, text: str, *, substring: bool) -> bool:
    """Whether `needle` is in `text`, which is `readable` unless `substring`."""
    return needle.text in text if substring else stands_in(needle, text)


def stands_in(needle: Needle, text: str) -> bool:
    """Whether `needle` stands between non-alphanumerics of the `readable` text.

    Linear in the text, whatever it is; the needle has at most 1,000 characters or so.
    """
    word, is_number, _ = needle
    if word in text and _stands(needle, word, text):
        return True
    if not is_number or len(word) < _THOUSAND:
        return False
    return any(_stands(needle, grouped, text) for grouped in spellings(needle)[1:])


def spellings(needle: Needle) -> tuple[str, ...]:
    """How a text may write the needle: numbers also with thousands."""
    if not needle.number or len(needle.text) < _THOUSAND:
        return (needle.text,)
    whole, point, fraction = needle.text.partition(".")
    grouped = f"{_by_thousands(whole)}{point}{fraction}"
    return (needle.text,) if grouped == needle.text else (needle.text, grouped)


def _by_thousands(whole: str) -> str:
    """The digits with commas, without asking `int`: it refuses more than 4,300 of them."""
    sign, digits = ("-", whole[1:]) if whole[0] == "-" else ("", whole)
    first = len(digits) % 3 or 3
    return sign + ",".join(
        (digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3)))
    )


def _stands(needle: Needle, word: str, text: str) -> bool:
    zeros = has_zeros(needle)
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if are_glued(text[start - 1 : start], word[0]):
            # So is it all through this row of alphanumerics.
            loose = _LOOSE.search(text, start)
            start = -1 if loose is None else text.find(word, loose.end())
            continue
        if zeros:
            end = _ZEROS.match(text, end).end()  # type: ignore[union-attr]  # matches nothing too
        if needle.cut or not are_glued(text[end : end + 1], text[end - 1]):
            return True
        start = text.find(word, start + 1)
    return False


def has_zeros(needle: Needle) -> bool:
    """Whether a text may write the needle with more zeros."""
    return needle.number and "." in needle.text


def are_glued(outside: str, edge: str) -> bool:
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
    if _IDENTIFIER.match(text):
        return text.casefold() not in _LITERALS and text.strip("_.@:/+-") != ""
    if "://" in text and _URL.fullmatch(text):
        return True
    return (
        len(text) > _SEEDS_LONGEST
        and _LONG.fullmatch(text) is not None
        and not any(map(_is_blankless, text))
    )


def _tokens(text: str) -> list[str]:
    """The identifiers inside prose: what no plain word looks like."""
    if not _STRONG.search(text):
        return []
    found = (part.strip(_EDGES) for match in _TOKEN.finditer(text) for part in _parts(match[0]))
    strong = (token for token in found if len(token) >= _SHORTEST and _STRONG.search(token))
    return list(dict.fromkeys(strong))


def _parts(run: str) -> list[str]:
    """A number with thousands as it is; else what stands between the commas."""
    if "," not in run:
        return [run]
    whole = run.strip(f"{_EDGES},")
    return [whole] if _NUMBER.fullmatch(whole) else run.split(",")
