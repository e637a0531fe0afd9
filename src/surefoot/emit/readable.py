"""OTLP spans as the SDK's, for whoever has an SDK's exporter and no port to send to.

Owns the way back from bytes to the SDK's data classes. What we send is made by `encode`
alone, so a span that an exporter sends says what the server's would: the SDK's encoder
makes the same bytes of it again, but for `flags`, in which it says that no parent is remote,
and a status that says nothing.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from opentelemetry.attributes import BoundedAttributes
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)


def readable(body: bytes) -> Iterator[ReadableSpan]:
    """The spans of an ExportTraceServiceRequest, in its order. All count as sampled.

    Raises:
        google.protobuf.message.DecodeError: The bytes are no such request.
    """
    for group in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = Resource(_values(group.resource.attributes))
        for of_scope in group.scope_spans:
            scope = InstrumentationScope(of_scope.scope.name, of_scope.scope.version)
            for span in of_scope.spans:
                yield _span(span, resource, scope)


def _span(span: Span, resource: Resource, scope: InstrumentationScope) -> ReadableSpan:
    parent = _context(span.trace_id, span.parent_span_id) if span.parent_span_id else None
    return ReadableSpan(
        name=span.name,
        context=_context(span.trace_id, span.span_id),
        parent=parent,
        resource=resource,
        attributes=_bounded(span.attributes, span.dropped_attributes_count),
        events=[
            Event(one.name, _bounded(one.attributes), one.time_unix_nano) for one in span.events
        ],
        links=[
            Link(_context(one.trace_id, one.span_id), _values(one.attributes)) for one in span.links
        ],
        kind=SpanKind(max(0, span.kind - 1)),  # OTLP counts from 1; 0 says nothing
        status=Status(StatusCode(span.status.code), span.status.message or None),
        start_time=span.start_time_unix_nano,
        end_time=span.end_time_unix_nano,
        instrumentation_scope=scope,
    )


def _context(trace_id: bytes, span_id: bytes) -> SpanContext:
    numbers = int.from_bytes(trace_id), int.from_bytes(span_id)
    return SpanContext(*numbers, is_remote=False, trace_flags=_SAMPLED)


def _bounded(pairs: Iterable[KeyValue], dropped: int = 0) -> BoundedAttributes:
    """Attributes that know how many more there were."""
    kept = BoundedAttributes(attributes=_values(pairs), extended_attributes=True)
    kept.dropped = dropped
    return kept


def _values(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(told: AnyValue) -> Any:
    match kind := told.WhichOneof("value"):
        case None:
            return None
        case "array_value":
            return [_value(one) for one in told.array_value.values]
        case "kvlist_value":
            return _values(told.kvlist_value.values)
        case _:
            return getattr(told, kind)
