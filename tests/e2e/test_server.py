"""The whole job over real ports: an exporter, `surefoot run` as a child, a backend."""

import gzip
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import yaml
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from children import EXPORT, Child, surefoot
from sinks import Refuse, Sink
from worlds import FIXTURES, SPEC, requests

#: Each test starts the program anew.
pytestmark = pytest.mark.slow

SETTINGS = {"settle": "300ms", "idle_timeout": "1s"}


def config_for(sink: Sink, **settings: Any) -> dict[str, Any]:
    return {
        "exporters": {
            "otlp": {
                "endpoint": sink.endpoint,
                "tls": {"insecure": True},
                "retry_on_failure": {"initial_interval": "100ms", "max_interval": "200ms"},
            }
        },
        "processors": {"surefoot": {**SETTINGS, **settings}},
    }


@pytest.fixture
def child(sink: Sink, tmp_path: Path) -> Iterator[Child]:
    with surefoot(tmp_path, config_for(sink), SPEC) as running:
        yield running


def spans_in(bodies: list[bytes]) -> list[Span]:
    return [
        span
        for body in bodies
        for group in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in group.scope_spans
        for span in scope.spans
    ]


def attributes(span: Span) -> dict[str, Any]:
    return {
        one.key: getattr(one.value, kind)
        for one in span.attributes
        if (kind := one.value.WhichOneof("value"))
    }


def ours(sink: Sink) -> tuple[list[Span], list[Span]]:
    """The verdict and the violation spans that the backend got."""
    spans = [s for s in spans_in(sink.taken["traces"]) if "surefoot.spec.name" in attributes(s)]
    verdicts = [span for span in spans if span.name.startswith("verdict ")]
    return verdicts, [span for span in spans if span.name.startswith("violation ")]


def wait_for_verdicts(sink: Sink, count: int = 1) -> None:
    """Wait until the backend got so many verdicts."""
    with sink._changed:
        came = sink._changed.wait_for(lambda: len(ours(sink)[0]) >= count, 20)
    assert came, f"{len(ours(sink)[0])} of {count} verdicts came"


def an_agents_run(*exporters: Any, order: str = "88213") -> list[Any]:
    """A refund agent, instrumented by the OpenTelemetry SDK with OpenInference attributes."""
    kept = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "refund-sdk"}))
    for exporter in (kept, *exporters):
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("openinference.instrumentation")
    with tracer.start_as_current_span("refund_agent") as agent:
        agent.set_attributes(
            {
                "openinference.span.kind": "AGENT",
                "agent.name": "refund_agent",
                "input.value": "I want a refund for order 88213",
                "output.value": "Your refund is on its way.",
            }
        )
        for tool, arguments in (
            ("lookup_order", f'{{"order_id": "{order}"}}'),
            ("issue_refund", f'{{"order_id": "{order}"}}'),
        ):
            with tracer.start_as_current_span(tool) as step:
                step.set_attributes(
                    {
                        "openinference.span.kind": "TOOL",
                        "tool.name": tool,
                        "input.value": arguments,
                        "output.value": "done",
                    }
                )
    provider.shutdown()
    return list(kept.get_finished_spans())


def test_the_real_exporters_spans_pass_unchanged_and_are_judged(child: Child, sink: Sink) -> None:
    """The bytes at the backend are those that the exporter sent, one request a span."""
    endpoint = f"http://127.0.0.1:{child.grpc_port}"
    spans = an_agents_run(OTLPSpanExporter(endpoint, insecure=True))
    wait_for_verdicts(sink)

    sent = [encode_spans([span]).SerializeToString() for span in spans]
    forwarded = [body for body in sink.taken["traces"] if body in sent]
    assert sorted(forwarded) == sorted(sent)
    verdicts, violations = ours(sink)
    assert [attributes(v)["surefoot.outcome"] for v in verdicts] == ["lucky"]
    by_id = {span.context.span_id.to_bytes(8, "big"): span.name for span in spans}
    by_check = {
        attributes(v)["surefoot.violation.check"]: by_id[v.parent_span_id] for v in violations
    }
    assert by_check["required"] == "refund_agent"
    assert by_check["forbidden"] == "issue_refund"


def test_the_http_exporters_spans_are_taken_too(child: Child, sink: Sink) -> None:
    endpoint = f"http://127.0.0.1:{child.http_port}/v1/traces"
    spans = an_agents_run(HttpExporter(endpoint))
    wait_for_verdicts(sink)

    sent = [encode_spans([span]).SerializeToString() for span in spans]
    assert all(body in sink.taken["traces"] for body in sent)


