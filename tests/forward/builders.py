"""Senders for tests: waits pass at once and are written down."""

import threading
from dataclasses import dataclass, field

from clocks import FrozenClock
from surefoot.forward.news import Kind, News
from surefoot.forward.options import Options, Retry, Signal
from surefoot.forward.sender import Sender


@dataclass
class Bench:
    """A sender, its clock, and what it waited for and told."""

    options: Options
    clock: FrozenClock = field(default_factory=FrozenClock)
    waits: list[float] = field(default_factory=list)
    news: list[News] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self.sender = Sender(
            self.options, self.clock, self._hear, wait=self._wait, chance=lambda: 0.5
        )

    def _hear(self, news: News) -> None:
        with self._changed:
            self.news.append(news)
            self._changed.notify_all()

    def wait_for_news(self, count: int) -> None:
        """Wait until so many things were told."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.news) >= count, 20)

    def _wait(self, _event: threading.Event, seconds: float) -> None:
        self.waits.append(seconds)
        self.clock.advance(seconds)

    def drain(self) -> None:
        """Send all that is left; the clock stands still meanwhile, so nothing is late."""
        self.sender.drain(self.clock.now_ns() + 3_600_000_000_000)

    def kinds(self) -> list[Kind]:
        """What was told, in order."""
        return [news.kind for news in self.news]


def a_bench(  # noqa: PLR0913 - a builder names what a test may vary
    endpoint: str,
    *,
    signal: Signal = "traces",
    consumers: int = 1,
    queue_size: int = 1_000,
    queue_bytes: int = 1_000_000,
    timeout_s: float = 20,
    headers: dict[str, str] | None = None,
    gzip: bool = False,
    retry: Retry | None = None,
) -> Bench:
    """A sender in plain text that is not started."""
    return Bench(
        Options(
            endpoint,
            signal,
            insecure=True,
            gzip=gzip,
            headers=headers or {},
            timeout_s=timeout_s,
            queue_size=queue_size,
            queue_bytes=queue_bytes,
            consumers=consumers,
            retry=retry or Retry(),
        )
    )
