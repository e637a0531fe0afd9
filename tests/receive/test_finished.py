"""Spans in memory become the bytes that an exporter would send, or are refused."""

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider

from surefoot.errors import InputError
from surefoot.receive.finished import to_protobuf


def span(name: str, *, ended: bool = True) -> ReadableSpan:
    made = TracerProvider().get_tracer("tests").start_span(name)
    if ended:
        made.end()
    assert isinstance(made, ReadableSpan)
    return made


def test_the_bytes_are_the_exporters() -> None:
    spans = [span("agent"), span("tool")]

    assert to_protobuf(spans) == encode_spans(spans).SerializeToString()


def test_a_span_that_has_not_ended_is_refused() -> None:
    with pytest.raises(InputError) as refused:
        to_protobuf([span("tool"), span("agent", ended=False)])

    assert str(refused.value) == (
        "span 1: agent has not ended; give what InMemorySpanExporter.get_finished_spans() returns"
    )


def test_what_is_no_span_is_refused() -> None:
    with pytest.raises(InputError) as refused:
        to_protobuf([7])

    assert str(refused.value) == (
        "span 0: int is no span; give what InMemorySpanExporter.get_finished_spans() returns"
    )
