"""Judge an agent in its own process: a span processor of the OpenTelemetry SDK.

    agent ─span ends─> SpanProcessor ─> buffer ─> assemble ─> evaluate ─> exporter

For notebooks, tests and programs without a sidecar. Spans are encoded as they would be sent
and go the way that they go in the server (`pipeline`), so the verdicts are the server's.
Owns the thread that judges, and what becomes of all this when the process forks, flushes
or ends. The SDK's own batch processor takes the verdicts to the exporter.

An agent's threads never wait for a verdict, with one exception: where judging is behind by
more than the intake allows, the thread that ends a span judges, too. Refusing that span,
as the server does, would lose it, for nobody sends it again.
"""

import os
import threading
import uuid
import weakref
from dataclasses import replace
from importlib.metadata import version
from typing import Final, Literal, TypedDict, Unpack

from opentelemetry.sdk import trace as sdk
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from pydantic import ValidationError

from surefoot.clock import Clock, SystemClock
from surefoot.config import Config, load_config
from surefoot.config.problems import of_model
from surefoot.config.schema import Judging
from surefoot.emit.identity import Identity
from surefoot.emit.readable import readable
from surefoot.errors import ConfigError, Overloaded
from surefoot.pipeline import Pipeline
from surefoot.receive.finished import to_protobuf
from surefoot.specs import SpecSet
from surefoot.specs.given import given
from surefoot.telemetry import JudgingEnded, SpanFailed, Telemetry
from surefoot.yamlfile import dotted

#: What `shutdown` takes at most to judge what is open, beside the exporter's own time.
SHUTDOWN_NS: Final = 10_000_000_000
#: The longest sleep of the thread that judges, while spans are held.
TICK_S: Final = 0.25
#: Spans come from this process alone and at once; a child may outlive its root a little.
SETTLE: Final = "1s"
#: Of an agent's own process, a smaller part than of a machine's server.
MEMORY_MIB: Final = 256
_NS: Final = 1_000_000_000
_MS_NS: Final = 1_000_000


class Settings(TypedDict, total=False):
    """What may be said: the keys of `processors.surefoot` in a configuration file.

    Durations are written as there (`1s`, `2m`). Of memory_limit_mib, spans take up to 60 %.
    """

    unit: Literal["trace", "agent", "session"]
    settle: str
    idle_timeout: str
    max_age: str
    amend_for: str
    memory_limit_mib: int
    text_limit: dict[str, str]
    redact_values: bool


