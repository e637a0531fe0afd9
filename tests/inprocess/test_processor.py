"""What an agent's own process judges is what the server would have judged."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult

import surefoot
from children import surefoot as a_server
from clocks import FrozenClock
from inprocess.agents import LUCKY, SAID, STRICT, Agent, call, use
from sinks import Sink
from surefoot.emit.readable import readable
from surefoot.errors import ConfigError, SpecError
from surefoot.specs import load
from worlds import FIXTURES, IDLE_NS, SPEC, World, requests

RECORDINGS = sorted(
    f"{path.parent.parent.name}/{path.parent.name}" for path in FIXTURES.glob("*/*/meta.json")
)
QUIET_S = IDLE_NS / 1e9 + 1


class Recorded(Sampler):
    """Has spans recorded and not exported."""

    def should_sample(self, *_args: Any, **_kwargs: Any) -> SamplingResult:
        return SamplingResult(Decision.RECORD_ONLY)

    def get_description(self) -> str:
        return "recorded"


def told(*bodies: bytes) -> dict[bytes, bytes]:
    """By span id, each span of ours with its resource, without what tells two senders apart."""
    spans = {}
    for body in bodies:
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            own = ("service.instance.id", "service.version")
            kept = [pair for pair in group.resource.attributes if pair.key not in own]
            resource = b"".join(sorted(pair.SerializeToString() for pair in kept))
            for scope in group.scope_spans:
                if scope.scope.name != "surefoot":
                    continue
                for span in scope.spans:
                    span.flags = 0
                    if not span.status.code:
                        span.ClearField("status")
                    for link in span.links:
                        link.flags = 0
                    spans[span.span_id] = resource + span.SerializeToString(deterministic=True)
    return spans


def encoded(spans: Sequence[ReadableSpan]) -> bytes:
    body: bytes = encode_spans(spans).SerializeToString()
    return body


# The same verdicts.


def test_every_recording_gets_the_spans_that_the_server_sends() -> None:
    clock = FrozenClock()
    out = InMemorySpanExporter()
    processor = surefoot.SpanProcessor(out, SPEC, clock=clock)
    world = World(load([SPEC]))
    for recording in RECORDINGS:
        for body in requests(recording):
            for span in readable(body):
                processor.on_end(span)
            world.send(body)
    assert processor.force_flush()  # all is taken, and what is whole judged
    clock.advance(QUIET_S)
    assert processor.force_flush()
    world.wait(QUIET_S)
    ours, theirs = told(encoded(out.get_finished_spans())), told(*world.verdicts.bodies)
    processor.shutdown()

    assert len(theirs) > len(RECORDINGS)
    assert ours == theirs


@pytest.mark.slow
def test_a_live_agent_gets_the_spans_that_a_server_beside_it_sends(tmp_path: Path) -> None:
    config: dict[str, Any] = {"processors": {"surefoot": {"settle": "100ms"}}}
    with Sink() as sink:
        config["exporters"] = {"otlp": {"endpoint": sink.endpoint, "tls": {"insecure": True}}}
        with a_server(tmp_path, config, SPEC) as server:
            agent = Agent(SPEC)
            address = f"http://127.0.0.1:{server.grpc_port}"
            to_server = BatchSpanProcessor(OTLPSpanExporter(address, insecure=True))
            agent.provider.add_span_processor(to_server)
            call(agent.tracer, "lookup_order", "issue_refund")
            call(agent.tracer, "lookup_order", "check_policy")
            agent.provider.force_flush()
            ours = told(encoded(agent.out.get_finished_spans()))
            requests_in = 2
            while len(theirs := told(*sink.wait_for(requests_in))) < len(ours):
                requests_in += 1
            agent.provider.shutdown()

    assert len(ours) > 2
    assert theirs == ours


# When a trace is judged.


def test_a_flush_judges_what_is_whole(agent: Agent) -> None:
    call(agent.tracer, "issue_refund")

    assert agent.provider.force_flush()
    assert agent.names() == LUCKY


def test_a_flush_leaves_an_open_run_open(agent: Agent) -> None:
    with agent.tracer.start_as_current_span("agent") as root:
        root.set_attribute("openinference.span.kind", "AGENT")
        use(agent.tracer, "lookup_order").end()
        assert agent.provider.force_flush()
        assert agent.names() == []
        root.set_attribute("output.value", "Done.")

    assert agent.provider.force_flush()
    assert "verdict lucky: desk" in agent.names()


def test_a_span_that_comes_after_the_flush_amends(agent: Agent) -> None:
    with agent.tracer.start_as_current_span("agent") as root:
        root.set_attributes({"openinference.span.kind": "AGENT", **SAID})
        use(agent.tracer, "lookup_order").end()
        late = use(agent.tracer, "check_policy")
    assert agent.provider.force_flush()
    late.end()

    assert agent.provider.force_flush()
    assert agent.names() == [
        "verdict lucky: desk",
        "verdict pass: desk (revision 1)",
        "violation required",
    ]


def test_the_end_of_the_process_judges_what_is_open() -> None:
    agent = Agent()
    root = agent.tracer.start_span("agent")
    call(agent.tracer, "issue_refund")
    agent.provider.shutdown()
    root.end()

    assert agent.names() == LUCKY
    agent.provider.shutdown()
    assert not agent.processor.force_flush()


def test_it_judges_by_itself_once_the_run_has_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
    came = threading.Event()

    class Exporter(InMemorySpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            came.set()
            return super().export(spans)

    agent = Agent(out=Exporter(), settle="10ms")
    call(agent.tracer, "issue_refund")

    assert came.wait(20)
    agent.provider.shutdown()
    assert agent.names() == LUCKY


def test_a_forked_child_judges_its_own_runs_and_not_its_parents(agent: Agent) -> None:
    open_root = agent.tracer.start_span("agent")
    with trace.use_span(open_root):
        use(agent.tracer, "issue_refund").end()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            call(agent.tracer, "issue_refund")
            agent.provider.shutdown()
            code = 0 if agent.names() == LUCKY else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    agent.provider.shutdown()

    assert os.waitstatus_to_exitcode(status) == 0
    assert "violation forbidden" in agent.names()


# What it is given.


def test_an_unsampled_trace_is_none(agent: Agent) -> None:
    provider = TracerProvider(sampler=Recorded())
    provider.add_span_processor(agent.processor)
    call(provider.get_tracer("tests"), "issue_refund")

    agent.provider.force_flush()
    assert agent.names() == []


def test_no_value_leaves_where_that_is_asked() -> None:
    said = []
    for redact in (False, True):
        agent = Agent({"name": "desk", "no_repeat": True}, redact_values=redact)
        call(agent.tracer, "lookup_order", "lookup_order")
        agent.provider.shutdown()
        said.append("".join(span.to_json() for span in agent.out.get_finished_spans()))

    assert "88213" in said[0]
    assert "88213" not in said[1]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"settle": "soon"}, "settle: "),
        ({"unit": "span"}, "unit: not one that is known; write trace, agent or session"),
        ({"memory_limit_mib": 1}, "memory_limit_mib: too small; write at least 256"),
        ({"luck": {"window": 5}}, "luck: no such setting; known: unit, settle, "),
    ],
)
def test_a_wrong_setting_is_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        surefoot.SpanProcessor(InMemorySpanExporter(), STRICT, **settings)

    assert str(refusal.value).startswith(problem)


def test_a_wrong_spec_is_refused() -> None:
    with pytest.raises(SpecError, match="did you mean forbidden"):
        surefoot.SpanProcessor(InMemorySpanExporter(), {"forbiden": ["issue_refund"]})


def test_the_environment_says_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """These variables are its neighbour's, who exports the agent's spans."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "no endpoint")

    Agent().provider.shutdown()


def test_a_session_is_judged_once_it_is_quiet() -> None:
    """Though nothing of it is held any more."""
    agent = Agent(unit="session", settle="0s", idle_timeout="1ms", amend_for="0s")
    with agent.tracer.start_as_current_span("agent") as root:
        root.set_attributes({"openinference.span.kind": "AGENT", "session.id": "s", **SAID})
        use(agent.tracer, "issue_refund").end()
    waited = threading.Event()
    while not agent.names() and not waited.wait(0.01):
        pass

    assert agent.names() == LUCKY
    agent.provider.shutdown()


def test_a_child_leaves_its_parents_run_to_the_parent(agent: Agent) -> None:
    with agent.tracer.start_as_current_span("agent") as root:
        root.set_attributes({"openinference.span.kind": "AGENT", **SAID})
        use(agent.tracer, "check_policy").end()
        child = os.fork()
        use(agent.tracer, "lookup_order").end()
    if child == 0:
        agent.provider.shutdown()
        os._exit(len(agent.names()))
    _, status = os.waitpid(child, 0)
    agent.provider.force_flush()

    assert os.waitstatus_to_exitcode(status) == 0
    assert agent.names() == ["verdict pass: desk"]
