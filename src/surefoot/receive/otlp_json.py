"""Turn OTLP/JSON text into the bytes of the same request in protobuf.

Owns what OTLP's JSON differs in from protobuf's own: ids in hex of either case, enums
as integers, 64-bit numbers as texts or numbers, unknown fields ignored, keys in
lowerCamelCase only. Knows no span: files, and later HTTP, share the one decoder.
Source: opentelemetry-proto docs/specification.md, "JSON Protobuf Encoding".

Why not google.protobuf.json_format: it takes a hex id for base64 and makes 24 bytes of
it, stops at an unknown field, and does not say where an error is.
"""

import base64
import json
from collections.abc import Callable
from typing import Any, Final, TypeVar

import orjson
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from surefoot.errors import DecodeError

T = TypeVar("T")
_IDS: Final = frozenset({"trace_id", "span_id", "parent_span_id"})
#: Protobuf's own limit of messages within messages is 100.
_MAX_DEPTH: Final = 100


def to_protobuf(text: bytes | str) -> bytes:
    """The ExportTraceServiceRequest that OTLP/JSON text stands for.

    Raises:
        DecodeError: The text is no JSON, or no such request; says where.
    """
    tree = _parsed(text)
    if not isinstance(tree, dict):
        raise DecodeError(f"no OTLP/JSON trace request: {_shown(tree)} is no object")
    if tree and "resourceSpans" not in tree:
        raise DecodeError("no OTLP/JSON trace request: it has no resourceSpans")
    request = ExportTraceServiceRequest()
    _fill(request, tree, "", 0)
    return request.SerializeToString()


def _parsed(text: bytes | str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        # JavaScript writes half an emoji as a lone surrogate where an SDK cut a text,
        # and some senders write invalid UTF-8: neither is worth a request.
        try:
            return json.loads(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)
        except (ValueError, RecursionError):
            raise DecodeError(f"no JSON: {error}") from error


def _fill(message: Message, tree: Any, where: str, depth: int) -> None:
    """Set the fields of `message` from an object; `where` is its path for errors."""
    if not isinstance(tree, dict):
        raise DecodeError(f"{where}: {_shown(tree)} is no object")
    if depth > _MAX_DEPTH:
        raise DecodeError(f"{where[:100]}...: nested too deep")
    fields = message.DESCRIPTOR.fields_by_camelcase_name
    for key, value in tree.items():
        field = fields.get(key)
        # The official lookup finds snake_case too; OTLP does not.
        if field is None or field.camelcase_name != key or value is None:
            continue
        place = f"{where}.{key}" if where else key
        if not field.is_repeated:
            _set(message, field, value, place, depth)
        elif not isinstance(value, list):
            raise DecodeError(f"{place}: {_shown(value)} is no array")
        elif field.message_type is not None:  # repeated texts are no business of ours
            of_message = getattr(message, field.name)
            for number, one in enumerate(value):
                _fill(of_message.add(), one, f"{place}[{number}]", depth + 1)


def _set(message: Message, field: Any, value: Any, place: str, depth: int) -> None:
    if field.message_type is not None:
        inner = getattr(message, field.name)
        inner.SetInParent()
        _fill(inner, value, place, depth + 1)
        return
    name, read = _ID if field.name in _IDS else _SCALARS[field.type]
    try:
        setattr(message, field.name, read(value))
    except (ValueError, TypeError, OverflowError) as error:
        raise DecodeError(f"{place}: {_shown(value)} is no {name}") from error


def _shown(value: Any) -> str:
    """What stands there, short; never a whole prompt."""
    return repr(value)[:40]


# Each raises ValueError, TypeError or OverflowError for a value of another kind.


def _hex(value: Any) -> bytes:
    return bytes.fromhex(_a(str, value))


def _base64(value: Any) -> bytes:
    plain = _a(str, value).replace("-", "+").replace("_", "/")
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def _text(value: Any) -> str:
    return _a(str, value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _boolean(value: Any) -> bool:
    return _a(bool, value)


def _integer(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():  # JavaScript's 1.7e18
        return int(value)
    return int(value if isinstance(value, str) else _a(int, value))


def _number(value: Any) -> float:
    return float(value if isinstance(value, str | int) else _a(float, value))


def _a(kind: type[T], value: Any) -> T:
    """The value, if it is of this kind; a bool is no int."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError
    return value


_ID: Final = ("id in hex", _hex)
_SCALARS: Final[dict[int, tuple[str, Callable[[Any], Any]]]] = {
    FieldDescriptor.TYPE_STRING: ("text", _text),
    FieldDescriptor.TYPE_BYTES: ("base64", _base64),
    FieldDescriptor.TYPE_BOOL: ("boolean", _boolean),
    FieldDescriptor.TYPE_DOUBLE: ("number", _number),
    FieldDescriptor.TYPE_ENUM: ("integer (enums are)", _integer),
    FieldDescriptor.TYPE_INT32: ("integer", _integer),
    FieldDescriptor.TYPE_INT64: ("integer", _integer),
    FieldDescriptor.TYPE_UINT32: ("integer", _integer),
    FieldDescriptor.TYPE_FIXED32: ("integer", _integer),
    FieldDescriptor.TYPE_FIXED64: ("integer", _integer),
}
