from collections.abc import Callable
from functools import partial

import pytest
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.sdk.metrics.export import MetricsData

from emit.builders import IDENTITY, a_run, a_verdict, a_violation, plain
from emit.mapped import mapped, scraped_families
from emit.mapped import prometheus_name as otel_name
from emit.readings import MovedClock, scraped
from surefoot.emit import instruments as of
from surefoot.emit.exposition import CONTENT_TYPE, prometheus_text
from surefoot.emit.instruments import INSTRUMENTS, Instrument, Key, Kind
from surefoot.emit.metrics import Metrics, Reading
from surefoot.emit.sent import plan

#: Each instrument's family as the Collector, Prometheus' OTLP intake and VictoriaMetrics
#: with Prometheus naming spell it.
FAMILIES = {
    "surefoot.luck.rate": "surefoot_luck_rate_ratio",
    "surefoot.luck.lucky": "surefoot_luck_lucky",
    "surefoot.luck.green": "surefoot_luck_green",
    "surefoot.runs": "surefoot_runs_total",
    "surefoot.verdicts": "surefoot_verdicts_total",
    "surefoot.violations": "surefoot_violations_total",
    "surefoot.run.steps": "surefoot_run_steps",
    "surefoot.run.duration": "surefoot_run_duration_seconds",
    "surefoot.run.tokens": "surefoot_run_tokens",
    "surefoot.spans.received": "surefoot_spans_received_total",
    "surefoot.spans.judged": "surefoot_spans_judged_total",
    "surefoot.spans.duplicate": "surefoot_spans_duplicate_total",
    "surefoot.spans.late": "surefoot_spans_late_total",
    "surefoot.spans.rejected": "surefoot_spans_rejected_total",
    "surefoot.spans.ignored": "surefoot_spans_ignored_total",
    "surefoot.spans.lost": "surefoot_spans_lost_total",
    "surefoot.spans.open": "surefoot_spans_open",
    "surefoot.traces.open": "surefoot_traces_open",
    "surefoot.traces.closed": "surefoot_traces_closed_total",
    "surefoot.buffer.bytes": "surefoot_buffer_bytes",
    "surefoot.requests": "surefoot_requests_total",
    "surefoot.specs.info": "surefoot_specs_info",
    "surefoot.verdict.latency": "surefoot_verdict_latency_seconds",
    "surefoot.forward.queue": "surefoot_forward_queue",
    "surefoot.forward.sent": "surefoot_forward_sent_total",
    "surefoot.forward.failed": "surefoot_forward_failed_total",
    "surefoot.forward.dropped": "surefoot_forward_dropped_total",
}


def everything() -> MetricsData:
    """A reading with a point of each instrument, and an overflow where there can be one."""
    gauges: dict[Instrument, Callable[[], Reading]] = {
        one: partial(dict[Key, int | float], {("v",) * len(one.attributes): 1})
        for one in INSTRUMENTS
        if one.kind is Kind.GAUGE and not one.name.startswith("surefoot.luck.")
    }
    metrics = Metrics(
        MovedClock(),
        IDENTITY,
        plain,
        gauges=gauges,
        luck=lambda _now: [(("shop", "a", "refunds", "structural"), 1, 4)],
    )
    for one, table in metrics._tables.items():
        table._limit = len(one.known) + 2
        for value in ("v", 'say "x"\n\\', "one more") if one.attributes else ("",):
            key = [name != "matched" and value for name in one.attributes]
            metrics.add(one, tuple(key), 3)
    return metrics.read()


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda one: one.name)
def test_each_instrument_has_the_name_that_otel_gives_it_in_prometheus(
    instrument: Instrument,
) -> None:
    samples = scraped(everything())
    name = FAMILIES[instrument.name]

    found = {one for one in samples if one == name or one.startswith(f"{name}_")}

    if instrument.kind is Kind.HISTOGRAM:
        assert found == {f"{name}_bucket", f"{name}_count", f"{name}_sum"}
    else:
        assert found == {name}


