import gzip
import socket
import threading
from collections.abc import Iterator

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from receive.builders import a_request
from receive.fakes import Pipeline
from surefoot.errors import ConfigError, DecodeError, Overloaded
from surefoot.model import Wanted
from surefoot.receive.answer import Answer
from surefoot.receive.decode import Decoder
from surefoot.receive.grpc import GrpcServer

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
LIMIT = 1_000_000


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline()


@pytest.fixture
def port(pipeline: Pipeline) -> Iterator[int]:
    server = GrpcServer(pipeline.accept, pipeline.on_request, ("127.0.0.1", 0), max_bytes=LIMIT)
    yield server.start()
    server.stop(0)


def export(port: int, body: bytes, path: str = EXPORT, *, zipped: bool = False) -> bytes:
    compression = grpc.Compression.Gzip if zipped else grpc.Compression.NoCompression
    with grpc.insecure_channel(f"127.0.0.1:{port}", compression=compression) as channel:
        response: bytes = channel.unary_unary(path)(body, timeout=10)
        return response


def test_the_bytes_that_came_are_passed_on(pipeline: Pipeline, port: int) -> None:
    body = a_request({}).SerializeToString()

    assert export(port, body) == b""
    assert pipeline.accepted == [(body, "grpc")]
    assert pipeline.codes == [("grpc", "OK")]


def test_gzip_is_taken(pipeline: Pipeline, port: int) -> None:
    body = b"\x0a\x00" * 5_000
    export(port, body, zipped=True)

    assert pipeline.accepted == [(body, "grpc")]


def test_an_empty_request_is_a_success(port: int) -> None:
    assert export(port, b"") == b""


def test_rejected_spans_are_a_partial_success(pipeline: Pipeline, port: int) -> None:
    pipeline.answer = Answer(2, "2 spans without a valid trace id")
    partial = ExportTraceServiceResponse.FromString(export(port, b"")).partial_success

    assert (partial.rejected_spans, partial.error_message) == (
        2,
        "2 spans without a valid trace id",
    )


def test_garbage_is_an_invalid_argument(pipeline: Pipeline, port: int) -> None:
    pipeline.answer = DecodeError("no OTLP trace request: ünlesbar")
    with pytest.raises(grpc.RpcError) as caught:
        export(port, b"garbage")

    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.details() == "no OTLP trace request: ünlesbar"
    assert pipeline.codes == [("grpc", "INVALID_ARGUMENT")]


def test_an_overload_is_unavailable_and_says_when_to_come_back(
    pipeline: Pipeline, port: int
) -> None:
    pipeline.answer = Overloaded("the queue is full", 1.5)
    with pytest.raises(grpc.RpcError) as caught:
        export(port, b"")
    trailers = dict(caught.value.trailing_metadata())
    retry = RetryInfo()
    Status.FromString(trailers["grpc-status-details-bin"]).details[0].Unpack(retry)

    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert (retry.retry_delay.seconds, retry.retry_delay.nanos) == (1, 500_000_000)


