"""A clock that tests move."""

from dataclasses import dataclass


@dataclass
class FrozenClock:
    """Stands still until it is told to move."""

    at_ns: int = 1_000_000_000_000
    wall_at_ns: int = 1_796_000_000_000_000_000

    def now_ns(self) -> int:
        """See `surefoot.clock.Clock`."""
        return self.at_ns

    def wall_ns(self) -> int:
        """See `surefoot.clock.Clock`."""
        return self.wall_at_ns

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.at_ns += int(seconds * 1e9)
        self.wall_at_ns += int(seconds * 1e9)
