"""The thread that takes, judges and sends, and the queue before it.

Theory: a span may end anywhere, in a signal handler, in a finalizer that the collector
runs, in a log handler of ours, so `put` takes no lock: `SimpleQueue.put` is written in C to
be entered again. All else happens on one thread. Who flushes or shuts down asks that
thread through the same queue, behind the spans that ended before, and waits for its answer.
What cannot be taken is not forgotten: its trace lacks something, and is judged so.
"""

import contextlib
import queue
import threading
import time
import uuid
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final, TypeAlias

from opentelemetry.sdk import trace as sdk
from opentelemetry.sdk.trace.export import SpanExporter

from surefoot.clock import Clock
from surefoot.config import Config
from surefoot.emit.exporting import Exporting
from surefoot.emit.identity import Identity
from surefoot.emit.readable import readable
from surefoot.pipeline import Pipeline
from surefoot.receive.finished import encoded
from surefoot.specs import SpecSet
from surefoot.telemetry import JudgingEnded, RequestDropped, SpanFailed, SpansMissed, Telemetry

#: What `stop` takes at most, beside the exporter's own.
SHUTDOWN_NS: Final = 10_000_000_000
#: The end of it is for sending what was found.
SEND_NS: Final = 2_000_000_000
#: How long a span may wait to be taken, and a trace to be judged once it is due.
TICK_S: Final = 0.1
#: Spans that wait to be taken, five times what the SDK's processor holds; of what comes on
#: top only the trace is noted, and of ten times as much nothing.
MOST: Final = 10_000
#: Spans encoded at once, and traces judged before further spans are taken.
BATCH: Final = 512
TRACES: Final = 64
_NS: Final = 1_000_000_000


@dataclass(slots=True)
class _Flush:
    """Somebody waits until what ended before is judged.

    mark: and until this is exported; None: judging had no time. missed: spans were.
    """

    answered: threading.Event = field(default_factory=threading.Event)
    mark: int | None = None
    missed: bool = False


@dataclass(frozen=True, slots=True)
class Missed:
    """A span that found no room, but for its trace."""

    trace_id: bytes


class _Stop:
    """Nothing comes behind it."""


_Ended: TypeAlias = "sdk.ReadableSpan | Missed"
_Asked: TypeAlias = "_Flush | _Stop | None"