def test_a_fault_of_ours_is_internal_and_logged(
    pipeline: Pipeline, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    pipeline.answer = KeyError("a span's text")
    with pytest.raises(grpc.RpcError) as caught:
        export(port, b"")

    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert "a span's text" not in caught.value.details()
    assert "a request failed" in caplog.text


@pytest.mark.parametrize("zipped", [False, True])
def test_a_message_over_the_limit_is_refused_before_it_is_ours(
    pipeline: Pipeline, port: int, *, zipped: bool
) -> None:
    """Also one that is over it only once inflated."""
    with pytest.raises(grpc.RpcError) as caught:
        export(port, bytes(LIMIT + 1), zipped=zipped)

    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert pipeline.accepted == []
    assert len(gzip.compress(bytes(LIMIT + 1))) < LIMIT


@pytest.mark.parametrize(("signal", "service"), [("metrics", "Metrics"), ("logs", "Logs")])
def test_other_signals_are_unimplemented_and_told_where_they_belong(
    pipeline: Pipeline, port: int, signal: str, service: str
) -> None:
    path = f"/opentelemetry.proto.collector.{signal}.v1.{service}Service/Export"
    with pytest.raises(grpc.RpcError) as caught:
        export(port, b"anything", path)
    why = caught.value.details()

    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert why == (
        f"Surefoot takes traces only; set OTEL_{signal.upper()}_EXPORTER=none, or name another "
        f"endpoint for {signal} in OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT"
    )
    assert pipeline.told == [(signal, "grpc", "UNIMPLEMENTED", why)]
    assert pipeline.accepted == []


def test_other_services_are_unimplemented(pipeline: Pipeline, port: int) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        export(port, b"", "/another.Service/Export")

    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert pipeline.told == []


def test_a_request_is_told_of_as_traces(pipeline: Pipeline, port: int) -> None:
    export(port, b"")
    pipeline.answer = DecodeError("no OTLP trace request")
    with pytest.raises(grpc.RpcError):
        export(port, b"")

    assert pipeline.told == [
        ("traces", "grpc", "OK", ""),
        ("traces", "grpc", "INVALID_ARGUMENT", "no OTLP trace request"),
    ]


def test_the_official_exporter_is_understood(pipeline: Pipeline, port: int) -> None:
    exporter = OTLPSpanExporter(endpoint=f"http://127.0.0.1:{port}", insecure=True)
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("a tracer").start_as_current_span(
        "lookup", attributes={"tool.name": "x"}
    ):
        pass
    provider.shutdown()
    ((body, _),) = pipeline.accepted
    (span,) = Decoder(Wanted(frozenset({"tool.name"})), lambda _: None)(body).spans

    assert (span.name, span.scope, span.attributes) == ("lookup", "a tracer", {"tool.name": "x"})


# ---- its life


def test_a_taken_port_is_a_config_error_that_says_what_to_do(port: int) -> None:
    server = GrpcServer(Pipeline().accept, Pipeline().on_request, ("127.0.0.1", port))
    with pytest.raises(
        ConfigError, match=f"127.0.0.1:{port}: cannot listen: Address already in use; "
    ):
        server.start()
    server.stop(0)


@pytest.mark.parametrize("host", ["203.0.113.1", "no host", "::ffff:zz"])
def test_an_address_that_is_none_is_a_config_error(host: str) -> None:
    with pytest.raises(ConfigError, match="cannot listen"):
        GrpcServer(Pipeline().accept, Pipeline().on_request, (host, 0)).start()


def test_an_ipv6_address_is_listened_on() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    server = GrpcServer(Pipeline().accept, Pipeline().on_request, ("::1", 0))
    port = server.start()
    with grpc.insecure_channel(f"[::1]:{port}") as channel:
        assert channel.unary_unary(EXPORT)(b"", timeout=10) == b""
    server.stop(0)


def test_stopping_twice_or_without_a_start_is_fine() -> None:
    server = GrpcServer(Pipeline().accept, Pipeline().on_request, ("127.0.0.1", 0))
    server.stop(0)
    server.start()
    server.stop(0)
    server.stop(0)


def test_stop_lets_a_running_call_finish_and_refuses_new_ones() -> None:
    entered, leave = threading.Event(), threading.Event()
    answers: list[bytes] = []

    def accept(_body: bytes, _transport: str) -> Answer:
        entered.set()
        assert leave.wait(10)
        return Answer(1, "late")

    server = GrpcServer(accept, Pipeline().on_request, ("127.0.0.1", 0))
    port = server.start()
    caller = threading.Thread(target=lambda: answers.append(export(port, b"")))
    caller.start()
    assert entered.wait(10)
    stopper = threading.Thread(target=server.stop, args=(10,))
    stopper.start()
    with pytest.raises(grpc.RpcError) as caught:
        ask_until_refused(port)
    leave.set()
    caller.join(10)
    stopper.join(10)

    assert caught.value.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
    assert ExportTraceServiceResponse.FromString(answers[0]).partial_success.error_message == "late"


def ask_until_refused(port: int) -> None:
    """Call a service that is not ours: answered at once while the server takes calls."""
    for _ in range(10_000):
        try:
            export(port, b"", "/other/Service")
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                raise
