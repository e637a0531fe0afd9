import logging
import socket
import threading
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager

import grpc
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, Metric

from emit.builders import IDENTITY, plain
from emit.readings import MovedClock
from surefoot.emit import instruments as of
from surefoot.emit.export import MetricsLoop, otlp_exporter
from surefoot.emit.instruments import INSTRUMENTS
from surefoot.emit.metrics import Metrics

#: Longer than a test may take: what must happen sooner does not wait for a turn.
NEVER_S = 3600.0
SOON_S = 30.0
SERVICE = "opentelemetry.proto.collector.metrics.v1.MetricsService"


class Sink:
    """An OTLP backend that keeps what it gets, or answers with an error."""

    def __init__(self, code: grpc.StatusCode | None = None) -> None:
        self.requests: list[ExportMetricsServiceRequest] = []
        self.calls = 0
        self.code = code
        self.called = threading.Event()

    def answer(self, body: bytes, context: grpc.ServicerContext) -> bytes:
        self.calls += 1
        self.called.set()
        if self.code is not None:
            context.abort(self.code, "not today")
        self.requests.append(ExportMetricsServiceRequest.FromString(body))
        return ExportMetricsServiceResponse().SerializeToString()


@contextmanager
def serving(sink: Sink | None) -> Iterator[str]:
    """The address of a real gRPC server with this backend, or with no service at all."""
    server = grpc.server(futures.ThreadPoolExecutor(2))
    if sink is not None:
        methods = {"Export": grpc.unary_unary_rpc_method_handler(sink.answer)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


class Told:
    """What a loop reported."""

    def __init__(self) -> None:
        self.unsupported = 0
        self.failed: list[str] = []

    def on_unsupported(self) -> None:
        self.unsupported += 1


@contextmanager
def looping(endpoint: str, metrics: Metrics, told: Told | None = None) -> Iterator[MetricsLoop]:
    """A loop that exports only when asked to."""
    told = told or Told()
    loop = MetricsLoop(
        otlp_exporter(endpoint, insecure=True),
        metrics.read,
        interval_s=NEVER_S,
        on_unsupported=told.on_unsupported,
        on_failed=told.failed.append,
    )
    loop.start()
    try:
        yield loop
    finally:
        loop.stop(SOON_S)


def made() -> Metrics:
    metrics = Metrics(
        MovedClock(),
        IDENTITY,
        plain,
        gauges={of.SPANS_OPEN: lambda: 3},
        luck=lambda _now: [(("shop", "a", "refunds", "structural"), 1, 4)],
    )
    metrics.add(of.RUNS, ("shop", "a", True, "root"), 2)
    metrics.add(of.RUN_DURATION, ("shop", "a", "refunds"), 0.3)
    return metrics


def received(sink: Sink) -> dict[str, Metric]:
    """The metrics of the last request, by name."""
    (group,) = sink.requests[-1].resource_metrics
    (scope,) = group.scope_metrics
    return {metric.name: metric for metric in scope.metrics}


def test_metrics_arrive_as_otlp_with_cumulative_temporality() -> None:
    sink = Sink()
    with serving(sink) as endpoint, looping(endpoint, made()) as loop:
        assert loop.flush(SOON_S)

    got = received(sink)
    (rate,) = got["surefoot.luck.rate"].gauge.data_points
    assert rate.as_double == 0.25
    assert {pair.key: pair.value.string_value for pair in rate.attributes} == {
        "service": "shop",
        "agent": "a",
        "spec": "refunds",
        "output_source": "structural",
    }
    runs = got["surefoot.runs"].sum
    assert runs.is_monotonic
    assert runs.aggregation_temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
    assert runs.data_points[0].as_int == 2
    matched = {pair.key: pair.value for pair in runs.data_points[0].attributes}["matched"]
    assert matched.bool_value
    lasted = got["surefoot.run.duration"].histogram
    assert lasted.aggregation_temporality == runs.aggregation_temporality
    assert (lasted.data_points[0].count, lasted.data_points[0].sum) == (1, 0.3)
    assert got["surefoot.spans.open"].gauge.data_points[0].as_int == 3


def test_names_units_and_resource_arrive_as_in_the_table() -> None:
    sink = Sink()
    with serving(sink) as endpoint, looping(endpoint, made()) as loop:
        loop.flush(SOON_S)

    table = {one.name: (one.unit, one.description) for one in INSTRUMENTS}
    assert {name: (one.unit, one.description) for name, one in received(sink).items()} == {
        name: table[name] for name in received(sink)
    }
    group = sink.requests[-1].resource_metrics[0]
    resource = {pair.key: pair.value.string_value for pair in group.resource.attributes}
    assert resource == IDENTITY.attributes()
    assert group.scope_metrics[0].scope.name == "surefoot"


def test_the_end_exports_once_more() -> None:
    sink = Sink()
    with serving(sink) as endpoint, looping(endpoint, made()) as loop:
        loop.stop(SOON_S)

        assert len(sink.requests) == 1
        loop.stop(SOON_S)
        assert not loop.flush(SOON_S)


def test_an_interval_passes_and_metrics_leave_without_being_asked() -> None:
    sink = Sink()
    with serving(sink) as endpoint:
        loop = MetricsLoop(otlp_exporter(endpoint, insecure=True), made().read, interval_s=0.01)
        loop.start()

        assert sink.called.wait(SOON_S)
        loop.stop(SOON_S)


@pytest.mark.parametrize("sink", [Sink(grpc.StatusCode.UNIMPLEMENTED), None], ids=["said", "bare"])
def test_a_backend_that_takes_no_metrics_gets_no_more_of_them(
    sink: Sink | None, caplog: pytest.LogCaptureFixture
) -> None:
    """Jaeger has no metrics service at all: grpc itself answers."""
    told = Told()
    with serving(sink) as endpoint, looping(endpoint, made(), told) as loop:
        assert not loop.flush(SOON_S)
        assert not loop.flush(SOON_S)

    assert told.unsupported == 1
    assert told.failed == []
    assert sink is None or sink.calls == 1
    assert caplog.records == []


def test_a_second_loop_learns_of_it_too_within_the_time_that_the_exporter_repeats_no_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told = [Told(), Told()]
    with serving(None) as endpoint:
        for one in told:
            with looping(endpoint, made(), one) as loop:
                loop.flush(SOON_S)

    assert [one.unsupported for one in told] == [1, 1]
    assert caplog.records == []


def test_a_backend_that_refuses_once_is_tried_again() -> None:
    sink = Sink(grpc.StatusCode.PERMISSION_DENIED)
    told = Told()
    with serving(sink) as endpoint, looping(endpoint, made(), told) as loop:
        loop.flush(SOON_S)
        sink.code = None
        assert loop.flush(SOON_S)

    assert told.failed == ["PERMISSION_DENIED"]
    assert len(sink.requests) >= 1


def test_a_backend_that_is_away_does_not_hold_up_the_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The exporter retries for ten seconds; the end cuts that off."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    told = Told()
    loop = MetricsLoop(
        otlp_exporter(f"http://127.0.0.1:{port}", insecure=True),
        made().read,
        interval_s=NEVER_S,
        on_failed=told.failed.append,
    )
    loop.start()
    loop.stop(0.1)

    assert not [thread for thread in threading.enumerate() if thread.name == "metrics"]
    assert caplog.records == []
    assert logging.getLogger("opentelemetry.exporter.otlp.proto.grpc.exporter").filters


def test_a_loop_that_was_never_started_stops() -> None:
    loop = MetricsLoop(otlp_exporter("http://127.0.0.1:1", insecure=True), made().read)
    loop.stop(0)
    loop.stop(0)
