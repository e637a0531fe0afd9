"""What a backend that is down costs, over real ports: nothing, until there is no room."""

import signal
import socket
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from children import surefoot
from emit.mapped import scraped_families
from sinks import a_dead_port
from worlds import SPEC, requests

RUN = requests("langgraph/skips")
#: Of that run.
SPANS = 11


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


def config_for(endpoint: str, **processor: Any) -> dict[str, Any]:
    exporter = {
        "endpoint": endpoint,
        "tls": {"insecure": True},
        "sending_queue": {"queue_size": len(RUN)},
    }
    return {"exporters": {"otlp": exporter}, "processors": {"surefoot": processor}}


@pytest.mark.slow
def test_it_takes_requests_until_the_queue_is_full_and_says_so(tmp_path: Path) -> None:
    """Alive all the time: to start it anew would lose what is queued."""
    health, metrics = free_address(), free_address()
    with a_dead_port() as endpoint:
        config = config_for(endpoint, settle="300ms")
        config["service"] = {
            "telemetry": {"metrics": {"address": metrics}},
            "health": {"endpoint": health},
        }
        with surefoot(tmp_path, config, SPEC) as child:
            child.send(*RUN[:-1])
            told = child.wait_for("backend_unreachable")
            ready = [httpx.get(f"http://{health}{path}").text for path in ("/healthz", "/readyz")]
            child.send(RUN[-1])
            full = httpx.get(f"http://{health}/readyz")
            alive = httpx.get(f"http://{health}/healthz")
            with pytest.raises(grpc.RpcError) as refused:
                child.send(RUN[0])
            page = httpx.get(f"http://{metrics}/metrics").text

    assert told[0]["signal"] == "traces"
    assert ready == ["ok\n", "ok\n"]
    assert (full.status_code, full.text) == (503, "the queue to the backend is full\n")
    assert (alive.status_code, alive.text) == (200, "ok\n")
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    (received,) = scraped_families(page)["surefoot_spans_received_total"].samples.values()
    assert list(received.values()) == [SPANS]


@pytest.mark.slow
def test_a_stop_judges_what_is_open_and_tells_what_was_not_delivered(tmp_path: Path) -> None:
    """In the time that an orchestrator gives before it kills."""
    with a_dead_port() as endpoint, surefoot(tmp_path, config_for(endpoint), SPEC) as child:
        child.send(*RUN)
        assert child.terminate() == 0
        stopped = child.event("stopped")

    counts = ("received", "judged", "apart", "lost", "verdicts", "undelivered")
    assert [stopped[name] for name in counts] == [SPANS, SPANS, 0, 0, 1, len(RUN) + 1]


@pytest.mark.slow
@pytest.mark.parametrize(("again", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 1)])
def test_who_asks_again_waits_and_who_presses_ctrl_c_does_not(
    tmp_path: Path, again: signal.Signals, code: int
) -> None:
    with a_dead_port() as endpoint, surefoot(tmp_path, config_for(endpoint), SPEC) as child:
        child.send(*RUN)
        child.process.send_signal(signal.SIGTERM)
        while takes_connections(child.http_port):  # it is stopping once this has ended
            pass
        child.process.send_signal(again)

        assert child.process.wait(30) == code


def takes_connections(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
