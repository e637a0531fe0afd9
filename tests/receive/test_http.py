import gzip
import socket
import threading
import zlib
from collections.abc import Iterator

import httpx
import pytest
from google.rpc.status_pb2 import Status
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from receive.builders import a_request
from receive.fakes import Pipeline
from surefoot.errors import DecodeError, Overloaded
from surefoot.receive.answer import Answer
from surefoot.receive.http import traces_app
from surefoot.receive.serve import HttpServer

LIMIT = 1_000_000
PROTOBUF = {"content-type": "application/x-protobuf"}
GZIPPED = PROTOBUF | {"content-encoding": "gzip"}


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Pipeline, str]]:
    pipeline = Pipeline()
    server = HttpServer(traces_app(pipeline.accept, pipeline.on_request, LIMIT), "127.0.0.1", 0)
    yield pipeline, f"http://127.0.0.1:{server.start()}/v1/traces"
    server.stop(1)


@pytest.fixture
def pipeline(shared: tuple[Pipeline, str]) -> Pipeline:
    fresh, _ = shared
    fresh.answer = Answer()
    fresh.accepted.clear()
    fresh.codes.clear()
    fresh.told.clear()
    return fresh


@pytest.fixture
def url(shared: tuple[Pipeline, str], pipeline: Pipeline) -> str:
    """Of a server whose pipeline is as new."""
    assert pipeline is shared[0]
    return shared[1]


def status_of(response: httpx.Response) -> Status:
    assert response.headers["content-type"] == "application/x-protobuf"
    return Status.FromString(response.content)


@pytest.mark.parametrize(
    "content_type",
    ["application/x-protobuf", "application/x-protobuf; charset=utf-8", "Application/X-Protobuf"],
)
def test_the_bytes_that_came_are_passed_on(pipeline: Pipeline, url: str, content_type: str) -> None:
    body = a_request({}).SerializeToString()
    response = httpx.post(url, content=body, headers={"content-type": content_type})

    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-type"] == "application/x-protobuf"
    assert pipeline.accepted == [(body, "http")]
    assert pipeline.codes == [("http", "200")]


def test_an_empty_request_is_a_success(url: str) -> None:
    assert httpx.post(url, headers=PROTOBUF).status_code == 200


def test_rejected_spans_are_a_partial_success(pipeline: Pipeline, url: str) -> None:
    pipeline.answer = Answer(2, "2 spans without a valid trace id")
    response = httpx.post(url, headers=PROTOBUF)
    partial = ExportTraceServiceResponse.FromString(response.content).partial_success

    assert response.status_code == 200
    assert (partial.rejected_spans, partial.error_message) == (
        2,
        "2 spans without a valid trace id",
    )


def test_a_chunked_body_is_taken(pipeline: Pipeline, url: str) -> None:
    """n8n sends so: no content-length."""
    httpx.post(url, content=iter([b"ab", b"", b"c"]), headers=PROTOBUF)

    assert pipeline.accepted == [(b"abc", "http")]


def test_a_long_body_is_taken(pipeline: Pipeline, url: str) -> None:
    """It is taken in a thread of its own."""
    httpx.post(url, content=bytes(LIMIT), headers=PROTOBUF)

    assert pipeline.accepted == [(bytes(LIMIT), "http")]


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=4), st.integers(1, 99))
def test_gzip_of_several_members_in_any_pieces_is_inflated(
    shared: tuple[Pipeline, str], members: list[bytes], step: int
) -> None:
    pipeline, url = shared
    pipeline.answer = Answer()
    zipped = b"".join(gzip.compress(member) for member in members)
    pieces = [zipped[at : at + step] for at in range(0, len(zipped), step)]
    response = httpx.post(url, content=iter(pieces), headers=GZIPPED)

    assert response.status_code == 200
    assert pipeline.accepted[-1] == (b"".join(members), "http")


@pytest.mark.parametrize(
    "body", [b"no gzip", gzip.compress(b"x" * 99)[:-3], gzip.compress(b"") + b"x"]
)
def test_gzip_that_is_none_is_bad_data(pipeline: Pipeline, url: str, body: bytes) -> None:
    response = httpx.post(url, content=body, headers=GZIPPED)

    assert response.status_code == 400
    assert "gzip" in status_of(response).message
    assert pipeline.codes == [("http", "400")]


def test_a_bomb_is_refused_before_it_is_inflated(pipeline: Pipeline, url: str) -> None:
    """200 MiB out of 200 KB."""
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(200)) + packer.flush()
    response = httpx.post(url, content=bomb, headers=GZIPPED)

    assert len(bomb) < LIMIT
    assert response.status_code == 413
    assert pipeline.accepted == []


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_limit_is_refused(pipeline: Pipeline, url: str, *, chunked: bool) -> None:
    body = bytes(LIMIT + 1)
    response = httpx.post(url, content=iter([body]) if chunked else body, headers=PROTOBUF)

    assert response.status_code == 413
    assert str(LIMIT) in status_of(response).message
    assert pipeline.accepted == []


