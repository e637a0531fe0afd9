"""OTLP/JSON out of a file: one request, or one a line, as the Collector writes them.

Owns where in such a file a request begins and ends, and what of it is passed over: other
signals' requests, which a Collector writes between those of traces, and blank lines. A
file none of whose lines holds spans is no business of ours; whether that is an error is
the caller's question (`named`). Knows no span, and opens no file.
"""

import codecs
from collections.abc import Iterable, Iterator
from io import BufferedReader
from itertools import chain
from typing import Any, Final, TypeAlias

import orjson

from surefoot.errors import DecodeError, InputError
from surefoot.receive import otlp_json

#: What a trace request in JSON has, and what the other signals' requests have, which a
#: Collector's file exporter writes between them.
_SPANS: Final = b'"resourceSpans"'
_NO_SPANS: Final = (b'"resourceLogs"', b'"resourceMetrics"', b'"resourceProfiles"')
_RIGHT: Final = "; write one whole OTLP/JSON trace request"

#: An open file, or what is inflated out of one.
Stream: TypeAlias = "BufferedReader[Any]"


def documents(
    stream: Stream, name: str, *, named: bool, one_a_line: bool
) -> Iterator[tuple[bytes, int]]:
    """Yield each trace request as protobuf, and its line (0: the file holds one).

    Args:
        stream: Of JSON; a byte order mark before it is no part of it.
        name: The file's, for messages.
        named: Whether a person named the file, so that it is an error if it has no spans.
        one_a_line: Whether that is known; else it is found out.

    Raises:
        InputError: A request is cut or broken, or there is none in a named file.
    """
    none = True
    wrong: InputError | None = None
    for text, line in _split(stream, one_a_line=one_a_line):
        if _SPANS in text:
            none = False
        elif any(key in text for key in _NO_SPANS):
            continue
        origin = f"{name}:{line}" if line else name
        try:
            body = otlp_json.to_protobuf(text)
        except DecodeError as problem:
            right = f"{_RIGHT} a line" if line else _RIGHT
            wrong = wrong or InputError(f"{origin}: {problem}{right}")
            body = b""
        if wrong and not none:  # the file is one of traces, and broken
            raise wrong
        if body:
            yield body, line
    if none and named:
        raise InputError(f"{name}: holds no OTLP trace request; one has a list resourceSpans")


def _split(stream: Stream, *, one_a_line: bool) -> Iterator[tuple[bytes, int]]:
    """The documents in a stream, each with its line; 0 if there is one only."""
    lines = _lines(stream)
    if one_a_line:
        yield from lines
        return
    first, second = next(lines, None), next(lines, None)
    if first is None:
        return
    if second is None:
        yield first[0], 0
    elif _is_whole(first[0]):
        yield from chain((first, second), lines)
    else:
        yield b"".join(text for text, _ in chain((first, second), lines)), 0


def _lines(stream: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """The lines that are not blank, numbered from 1."""
    for number, line in enumerate(stream, start=1):
        text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if text.strip():
            yield text, number


def _is_whole(line: bytes) -> bool:
    """Whether a line is a JSON document of its own."""
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True