class Worker:
    """The thread that takes, judges and sends, with all that it owns."""

    def __init__(
        self, config: Config, specs: SpecSet, exporter: SpanExporter, clock: Clock
    ) -> None:
        self._clock = clock
        self._exporter_name = type(exporter).__name__
        self.telemetry = telemetry = Telemetry(clock)
        self._out = Exporting(exporter, self._tell_lost)
        self.line = Pipeline(
            config,
            specs,
            identity=Identity(str(uuid.uuid4()), version("surefoot")),
            clock=clock,
            telemetry=telemetry,
            verdicts=_ToExporter(self._out),
            lag_limit_ns=None,  # refused, a span would be lost: nobody sends it again
        )
        #: Held while the thread works: a fork then would copy locks that nobody gives back.
        self.works = threading.Lock()
        self._is_blind = False  #: spans are missed, of traces that nobody noted
        self._missed = 0  #: since somebody flushed
        self._queue: queue.SimpleQueue[_Ended | _Flush | _Stop] = queue.SimpleQueue()
        self._uncounted = self._told = self._in_hand = 0
        self._stop_by_ns: int | None = None
        self._is_behind = self._is_over = False
        self._out.start()
        self.thread = threading.Thread(target=self._run, name="surefoot", daemon=True)
        self.thread.start()

    # From any thread.

    def put(self, span: sdk.ReadableSpan) -> None:
        """Have a span taken soon. Takes no lock, so that it may be entered again."""
        waiting = self._queue.qsize()
        if waiting < MOST and not self._is_over:
            self._queue.put(span)
        elif waiting < 10 * MOST and not self._is_over:
            self._queue.put(Missed(_trace_id(span)))
        else:
            self._uncounted += 1
            self._is_blind = True

    def is_own(self) -> bool:
        """Whether this is one of our own threads, which cannot wait for themselves."""
        return threading.current_thread() is self.thread or self._out.is_own()

    def flush(self, timeout_s: float) -> bool:
        """Have what is whole judged and exported.

        False if it was not done in time, if spans were missed, or an export failed.
        """
        by_s = time.monotonic() + timeout_s
        asked, lost = _Flush(), self._out.lost
        self._queue.put(asked)
        if self._is_over or self.is_own() or not asked.answered.wait(timeout_s):
            return False
        if asked.mark is None:
            return False
        in_time = self._out.wait_for(asked.mark, max(0.0, by_s - time.monotonic()))
        return in_time and not asked.missed and self._out.lost == lost

    def stop(self) -> None:
        """Judge and export what is open, as far as the time goes."""
        began_s = time.monotonic()
        self._stop_by_ns = self._clock.now_ns() + SHUTDOWN_NS - SEND_NS
        self._queue.put(_Stop())
        if self.is_own():
            return  # nothing of ours can wait for itself; what is left is lost with the process
        self.thread.join(SHUTDOWN_NS / _NS)
        took_s = time.monotonic() - began_s
        undelivered = self._out.stop(max(1.0, SHUTDOWN_NS / _NS - took_s))
        took_s = time.monotonic() - began_s
        self.telemetry.record(self.line.stopped(undelivered, took_s, self._untaken()))

    def _untaken(self) -> int:
        """How many spans were handed over and not taken, once the thread is over or stuck."""
        with contextlib.suppress(queue.Empty):
            while True:
                left = self._queue.get_nowait()
                if isinstance(left, _Flush):
                    left.answered.set()
                self._uncounted += isinstance(left, sdk.ReadableSpan | Missed)
        return self._uncounted + self._in_hand

    # On the thread.

    def _run(self) -> None:
        try:
            asked: _Asked = None
            while not isinstance(asked, _Stop):
                ended, asked = self._wait()
                with self.works:
                    self._take_all(ended)
                    self._answer(asked)
        except Exception as error:  # noqa: BLE001 - told; the agent goes on without us
            self.telemetry.record(JudgingEnded(type(error).__name__), error)
        finally:
            self._is_over = True
            self._untaken()

    def _wait(self) -> tuple[list[_Ended], _Asked]:
        """Some of what has ended; what somebody asks for ends the turn."""
        ended: list[_Ended] = []
        holds_nothing = self.line.judge.wait_ns() is None
        wait_s = 0.0 if self._is_behind else None if holds_nothing else TICK_S
        with contextlib.suppress(queue.Empty):
            while len(ended) < BATCH:
                one = self._queue.get(timeout=wait_s) if wait_s != 0 else self._queue.get_nowait()
                wait_s = 0.0
                if isinstance(one, _Flush | _Stop):
                    return ended, one
                ended.append(one)
        return ended, None

    def _answer(self, asked: _Asked) -> None:
        if asked is None:
            self._judge_due()
        elif isinstance(asked, _Flush):
            self._judge_whole()
            if self._stop_by_ns is None:
                asked.mark = self._out.mark()
            asked.missed, self._missed = self._missed > 0, 0
            asked.answered.set()
        else:
            self._hasten()
            self.line.judge.drain(self._stop_by_ns or 0)

    def _take_all(self, ended: list[_Ended]) -> None:
        """Have spans held, and traces know what they lack."""
        self._in_hand = len(ended)
        spans = [one for one in ended if isinstance(one, sdk.ReadableSpan)]
        missed = [one.trace_id for one in ended if isinstance(one, Missed)]
        self._take(spans)
        buffer = self.line.shared.buffer
        with self.line.shared.lock:
            for trace_id in missed:
                buffer.reject("queue_full", trace_id)
            if self._is_blind:  # any of them may lack something
                self._is_blind = not self._queue.empty()
                buffer.lack_all(map(_trace_id, spans))
        self._in_hand = 0
        more, self._told = self._uncounted - self._told, self._uncounted
        if number := len(missed) + more:
            self._missed += number
            self.telemetry.record(SpansMissed(number))

    def _take(self, spans: list[sdk.ReadableSpan]) -> None:
        """Have spans held; what cannot be written is lost to its trace, and told."""
        if not spans:
            return
        buffer, lock = self.line.shared.buffer, self.line.shared.lock
        try:
            body, lacking = encoded(spans)
        except Exception as error:  # noqa: BLE001 - whatever stands in an agent's spans
            if len(spans) > 1:
                for span in spans:
                    self._take([span])
                return
            with lock:
                buffer.reject("encoding", _trace_id(spans[0]))
            self.telemetry.record(SpanFailed(spans[0].name, type(error).__name__), error)
            return
        self.line.intake.accept(body, "process")
        with lock:
            for trace_id in lacking:
                buffer.lack(trace_id)

    def _judge_due(self) -> None:
        """Judge some of what is due, and send what was found."""
        judged = 0
        while judged < TRACES and self._stop_by_ns is None and self.line.judge.judge_next():
            judged += 1
        self._is_behind = judged == TRACES
        self.line.judge.flush()

    def _judge_whole(self) -> None:
        """Judge what is whole now, and not what comes due meanwhile."""
        self._hasten()
        now_ns = self._clock.now_ns()
        while self._stop_by_ns is None and self._is_due(now_ns) and self.line.judge.judge_next():
            pass
        self.line.judge.flush()

    def _hasten(self) -> None:
        """Let what is whole be due: all of it came from here, nothing is under way."""
        with self.line.shared.lock:
            self.line.shared.buffer.hasten(self._clock.now_ns())

    def _is_due(self, now_ns: int) -> bool:
        with self.line.shared.lock:
            return self.line.shared.buffer.is_due(now_ns)

    def _tell_lost(self, why: str) -> None:
        what = RequestDropped(self._exporter_name, "verdicts", "export failed", detail=why)
        self.telemetry.record(what)


class _ToExporter:
    """Requests go to an SDK's exporter as spans."""

    def __init__(self, out: Exporting) -> None:
        self._out = out

    def offer(self, body: bytes) -> bool:
        """See `surefoot.pipeline.Outlet`."""
        return self._out.offer(tuple(readable(body)))

    def has_room(self, _size: int) -> bool:
        """See `surefoot.pipeline.Outlet`. Always: `offer` waits for it, and judging with it."""
        return True

    def waiting(self) -> int:
        """See `surefoot.pipeline.Outlet`."""
        return 0


def _trace_id(span: sdk.ReadableSpan) -> bytes:
    return b"" if span.context is None else span.context.trace_id.to_bytes(16)
