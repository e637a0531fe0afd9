"""What the SDK calls: a span has ended, flush, shut down.

Owns the settings, and what becomes of a process's state when it forks. Everything else is
the worker's.
"""

import os
import threading
import time
import weakref
from dataclasses import replace
from typing import Final, Literal, TypedDict, Unpack

from opentelemetry.context import Context
from opentelemetry.sdk import trace as sdk
from opentelemetry.sdk.trace.export import SpanExporter
from opentelemetry.trace import get_current_span
from pydantic import ValidationError

from surefoot.clock import Clock, SystemClock
from surefoot.config import Config, load_config
from surefoot.config.problems import of_model
from surefoot.config.schema import Judging
from surefoot.errors import ConfigError
from surefoot.inprocess.worker import SHUTDOWN_NS, Worker
from surefoot.specs import SpecSet
from surefoot.specs.given import given
from surefoot.yamlfile import dotted

#: Spans come from this process alone and at once; a child may outlive its root a little.
SETTLE: Final = "1s"
#: Of an agent's own process, a smaller part than of a machine's server.
MEMORY_MIB: Final = 256
#: How long a fork waits for the worker: what one trace takes to be judged, and more.
FORK_S: Final = 1.0
#: Traces that are known to be the parent's, in a forked child.
_PARENTS: Final = 10_000


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

    An agent's thread hands a span over in some 2 us and waits for nothing. A forked child
    judges the traces that begin in it; those that were open stay with the parent.

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
        self._exporter = exporter
        self._clock = clock or SystemClock()
        self._is_shut = False
        self._is_done = threading.Event()
        self._forked_ns = 0  #: when this process came from another one; 0: it did not
        self._parents: set[int] = set()  #: traces that began there
        self._begin()
        _after_fork(self)

    def on_start(self, span: sdk.Span, parent_context: Context | None = None) -> None:
        """In a forked child, note what goes on in a trace of the parent."""
        if not self._forked_ns:
            return
        parent = get_current_span(parent_context)
        if isinstance(parent, sdk.ReadableSpan) and self._is_parents(parent):
            if len(self._parents) > _PARENTS:
                self._parents.clear()
            self._parents.add(span.get_span_context().trace_id)

    def on_end(self, span: sdk.ReadableSpan) -> None:
        """Take a span that has ended. Raises nothing, waits for nothing."""
        sampled = span.context is not None and span.context.trace_flags.sampled
        if self._is_shut or not sampled:  # what is not exported has no place for a verdict
            return
        if not (self._forked_ns and self._is_parents(span)):
            self._worker.put(span)

    def force_flush(self, timeout_millis: int | None = 30_000) -> bool:
        """Judge every trace that is whole by now, and export what was found.

        Returns:
            False if that was not done in time, or not all of it arrived.
        """
        timeout_s = 30.0 if timeout_millis is None else max(0, timeout_millis) / 1000
        return not self._is_shut and self._worker.flush(timeout_s)

    def shutdown(self) -> None:
        """Judge what is open, export it, and shut the exporter down. Twice is fine."""
        if self._is_shut:
            if not self._worker.is_own():  # another thread is at it
                self._is_done.wait(SHUTDOWN_NS / 1e9)
            return
        self._is_shut = True
        try:
            self._worker.stop()
        finally:
            self._exporter.shutdown()
            self._is_done.set()

    def _is_parents(self, span: sdk.ReadableSpan) -> bool:
        """Whether a span, or its trace, began before the fork."""
        if (span.start_time or 0) < self._forked_ns:
            return True
        return span.context is not None and span.context.trace_id in self._parents

    def _begin(self, forked_ns: int = 0) -> None:
        """Begin with nothing held: at the start, and in a forked child."""
        self._forked_ns = forked_ns
        self._worker = Worker(self._config, self._specs, self._exporter, self._clock)


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
    """Have a forked child begin anew, for as long as the processor lives.

    A fork waits, for a moment, until the worker holds no lock: one that was copied while it
    was held is never given back (up to Python 3.11, `cached_property` has one a class).
    """
    reference = weakref.ref(processor)
    held: list[threading.Lock] = []

    def wait() -> None:
        found = reference()
        if found is not None and not found._worker.is_own():  # noqa: SLF001 - our own
            works = found._worker.works  # noqa: SLF001 - as above
            if works.acquire(timeout=FORK_S):
                held.append(works)

    def go_on() -> None:
        while held:
            held.pop().release()

    def begin() -> None:
        held.clear()
        if (found := reference()) is not None and not found._is_shut:  # noqa: SLF001 - as above
            found._begin(time.time_ns())  # noqa: SLF001 - as above

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=wait, after_in_parent=go_on, after_in_child=begin)
