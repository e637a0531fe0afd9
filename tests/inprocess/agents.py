"""An agent whose process judges it, and what its processor exported."""

from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext, TraceFlags, Tracer

import surefoot

STRICT = {"name": "desk", "required": ["check_policy"], "forbidden": ["issue_refund"]}
SAID = {"input.value": "A refund for order 88213", "output.value": "Done."}
LUCKY = ["verdict lucky: desk", "violation forbidden", "violation required"]


STRAY = ReadableSpan(
    "GET /", SpanContext(7, 7, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
)


class Agent:
    """A process's tracer, and what its processor exported."""

    def __init__(
        self, specs: object = STRICT, out: InMemorySpanExporter | None = None, **settings: Any
    ) -> None:
        self.out = out or InMemorySpanExporter()
        self.processor = surefoot.SpanProcessor(self.out, specs, **settings)
        self.provider = TracerProvider(resource=Resource({"service.name": "desk"}))
        self.provider.add_span_processor(self.processor)
        self.tracer = self.provider.get_tracer("tests")

    def names(self) -> list[str]:
        return sorted(span.name for span in self.out.get_finished_spans())


def call(tracer: Tracer, *tools: str) -> None:
    """A run of an agent that calls these tools."""
    with tracer.start_as_current_span("agent") as root:
        root.set_attributes({"openinference.span.kind": "AGENT", **SAID})
        for tool in tools:
            use(tracer, tool).end()


def use(tracer: Tracer, tool: str) -> trace.Span:
    """The span of a call of this tool, not ended."""
    step = tracer.start_span(tool)
    step.set_attributes(
        {
            "openinference.span.kind": "TOOL",
            "tool.name": tool,
            "input.value": '{"order_id": "88213"}',
            "output.value": "fine",
        }
    )
    return step
