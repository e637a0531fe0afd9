"""Our spans as the SDK's, for whoever has an SDK's exporter and no port to send to.

Owns the way back from bytes to the SDK's data classes. What leaves is made by `encode`
alone, so a span that an exporter sends says what the server's would: the SDK's encoder
makes the same bytes of it again, but for `flags`, in which it says that no parent is remote.
"""

from collections.abc import Iterable, Iterator

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

_Scalar = str | bool | int | float
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)


def readable(body: bytes) -> Iterator[ReadableSpan]:
    """The spans of a request that `Encoder` made, in its order."""
    for group in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = Resource(_attributes(group.resource.attributes))
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
        attributes=_attributes(span.attributes),
        events=[
            Event(one.name, _attributes(one.attributes), one.time_unix_nano) for one in span.events
        ],
        links=[
            Link(_context(one.trace_id, one.span_id), _attributes(one.attributes))
            for one in span.links
        ],
        kind=SpanKind.INTERNAL,
        status=Status(StatusCode(span.status.code), span.status.message or None),
        start_time=span.start_time_unix_nano,
        end_time=span.end_time_unix_nano,
        instrumentation_scope=scope,
    )


def _context(trace_id: bytes, span_id: bytes) -> SpanContext:
    numbers = int.from_bytes(trace_id), int.from_bytes(span_id)
    return SpanContext(*numbers, is_remote=False, trace_flags=_SAMPLED)


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, _Scalar]:
    return {pair.key: _scalar(pair.value) for pair in pairs}


def _scalar(value: AnyValue) -> _Scalar:
    """Ours are all scalars."""
    told: _Scalar = getattr(value, str(value.WhichOneof("value")))
    return told
