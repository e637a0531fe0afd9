"""Finished spans of the OpenTelemetry SDK, as the bytes that its exporters would send.

Owns nothing but the refusal of what is no finished span. Spans in memory go through the
same door as those from the wire, so that they are not read in a second way.
"""

from collections.abc import Sequence
from typing import Any

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan

from surefoot.errors import InputError

_RIGHT = "give what InMemorySpanExporter.get_finished_spans() returns"


def encoded(spans: Sequence[ReadableSpan]) -> tuple[bytes, set[bytes]]:
    """One ExportTraceServiceRequest, and the ids of traces of which it lacks attributes.

    The SDK leaves out what it cannot write (half a surrogate pair, a number beyond 64 bits)
    and says so in its log alone.

    Raises:
        Exception: A span as a whole cannot be written; whatever the SDK raises.
    """
    request = encode_spans(spans)
    held = {
        span.context.span_id.to_bytes(8): sum(
            value is not None for value in (span.attributes or {}).values()
        )
        for span in spans
        if span.context is not None
    }
    lacking = {
        span.trace_id
        for group in request.resource_spans
        for scope in group.scope_spans
        for span in scope.spans
        if len(span.attributes) < held.get(span.span_id, 0)
    }
    body: bytes = request.SerializeToString()
    return body, lacking


def to_protobuf(spans: Sequence[Any]) -> bytes:
    """Encode the spans as one ExportTraceServiceRequest. O(spans).

    Raises:
        InputError: One of them is no span of the SDK, or has not ended.
    """
    for index, span in enumerate(spans):
        if not isinstance(span, ReadableSpan):
            raise InputError(f"span {index}: {type(span).__name__} is no span; {_RIGHT}")
        if span.end_time is None:
            raise InputError(f"span {index}: {span.name} has not ended; {_RIGHT}")
    body: bytes = encode_spans(spans).SerializeToString()
    return body
