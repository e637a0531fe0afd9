"""The README's table "When nothing appears": each row happens, and shows as its left side says."""

import re
import subprocess
from pathlib import Path

import grpc
import httpx
import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from cache import needed
from promised import BLOCKS, README, Page, as_written, free_address
from sinks import Refuse, Sink, a_dead_port
from walking import wait_for_verdicts
from worlds import requests

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

RECEIVED = "surefoot_spans_received_total"
REQUESTS = "surefoot_requests_total"
#: Of an exporter that is refused.
GIVES_UP_S = 1
AGENT = {"openinference.span.kind": "AGENT", "agent.name": "refund_agent", "output.value": "Done."}
WEB = {"http.request.method": "POST", "url.path": "/chat"}
NO_ARGUMENTS = """
specs:
  - name: refund-desk
    rules: [{id: order, args: {step: lookup_order, where: {order_id: "88213"}}}]
"""


def grpc_exporter(port: int) -> OTLPSpanExporter:
    return OTLPSpanExporter(f"http://127.0.0.1:{port}", insecure=True, timeout=GIVES_UP_S)


def one_span(exporter: SpanExporter, attributes: dict[str, str], parent: int = 0) -> None:
    """Send a span, as a root or below a span that never comes."""
    provider = TracerProvider(resource=Resource({"service.name": "refund-web"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    above = SpanContext(parent, parent, is_remote=False, trace_flags=TraceFlags(1))
    context = set_span_in_context(NonRecordingSpan(above)) if parent else None
    provider.get_tracer("agent").start_span("turn", context, attributes=attributes).end()
    provider.shutdown()


def test_when_it_works_it_shows(page: Page) -> None:
    page.child.send(*requests("langgraph/skips"))
    page.once("surefoot_verdicts_total", lambda value: value == 1)

    found = page.look()
    assert page.value(REQUESTS, code="OK") == len(requests("langgraph/skips"))
    assert page.value(RECEIVED) > 0
    assert page.value("surefoot_runs_total", matched="true") == 1
    assert page.value("surefoot_luck_green") == 1
    assert page.value("surefoot_violations_total", check="required") == 1
    assert set(found) >= {"surefoot_luck_lucky", "surefoot_luck_rate_ratio"}


def test_where_metrics_are_off_curl_cannot_connect() -> None:
    needed("curl")
    done = subprocess.run(
        ["bash", "-c", BLOCKS["command", "metrics"].replace("127.0.0.1:8888", free_address())],
        capture_output=True, text=True, check=False, timeout=GIVES_UP_S * 30,
    )  # fmt: skip
    said = [
        word for word in ("Connection refused", "Couldn't connect to server") if word in done.stderr
    ]

    assert (done.stdout, len(said)) == ("", 1), done.stderr
    assert f"`{said[0]}`" in README.read_text(encoding="utf-8")


def test_a_span_that_names_no_agent_is_mains(tmp_path: Path, sink: Sink) -> None:
    spec = "specs: [{name: refund-desk, match: {agent: refund_agent}, required: [lookup_order]}]"
    tool = {"openinference.span.kind": "TOOL", "tool.name": "lookup_order"}
    with as_written(tmp_path, sink.endpoint, spec=spec) as page:
        one_span(grpc_exporter(page.child.grpc_port), tool)

        page.once("surefoot_runs_total", lambda value: value == 1, matched="false", agent="main")


def test_nothing_came(page: Page) -> None:
    assert page.value(RECEIVED) == 0
    assert REQUESTS not in page.look()


def test_grpc_at_the_http_port_is_a_404(page: Page, caplog: pytest.LogCaptureFixture) -> None:
    """The first line of gRPC is read as a request of HTTP; the exporter sees no HTTP/2."""
    one_span(grpc_exporter(page.child.http_port), AGENT)

    assert page.value(REQUESTS, code="404", transport="http") > 0
    assert page.value(RECEIVED) == 0
    assert "Failed to export traces" in caplog.text
    assert "Failed parsing HTTP/2" in caplog.text


def test_http_at_the_grpc_port_is_not_even_a_request(
    page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    """Only the exporter tells."""
    url = f"http://127.0.0.1:{page.child.grpc_port}/v1/traces"
    one_span(HttpExporter(url, timeout=GIVES_UP_S), AGENT)

    assert REQUESTS not in page.look()
    assert page.value(RECEIVED) == 0
    assert "Failed to export span" in caplog.text


def test_http_without_its_path_is_a_404(page: Page, caplog: pytest.LogCaptureFixture) -> None:
    one_span(HttpExporter(f"http://127.0.0.1:{page.child.http_port}"), AGENT)

    assert page.value(REQUESTS, code="404", transport="http") == 1
    assert "404" in caplog.text


def test_json_is_a_415(page: Page) -> None:
    url = f"http://127.0.0.1:{page.child.http_port}/v1/traces"
    refused = httpx.post(url, json={"resourceSpans": []})

    assert refused.status_code == 415
    assert page.value(REQUESTS, code="415", transport="http") == 1


@pytest.mark.parametrize("signal", ["metrics", "logs"])
def test_metrics_and_logs_are_refused_and_told_apart(page: Page, signal: str) -> None:
    """And the sender is told the variable that the README names."""
    kind = {"metrics": "Metrics", "logs": "Logs"}[signal]
    with page.child.channel() as channel, pytest.raises(grpc.RpcError, match="UNIMPLEMENTED") as e:
        channel.unary_unary(f"/opentelemetry.proto.collector.{signal}.v1.{kind}Service/Export")(
            b"", timeout=30
        )
    url = f"http://127.0.0.1:{page.child.http_port}/v1/{signal}"
    refused = httpx.post(url, headers={"content-type": "application/x-protobuf"})

    assert refused.status_code == 404
    assert page.value(REQUESTS, signal=signal, code="UNIMPLEMENTED") == 1
    assert page.value(REQUESTS, signal=signal, code="404") == 1
    refusals = page.child.wait_for("request_refused", 2)
    variable = f"OTEL_{signal.upper()}_EXPORTER=none"
    assert variable in str(e.value)
    assert all(variable in refusal["message"] for refusal in refusals)
    assert f"`{variable}`" in README.read_text(encoding="utf-8")


def test_what_finds_no_room_is_unavailable_or_503(tmp_path: Path) -> None:
    first, second, *_ = requests("langgraph/good")
    queue = {"queue_size": 1}
    with a_dead_port() as endpoint, as_written(tmp_path, endpoint, sending_queue=queue) as page:
        page.child.send(first)
        with pytest.raises(grpc.RpcError, match="UNAVAILABLE"):
            page.child.send(second)
        url = f"http://127.0.0.1:{page.child.http_port}/v1/traces"
        headers = {"content-type": "application/x-protobuf"}
        httpx.post(url, content=second, headers=headers)

        assert page.value(REQUESTS, code="UNAVAILABLE", transport="grpc") == 1
        assert page.value(REQUESTS, code="503", transport="http") == 1


def test_what_is_taken_is_ok_or_200(page: Page) -> None:
    one_span(grpc_exporter(page.child.grpc_port), AGENT)
    one_span(HttpExporter(f"http://127.0.0.1:{page.child.http_port}/v1/traces"), AGENT)

    assert page.value(REQUESTS, code="OK", transport="grpc") == 1
    assert page.value(REQUESTS, code="200", transport="http") == 1
    assert page.value(REQUESTS) == page.value(RECEIVED) == 2


def test_a_trace_without_an_agent_is_ignored(page: Page) -> None:
    """Once it is over: until then an agent's span may come."""
    one_span(grpc_exporter(page.child.grpc_port), WEB)

    page.once("surefoot_spans_ignored_total", lambda value: value == 1, reason="no_run")
    assert page.value("surefoot_runs_total") == 0


def test_a_trace_whose_root_never_comes_stays_open(page: Page) -> None:
    """Another that came after it is judged meanwhile."""
    one_span(grpc_exporter(page.child.grpc_port), AGENT, parent=7)
    one_span(grpc_exporter(page.child.grpc_port), AGENT)

    page.once("surefoot_runs_total", lambda value: value == 1)
    assert page.value("surefoot_spans_open") == 1


def test_it_is_judged_where_the_spec_says_that_the_agent_is_the_root(
    tmp_path: Path, sink: Sink
) -> None:
    spec = "specs: [{name: refund-desk, root: agent, required: [lookup_order]}]"
    with as_written(tmp_path, sink.endpoint, spec=spec) as page:
        one_span(grpc_exporter(page.child.grpc_port), AGENT, parent=7)
        ((_, told),) = wait_for_verdicts(sink, 1).verdicts

        assert told["surefoot.close_reason"] == "root"
        assert "root_missing" not in told["surefoot.evidence"]
        page.once("surefoot_spans_open", lambda value: value == 0)


def test_a_run_that_meets_no_spec_tells_its_service_and_agent(tmp_path: Path, sink: Sink) -> None:
    spec = "specs: [{name: refund-desk, match: {service: refund-desk}, required: [lookup_order]}]"
    with as_written(tmp_path, sink.endpoint, spec=spec) as page:
        one_span(grpc_exporter(page.child.grpc_port), AGENT)
        names = {"service": "refund-web", "agent": "refund_agent"}
        page.once("surefoot_runs_total", lambda value: value == 1, matched="false", **names)
        said = page.child.wait_for("run_unmatched")[0]["message"]
        (shown,) = re.findall(r"`(a run of service .+?)`", README.read_text(encoding="utf-8"))

        assert said.startswith(
            shown.replace("'web'", "'refund-web'").replace("'main'", "'refund_agent'")
        )
        assert page.value("surefoot_verdicts_total") == 0


def test_a_backend_that_is_down_lets_the_queue_grow(tmp_path: Path) -> None:
    """Nothing has failed yet: it is tried again for `max_elapsed_time`."""
    with a_dead_port() as endpoint, as_written(tmp_path, endpoint) as page:
        one_span(grpc_exporter(page.child.grpc_port), AGENT)
        page.once("surefoot_verdicts_total", lambda value: value == 1)
        page.once("surefoot_forward_queue", lambda value: value == 2)

        assert page.value("surefoot_forward_failed_total") == 0
        assert "Connection refused" in page.child.wait_for("backend_unreachable")[0]["message"]


def test_then_what_was_tried_for_too_long_has_failed(tmp_path: Path) -> None:
    retry = {"initial_interval": "100ms", "max_elapsed_time": "200ms"}
    with a_dead_port() as endpoint, as_written(tmp_path, endpoint, retry_on_failure=retry) as page:
        one_span(grpc_exporter(page.child.grpc_port), AGENT)

        for signal in ("traces", "verdicts"):
            page.once("surefoot_forward_failed_total", lambda value: value == 1, signal=signal)
        assert len(page.child.wait_for("request_dropped", 2)) == 2


def test_a_backend_that_refuses_makes_requests_fail_at_once(page: Page, sink: Sink) -> None:
    sink.always = Refuse(grpc.StatusCode.INVALID_ARGUMENT, "not here")
    one_span(grpc_exporter(page.child.grpc_port), AGENT)

    page.once("surefoot_forward_failed_total", lambda value: value == 2)
    assert "(INVALID_ARGUMENT: not here)" in page.child.wait_for("request_dropped")[0]["message"]


def test_an_inconclusive_verdict_names_what_is_missing(tmp_path: Path, sink: Sink) -> None:
    with as_written(tmp_path, sink.endpoint, spec=NO_ARGUMENTS) as page:
        page.child.send(*requests("langgraph/hidden"))
        ((_, told),) = wait_for_verdicts(sink, 1).verdicts

        page.once("surefoot_verdicts_total", lambda value: value == 1, outcome="inconclusive")
    assert "args_redacted" in told["surefoot.evidence"].split(", ")