def test_each_recorded_run_gets_one_verdict_under_its_root(child: Child, sink: Sink) -> None:
    """Forwarded whole; one verdict a run and spec; violations under the offending span."""
    names = ["langgraph/good", "openaiagents/skips", "pydanticai/loops", "crewai/fabricates"]
    bodies = [body for name in names for body in requests(name)]
    child.send(*bodies)
    wait_for_verdicts(sink, len(names))

    assert [body for body in sink.taken["traces"] if body in bodies] != []
    assert sorted(body for body in sink.taken["traces"] if body in set(bodies)) == sorted(bodies)
    recorded = {span.span_id: span for span in spans_in(bodies)}
    verdicts, violations = ours(sink)
    assert len({span.trace_id for span in verdicts}) == len(verdicts) == len(names)
    for verdict in verdicts:
        assert recorded[verdict.parent_span_id].trace_id == verdict.trace_id
    assert violations
    for violation in violations:
        told = attributes(violation)
        tool = told.get("surefoot.step.tool")
        parent = attributes(recorded[violation.parent_span_id])
        if tool:
            assert parent["tool.name"] == tool


def luck_points(sink: Sink) -> dict[str, list[float]]:
    """The last exported points of the luck gauges."""
    found: dict[str, list[float]] = {}
    for body in sink.taken["metrics"]:
        for group in ExportMetricsServiceRequest.FromString(body).resource_metrics:
            for scope in group.scope_metrics:
                for metric in scope.metrics:
                    if metric.name.startswith("surefoot.luck."):
                        found[metric.name] = [
                            point.as_double if point.HasField("as_double") else point.as_int
                            for point in metric.gauge.data_points
                        ]
    return found


def test_a_lucky_run_moves_the_luck_rate_with_its_counts(child: Child, sink: Sink) -> None:
    child.send(*requests("langgraph/good"), *requests("langgraph/fabricates"))
    wait_for_verdicts(sink, 2)

    assert child.terminate() == 0
    assert luck_points(sink) == {
        "surefoot.luck.rate": [0.5],
        "surefoot.luck.lucky": [1],
        "surefoot.luck.green": [2],
    }


def test_without_a_green_run_the_luck_rate_has_no_point(child: Child, sink: Sink) -> None:
    child.send(*requests("openaiagents/crash"))
    wait_for_verdicts(sink)

    assert child.terminate() == 0
    assert sink.taken["metrics"]
    assert luck_points(sink) == {}


def last_spans_metrics(sink: Sink) -> dict[str, int]:
    """The last exported totals of `surefoot.spans.*`."""
    totals: dict[str, int] = {}
    request = ExportMetricsServiceRequest.FromString(sink.taken["metrics"][-1])
    for metric in request.resource_metrics[0].scope_metrics[0].metrics:
        if metric.name.startswith("surefoot.spans."):
            points = metric.sum.data_points or metric.gauge.data_points
            totals[metric.name.removeprefix("surefoot.spans.")] = sum(
                int(point.as_int or point.as_double) for point in points
            )
    return totals


def test_sigterm_in_the_middle_of_a_replay_loses_nothing(sink: Sink, tmp_path: Path) -> None:
    """What was acknowledged is judged or counted, whatever was under way; exit 0."""
    bodies = [
        body
        for folder in sorted(path.parent for path in FIXTURES.glob("*/*/meta.json"))
        for body in requests(str(folder))
    ]
    taken: list[bytes] = []

    def replay(child: Child) -> None:
        with child.channel() as channel:
            export = channel.unary_unary(EXPORT)
            for body in bodies:
                try:
                    export(body, timeout=10, wait_for_ready=not taken)
                except grpc.RpcError:
                    return
                taken.append(body)
                if len(taken) == len(bodies) // 3:
                    third.set()

    third = threading.Event()
    with surefoot(tmp_path, config_for(sink, settle="6s", idle_timeout="120s"), SPEC) as child:
        sender = threading.Thread(target=replay, args=(child,))
        sender.start()
        assert third.wait(30)
        code = child.terminate()
        sender.join(30)

    assert code == 0
    assert len(taken) < len(bodies)
    counts = last_spans_metrics(sink)
    received = counts.pop("received")
    assert received >= len(spans_in(taken))
    assert received == sum(counts.values())
    assert (counts["lost"], counts["open"]) == (0, 0)
    verdicts = {span.trace_id for span in ours(sink)[0]}
    tools = {span.trace_id for span in spans_in(taken) if "tool.name" in attributes(span)}
    assert tools
    assert tools <= verdicts
    assert sorted(body for body in sink.taken["traces"] if body in set(taken)) == sorted(taken)


