"""The server in this process."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from emit.readings import values_of
from surefoot.config import Endpoint, Grpc, Http, load_config
from surefoot.service import Server, started
from surefoot.specs import SpecSet
from surefoot.telemetry import Event, NoSpecs, RequestRefused, Stopping
from worlds import SPEC

GRPC = Grpc(endpoint=Endpoint("127.0.0.1", 0))
HTTP = Http(endpoint=Endpoint("127.0.0.1", 0))


def test_no_thread_of_ours_outlives_the_server() -> None:
    """The one that watches the specs among them."""
    config = replace(load_config(None, {}), grpc=GRPC, http=None)
    with started(config, [SPEC]):
        during = {thread.name for thread in threading.enumerate()}
    after = {thread.name for thread in threading.enumerate()}

    assert {"judge", "specs"} <= during
    assert not {"judge", "specs"} & after


class Meeting(dict[Any, Any]):
    """A table in which whoever looks first waits a moment for another who does."""

    def __init__(self) -> None:
        super().__init__()
        self._meet = threading.Barrier(2)

    def get(self, key: Any, default: Any = None) -> Any:
        """See `dict`."""
        found = super().get(key, default)
        with suppress(threading.BrokenBarrierError):
            self._meet.wait(0.2)
        return found


def test_a_scrape_during_an_export_counts_nothing_twice() -> None:
    """Each of them carries over what was counted since the last one."""
    server = Server(load_config(None, {}), SpecSet(()))
    line = server._line
    line.shared.buffer.counts.received = line.shared.buffer.counts.judged = 3
    line._ledger._told = Meeting()
    with ThreadPoolExecutor(2) as pool:
        readings = [pool.submit(server._read_metrics) for _ in range(2)]

    for reading in readings:
        assert values_of(reading.result(), "surefoot.spans.received") == {(): 3}


def events(caplog: pytest.LogCaptureFixture) -> list[Event]:
    return [found for one in caplog.records if (found := getattr(one, "event", None))]


def test_what_is_not_taken_is_counted_and_told_once_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = replace(load_config(None, {}), grpc=GRPC, http=HTTP)
    metrics = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
    with caplog.at_level(logging.INFO, "surefoot"), started(config, [SPEC]) as server:
        at = f"http://127.0.0.1:{server.http_port}"
        for path in ("/v1/logs", "/v1/logs", "/", "/v1/traces"):
            httpx.post(f"{at}{path}")
        httpx.head(at + "/v1/traces")
        with grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}") as channel:
            for _ in range(2):
                with pytest.raises(grpc.RpcError):
                    channel.unary_unary(metrics)(b"", timeout=10)
        counted = values_of(server._read_metrics(), "surefoot.requests")

    assert counted == {
        ("logs", "http", "404"): 2,
        ("traces", "http", "404"): 1,
        ("traces", "http", "415"): 1,
        ("traces", "http", "405"): 1,
        ("metrics", "grpc", "UNIMPLEMENTED"): 2,
    }
    told = [one for one in events(caplog) if isinstance(one, RequestRefused)]
    assert [(one.transport, one.code, one.signal) for one in told] == [
        ("http", "404", "logs"),
        ("http", "404", "traces"),
        ("http", "415", "traces"),
        ("grpc", "UNIMPLEMENTED", "metrics"),
    ]
    assert "Surefoot takes traces only" in told[0].reason
    assert "send OTLP/HTTP to /v1/traces" in told[1].reason


def test_the_stop_is_told_before_it_takes_its_time(caplog: pytest.LogCaptureFixture) -> None:
    config = replace(load_config(None, {}), grpc=GRPC, http=None)
    with caplog.at_level(logging.INFO, "surefoot"):
        with started(config, [SPEC]):
            before = len(caplog.records)
        Server(config, SpecSet()).stop()

    kinds = [type(one).__name__ for one in events(caplog)]
    assert kinds[before:] == ["Stopping", "Stopped"]
    assert Stopping(15) in events(caplog)


def test_without_specs_it_is_told_where_they_were_sought(
    caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = replace(load_config(None, {}), grpc=GRPC, http=None)
    with caplog.at_level(logging.INFO, "surefoot"), started(config, []):
        pass

    assert NoSpecs(f"looked in ./specs, which is {tmp_path}/specs") in events(caplog)
