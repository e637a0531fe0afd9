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
