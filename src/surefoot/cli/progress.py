"""How far a long read has come, on a terminal.

Owns that a short one shows nothing: a bar appears after a second, on stderr, and goes when
the work is done. Away from a terminal there is none.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from surefoot.cli.read import Advance

#: A read that is done sooner shows no bar.
PATIENCE_S: Final = 1.0


class Reading:
    """Counts bytes, and shows them once it takes long."""

    def __init__(
        self, console: Console, total: int | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._bar = Progress(
            TextColumn("reading"),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("reading", total=total)
        self._clock = clock
        self._begun_s = clock()
        self.is_shown = False

    def advance(self, number: int) -> None:
        """Take note of bytes that were read."""
        self._bar.advance(self._task, number)
        if not self.is_shown and self._clock() - self._begun_s >= PATIENCE_S:
            self._bar.start()
            self.is_shown = True

    def stop(self) -> None:
        """Take the bar away."""
        if self.is_shown:
            self._bar.stop()


@contextmanager
def reading(console: Console, total: int | None) -> Iterator[Advance]:
    """Show what is read within the block, if it takes long and anybody watches."""
    if not console.is_terminal:
        yield int
        return
    shown = Reading(console, total)
    try:
        yield shown.advance
    finally:
        shown.stop()
