"""VictoriaMetrics, built from its Go modules: a reader of OTLP metrics that others wrote.

It takes OTLP over HTTP and gives each series the name and labels that OpenTelemetry's
mapping gives; a resource's and a scope's attributes become labels of each series.
"""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from programs import built_module, started

VERSION = "v1.151.0"
MODULE = "github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics"
#: What its modules ask for.
GO = (1, 26)


@dataclass(frozen=True)
class Series:
    """One series and its last value."""

    name: str
    labels: frozenset[tuple[str, str]]
    value: float


class Victoria:
    """A running VictoriaMetrics with Prometheus' naming."""

    def __init__(self, url: str) -> None:
        self.url = url

    def take(self, body: bytes) -> None:
        """Give it an ExportMetricsServiceRequest, and have it ready to be asked."""
        self._ask("POST", "/opentelemetry/v1/metrics", body)
        self._ask("GET", "/internal/force_flush")

    def series(self) -> list[Series]:
        """Everything that it holds."""
        soon = datetime.now(UTC) + timedelta(minutes=1)  # the end is its second's start
        every = f'/api/v1/export?match[]={{__name__!=""}}&end={soon.timestamp()}'
        lines = self._ask("GET", every).splitlines()
        return [
            Series(
                one["metric"].pop("__name__"), frozenset(one["metric"].items()), one["values"][-1]
            )
            for one in map(json.loads, lines)
        ]

    def _ask(self, method: str, path: str, body: bytes | None = None) -> str:
        kind = {"content-type": "application/x-protobuf"} if body else {}
        answer = httpx.request(method, self.url + path, content=body, headers=kind, timeout=30)
        assert answer.is_success, answer.text
        return answer.text


@contextmanager
def victoria(folder: Path) -> Iterator[Victoria]:
    """Run it with its data in `folder`; skips where it cannot be built."""
    program = built_module("victoria", MODULE, VERSION, GO)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [
        program, f"-httpListenAddr={address}", f"-storageDataPath={folder / 'victoria'}",
        "-retentionPeriod=1d", "-search.latencyOffset=0s", "-memory.allowedBytes=128MiB",
        "-opentelemetry.usePrometheusNaming",
    ]  # fmt: skip
    with started(command, ready="started server", folder=folder) as running:
        yield Victoria(f"http://{address}")
        running.stop()