def test_a_backend_that_is_away_costs_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Refused again and again, then there: all of it arrives, and nothing crashed."""
    with Sink() as sink:
        sink.always = Refuse(grpc.StatusCode.UNAVAILABLE)
        with surefoot(tmp_path, config_for(sink), SPEC) as child:
            bodies = requests("langgraph/good")
            child.send(*bodies)
            sink.wait_for_attempts(6)
            sink.always = None
            wait_for_verdicts(sink)
            assert "takes no traces (UNAVAILABLE" in child.said()
            assert child.terminate() == 0

    assert sorted(b for b in sink.taken["traces"] if b in set(bodies)) == sorted(bodies)


def test_a_full_queue_answers_unavailable_with_a_time_to_retry(tmp_path: Path) -> None:
    with Sink() as sink:
        sink.always = Refuse(grpc.StatusCode.UNAVAILABLE)
        config = config_for(sink)
        config["exporters"]["otlp"]["sending_queue"] = {"queue_size": 1}
        with surefoot(tmp_path, config, SPEC) as child:
            first, second, *_ = requests("langgraph/good")
            child.send(first)
            with pytest.raises(grpc.RpcError) as refused:
                child.send(second)
            answer = httpx.post(
                f"http://127.0.0.1:{child.http_port}/v1/traces",
                content=gzip.compress(second),
                headers={"content-type": "application/x-protobuf", "content-encoding": "gzip"},
            )

    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert "grpc-status-details-bin" in dict(refused.value.trailing_metadata())
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1


def test_garbage_is_refused_and_named(child: Child, sink: Sink) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        child.send(b"\xff\xfe garbage")
    child.send(*requests("langgraph/good"))
    wait_for_verdicts(sink)

    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_spans_with_bad_ids_are_told_by_partial_success(child: Child) -> None:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id, span.span_id = b"short", b"12345678"
    with child.channel() as channel:
        answer = channel.unary_unary(EXPORT)(request.SerializeToString(), wait_for_ready=True)
    told = ExportTraceServiceResponse.FromString(answer).partial_success

    assert told.rejected_spans == 1
    assert "trace id" in told.error_message


def test_health_and_metrics_answer(sink: Sink, tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        health, metrics = one.getsockname()[1], two.getsockname()[1]
    config = config_for(sink)
    config["service"] = {
        "telemetry": {"metrics": {"address": f"127.0.0.1:{metrics}"}},
        "health": {"endpoint": f"127.0.0.1:{health}"},
    }
    with surefoot(tmp_path, config, SPEC) as child:
        child.send(*requests("langgraph/skips"))
        wait_for_verdicts(sink)
        assert httpx.get(f"http://127.0.0.1:{health}/healthz").text == "ok\n"
        assert httpx.get(f"http://127.0.0.1:{health}/readyz").text == "ok\n"
        page = httpx.get(f"http://127.0.0.1:{metrics}/metrics").text

    assert 'surefoot_luck_rate_ratio{agent="refund_agent"' in page
    assert "surefoot_spans_received_total" in page
    assert "surefoot_verdict_latency_seconds_bucket" in page


def test_without_a_backend_that_is_said_once_and_verdicts_are_printed(tmp_path: Path) -> None:
    with surefoot(tmp_path, {"processors": {"surefoot": SETTINGS}}, SPEC) as child:
        child.send(*requests("langgraph/skips"))
        assert child.process.stdout
        printed = child.process.stdout.readline()
        assert child.terminate() == 0

    assert child.said().count("no backend is configured") == 1
    assert "LUCKY" in printed.upper()


def test_a_taken_port_is_told_with_its_address(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        file = tmp_path / "surefoot.yaml"
        grpc_only = {"otlp": {"protocols": {"grpc": {"endpoint": f"127.0.0.1:{port}"}}}}
        file.write_text(yaml.safe_dump({"receivers": grpc_only}), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "surefoot", "run", "-c", str(file)],
            capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path,
        )  # fmt: skip

    assert done.returncode == 2
    assert f"127.0.0.1:{port}" in done.stderr
    assert "Traceback" not in done.stderr
