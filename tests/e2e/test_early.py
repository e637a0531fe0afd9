"""A violation is at the backend before the run has ended."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from children import Child, surefoot
from e2e.test_server import attributes, config_for, ours, wait_for_verdicts
from sinks import Sink

#: Each test starts the program anew.
pytestmark = pytest.mark.slow

SPEC = """
specs:
  - name: desk
    match: {service: refund-*}
    forbidden: [issue_refund]
"""


@pytest.fixture
def child(sink: Sink, tmp_path: Path) -> Iterator[Child]:
    spec = tmp_path / "early.yaml"
    spec.write_text(SPEC, encoding="utf-8")
    with surefoot(tmp_path, config_for(sink, idle_timeout="60s"), spec) as running:
        yield running


def wait_for_violations(sink: Sink) -> None:
    """Wait until the backend got a violation."""
    with sink._changed:
        came = sink._changed.wait_for(lambda: ours(sink)[1], 20)
    assert came, "no violation came"


def test_a_forbidden_call_is_told_while_the_agent_is_at_work(child: Child, sink: Sink) -> None:
    """The agent's own span is sent after the violation came, and the verdict counts it."""
    provider = TracerProvider(resource=Resource({"service.name": "refund-sdk"}))
    exporter = OTLPSpanExporter(f"http://127.0.0.1:{child.grpc_port}", insecure=True)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("openinference.instrumentation")
    with tracer.start_as_current_span("refund_agent") as agent:
        agent.set_attributes({"openinference.span.kind": "AGENT", "input.value": "A refund"})
        with tracer.start_as_current_span("issue_refund") as step:
            step.set_attributes({"openinference.span.kind": "TOOL", "tool.name": "issue_refund"})
        wait_for_violations(sink)
        verdicts, _ = ours(sink)
        assert verdicts == []
        agent.set_attributes({"output.value": "Your refund is on its way."})
    provider.shutdown()
    wait_for_verdicts(sink)
    assert child.terminate() == 0

    (verdict,), (violation,) = ours(sink)
    assert attributes(verdict)["surefoot.violations.hard"] == 1
    assert attributes(verdict)["surefoot.outcome"] == "lucky"
    assert "surefoot.withdrawn" not in attributes(verdict)
    assert attributes(violation)["surefoot.violation.message"] == (
        "called forbidden tool: issue_refund"
    )
    assert violation.parent_span_id == step.get_span_context().span_id.to_bytes(8, "big")
