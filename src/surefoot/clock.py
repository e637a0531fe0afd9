"""Where time comes from. The core takes `now_ns` as an argument and never asks."""

import time
from typing import Protocol


class Clock(Protocol):
    """What tells the time."""

    def now_ns(self) -> int:
        """Nanoseconds that only grow: for timers and ages."""
        ...

    def wall_ns(self) -> int:
        """Nanoseconds since 1970-01-01 UTC: for what leaves the process."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_ns(self) -> int:
        """See `Clock`."""
        return time.monotonic_ns()

    def wall_ns(self) -> int:
        """See `Clock`."""
        return time.time_ns()
