"""The agent's spans stay in memory, where the tests find them."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@pytest.fixture(scope="session")
def exporter() -> InMemorySpanExporter:
    """Where every finished span goes; there is one tracer provider a process."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "refund-desk"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.fixture
def recorded(exporter: InMemorySpanExporter) -> InMemorySpanExporter:
    """The same, empty at the start of each test."""
    exporter.clear()
    return exporter
