import signal
import threading

import httpx
import pytest

from receive.fakes import Pipeline
from surefoot.errors import ConfigError
from surefoot.receive.answer import Answer
from surefoot.receive.http import traces_app
from surefoot.receive.serve import HttpServer


def a_server(pipeline: Pipeline | None = None, port: int = 0) -> HttpServer:
    pipeline = pipeline or Pipeline()
    return HttpServer(traces_app(pipeline.accept, pipeline.on_request), "127.0.0.1", port)


def test_a_taken_port_is_a_config_error_that_says_what_to_do() -> None:
    first = a_server()
    port = first.start()
    with pytest.raises(ConfigError, match=f"127.0.0.1:{port}: cannot listen: .* in use; stop what"):
        a_server(port=port).start()
    first.stop(1)


def test_a_port_is_free_again_after_the_stop() -> None:
    first = a_server()
    port = first.start()
    httpx.post(f"http://127.0.0.1:{port}/v1/traces")
    first.stop(1)
    second = a_server(port=port)

    assert second.start() == port
    second.stop(1)


def test_it_is_alive_from_start_to_stop() -> None:
    server = a_server()
    assert not server.is_alive
    server.start()
    assert server.is_alive
    server.stop(1)

    assert not server.is_alive


def test_stopping_twice_or_without_a_start_is_fine() -> None:
    server = a_server()
    server.stop(0)
    server.start()
    server.stop(1)
    server.stop(1)


def test_it_leaves_the_signal_handlers_alone() -> None:
    """Those are the service's; uvicorn would take them in the main thread."""
    before = signal.getsignal(signal.SIGTERM)
    server = a_server()
    server.start()
    during = signal.getsignal(signal.SIGTERM)
    server.stop(1)

    assert before is during


def test_stop_lets_a_running_request_finish() -> None:
    entered, leave = threading.Event(), threading.Event()
    responses: list[httpx.Response] = []

    def accept(_body: bytes, _transport: str) -> Answer:
        entered.set()
        assert leave.wait(10)
        return Answer(1, "late")

    server = HttpServer(traces_app(accept, Pipeline().on_request), "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.start()}/v1/traces"
    headers = {"content-type": "application/x-protobuf"}
    long = bytes(300_000)  # taken in a thread, so that the loop sees the stop meanwhile
    sender = threading.Thread(
        target=lambda: responses.append(httpx.post(url, content=long, headers=headers))
    )
    sender.start()
    assert entered.wait(10)
    stopper = threading.Thread(target=server.stop, args=(10,))
    stopper.start()
    leave.set()
    sender.join(10)
    stopper.join(10)

    assert responses[0].status_code == 200
    assert not stopper.is_alive()
