"""Our metrics as Prometheus text, under the names that OpenTelemetry gives them.

Owns the mapping of names, units and labels. A scrape and an OTLP intake of the same
metrics must answer the same query, so this follows OpenTelemetry's compatibility
document as the Collector, Prometheus and VictoriaMetrics (with Prometheus naming) do:
dots become underscores; a unit is spelled out at the end unless the name says it
already; a gauge with unit `1` is a `_ratio`; annotations like `{run}` vanish; a counter
ends in `_total`; the resource stands in `target_info`.

The text itself is written by prometheus_client. OpenTelemetry's own Python exporter is
not used since it leaves `_ratio` out.

Source: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
"""

from collections.abc import Iterable, Iterator

from opentelemetry.sdk.metrics.export import (
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    Sum,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4

_UNITS = {"s": "seconds", "By": "bytes"}
_Labels = dict[str, str]


def prometheus_text(data: MetricsData) -> bytes:
    """The body of an answer to `GET /metrics`."""
    return generate_latest(_Read(data))


def prometheus_name(metric: Metric) -> str:
    """The name of its family; a counter's without `_total`, which the text adds."""
    name = metric.name.replace(".", "_")
    unit = _UNITS.get(metric.unit or "", "")
    if metric.unit == "1" and isinstance(metric.data, Gauge):
        unit = "ratio"
    return name if not unit or name.endswith(f"_{unit}") else f"{name}_{unit}"


class _Read(Collector):
    """What prometheus_client wants to be asked: the families of one reading."""

    def __init__(self, data: MetricsData) -> None:
        self._data = data

    def collect(self) -> Iterator[Family]:
        """See `Collector`."""
        for group in self._data.resource_metrics:
            resource = _labels(group.resource.attributes.items())
            yield InfoMetricFamily("target", "Target metadata", value=resource)
            for scope in group.scope_metrics:
                for metric in scope.metrics:
                    yield _family(metric)


def _family(metric: Metric) -> Family:
    """One metric with its samples.

    A family of prometheus_client has one set of labels. The overflow series has
    another than the rest, so that what a point does not say is empty, which in
    Prometheus is the same as not being there.
    """
    name, text = prometheus_name(metric), metric.description or ""
    points = [
        (_labels((point.attributes or {}).items()), point) for point in metric.data.data_points
    ]
    names = list(dict.fromkeys(label for labels, _ in points for label in labels))
    rows = [([labels.get(label, "") for label in names], point) for labels, point in points]
    if isinstance(metric.data, Histogram):
        spread = HistogramMetricFamily(name, text, labels=names)
        for row, point in rows:
            if isinstance(point, HistogramDataPoint):
                spread.add_metric(row, _buckets(point), point.sum)
        return spread
    family = CounterMetricFamily if isinstance(metric.data, Sum) else GaugeMetricFamily
    numbers = family(name, text, labels=names)
    for row, point in rows:
        if isinstance(point, NumberDataPoint):
            numbers.add_metric(row, point.value)
    return numbers


def _buckets(point: HistogramDataPoint) -> list[tuple[str, float]]:
    """Cumulative counts; bounds as Go spells them (`1`, not `1.0`)."""
    buckets: list[tuple[str, float]] = []
    below = 0
    bounds = [f"{bound:g}" for bound in point.explicit_bounds]
    for bound, count in zip((*bounds, "+Inf"), point.bucket_counts, strict=True):
        below += count
        buckets.append((bound, below))
    return buckets


def _labels(attributes: Iterable[tuple[str, object]]) -> _Labels:
    return {key.replace(".", "_"): _label(value) for key, value in attributes}


def _label(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
