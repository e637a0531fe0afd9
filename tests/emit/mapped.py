"""OpenTelemetry's Prometheus mapping, stated a second time: OTLP metrics to samples.

For tests: what `surefoot.emit.exposition` writes is held to this, from the bytes that an
OTLP intake gets. Where readers of the document differ (a unit in the middle of a name, the
unit 1 of what is no gauge, a bound of a million) it refuses: our instruments stay clear.

Source: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AGGREGATION_TEMPORALITY_CUMULATIVE as CUMULATIVE,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from prometheus_client.parser import text_string_to_metric_families

Labels = frozenset[tuple[str, str]]

#: UCUM's abbreviations and Prometheus' words.
WORDS = {
    "d": "days", "h": "hours", "min": "minutes", "s": "seconds", "ms": "milliseconds",
    "us": "microseconds", "ns": "nanoseconds", "By": "bytes", "KiBy": "kibibytes",
    "MiBy": "mebibytes", "GiBy": "gibibytes", "KBy": "kilobytes", "MBy": "megabytes",
    "GBy": "gigabytes", "%": "percent",
}  # fmt: skip
MILLION = 1_000_000


@dataclass
class Family:
    """What a scrape tells of one metric: sample name, labels, value."""

    kind: str
    told: str
    samples: dict[str, dict[Labels, float]] = field(default_factory=dict)

    def put(self, name: str, labels: Labels, value: float) -> None:
        """Add a sample; the same one twice is no scrape."""
        named = self.samples.setdefault(name, {})
        assert labels not in named, (name, labels)
        named[labels] = value


def mapped(body: bytes) -> dict[str, Family]:
    """The families of an ExportMetricsServiceRequest, by name."""
    families: dict[str, Family] = {}
    (group,) = ExportMetricsServiceRequest.FromString(body).resource_metrics
    info = families["target_info"] = Family("gauge", "")
    info.put("target_info", labels_of(group.resource.attributes), 1)
    for scope in group.scope_metrics:
        for metric in scope.metrics:
            name, family = _family(metric)
            assert name not in families
            families[name] = family
    return families


def scraped_families(text: str) -> dict[str, Family]:
    """The same of what `/metrics` says; the type and help of `target_info` left out."""
    families: dict[str, Family] = {}
    for one in text_string_to_metric_families(text):
        name = f"{one.name}_total" if one.type == "counter" else one.name
        is_info = name == "target_info"
        family = Family(one.type, "" if is_info else one.documentation)
        for sample in one.samples:
            labels = frozenset((key, value) for key, value in sample.labels.items() if value)
            family.put(sample.name, labels, sample.value)
        assert name not in families
        families[name] = family
    return families


def labels_of(attributes: Iterable[KeyValue]) -> Labels:
    """Attributes as labels; two that become one are refused."""
    labels = {_sanitized(one.key): _text(one.value) for one in attributes}
    assert len(labels) == len(list(attributes))
    return frozenset(labels.items())


def prometheus_name(name: str, unit: str, kind: str) -> str:
    """The name of a family of this kind (counter, gauge, histogram)."""
    name = _sanitized(name)
    word = _unit(unit, kind)
    if word and not name.endswith(f"_{word}"):
        assert f"_{word}_" not in f"_{name}_", f"{name}: {word} is in the middle"
        name = f"{name}_{word}"
    assert kind == "counter" or not name.endswith("_total"), name
    return f"{name}_total" if kind == "counter" and not name.endswith("_total") else name


def _family(metric: Metric) -> tuple[str, Family]:
    kind = {"gauge": "gauge", "sum": "counter", "histogram": "histogram"}[
        str(metric.WhichOneof("data"))
    ]
    name = prometheus_name(metric.name, metric.unit, kind)
    family = Family(kind, metric.description)
    if kind == "histogram":
        assert metric.histogram.aggregation_temporality == CUMULATIVE
        for spread in metric.histogram.data_points:
            labels = labels_of(spread.attributes)
            family.put(f"{name}_sum", labels, spread.sum)
            family.put(f"{name}_count", labels, spread.count)
            for bound, below in _below(spread.explicit_bounds, spread.bucket_counts):
                family.put(f"{name}_bucket", labels | {("le", bound)}, below)
        return name, family
    if kind == "counter":
        assert metric.sum.is_monotonic
        assert metric.sum.aggregation_temporality == CUMULATIVE
    for point in (metric.sum if kind == "counter" else metric.gauge).data_points:
        value = point.as_int if point.HasField("as_int") else point.as_double
        family.put(name, labels_of(point.attributes), value)
    return name, family


def _unit(unit: str, kind: str) -> str:
    unit = re.sub(r"\{[^}]*\}", "", unit)
    if unit == "1":
        assert kind == "gauge", "only of a gauge is 1 a ratio for all readers"
        return "ratio"
    assert "/" not in unit, "spell it out here first"
    return WORDS.get(unit, unit)


def _sanitized(name: str) -> str:
    return re.sub(r"_+", "_", re.sub(r"[^a-zA-Z0-9_:]", "_", name))


def _text(value: AnyValue) -> str:
    told = getattr(value, str(value.WhichOneof("value")))
    return str(told).lower() if isinstance(told, bool) else str(told)


def _below(bounds: Iterable[float], counts: Iterable[int]) -> Iterator[tuple[str, float]]:
    """Upper bounds as text and how much is at or below each."""
    total = 0
    for bound, count in zip((*bounds, float("inf")), counts, strict=True):
        total += count
        if bound == float("inf"):
            yield "+Inf", total
            continue
        assert bound < MILLION, "1e+06 or 1000000"
        yield str(int(bound)) if bound == int(bound) else repr(bound), total
