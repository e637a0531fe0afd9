"""Requests on their way to an SDK's exporter: a bounded queue, and the thread that empties it.

Owns the bound, the waiting for room, and the count of what did not arrive. Knows no verdict.

Why not the SDK's batch processor: it drops the oldest span when it is full and tells nobody
but the log, so a burst of verdicts (a flush of a thousand traces) lost most of itself and
was told as sent.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from opentelemetry.context import _SUPPRESS_INSTRUMENTATION_KEY, attach, detach, set_value
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

#: Spans that wait: four times what the SDK's processor holds. A verdict's takes some 5 KB.
MOST: Final = 8_192
#: As long as the SDK's processor waits for company.
PATIENCE_S: Final = 5.0


class Exporting:
    """From `start` to `stop`. One thread offers.

    Args:
        exporter: Called from a thread of ours alone, one request at a time.
        on_lost: Told of each request that did not arrive, and why.
        patience_s: How long a request waits for room while the exporter moves on.
    """

    def __init__(
        self,
        exporter: SpanExporter,
        on_lost: Callable[[str], None],
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._exporter = exporter
        self._on_lost = on_lost
        self._patience_s = patience_s
        self._change = threading.Condition()
        self._waiting: deque[Sequence[ReadableSpan]] = deque()
        self._spans = 0
        self._offered = self._ended = 0
        self._is_stuck = self._is_over = False
        #: Requests that did not arrive.
        self.lost = 0
        self._thread = threading.Thread(target=self._run, name="surefoot-export", daemon=True)

    def start(self) -> None:
        """Begin to export."""
        self._thread.start()

    def offer(self, spans: Sequence[ReadableSpan]) -> bool:
        """Queue a request; waits a while for room. False: there was none, and it is lost."""
        with self._change:
            if not self._is_stuck:
                self._change.wait_for(self._has_room, self._patience_s)
            taken = self._has_room() and not self._is_over
            self._is_stuck = not taken
            self._offered += 1
            if taken:
                self._waiting.append(spans)
                self._spans += len(spans)
                self._change.notify_all()
            else:
                self._ended += 1
                self.lost += 1
            return taken

    def mark(self) -> int:
        """How many requests were offered so far, to be waited for."""
        return self._offered

    def wait_for(self, mark: int, timeout_s: float) -> bool:
        """Wait until as many have ended, one way or the other. False: not in time."""
        with self._change:
            return self._change.wait_for(lambda: self._ended >= mark, timeout_s)

    def stop(self, timeout_s: float) -> int:
        """Export what waits, and end; how many requests did not arrive, of all.

        An export that does not return is left to itself, and did not arrive.
        """
        self.wait_for(self._offered, timeout_s)
        with self._change:
            self._is_over = True
            self.lost += len(self._waiting)
            self._ended += len(self._waiting)
            self._waiting.clear()
            self._change.notify_all()
            return self.lost + self._offered - self._ended

    def is_own(self) -> bool:
        """Whether this is the thread that exports."""
        return threading.current_thread() is self._thread

    def _has_room(self) -> bool:
        return self._spans < MOST or self._is_over

    def _run(self) -> None:
        """Export in turn. What the exporter's own client does makes no spans."""
        token = attach(set_value(_SUPPRESS_INSTRUMENTATION_KEY, value=True))
        try:
            while (spans := self._next()) is not None:
                why = self._export(spans)
                with self._change:
                    self._spans -= len(spans)
                    self._ended += 1
                    self.lost += bool(why)
                    self._is_stuck = False
                    self._change.notify_all()
                if why:
                    self._on_lost(why)
        finally:
            detach(token)

    def _next(self) -> Sequence[ReadableSpan] | None:
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._is_over)
            return self._waiting.popleft() if self._waiting else None

    def _export(self, spans: Sequence[ReadableSpan]) -> str:
        """Why it did not arrive; empty if it did."""
        try:
            result = self._exporter.export(spans)
        except BaseException as error:  # noqa: BLE001 - it may raise what it likes, on our thread
            return f"{type(error).__name__}: {error}"
        return "" if result is SpanExportResult.SUCCESS else result.name
