"""Verdicts on the console of a running server.

Owns the thread that prints, and that printing never holds up judging: a terminal that
is stopped, or a pipe that nobody reads, costs verdicts on the console and nothing else.
How many were not shown is said as soon as something can be printed again.
"""

import queue
import threading
from typing import Final, Self

from rich.console import Console

from surefoot.cli.report import block
from surefoot.emit.sent import Plan
from surefoot.emit.texts import Texts

#: Verdicts that wait to be printed.
_WAITING: Final = 1000
#: What a terminal gets at the end to take the rest.
_LAST_S: Final = 1.0


class VerdictPrinter:
    """Prints each verdict that it is shown, on a thread of its own while in a `with`."""

    def __init__(self, console: Console, texts: Texts) -> None:
        self._console = console
        self._texts = texts
        self._waiting: queue.Queue[Plan | None] = queue.Queue(_WAITING)
        self._unshown = 0
        #: Whether printing failed, and what was printed last may wait in a buffer.
        self.is_gone = False
        self._thread = threading.Thread(target=self._print_all, name="console", daemon=True)

    def show(self, plan: Plan) -> None:
        """Print the plan's verdict soon. Never waits."""
        if plan.emit and plan.verdict is not None:
            try:
                self._waiting.put_nowait(plan)
            except queue.Full:
                self._unshown += 1

    def __enter__(self) -> Self:
        """Begin to print."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Print what waits, if that can be done in a moment."""
        try:
            self._waiting.put(None, timeout=_LAST_S)
        except queue.Full:
            return
        self._thread.join(_LAST_S)

    def _print_all(self) -> None:
        while (plan := self._waiting.get()) is not None:
            revision = plan.after.revision
            note = f" (revision {revision})" if revision else ""
            try:
                for line in block(plan.run, plan.verdict, self._texts, note):
                    self._console.print(line)
                self._console.print()
                if self._unshown:
                    self._console.print(f"{self._unshown} verdicts were not shown")
                    self._unshown = 0
            except OSError:  # nobody reads it any more, or the disk is full; the server goes on
                self.is_gone = True
                return
