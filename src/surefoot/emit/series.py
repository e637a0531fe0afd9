"""The series of one counter or histogram: bounded in number, ended when idle.

Owns the cap, the overflow series and the end of a series. Knows no clock and no lock.

With the cap reached, what is new counts in one series that says so
(`otel.metric.overflow=true`), as OpenTelemetry's SDKs do; the cap counts it too. A
series that ends leaves no point. One that comes back starts again from zero with a new
start time: a counter reset, which backends know how to read.

Source: https://opentelemetry.io/docs/specs/otel/metrics/sdk/#cardinality-limits
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from opentelemetry.sdk.metrics.export import HistogramDataPoint, NumberDataPoint

from surefoot.emit.instruments import Instrument, Key, Kind

#: OpenTelemetry's default, the overflow series included.
MAX_SERIES = 2000
#: Longer than any usual scrape or export gap, so that no live counter seems reset.
IDLE_NS = 15 * 60 * 10**9
OVERFLOW: Mapping[str, bool] = {"otel.metric.overflow": True}
#: A full table looks for ended series at most so often; it is O(series).
_SWEEP_EVERY_NS = 60 * 10**9

Attributes = Mapping[str, str | bool | int]
Point = NumberDataPoint | HistogramDataPoint


class _Count:
    """A counter's series."""

    __slots__ = ("start_ns", "touched_ns", "value")

    def __init__(self, start_ns: int) -> None:
        self.start_ns = start_ns
        self.touched_ns = 0
        self.value: int | float = 0

    def add(self, amount: float) -> None:
        self.value += amount

    def point(self, attributes: Attributes, wall_ns: int) -> Point:
        return NumberDataPoint(attributes, self.start_ns, wall_ns, self.value)


class _Spread:
    """A histogram's series: counts[i] are the values in (bounds[i-1], bounds[i]]."""

    __slots__ = ("bounds", "counts", "highest", "lowest", "start_ns", "total", "touched_ns")

    def __init__(self, start_ns: int, bounds: tuple[float, ...]) -> None:
        self.start_ns = start_ns
        self.touched_ns = 0
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total: int | float = 0
        self.lowest = float("inf")
        self.highest = float("-inf")

    def add(self, amount: float) -> None:
        self.counts[bisect_left(self.bounds, amount)] += 1
        self.total += amount
        self.lowest = min(self.lowest, amount)
        self.highest = max(self.highest, amount)

    def point(self, attributes: Attributes, wall_ns: int) -> Point:
        return HistogramDataPoint(
            attributes,
            self.start_ns,
            wall_ns,
            count=sum(self.counts),
            sum=self.total,
            bucket_counts=tuple(self.counts),
            explicit_bounds=self.bounds,
            min=self.lowest,
            max=self.highest,
        )


class Table:
    """All series of one counter or histogram."""

    def __init__(self, instrument: Instrument, *, start_ns: int, limit: int = MAX_SERIES) -> None:
        self.instrument = instrument
        self._limit = limit
        self._series: dict[Key, _Count | _Spread] = {}
        self._overflow: _Count | _Spread | None = None
        self._swept_ns: int | None = None
        for key in instrument.known:
            self._series[key] = self._new(start_ns)

    def get(self, key: Key) -> _Count | _Spread | None:
        """The series, if it is there."""
        return self._series.get(key)

    def open(self, key: Key, now_ns: int, wall_ns: int) -> _Count | _Spread:
        """The series, made if it is not there; the overflow where there is no room."""
        held = self._series.get(key)
        if held is not None:
            return held
        if len(self._series) >= self._limit - 1 and not self._made_room(now_ns):
            if self._overflow is None:
                self._overflow = self._new(wall_ns)
            return self._overflow
        made = self._series[key] = self._new(wall_ns)
        return made

    def points(self, now_ns: int, wall_ns: int) -> list[Point]:
        """A point for each series that has not ended. O(series)."""
        self._sweep(now_ns)
        names = self.instrument.attributes
        found = [
            series.point(dict(zip(names, key, strict=True)), wall_ns)
            for key, series in self._series.items()
        ]
        if self._overflow is not None:
            found.append(self._overflow.point(OVERFLOW, wall_ns))
        return found

    def _new(self, wall_ns: int) -> _Count | _Spread:
        if self.instrument.kind is Kind.HISTOGRAM:
            return _Spread(wall_ns, self.instrument.bounds)
        return _Count(wall_ns)

    def _made_room(self, now_ns: int) -> bool:
        """Whether a sweep, if one is due, let a series go."""
        if self._swept_ns is not None and now_ns - self._swept_ns < _SWEEP_EVERY_NS:
            return False
        self._sweep(now_ns)
        return len(self._series) < self._limit - 1

    def _sweep(self, now_ns: int) -> None:
        """Let the series go that nothing has touched for `IDLE_NS`."""
        if not self.instrument.ends:
            return
        self._swept_ns = now_ns
        oldest = now_ns - IDLE_NS
        ended = [key for key, series in self._series.items() if series.touched_ns <= oldest]
        for key in ended:
            del self._series[key]
        if self._overflow is not None and self._overflow.touched_ns <= oldest:
            self._overflow = None


def gauge_points(
    instrument: Instrument, read: Iterable[tuple[Key, int | float]], wall_ns: int
) -> list[Point]:
    """A gauge's points as read just now, up to the cap."""
    names = instrument.attributes
    points: list[Point] = [
        NumberDataPoint(dict(zip(names, key, strict=True)), 0, wall_ns, value)
        for key, value in read
    ]
    return points[:MAX_SERIES]
