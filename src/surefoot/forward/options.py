"""What a sender is told to do.

Owns the defaults, which are the Collector's (exporterhelper and otlpexporter, README),
and how an endpoint is written. Knows no queue.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from surefoot.errors import ConfigError

Signal: TypeAlias = Literal["traces", "metrics", "logs"]
#: Source: opentelemetry-proto, collector/*/v1/*_service.proto.
PATHS: Final[Mapping[Signal, str]] = {
    "traces": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    "metrics": "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
    "logs": "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
}
_PORT = 4317  # OTLP/gRPC's own


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a request that the backend did not take is sent again.

    The first wait is `initial_s`, each next one `multiplier` times longer up to `max_s`,
    each shortened or lengthened by chance by up to `randomization` of itself.
    `max_elapsed_s` counts from the first attempt; 0 is for ever.
    """

    enabled: bool = True
    initial_s: float = 5.0
    max_s: float = 30.0
    max_elapsed_s: float = 300.0
    multiplier: float = 1.5
    randomization: float = 0.5


@dataclass(frozen=True, slots=True)
class Options:
    """A backend, and how to send to it.

    endpoint: `host:port`, or `http://` or `https://` before it, which overrule
    `insecure`. timeout_s: of one attempt. queue_size: requests, queue_bytes: bytes that
    are held at most, on their way included; 256 MiB is half of the usual memory
    limit, and four requests of the largest size. consumers: requests under way at once.
    """

    endpoint: str
    signal: Signal = "traces"
    insecure: bool = False
    gzip: bool = False
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    timeout_s: float = 5.0
    queue_size: int = 1_000
    queue_bytes: int = 256 * 1024 * 1024
    #: Four hide a backend's latency, and let others pass one that must wait. The
    #: Collector has ten; here each has a thread.
    consumers: int = 4
    retry: Retry = Retry()

    @property
    def target(self) -> tuple[str, bool]:
        """`host:port`, and whether it is spoken to in plain text.

        Raises:
            ConfigError: The endpoint is not written so.
        """
        scheme, mark, rest = self.endpoint.rpartition("://")
        host_port = rest.removesuffix("/")
        if (mark and scheme not in ("http", "https")) or not host_port or "/" in host_port:
            raise ConfigError(f"{self.endpoint}: no gRPC endpoint; write host:port")
        has_port = ":" in host_port.rpartition("]")[2]
        target = host_port if has_port else f"{host_port}:{_PORT}"
        return target, scheme == "http" if mark else self.insecure