def test_a_body_of_exactly_the_limit_is_taken(url: str) -> None:
    zipped = gzip.compress(bytes(LIMIT))

    assert httpx.post(url, content=zipped, headers=GZIPPED).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "application/json"},
        {"content-type": "text/plain"},
        {},
        PROTOBUF | {"content-encoding": "zstd"},
    ],
)
def test_what_is_not_read_here_is_refused_with_what_is(
    pipeline: Pipeline, url: str, headers: dict[str, str]
) -> None:
    response = httpx.post(url, content=b"{}", headers=headers)

    assert response.status_code == 415
    assert "; send " in status_of(response).message
    assert pipeline.accepted == []


@pytest.mark.parametrize("encoding", ["identity", "none"])
def test_an_encoding_that_is_none_is_fine(url: str, encoding: str) -> None:
    headers = PROTOBUF | {"content-encoding": encoding}

    assert httpx.post(url, content=b"x", headers=headers).status_code == 200


def test_garbage_is_a_bad_request(pipeline: Pipeline, url: str) -> None:
    pipeline.answer = DecodeError("no OTLP trace request")
    response = httpx.post(url, content=b"garbage", headers=PROTOBUF)

    assert response.status_code == 400
    assert status_of(response).message == "no OTLP trace request"


def test_an_overload_is_unavailable_and_says_when_to_come_back(
    pipeline: Pipeline, url: str
) -> None:
    pipeline.answer = Overloaded("the queue is full", 1.5)
    response = httpx.post(url, headers=PROTOBUF)

    assert response.status_code == 503
    assert response.headers["retry-after"] == "2"
    assert status_of(response).code == 14


def test_a_fault_of_ours_is_500_and_logged(
    pipeline: Pipeline, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    pipeline.answer = KeyError("a span's text")
    response = httpx.post(url, headers=PROTOBUF)

    assert response.status_code == 500
    assert b"a span's text" not in response.content
    assert "a request failed" in caplog.text


def test_other_methods_and_paths_are_refused_quietly(
    pipeline: Pipeline, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """n8n sends one HEAD at start."""
    assert httpx.get(url).status_code == 405
    assert httpx.head(url).status_code == 405
    assert httpx.post(url.replace("traces", "trace"), headers=PROTOBUF).status_code == 404
    assert pipeline.codes == [("http", "405"), ("http", "405"), ("http", "404")]
    assert caplog.records == []


@pytest.mark.parametrize("signal", ["metrics", "logs"])
def test_other_signals_are_not_found_and_told_where_they_belong(
    pipeline: Pipeline, url: str, signal: str
) -> None:
    response = httpx.post(url.replace("traces", signal), headers=PROTOBUF, content=b"anything")
    why = (
        f"Surefoot takes traces only; set OTEL_{signal.upper()}_EXPORTER=none, or name another "
        f"endpoint for {signal} in OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT"
    )

    assert response.status_code == 404
    assert status_of(response) == Status(code=12, message=why)
    assert pipeline.told == [(signal, "http", "404", why)]
    assert pipeline.accepted == []


@pytest.mark.parametrize("path", ["/", "/favicon.ico", "/v1/traces/", "/v1/metrics/x"])
def test_another_path_is_told_the_right_one(pipeline: Pipeline, url: str, path: str) -> None:
    response = httpx.post(url.replace("/v1/traces", path), headers=PROTOBUF)
    why = (
        "nothing is taken at this path; send OTLP/HTTP to /v1/traces, "
        "and OTLP/gRPC to its own port, usually 4317"
    )

    assert status_of(response) == Status(code=5, message=why)
    assert pipeline.told == [("traces", "http", "404", why)]


def test_a_request_is_told_of_as_traces(pipeline: Pipeline, url: str) -> None:
    httpx.post(url, headers=PROTOBUF)
    httpx.post(url, headers={"content-type": "application/json"})
    why = (
        "content type application/json is not read here; send application/x-protobuf "
        "(OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)"
    )

    assert pipeline.told == [("traces", "http", "200", ""), ("traces", "http", "415", why)]


def test_a_refusal_of_a_method_names_the_one_that_is_right(url: str) -> None:
    response = httpx.get(url)

    assert "POST" in response.headers["allow"]
    assert status_of(response).code == 12


def test_a_sender_that_goes_away_is_no_error() -> None:
    told = threading.Event()
    pipeline = Pipeline()

    def on_request(signal: str, transport: str, code: str, why: str) -> None:
        pipeline.on_request(signal, transport, code, why)
        told.set()

    server = HttpServer(traces_app(pipeline.accept, on_request), "127.0.0.1", 0)
    port = server.start()
    with socket.create_connection(("127.0.0.1", port)) as sender:
        sender.sendall(
            b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\n"
            b"Content-Length: 100\r\n\r\nsome"
        )
    assert told.wait(10)
    server.stop(1)

    assert pipeline.codes == [("http", "499")]
    assert pipeline.accepted == []
