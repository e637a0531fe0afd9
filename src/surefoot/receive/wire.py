"""The shape of an OTLP trace request, declared as little as we can use of it.

Owns a protobuf descriptor, made at import time, of the same wire format as
ExportTraceServiceRequest (opentelemetry-proto 1.x, trace/v1/trace.proto). Knows no
model and decodes no value.

Theory: the C parser only has to find where each field lies. Where the official
descriptor has `string`, this one has `bytes`, so text is not checked here and one
invalid UTF-8 string cannot fail its batch. Each attribute, event, link, status, scope
and resource stays raw `bytes`, to be read only if somebody wants it (see `fields`).

Two fields nobody reads are declared all the same: `trace_state` and `kind`. The parser
keeps what it does not know, and keeping `kind`, which every span has, costs more
(0.15 us a span) than parsing it.

One difference to the official parser: a message field that comes twice in one message
is merged there, and here the last one counts. No encoder writes such bytes.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, cast

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError as ProtobufDecodeError

from surefoot.errors import DecodeError

_PACKAGE = "surefoot.lean"
_FIELD = descriptor_pb2.FieldDescriptorProto

# message -> (field, number, type or message, repeated); the numbers are trace.proto's.
_MESSAGES: dict[str, tuple[tuple[str, int, int | str, bool], ...]] = {
    "Request": (("resource_spans", 1, "ResourceSpans", True),),
    "ResourceSpans": (
        ("resource", 1, _FIELD.TYPE_BYTES, False),
        ("scope_spans", 2, "ScopeSpans", True),
    ),
    "ScopeSpans": (
        ("scope", 1, _FIELD.TYPE_BYTES, False),
        ("spans", 2, "Span", True),
    ),
    "Span": (
        ("trace_id", 1, _FIELD.TYPE_BYTES, False),
        ("span_id", 2, _FIELD.TYPE_BYTES, False),
        ("trace_state", 3, _FIELD.TYPE_BYTES, False),
        ("parent_span_id", 4, _FIELD.TYPE_BYTES, False),
        ("name", 5, _FIELD.TYPE_BYTES, False),
        ("kind", 6, _FIELD.TYPE_INT32, False),
        ("start_time_unix_nano", 7, _FIELD.TYPE_FIXED64, False),
        ("end_time_unix_nano", 8, _FIELD.TYPE_FIXED64, False),
        ("attributes", 9, _FIELD.TYPE_BYTES, True),
        ("dropped_attributes_count", 10, _FIELD.TYPE_UINT32, False),
        ("events", 11, _FIELD.TYPE_BYTES, True),
        ("links", 13, _FIELD.TYPE_BYTES, True),
        ("status", 15, _FIELD.TYPE_BYTES, False),
        ("flags", 16, _FIELD.TYPE_FIXED32, False),
    ),
}


class RawSpan(Protocol):
    """A span whose texts, attributes, events and status are still bytes."""

    trace_id: bytes
    span_id: bytes
    parent_span_id: bytes
    name: bytes
    start_time_unix_nano: int
    end_time_unix_nano: int
    attributes: Sequence[bytes]
    dropped_attributes_count: int
    events: Iterable[bytes]
    links: Iterable[bytes]
    status: bytes
    flags: int


class RawScopeSpans(Protocol):
    """The spans of one instrumentation scope."""

    scope: bytes
    spans: Iterable[RawSpan]


class RawResourceSpans(Protocol):
    """The spans of one resource."""

    resource: bytes
    scope_spans: Iterable[RawScopeSpans]


class RawRequest(Protocol):
    """One export request."""

    resource_spans: Iterable[RawResourceSpans]


def _request_class() -> Any:
    file = descriptor_pb2.FileDescriptorProto(
        name="surefoot/lean.proto", package=_PACKAGE, syntax="proto3"
    )
    for message, fields in _MESSAGES.items():
        declared = file.message_type.add(name=message)
        for name, number, kind, repeated in fields:
            field = declared.field.add(name=name, number=number)
            field.label = _FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL
            if isinstance(kind, str):
                field.type = _FIELD.TYPE_MESSAGE
                field.type_name = f".{_PACKAGE}.{kind}"
            else:
                field.type = cast("_FIELD.Type.ValueType", kind)
    # A pool of its own: nothing here can meet the official names.
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindMessageTypeByName(f"{_PACKAGE}.Request")
    return message_factory.GetMessageClass(found)


_REQUEST = _request_class()


def parse(body: bytes) -> RawRequest:
    """The request as it lies on the wire.

    Raises:
        DecodeError: The bytes are no protobuf message of this shape.
    """
    try:
        return cast("RawRequest", _REQUEST.FromString(body))
    except ProtobufDecodeError as error:
        raise DecodeError(f"no OTLP trace request: {error}") from error
