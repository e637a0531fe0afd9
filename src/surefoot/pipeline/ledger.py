"""What the buffer counted, as metrics.

The buffer's counts are the truth and the metrics follow: each call adds what has come
since the last one. So counting a span costs no second lock, and the conservation law
holds in every set of points that leaves.
"""

from collections.abc import Iterator

from surefoot.buffer import Counts
from surefoot.emit import instruments as of
from surefoot.emit.instruments import Instrument, Key
from surefoot.emit.metrics import Metrics, Reading
from surefoot.pipeline.shared import SharedBuffer


class Ledger:
    """Carries the buffer's counts over into the metrics."""

    def __init__(self, shared: SharedBuffer) -> None:
        self._shared = shared
        self._told: dict[tuple[Instrument, Key], int] = {}
        self._open = 0
        self._traces = 0
        self._bytes = 0

    def carry(self, metrics: Metrics) -> None:
        """Add to `metrics` what was counted since the last call. One caller at a time."""
        with self._shared.lock:
            buffer = self._shared.buffer
            counts = list(_totals(buffer.counts))
            self._open = buffer.counts.open
            self._traces = buffer.traces_open
            self._bytes = buffer.held_bytes
        for instrument, key, total in counts:
            more = total - self._told.get((instrument, key), 0)
            if more:
                metrics.add(instrument, key, more)
                self._told[instrument, key] = total

    def spans_open(self) -> Reading:
        """Spans not judged yet, as of the last `carry`."""
        return self._open

    def traces_open(self) -> Reading:
        """Traces not judged yet, as of the last `carry`."""
        return self._traces

    def buffer_bytes(self) -> Reading:
        """Memory of the spans held, as of the last `carry`."""
        return self._bytes


def _totals(counts: Counts) -> Iterator[tuple[Instrument, Key, int]]:
    yield of.SPANS_RECEIVED, (), counts.received
    yield of.SPANS_JUDGED, (), counts.judged
    yield of.SPANS_DUPLICATE, (), counts.duplicate
    for instrument, by_reason in (
        (of.SPANS_LATE, counts.late),
        (of.SPANS_REJECTED, counts.rejected),
        (of.SPANS_IGNORED, counts.ignored),
        (of.SPANS_LOST, counts.lost),
    ):
        for reason, total in by_reason.items():
            yield instrument, (reason,), total
    for closed_for, total in counts.closed.items():
        yield of.TRACES_CLOSED, (closed_for.value,), total
