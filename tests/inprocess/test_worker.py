"""Whatever an agent or its exporter does: nothing waits, and nothing is lost in silence."""

import logging
import os
import threading
from collections.abc import Sequence

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext, TraceFlags, Tracer

from inprocess.agents import LUCKY, SAID, STRAY, Agent, call, use
from surefoot.inprocess.worker import Missed


def test_an_exporter_that_fails_is_no_agents_business(caplog: pytest.LogCaptureFixture) -> None:
    class Exporter(InMemorySpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            raise ConnectionError(f"{len(spans)} went nowhere")

    agent = Agent(out=Exporter())
    call(agent.tracer, "issue_refund")
    agent.provider.force_flush()
    call(agent.tracer, "issue_refund")
    agent.provider.shutdown()

    assert "went nowhere" in caplog.text


def test_a_span_that_cannot_be_taken_is_told_and_the_next_is_judged(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    context = SpanContext(1, 1, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    agent.processor.on_end(ReadableSpan("open\udce9", context))
    call(agent.tracer, "issue_refund")
    agent.provider.force_flush()

    assert "is not judged (" in caplog.text
    assert agent.names() == LUCKY


def test_a_span_that_cannot_be_written_leaves_its_trace_undecided(agent: Agent) -> None:
    """Without its call of check_policy the run would look lucky, on complete evidence."""
    with agent.tracer.start_as_current_span("agent") as root:
        root.set_attributes({"openinference.span.kind": "AGENT", **SAID})
        use(agent.tracer, "lookup_order").end()
        step = use(agent.tracer, "check_policy")
        step.set_status(trace.Status(trace.StatusCode.ERROR, "bad \udce9 name"))
        step.end()
    agent.provider.force_flush()

    assert agent.names() == ["verdict inconclusive: desk"]
    (verdict,) = agent.out.get_finished_spans()
    assert "attributes_dropped" in str((verdict.attributes or {})["surefoot.evidence"])


@pytest.mark.parametrize("value", ["half \udce9", 2**70])
def test_an_attribute_that_cannot_be_written_is_told_as_dropped(
    agent: Agent, value: str | int
) -> None:
    with agent.tracer.start_as_current_span("agent") as root:
        root.set_attributes({"openinference.span.kind": "AGENT", **SAID, "app.other": value})
        use(agent.tracer, "check_policy").end()
    agent.provider.force_flush()

    (verdict,) = agent.out.get_finished_spans()
    assert "attributes_dropped" in str((verdict.attributes or {})["surefoot.evidence"])


def test_a_span_may_end_wherever_python_runs(agent: Agent) -> None:
    """In a finalizer, a signal or log handler, while the same thread hands another one over."""
    worker = agent.processor._worker
    with worker.line.shared.lock, worker._out._change:
        call(agent.tracer, "issue_refund")
    agent.provider.force_flush()

    assert agent.names() == LUCKY


def test_no_burst_of_spans_is_lost_and_none_of_their_verdicts(agent: Agent) -> None:
    """More spans than the SDK's own processor would hold, and more verdicts."""
    threads = [threading.Thread(target=call_often, args=(agent.tracer, 150)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert agent.provider.force_flush()

    assert agent.names().count("verdict lucky: desk") == 1200
    assert agent.processor._worker.line.shared.buffer.counts.received == 2400


def call_often(tracer: Tracer, times: int) -> None:
    for _ in range(times):
        call(tracer, "issue_refund")


def test_what_finds_no_room_is_missed_and_its_trace_undecided(agent: Agent) -> None:
    worker = agent.processor._worker
    with agent.tracer.start_as_current_span("agent") as root:
        root.set_attributes({"openinference.span.kind": "AGENT", **SAID})
        use(agent.tracer, "lookup_order").end()
        missed = use(agent.tracer, "check_policy").get_span_context().trace_id
        worker._queue.put(Missed(missed.to_bytes(16)))
    agent.provider.force_flush()

    assert agent.names() == ["verdict inconclusive: desk"]
    assert worker.line.shared.buffer.counts.rejected == {"queue_full": 1}


class Stuck(InMemorySpanExporter):
    """Exports nothing until it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.may.wait(60)
        return super().export(spans)


def test_a_flush_keeps_to_its_time_while_an_exporter_is_stuck() -> None:
    out = Stuck()
    agent = Agent(out=out)
    call(agent.tracer, "issue_refund")

    assert not agent.processor.force_flush(50)
    out.may.set()
    assert agent.processor.force_flush()
    assert agent.names() == LUCKY
    agent.provider.shutdown()


def test_the_last_line_counts_every_span_that_was_handed_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    agent = Agent()
    call(agent.tracer, "issue_refund")
    agent.provider.force_flush()
    agent.processor._worker.put(STRAY)
    agent.processor._worker._queue.put(Missed(bytes(15) + b"2"))
    agent.provider.shutdown()

    assert (
        "of 4 spans 2 judged, 2 duplicate, late, ignored or rejected, 0 lost; verdicts: 1; "
        "requests not delivered: 0"
    ) in caplog.text


def test_a_thread_that_has_ended_by_a_fault_says_so_and_takes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    agent = Agent()
    worker, line = agent.processor._worker, agent.processor._worker.line
    del worker.line
    agent.processor.on_end(STRAY)
    worker.thread.join(20)
    worker.line = line
    call(agent.tracer, "issue_refund")

    assert not agent.processor.force_flush(10)
    agent.provider.shutdown()
    assert "judging has ended, no further verdict follows (" in caplog.text
    assert "of 3 spans 0 judged, 0 duplicate, late, ignored or rejected, 3 lost" in caplog.text


def test_spans_of_which_nobody_noted_the_trace_leave_every_open_one_undecided(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    worker = agent.processor._worker
    with agent.tracer.start_as_current_span("agent") as root:
        root.set_attributes({"openinference.span.kind": "AGENT", **SAID})
        use(agent.tracer, "lookup_order").end()
        worker._is_blind, worker._uncounted = True, 7
    assert not agent.provider.force_flush()  # something was missed

    assert agent.names() == ["verdict inconclusive: desk"]
    assert "7 spans found no room" in caplog.text
    call(agent.tracer, "check_policy")
    assert agent.provider.force_flush()
    assert "verdict pass: desk" in agent.names()


def test_a_flush_says_so_where_an_export_failed() -> None:
    agent = Agent(out=Failing())
    call(agent.tracer, "issue_refund")

    assert not agent.provider.force_flush()
    agent.provider.shutdown()


class Failing(InMemorySpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        super().export(spans)
        return SpanExportResult.FAILURE


class Asking(InMemorySpanExporter):
    """Flushes and shuts down what exports, from the very thread."""

    agent: Agent
    told: bool | None = None

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self.told is None:
            self.told = self.agent.processor.force_flush()
        return super().export(spans)


def test_our_own_threads_do_not_wait_for_themselves() -> None:
    out = Asking()
    agent = out.agent = Agent(out=out)
    call(agent.tracer, "issue_refund")
    agent.provider.force_flush()

    assert out.told is False
    agent.provider.shutdown()
    assert agent.names() == LUCKY


def test_who_shuts_down_beside_another_waits_for_the_end() -> None:
    out = Stuck()
    agent = Agent(out=out)
    call(agent.tracer, "issue_refund")
    first = threading.Thread(target=agent.processor.shutdown)
    first.start()
    while not agent.processor._is_shut:
        pass
    out.may.set()
    agent.processor.shutdown()

    assert agent.names() == LUCKY
    first.join()


def test_a_fork_waits_until_the_worker_holds_no_lock(agent: Agent) -> None:
    works = agent.processor._worker.works
    works.acquire()
    threading.Timer(0.05, works.release).start()
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

    assert not works.locked()
    call(agent.tracer, "issue_refund")
    assert agent.provider.force_flush()
