"""Read protobuf fields and OTLP values by hand, out of bytes left unparsed.

Owns the wire format of KeyValue and AnyValue (opentelemetry-proto 1.x,
common/v1/common.proto) and of protobuf itself as far as these need it
(protobuf.dev/programming-guides/encoding). Knows no span and no key.

Theory: `fields` walks one message; unknown fields are stepped over; bytes that are no
message raise `Malformed`, which the caller turns into "this attribute was lost", never
into a lost batch. Text is decoded with `errors="replace"`. What is longer than the
limit is cut before it is copied, so its length costs nothing.
"""

from collections.abc import Iterator
from struct import Struct
from typing import Final

from surefoot.model import Cut, Value

# Wire types, and tags (number << 3 | wire type) of the fields we read.
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_FIRST_TAG = 1 << 3
_KEY, _VALUE = 0x0A, 0x12  # KeyValue
_STRING, _BOOL, _INT, _FLOAT, _ARRAY, _KVLIST, _BYTES = 0x0A, 0x10, 0x18, 0x21, 0x2A, 0x32, 0x3A
_ENTRY = 0x0A  # ArrayValue.values and KeyValueList.values
_MORE = 0x80  # a varint's byte after which another comes
_DOUBLE = Struct("<d").unpack
_INT64_SIGN, _INT64_RANGE = 1 << 63, 1 << 64
_VARINT_BITS = 70  # ten groups of seven: the longest varint there is

#: How deep values may nest. The official parser stops at 100 messages, which is 47
#: arrays within arrays; deeper ones are malformed to us as they are to it.
MAX_DEPTH: Final = 50
#: An array or key-value list may be this many times as long as a text may be. Its
#: Python objects take up to 18 times its bytes, and each entry a microsecond however
#: small it is: megabytes of them would take seconds. A longer one is not read: it
#: becomes an empty `Cut`.
COMPOUND_FACTOR: Final = 2


class Malformed(ValueError):  # noqa: N818 - what the bytes are
    """These bytes are no protobuf message of the expected shape."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The unsigned number at `at`, and where the next byte is.

    Raises:
        Malformed: The bytes end within it, or it is longer than ten bytes.
    """
    number = shift = 0
    while shift < _VARINT_BITS:
        try:
            byte = data[at]
        except IndexError:
            raise Malformed("ends within a number") from None
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < _MORE:
            return number & (_INT64_RANGE - 1), at
        shift += 7
    raise Malformed("a number of more than ten bytes")


def fields(data: bytes, at: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int]]:
    """Each field of the message in `data[at:end]` as (tag, a, b).

    The tag is number << 3 | wire type. A varint gives its value as `a`; everything else
    lies in `data[a:b]`.

    Raises:
        Malformed: The bytes are no message.
    """
    end = len(data) if end is None else end
    while at < end:
        tag, at = varint(data, at)
        wire = tag & 7
        start = at
        if wire == _VARINT:
            start, at = varint(data, at)
        elif wire == _LENGTH:
            size, start = varint(data, at)
            at = start + size
        elif wire == _FIXED64:
            at += 8
        elif wire == _FIXED32:
            at += 4
        else:  # groups: no OTLP message ever had one
            raise Malformed(f"wire type {wire}")
        if at > end or tag < _FIRST_TAG:
            raise Malformed("a field reaches over its message's end")
        yield tag, start, at


def signed(number: int) -> int:
    """A varint's 64 bits as int64 (and enums, which are sign-extended) mean them."""
    return number - _INT64_RANGE if number >= _INT64_SIGN else number


def text(data: bytes, start: int, end: int, limit: int) -> str:
    """The text in `data[start:end]`; its first `limit` bytes as a `Cut` if it is longer.

    A cut falls on a code point's boundary. Invalid UTF-8 becomes U+FFFD.
    """
    if end - start <= limit:
        return data[start:end].decode("utf-8", "replace")
    cut = start + limit
    for _ in range(3):  # a code point has at most three continuation bytes, 0b10xxxxxx
        if cut <= start or data[cut] & 0xC0 != _MORE:
            break
        cut -= 1
    return Cut(data[start:cut].decode("utf-8", "replace"))


def readable(data: bytes) -> Iterator[tuple[int, int, int]]:
    """`fields`, as far as they can be read."""
    try:
        yield from fields(data)
    except Malformed:
        return


def key_value(data: bytes, start: int = 0, end: int | None = None) -> tuple[bytes, int, int]:
    """A KeyValue's key, and where its value lies (0 to 0 if it has none).

    Raises:
        Malformed: The bytes are no KeyValue.
    """
    key = b""
    at = until = 0
    for tag, a, b in fields(data, start, end):
        if tag == _KEY:
            key = data[a:b]
        elif tag == _VALUE:
            at, until = a, b
    return key, at, until


def any_value(data: bytes, start: int, end: int, limit: int, depth: int = 0) -> Value:
    """The AnyValue in `data[start:end]`; None if it is empty or of a kind not known.

    An array is a tuple, a key-value list a dict in which the last of equal keys wins.
    `limit` is in bytes and holds for each text; what else is too long (bytes, or
    `COMPOUND_FACTOR` times the limit for an array or list) is an empty `Cut`.

    Raises:
        Malformed: The bytes are no AnyValue, or it nests deeper than `MAX_DEPTH`.
    """
    value: Value = None
    for tag, a, b in fields(data, start, end):
        if tag == _STRING:
            value = text(data, a, b, limit)
        elif tag == _BOOL:
            value = a != 0
        elif tag == _INT:
            value = signed(a)
        elif tag == _FLOAT:
            value = _DOUBLE(data[a:b])[0]
        elif tag == _BYTES:
            value = data[a:b] if b - a <= limit else Cut()
        elif tag in (_ARRAY, _KVLIST):
            if depth == MAX_DEPTH:
                raise Malformed("nested too deep")
            compound = _array if tag == _ARRAY else _kvlist
            too_long = b - a > limit * COMPOUND_FACTOR
            value = Cut() if too_long else compound(data, a, b, limit, depth + 1)
    return value


def _array(data: bytes, start: int, end: int, limit: int, depth: int) -> tuple[Value, ...]:
    return tuple(
        any_value(data, a, b, limit, depth)
        for tag, a, b in fields(data, start, end)
        if tag == _ENTRY
    )


def _kvlist(data: bytes, start: int, end: int, limit: int, depth: int) -> dict[str, Value]:
    entries: dict[str, Value] = {}
    for tag, a, b in fields(data, start, end):
        if tag == _ENTRY:
            key, at, until = key_value(data, a, b)
            entries[key.decode("utf-8", "replace")] = any_value(data, at, until, limit, depth)
    return entries
