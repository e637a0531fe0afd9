"""Reading verdicts back from the wire."""

import grpc
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from surefoot.cli.inbox import Found, Inbox, Returned, Sink

TRACE = b"\1" * 16


def request(*spans: dict[str, str | int]) -> ExportTraceServiceRequest:
    made = ExportTraceServiceRequest()
    scope = made.resource_spans.add().scope_spans.add()
    for attributes in spans:
        span = scope.spans.add(trace_id=TRACE, span_id=b"\2" * 8)
        for key, value in attributes.items():
            told = (
                AnyValue(string_value=value)
                if isinstance(value, str)
                else AnyValue(int_value=value)
            )
            span.attributes.append(KeyValue(key=key, value=told))
    return made


VERDICT: dict[str, str | int] = {
    "surefoot.spec.name": "desk",
    "surefoot.outcome": "lucky",
    "surefoot.path.grade": "violated",
    "surefoot.output.grade": "ok",
    "surefoot.trajectory": "a → b",
    "surefoot.inconclusive": "ground: task_unknown",
}
VIOLATION: dict[str, str | int] = {
    "surefoot.spec.name": "desk",
    "surefoot.violation.check": "forbidden",
    "surefoot.violation.severity": "hard",
    "surefoot.violation.message": "called b",
    "surefoot.step.index": 1,
    "surefoot.step.tool": "b",
}
RETURNED = Returned(
    spec="desk",
    outcome="lucky",
    path="violated",
    output="ok",
    trajectory="a → b",
    inconclusive="ground: task_unknown",
    violations=[Found("forbidden", "hard", "called b", 1, "b")],
)


@pytest.mark.parametrize("spans", [(VERDICT, VIOLATION), (VIOLATION, VERDICT)])
def test_a_verdict_is_read_back_with_its_violations_in_any_order(
    spans: tuple[dict[str, str | int], ...],
) -> None:
    inbox = Inbox()
    for span in spans:
        inbox.take(request(span).SerializeToString())

    assert inbox.wait([TRACE], 0) == [RETURNED]
    assert RETURNED.is_lucky
    assert RETURNED.is_green


def test_violations_alone_are_no_verdict_yet() -> None:
    inbox = Inbox()
    inbox.take(request(VIOLATION, {"llm.model_name": "x"}).SerializeToString())

    assert inbox.wait([TRACE], 0) == []


def test_a_sink_takes_traces_from_the_official_client_and_nothing_else() -> None:
    inbox = Inbox()
    with Sink(inbox.take) as sink, grpc.insecure_channel(f"127.0.0.1:{sink.port}") as channel:
        traces = TraceServiceStub(channel)  # type: ignore[no-untyped-call]  # grpcio has no types
        logs = LogsServiceStub(channel)  # type: ignore[no-untyped-call]  # grpcio has no types
        answer = traces.Export(request(VERDICT, VIOLATION), timeout=5)
        with pytest.raises(grpc.RpcError) as refusal:
            logs.Export(ExportLogsServiceRequest(), timeout=5)

    assert answer == ExportTraceServiceResponse()
    assert refusal.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert inbox.wait([TRACE], 5) == [RETURNED]
