"""Requests for an SDK's exporter wait within bounds, and each is counted once."""

import threading
from collections.abc import Iterator, Sequence

import pytest
from opentelemetry.context import _SUPPRESS_INSTRUMENTATION_KEY, get_value
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from surefoot.emit.exporting import MOST, Exporting

REQUEST = (ReadableSpan("one"), ReadableSpan("two"))
LARGE = (ReadableSpan("x"),) * (MOST // 4)
PATIENCE_S = 20.0


class Exporter(SpanExporter):
    """Answers as told, once it may."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.may.set()
        self.answer: SpanExportResult | Exception = SpanExportResult.SUCCESS
        self.came: list[int] = []
        self.suppressed: object = None

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.may.wait(PATIENCE_S)
        self.came.append(len(spans))
        self.suppressed = get_value(_SUPPRESS_INSTRUMENTATION_KEY)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Out:
    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self.exporter = Exporter()
        self.lost: list[str] = []
        self.exporting = Exporting(self.exporter, self.lost.append, patience_s)
        self.exporting.start()


@pytest.fixture
def out() -> Iterator[Out]:
    made = Out()
    yield made
    made.exporter.may.set()
    made.exporting.stop(PATIENCE_S)


def test_requests_leave_in_order_one_an_export(out: Out) -> None:
    assert out.exporting.offer(REQUEST)
    assert out.exporting.offer(REQUEST[:1])

    assert out.exporting.wait_for(out.exporting.mark(), PATIENCE_S)
    assert out.exporter.came == [2, 1]
    assert out.exporting.stop(PATIENCE_S) == 0


def test_what_the_exporters_client_does_makes_no_spans(out: Out) -> None:
    out.exporting.offer(REQUEST)
    out.exporting.wait_for(1, PATIENCE_S)

    assert out.exporter.suppressed is True


@pytest.mark.parametrize(
    ("answer", "why"),
    [(SpanExportResult.FAILURE, "FAILURE"), (ConnectionError("away"), "ConnectionError: away")],
)
def test_what_does_not_arrive_is_told_and_counted(
    out: Out, answer: SpanExportResult | Exception, why: str
) -> None:
    out.exporter.answer = answer
    out.exporting.offer(REQUEST)
    out.exporting.wait_for(1, PATIENCE_S)

    assert out.exporting.stop(PATIENCE_S) == 1
    assert out.lost == [why]


def test_a_request_waits_for_room_while_the_exporter_moves_on(out: Out) -> None:
    out.exporter.may.clear()
    assert all(out.exporting.offer(LARGE) for _ in range(4))
    threading.Timer(0.05, out.exporter.may.set).start()

    assert out.exporting.offer(LARGE)
    assert out.exporting.stop(PATIENCE_S) == 0
    assert out.exporter.came == [len(LARGE)] * 5


def test_behind_an_exporter_that_is_stuck_requests_are_lost_and_soon_so() -> None:
    out = Out(patience_s=0.05)
    out.exporter.may.clear()
    taken = [out.exporting.offer(LARGE) for _ in range(200)]

    assert taken == [True] * 4 + [False] * 196
    out.exporter.may.set()
    assert out.exporting.wait_for(200, PATIENCE_S)
    assert out.exporting.offer(REQUEST)
    assert out.exporting.stop(PATIENCE_S) == 196


def test_a_stop_waits_no_longer_than_it_may(out: Out) -> None:
    out.exporter.may.clear()
    out.exporting.offer(REQUEST)
    out.exporting.offer(REQUEST)

    assert not out.exporting.wait_for(2, 0.01)
    assert out.exporting.stop(0.01) == 2  # one waits, one is under way
    assert not out.exporting.offer(REQUEST)