class SpanProcessor(sdk.SpanProcessor):
    """Judges the traces of this process, and exports verdict and violation spans.

    The agent's own spans are not exported: that stays the business of the processor that
    does so now. Give this one an exporter of its own, since it shuts it down:

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        provider.add_span_processor(surefoot.SpanProcessor(OTLPSpanExporter(), "specs/"))

    A trace is judged when its root has ended and `settle` has passed; `force_flush` judges
    at once what is whole (with unit `session`, a session is judged when it has been quiet for
    `idle_timeout`), `shutdown`, which the provider calls at exit, all that is open.
    Traces that come from or go to other processes are seen in part, and judged as such.

    Ending a span takes some 120 us on the agent's thread, most of it encoding. A forked
    child judges the traces that begin in it; those that were open stay with the parent.

    Args:
        exporter: Where verdicts go. Shut down with this.
        specs: Spec files or folders, dicts of a spec's keys, or `surefoot.Spec`s. Read once.
        settings: See `Settings`. Unless written, `settle` is 1s and `memory_limit_mib` 256.

    Raises:
        SpecError: A spec is wrong.
        ConfigError: A setting is wrong.
    """

    def __init__(
        self,
        exporter: SpanExporter,
        specs: object,
        *,
        clock: Clock | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        self._specs: SpecSet = given(specs)
        self._config = _config(settings)
        self._clock = clock or SystemClock()
        self._out = BatchSpanProcessor(exporter)
        self._is_shut = False
        self._begin()
        _after_fork(self)

    def on_end(self, span: sdk.ReadableSpan) -> None:
        """Take a span that has ended. Raises nothing."""
        sampled = span.context is not None and span.context.trace_flags.sampled
        if self._is_shut or self._has_ended or not sampled:
            return  # a trace that is not exported has no place for a verdict
        try:
            body = to_protobuf((span,))
            while not self._take(body):
                self._judge_due()
        except Exception as error:  # noqa: BLE001 - an agent does not end for a span of ours
            self._telemetry.record(SpanFailed(span.name, type(error).__name__), error)
            return
        if self._idle:
            self._wake.set()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Judge every trace that is whole by now, and export what was found.

        Returns:
            False if that was not done in time.
        """
        deadline_ns = self._clock.now_ns() + timeout_millis * _MS_NS
        is_on = not (self._is_shut or self._has_ended)
        if not is_on or not self._turn.acquire(timeout=timeout_millis / 1000):
            return False
        try:
            self._hasten()
            while self._line.judge.judge_next():
                if self._clock.now_ns() > deadline_ns:
                    return False
            self._line.judge.flush()
        finally:
            self._turn.release()
        left_ms = max(0, deadline_ns - self._clock.now_ns()) // _MS_NS
        return self._out.force_flush(int(left_ms))

    def shutdown(self) -> None:
        """Judge what is open, export it, and shut the exporter down. Twice is fine."""
        if self._is_shut:
            return
        self._is_shut = True
        began_ns = self._clock.now_ns()
        self._stopping.set()
        self._wake.set()
        line = self._line
        if self._turn.acquire(timeout=SHUTDOWN_NS / _NS):
            try:
                self._hasten()
                line.judge.drain(began_ns + SHUTDOWN_NS)
            finally:
                self._turn.release()
        else:  # stuck in one trace: what is open cannot be judged beside it
            line.shared.buffer.abandon()
        self._out.shutdown()  # type: ignore[no-untyped-call]
        took_s = (self._clock.now_ns() - began_ns) / _NS
        self._telemetry.record(line.stopped(undelivered=0, took_s=took_s))

    def _begin(self) -> None:
        """Begin with nothing held: at the start, and in a forked child.

        No thread yet, and no lock that another one could hold.
        """
        self._telemetry = Telemetry(self._clock)
        self._line = Pipeline(
            self._config,
            self._specs,
            identity=Identity(str(uuid.uuid4()), version("surefoot")),
            clock=self._clock,
            telemetry=self._telemetry,
            verdicts=_ToExporter(self._out),
        )
        self._turn = threading.Lock()  #: held by whoever judges
        self._stopping, self._wake = threading.Event(), threading.Event()
        self._idle = self._has_ended = False
        self._thread = threading.Thread(target=self._run, name="surefoot", daemon=True)
        self._thread.start()

    def _take(self, body: bytes) -> bool:
        """Have a span held. False if judging is too far behind for that."""
        try:
            self._line.intake.accept(body, "process")
        except Overloaded:
            return False
        return True

    def _hasten(self) -> None:
        """Let what is whole be due: all of it came from here, nothing is under way."""
        with self._line.shared.lock:
            self._line.shared.buffer.hasten(self._clock.now_ns())

    def _judge_due(self) -> None:
        """Judge what is due, and send what was found."""
        with self._turn:
            while self._line.judge.judge_next():
                pass
            self._line.judge.flush()

    def _run(self) -> None:
        """Judge what comes due, until told to stop."""
        stopping, wake = self._stopping, self._wake
        try:
            while not stopping.is_set():
                self._judge_due()
                wake.clear()
                self._idle = True  # before it is asked: what comes from now on wakes us
                wait_ns = self._line.judge.wait_ns()
                if wait_ns is None:
                    wake.wait()
                self._idle = False
                if wait_ns is not None:
                    wake.wait(min(TICK_S, wait_ns / _NS))
        except Exception as error:  # noqa: BLE001 - told; the agent goes on without us
            self._has_ended = True
            self._telemetry.record(JudgingEnded(type(error).__name__), error)


class _ToExporter:
    """Requests go to an SDK's exporter as spans. Its queue drops the oldest, and says so."""

    def __init__(self, out: BatchSpanProcessor) -> None:
        self._out = out

    def offer(self, body: bytes) -> bool:
        """See `surefoot.pipeline.Outlet`."""
        for span in readable(body):
            self._out.on_end(span)
        return True

    def has_room(self, _size: int) -> bool:
        """See `surefoot.pipeline.Outlet`."""
        return True

    def waiting(self) -> int:
        """See `surefoot.pipeline.Outlet`."""
        return 0


def _config(settings: Settings) -> Config:
    """What a server with these settings would be told, and no environment."""
    said = {"settle": SETTLE, "memory_limit_mib": MEMORY_MIB} | settings
    known = Settings.__annotations__
    if unknown := next((key for key in said if key not in known), None):
        raise ConfigError(f"{unknown}: no such setting; known: {', '.join(known)}")
    try:
        judging = Judging.model_validate(said)
    except ValidationError as failure:
        problems = of_model(failure, Judging, besides=())
        lines = [f"{dotted(at)}: {words}" for at, words in problems]
        raise ConfigError("\n".join(lines)) from failure
    return replace(load_config(None, {}), judging=judging, console=False)


def _after_fork(processor: SpanProcessor) -> None:
    """Have a forked child begin anew, for as long as the processor lives."""
    reference = weakref.ref(processor)

    def begin() -> None:
        if (found := reference()) is not None and not found._is_shut:  # noqa: SLF001 - our own
            found._begin()  # noqa: SLF001 - as above

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=begin)
