"""Everything that leaves for the configured backend: requests, verdicts, metrics.

Owns the two queues and the metrics' loop, and what the operator is told of them. Two
queues, so that verdicts do not wait behind a backlog of forwarded requests, nor take
their room.
"""

from collections.abc import Callable
from typing import Final

from surefoot.clock import Clock
from surefoot.config import Exporter
from surefoot.emit import instruments
from surefoot.emit.export import MetricsLoop, otlp_exporter
from surefoot.emit.instruments import Instrument, Key
from surefoot.emit.metrics import Metrics, Points, Reading
from surefoot.forward.news import Kind, News
from surefoot.forward.options import Options, Retry
from surefoot.forward.queue import SHUTDOWN
from surefoot.forward.sender import Sender
from surefoot.telemetry import (
    BackendBack,
    BackendUnreachable,
    Event,
    RequestDropped,
    SignalUnsupported,
    SpansRejected,
    Telemetry,
)

NS: Final = 1_000_000_000
#: What the last metrics get of the time to stop.
METRICS_NS: Final = 1_000_000_000
#: How the two queues are called in metrics (attribute `signal`) and log lines.
FORWARD: Final = "traces"
VERDICTS: Final = "verdicts"
METRICS: Final = "metrics"
#: A backend's own words may be a page.
DETAIL_SHOWN: Final = 200


class Backend:
    """The way out. `start`, then `stop`; both once.

    memory_limit: the process's, in bytes. What waits for the backend may be half of it,
    verdicts another quarter.
    """

    def __init__(
        self, exporter: Exporter, memory_limit: int, telemetry: Telemetry, clock: Clock
    ) -> None:
        self._exporter = exporter
        self._telemetry = telemetry
        self._clock = clock
        self.forward = Sender(_options(exporter, memory_limit // 2), clock, self._tell(FORWARD))
        self.verdicts = Sender(_options(exporter, memory_limit // 4), clock, self._tell(VERDICTS))
        self._senders = {FORWARD: self.forward, VERDICTS: self.verdicts}
        self._metrics: MetricsLoop | None = None
        self._told: dict[tuple[Instrument, Key], int] = {}

    def start(self) -> None:
        """Begin to send requests and verdicts."""
        for sender in self._senders.values():
            sender.start()

    def start_metrics(self, read_metrics: Callable[[], Points]) -> None:
        """Begin to send metrics: last, since a start that fails has none to flush."""
        said, told = self._exporter, self._telemetry
        endpoint = str(said.endpoint)
        self._metrics = MetricsLoop(
            otlp_exporter(
                f"{'http' if said.insecure else 'https'}://{endpoint}",
                insecure=said.insecure,
                headers=dict(said.headers),
            ),
            read_metrics,
            on_unsupported=lambda: told.record(SignalUnsupported(endpoint, METRICS)),
            on_failed=lambda reason: told.record(BackendUnreachable(endpoint, METRICS, reason)),
        )
        self._metrics.start()

    def stop(self, deadline_ns: int) -> int:
        """Send what is queued and the last metrics, until the deadline.

        Returns:
            How many requests the backend had not taken by then.
        """
        for sender in self._senders.values():
            sender.drain(deadline_ns - METRICS_NS)
        if self._metrics is not None:
            self._metrics.stop(max(0.1, (deadline_ns - self._clock.now_ns()) / NS))
        return sum(sender.stats().dropped.get(SHUTDOWN, 0) for sender in self._senders.values())

    def queued(self) -> Reading:
        """Requests that wait, by queue."""
        return {(name,): sender.stats().queued for name, sender in self._senders.items()}

    def carry(self, metrics: Metrics) -> None:
        """Add to `metrics` what the queues counted since the last call. One caller at a time."""
        for name, sender in self._senders.items():
            stats = sender.stats()
            for instrument, total in (
                (instruments.FORWARD_SENT, stats.sent),
                (instruments.FORWARD_FAILED, sum(stats.failed.values())),
                (instruments.FORWARD_DROPPED, sum(stats.dropped.values())),
            ):
                key = (name,)
                more = total - self._told.get((instrument, key), 0)
                if more:
                    metrics.add(instrument, key, more)
                    self._told[instrument, key] = total

    def _tell(self, signal: str) -> Callable[[News], None]:
        def tell(news: News) -> None:
            self._telemetry.record(_event(news, signal))

        return tell


def _event(news: News, signal: str) -> Event:
    detail = news.detail[:DETAIL_SHOWN]
    if news.kind is Kind.UNREACHABLE:
        return BackendUnreachable(news.endpoint, signal, news.reason, detail)
    if news.kind is Kind.UNSUPPORTED:
        return SignalUnsupported(news.endpoint, signal)
    if news.kind is Kind.REACHABLE:
        return BackendBack(news.endpoint, signal)
    if news.kind is Kind.REJECTED:
        return SpansRejected(news.endpoint, signal, news.count, detail)
    return RequestDropped(news.endpoint, signal, news.reason, news.count, detail)


def _options(said: Exporter, queue_bytes: int) -> Options:
    retry = said.retry
    return Options(
        endpoint=str(said.endpoint),
        insecure=said.insecure,
        gzip=said.gzip,
        headers=dict(said.headers),
        timeout_s=said.timeout_ns / NS,
        queue_size=said.queue_size,
        queue_bytes=queue_bytes,
        retry=Retry(
            enabled=retry.enabled,
            initial_s=retry.initial_interval_ns / NS,
            max_s=retry.max_interval_ns / NS,
            max_elapsed_s=retry.max_elapsed_time_ns / NS,
        ),
    )
