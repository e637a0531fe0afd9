"""Our metrics out by OTLP, every so often, until the backend says it takes none.

Owns the rhythm, the last export at the end, and what an answer means. The sending is
the standard OTLP exporter's: connection, compression, the `OTEL_EXPORTER_OTLP_*`
variables, and its own retries within ten seconds.

That exporter raises nothing and tells no status code: `export` gives SUCCESS or FAILURE,
and the code stands only in the line that it logs. So while it exports, a filter on its
logger takes the lines of our thread, keeps the code, and lets none of them out: a
backend that is away would otherwise fill the log. UNIMPLEMENTED (Jaeger takes traces
only) ends the loop; every other failure waits for the next turn, since points are
cumulative and the next export tells all of it again.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import grpc
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics.export import MetricExporter, MetricExportResult, MetricsData

#: OpenTelemetry's default is 60 s; a dashboard that shows a wrong path a minute late is late.
INTERVAL_S = 15.0

_EXPORTER_LOG = logging.getLogger("opentelemetry.exporter.otlp.proto.grpc.exporter")
#: How long `stop` waits for a call that it has cut off.
_CUT_OFF_S = 1.0


def otlp_exporter(
    endpoint: str | None = None,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    insecure: bool | None = None,
    headers: Mapping[str, str] | None = None,
    compression: grpc.Compression | None = None,
) -> MetricExporter:
    """The standard exporter over gRPC. What is None comes from the environment."""
    return OTLPMetricExporter(
        endpoint=endpoint,
        credentials=credentials,
        insecure=insecure,
        headers=dict(headers) if headers else None,
        compression=compression,
    )


class MetricsLoop:
    """Exports what `read` gives, once an interval, in a thread of its own.

    Args:
        exporter: Where to; shut down by `stop`.
        read: The points as of now.
        interval_s: From one export to the next.
        on_unsupported: Called once, when the backend takes no metrics. No export follows.
        on_failed: Called with the reason of each export that failed.
    """

    def __init__(
        self,
        exporter: MetricExporter,
        read: Callable[[], MetricsData],
        *,
        interval_s: float = INTERVAL_S,
        on_unsupported: Callable[[], None] = lambda: None,
        on_failed: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self._exporter = exporter
        self._read = read
        self._interval_s = interval_s
        self._on_unsupported = on_unsupported
        self._on_failed = on_failed
        self._change = threading.Condition()
        self._asked = 0
        self._answered = 0
        self._stopping = False
        self._ended = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; the first export is one interval away."""
        self._thread = threading.Thread(target=self._run, name="metrics", daemon=True)
        self._thread.start()

    def flush(self, timeout_s: float) -> bool:
        """Export now. False if it did not end in time, or nothing is exported any more."""
        with self._change:
            self._asked += 1
            asked = self._asked
            self._change.notify_all()
            self._change.wait_for(lambda: self._ended or self._answered >= asked, timeout_s)
            return self._answered >= asked

    def stop(self, timeout_s: float) -> None:
        """Export once more and end, within about `timeout_s`. Twice, or unstarted, is fine."""
        with self._change:
            again = self._stopping
            self._stopping = True
            self._change.notify_all()
        if self._thread is not None:
            self._thread.join(timeout_s)
        if not again:
            self._exporter.shutdown()
        if self._thread is not None:
            self._thread.join(_CUT_OFF_S)

    def _run(self) -> None:
        """Export in turn until told to stop, or told that it is no use."""
        try:
            last = False
            while not last:
                with self._change:
                    self._change.wait_for(
                        lambda: self._stopping or self._asked > self._answered, self._interval_s
                    )
                    asked, last = self._asked, self._stopping
                if not self._export():
                    return
                with self._change:
                    self._answered = asked
                    self._change.notify_all()
        finally:
            with self._change:
                self._ended = True
                self._change.notify_all()

    def _export(self) -> bool:
        """Export once. False if the backend takes no metrics at all."""
        with _watched() as watch:
            result = self._exporter.export(self._read())
        if result is MetricExportResult.SUCCESS:
            return True
        if watch.code is grpc.StatusCode.UNIMPLEMENTED:
            self._on_unsupported()
            return False
        self._on_failed(watch.code.name if watch.code else "UNKNOWN")
        return True


class _Watch(logging.Filter):
    """Keeps what one thread's lines say, and lets none of them out."""

    def __init__(self, thread: int) -> None:
        super().__init__()
        self._thread = thread
        self.code: grpc.StatusCode | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter`."""
        if record.thread != self._thread:
            return True
        for argument in record.args if isinstance(record.args, tuple) else ():
            if isinstance(argument, grpc.StatusCode):
                self.code = argument
        return False


@contextmanager
def _watched() -> Iterator[_Watch]:
    """Watch the exporter's lines for a while, before its own filter drops repeated ones."""
    watch = _Watch(threading.get_ident())
    _EXPORTER_LOG.filters.insert(0, watch)
    try:
        yield watch
    finally:
        _EXPORTER_LOG.removeFilter(watch)