def test_a_scrape_is_what_the_mapping_makes_of_the_exported_bytes() -> None:
    """Every name, type, help, label and value: one query must fit both ways out."""
    data = everything()
    exported = encode_metrics(data).SerializeToString()

    assert scraped_families(prometheus_text(data).decode()) == mapped(exported)


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda one: one.name)
def test_the_mapping_gives_the_names_of_the_table(instrument: Instrument) -> None:
    """So that the mapping stated here is held to something too."""
    exported = mapped(encode_metrics(everything()).SerializeToString())
    family = exported[FAMILIES[instrument.name]]
    labels = {name for samples in family.samples.values() for one in samples for name, _ in one}

    assert family.kind == instrument.kind.value
    overflows = instrument.attributes and instrument.kind is not Kind.GAUGE
    assert labels == {
        *(name.replace(".", "_") for name in instrument.attributes),
        *(["le"] if instrument.kind is Kind.HISTOGRAM else []),
        *(["otel_metric_overflow"] if overflows else []),
    }


@pytest.mark.parametrize(
    ("name", "unit", "kind", "mapped_name"),
    [
        ("a.b", "", "gauge", "a_b"),
        ("a.b", "{run}", "counter", "a_b_total"),
        ("a.b", "1", "gauge", "a_b_ratio"),
        ("a.b", "s", "histogram", "a_b_seconds"),
        ("a.b.bytes", "By", "counter", "a_b_bytes_total"),
        ("a.b.total", "", "counter", "a_b_total"),
        ("a--b..c", "", "gauge", "a_b_c"),
    ],
)
def test_the_mapping_follows_the_compatibility_document(
    name: str, unit: str, kind: str, mapped_name: str
) -> None:
    assert otel_name(name, unit, kind) == mapped_name


def test_buckets_are_cumulative_and_spelled_as_go_does() -> None:
    metrics = Metrics(MovedClock(), IDENTITY, plain)
    for seconds in (0.2, 0.3, 7, 9000):
        metrics.add(of.RUN_DURATION, ("s", "a", "x"), seconds)

    buckets = scraped(metrics.read())["surefoot_run_duration_seconds_bucket"]

    counts = {dict(labels)["le"]: value for labels, value in buckets.items()}
    assert counts["0.1"] == 0
    assert counts["0.25"] == 1
    assert counts["1"] == counts["5"] == 2
    assert counts["10"] == counts["3600"] == 3
    assert counts["+Inf"] == 4


def test_labels_are_the_attributes_with_underscores() -> None:
    metrics = Metrics(MovedClock(), IDENTITY, plain)
    metrics.add_run(a_run("a"), matched=True)
    metrics.add_plan(plan(a_run("a"), a_verdict(a_violation('say "x"\n\\'))))
    samples = scraped(metrics.read())

    assert dict(next(iter(samples["surefoot_runs_total"]))) == {
        "service": "shop",
        "agent": "order_desk",
        "matched": "true",
        "close_reason": "root",
    }
    assert dict(next(iter(samples["surefoot_violations_total"])))["check"] == 'say "x"\n\\'


def test_the_overflow_series_is_told_apart() -> None:
    metrics = Metrics(MovedClock(), IDENTITY, plain)
    for n in range(2001):
        metrics.add(of.RUNS, (f"s{n}", "a", True, "root"))
    samples = scraped(metrics.read())["surefoot_runs_total"]

    assert len(samples) == 2000
    assert samples[frozenset({("otel_metric_overflow", "true")})] == 2


def test_the_resource_stands_in_target_info() -> None:
    samples = scraped(everything())

    assert samples["target_info"] == {
        frozenset(
            {
                ("service_name", "surefoot"),
                ("service_instance_id", "i-1"),
                ("service_version", "1.2.3"),
            }
        ): 1
    }


def test_the_text_is_of_the_format_that_its_content_type_names() -> None:
    text = prometheus_text(everything()).decode()

    assert CONTENT_TYPE == "text/plain; version=0.0.4; charset=utf-8"
    assert "# TYPE surefoot_runs_total counter\n" in text
    assert "# TYPE surefoot_luck_rate_ratio gauge\n" in text
    assert "# TYPE surefoot_verdict_latency_seconds histogram\n" in text
