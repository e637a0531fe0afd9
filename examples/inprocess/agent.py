"""A refund desk that is judged in its own process: no sidecar, no port, no network.

The model is a script, and the spans are made by hand with OpenInference's attribute names.
Yours are made by an instrumentation; what there is to write are the lines of `provider`.
"""

import json
from collections.abc import Sequence

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

import surefoot

SPEC = {
    "name": "refund-desk",
    "required": ["lookup_order", "check_policy"],
    "before": [["check_policy", "issue_refund"]],
}
TASK = "I want a refund for order 88213, it arrived broken."
GOOD = [("lookup_order", {"order_id": "88213"}), ("check_policy", {"amount": 80})]
REFUND = ("issue_refund", {"order_id": "88213", "amount": 80})


class Print(SpanExporter):
    """Shows what is said of a run. An OTLPSpanExporter would send it to a backend."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Print a line a span."""
        for span in spans:
            print(f"{span.name}: {(span.attributes or {})['output.value']}")
        return SpanExportResult.SUCCESS


provider = TracerProvider(resource=Resource({"service.name": "refund-desk"}))
provider.add_span_processor(surefoot.SpanProcessor(Print(), SPEC))
# Beside it, a BatchSpanProcessor with an exporter of its own sends the agent's spans.
tracer = provider.get_tracer("refund-desk")


def run(calls: Sequence[tuple[str, dict[str, object]]]) -> None:
    """One run of the agent."""
    with tracer.start_as_current_span("desk") as root:
        root.set_attributes({"openinference.span.kind": "AGENT", "input.value": TASK})
        for tool, arguments in calls:
            with tracer.start_as_current_span(tool) as step:
                step.set_attributes({"openinference.span.kind": "TOOL", "tool.name": tool})
                step.set_attribute("input.value", json.dumps(arguments))
                step.set_attribute("output.value", "order 88213, total 80")
        root.set_attribute("output.value", "You get 80 back.")


run([*GOOD, REFUND])
run([GOOD[0], REFUND])
provider.shutdown()  # judges what is open; a notebook calls provider.force_flush()
