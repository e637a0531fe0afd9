"""A clock to move and ways to read metrics back, for tests."""

from dataclasses import dataclass
from typing import Any

from opentelemetry.sdk.metrics.export import HistogramDataPoint, MetricsData, NumberDataPoint
from prometheus_client.parser import text_string_to_metric_families

from surefoot.emit.exposition import prometheus_text

S = 10**9
MINUTE = 60 * S
WALL = 1_700_000_000 * S


@dataclass
class MovedClock:
    """Both clocks move together, when told to."""

    ns: int = 0

    def now_ns(self) -> int:
        """See `Clock`."""
        return self.ns

    def wall_ns(self) -> int:
        """See `Clock`."""
        return WALL + self.ns


def points_of(data: MetricsData, name: str) -> list[Any]:
    """The points of one metric; none if it is not there."""
    metrics = data.resource_metrics[0].scope_metrics[0].metrics
    return [point for metric in metrics if metric.name == name for point in metric.data.data_points]


def values_of(data: MetricsData, name: str) -> dict[tuple[Any, ...], Any]:
    """Attribute values to the value, or to a histogram's count."""
    found: dict[tuple[Any, ...], Any] = {}
    for point in points_of(data, name):
        key = tuple((point.attributes or {}).values())
        if isinstance(point, HistogramDataPoint):
            found[key] = point.count
        elif isinstance(point, NumberDataPoint):
            found[key] = point.value
    return found


def scraped(data: MetricsData) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
    """Sample name to labels to value, as a Prometheus reads the text."""
    samples: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    for family in text_string_to_metric_families(prometheus_text(data).decode()):
        for sample in family.samples:
            labels = frozenset((key, value) for key, value in sample.labels.items() if value)
            named = samples.setdefault(sample.name, {})

            assert labels not in named
            named[labels] = sample.value
    return samples
