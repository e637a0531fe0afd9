"""Our own metrics: counted where things happen, read when someone asks.

Owns the tables behind every instrument, and what a run, a verdict and a violation count
as. `read()` gives the SDK's own data classes, from which both ways out are made: the
standard OTLP exporter takes them as they are (`export`), and `exposition` writes them as
Prometheus text. So one query fits both.

One lock guards the tables; counting takes about 1 us. Gauges are read through callbacks,
outside the lock: a callback may take its owner's.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from surefoot.clock import Clock
from surefoot.emit import instruments
from surefoot.emit.identity import Identity
from surefoot.emit.instruments import INSTRUMENTS, Instrument, Key, Kind
from surefoot.emit.sent import Plan
from surefoot.emit.series import MAX_SERIES, Point, Table, gauge_points
from surefoot.emit.texts import Mask, Texts
from surefoot.model import Run

#: What a gauge's callback gives: one value, or one for each key.
Reading = int | float | Mapping[Key, int | float]
#: (series, lucky, green) at a time; the series is (service, agent, spec, output source).
Luck = Callable[[int], Iterable[tuple[tuple[str, str, str, str], int, int]]]

#: All points there are at one time.
Points: TypeAlias = MetricsData

_CUMULATIVE = AggregationTemporality.CUMULATIVE
_NS = 1e9


def _no_luck(_now_ns: int) -> Iterable[tuple[tuple[str, str, str, str], int, int]]:
    return ()


class Metrics:
    """All our counters, gauges and histograms. Thread-safe.

    Args:
        clock: For ages and timestamps.
        identity: Whose metrics these are.
        mask: Takes secrets out of attribute values.
        gauges: How to read each gauge but the luck's.
        luck: The luck windows with a green run, as of `now_ns`.
    """

    def __init__(
        self,
        clock: Clock,
        identity: Identity,
        mask: Mask,
        *,
        gauges: Mapping[Instrument, Callable[[], Reading]] | None = None,
        luck: Luck = _no_luck,
    ) -> None:
        self._clock = clock
        self._name = Texts(mask).name
        self._gauges = dict(gauges or {})
        self._luck = luck
        self._lock = threading.Lock()
        self._resource = Resource(dict(identity.attributes()))
        self._scope = InstrumentationScope("surefoot", identity.version)
        start_ns = clock.wall_ns()
        self._tables = {
            instrument: Table(instrument, start_ns=start_ns)
            for instrument in INSTRUMENTS
            if instrument.kind is not Kind.GAUGE
        }

    def add(self, instrument: Instrument, key: Key = (), amount: float = 1) -> None:
        """Count `amount`, or take it into a histogram. `key`: the attributes' values."""
        now_ns = self._clock.now_ns()
        table = self._tables[instrument]
        with self._lock:
            series = table.get(key)
            if series is None:
                series = table.open(self._clean(key), now_ns, self._clock.wall_ns())
            series.add(amount)
            series.touched_ns = now_ns

    def add_run(self, run: Run, *, matched: bool) -> None:
        """Count a run that closed; `matched`: a spec judges it."""
        self.add(instruments.RUNS, (run.service, run.agent, matched, run.reason.value))

    def add_plan(self, plan: Plan) -> None:
        """Count what a plan sends: a run's first verdict, and each violation once."""
        run, verdict = plan.run, plan.verdict
        owners = (run.service, run.agent, plan.spec)
        for violation, _ in plan.new_violations:
            key = (*owners, violation.check, violation.severity.value)
            self.add(instruments.VIOLATIONS, key)
        if verdict is None or not plan.is_first:
            return
        grades = (verdict.outcome.value, verdict.output.value, verdict.path.value)
        self.add(instruments.VERDICTS, (*owners, *grades))
        self.add(instruments.RUN_STEPS, owners, len(run.steps))
        self.add(instruments.RUN_DURATION, owners, max(0, run.end_ns - run.start_ns) / _NS)
        if run.tokens is not None:
            self.add(instruments.RUN_TOKENS, owners, run.tokens)

    def read(self) -> MetricsData:
        """Every point there is now. O(series)."""
        now_ns, wall_ns = self._clock.now_ns(), self._clock.wall_ns()
        points = self._read_gauges(now_ns, wall_ns)
        with self._lock:
            for instrument, table in self._tables.items():
                points[instrument] = table.points(now_ns, wall_ns)
        metrics = [_metric(one, points[one]) for one in INSTRUMENTS if points.get(one)]
        scope = ScopeMetrics(self._scope, metrics, "")
        return MetricsData([ResourceMetrics(self._resource, [scope], "")])

    def _read_gauges(self, now_ns: int, wall_ns: int) -> dict[Instrument, list[Point]]:
        """The gauges' points, by their callbacks."""
        found: dict[Instrument, list[Point]] = {}
        for instrument, read in self._gauges.items():
            reading = read()
            pairs = reading.items() if isinstance(reading, Mapping) else (((), reading),)
            cleaned = [(self._clean(key), value) for key, value in pairs]
            found[instrument] = gauge_points(instrument, cleaned, wall_ns)
        luck: dict[Key, tuple[int, int]] = {}
        for series, lucky, green in self._luck(now_ns):
            key = self._clean(series)
            if green and len(luck) < MAX_SERIES:
                before = luck.get(key, (0, 0))
                luck[key] = (before[0] + lucky, before[1] + green)
        rates = [(key, lucky / green) for key, (lucky, green) in luck.items()]
        found[instruments.LUCK_RATE] = gauge_points(instruments.LUCK_RATE, rates, wall_ns)
        for at, instrument in enumerate((instruments.LUCK_LUCKY, instruments.LUCK_GREEN)):
            counts = [(key, both[at]) for key, both in luck.items()]
            found[instrument] = gauge_points(instrument, counts, wall_ns)
        return found

    def _clean(self, key: Key) -> Key:
        """The key as it may leave: two that a mask makes equal are one series."""
        return tuple([self._name(value) if isinstance(value, str) else value for value in key])


def _metric(instrument: Instrument, points: list[Point]) -> Metric:
    numbers = [point for point in points if isinstance(point, NumberDataPoint)]
    spreads = [point for point in points if isinstance(point, HistogramDataPoint)]
    data: Gauge | Sum | Histogram
    match instrument.kind:
        case Kind.GAUGE:
            data = Gauge(numbers)
        case Kind.COUNTER:
            data = Sum(numbers, _CUMULATIVE, is_monotonic=True)
        case Kind.HISTOGRAM:
            data = Histogram(spreads, _CUMULATIVE)
    return Metric(instrument.name, instrument.description, instrument.unit, data)
