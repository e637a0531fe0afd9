"""The judge's thread: wait until something is due, judge it, look at the memory.

Owns the rhythm. A dead judge behind a live receiver would swallow spans in silence, so
an error here ends the process: it is kept, and `healthz` tells.
"""

import threading
from collections.abc import Callable

from surefoot.clock import Clock
from surefoot.pipeline import Judge, Pressure

#: The longest sleep: a verdict leaves within 100 ms of its trace's close.
TICK_S = 0.05
#: The shortest one. Traces come due one by one all the time, and each sleep costs some
#: 100 us; so what comes due within it is judged together.
NAP_S = 0.025
#: How often memory is measured.
MEASURE_NS = 1_000_000_000
#: A judge that has not come round for so long is stuck.
STUCK_NS = 30_000_000_000


class JudgeThread:
    """Runs a `Judge` from `start` to `stop`."""

    def __init__(
        self,
        judge: Judge,
        pressure: Pressure,
        clock: Clock,
        *,
        trim: Callable[[], None],
    ) -> None:
        self._judge = judge
        self._pressure = pressure
        self._clock = clock
        self._trim = trim
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="judge", daemon=True)
        self._beat_ns = clock.now_ns()
        self._measured_ns = 0
        self.error: BaseException | None = None

    def start(self) -> None:
        """Begin to judge."""
        self._thread.start()

    def stop(self, timeout_s: float) -> bool:
        """End after the trace at hand; whether it did in time. Unstarted is fine."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def problem(self) -> str:
        """Why judging does not go on; empty if it does."""
        if self.error is not None:
            return f"judging has ended: {type(self.error).__name__}"
        if self._clock.now_ns() - self._beat_ns > STUCK_NS:
            return "judging is stuck"
        return ""

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                now_ns = self._beat_ns = self._clock.now_ns()
                if now_ns - self._measured_ns >= MEASURE_NS:
                    self._measured_ns = now_ns
                    self._measure()
                if not self._judge.judge_next():
                    self._judge.flush()
                    wait_ns = self._judge.wait_ns()
                    wait_s = TICK_S if wait_ns is None else min(TICK_S, wait_ns / 1e9)
                    self._stop.wait(max(wait_s, NAP_S))
        except BaseException as error:
            self.error = error
            raise

    def _measure(self) -> None:
        """Let something go where memory is short, or a request found no room."""
        if self._pressure.measure():
            self._judge.relieve()
            self._trim()
