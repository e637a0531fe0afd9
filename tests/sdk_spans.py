"""Recorded requests as the finished spans that the SDK of a Python process would have."""

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


def finished(body: bytes) -> Iterator[ReadableSpan]:
    """The spans of a request, in its order."""
    for group in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = Resource(values(group.resource.attributes))
        for of_scope in group.scope_spans:
            scope = InstrumentationScope(of_scope.scope.name, of_scope.scope.version)
            for span in of_scope.spans:
                yield one(span, resource, scope)


def one(span: Span, resource: Resource, scope: InstrumentationScope) -> ReadableSpan:
    parent = context(span.trace_id, span.parent_span_id) if span.parent_span_id else None
    return ReadableSpan(
        name=span.name,
        context=context(span.trace_id, span.span_id),
        parent=parent,
        resource=resource,
        attributes=bounded(span.attributes, span.dropped_attributes_count),
        events=[
            Event(each.name, bounded(each.attributes, 0), each.time_unix_nano)
            for each in span.events
        ],
        links=[
            Link(context(each.trace_id, each.span_id), values(each.attributes))
            for each in span.links
        ],
        kind=SpanKind(max(0, span.kind - 1)),
        status=Status(StatusCode(span.status.code), span.status.message or None),
        start_time=span.start_time_unix_nano,
        end_time=span.end_time_unix_nano,
        instrumentation_scope=scope,
    )


def context(trace_id: bytes, span_id: bytes, *, sampled: bool = True) -> SpanContext:
    flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
    numbers = int.from_bytes(trace_id), int.from_bytes(span_id)
    return SpanContext(*numbers, is_remote=False, trace_flags=flags)


def bounded(pairs: Iterable[KeyValue], dropped: int) -> BoundedAttributes:
    kept = BoundedAttributes(attributes=values(pairs), immutable=False, extended_attributes=True)
    kept.dropped = dropped
    return kept


def values(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    return {pair.key: value(pair.value) for pair in pairs}


def value(told: AnyValue) -> Any:
    kind = told.WhichOneof("value")
    if kind == "array_value":
        return [value(each) for each in told.array_value.values]
    if kind == "kvlist_value":
        return values(told.kvlist_value.values)
    return None if kind is None else getattr(told, kind)
