"""Verdicts on the console of a running server."""

import io
import threading

from rich.console import Console

from cli.builders import a_run, a_verdict, a_violation
from surefoot.cli.console import VerdictPrinter
from surefoot.emit.sent import plan
from surefoot.emit.texts import Texts


class Stuck(io.StringIO):
    """A terminal that was stopped: writing waits until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def write(self, text: str) -> int:
        self.reached.set()
        self.go_on.wait(10)
        return super().write(text)


class Closed(io.StringIO):
    """A pipe that nobody reads any more."""

    def write(self, _text: str) -> int:
        raise BrokenPipeError


class RaisingConsole(Console):
    """As the program's own: a closed pipe is told, not swallowed."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def printer(file: io.StringIO) -> VerdictPrinter:
    return VerdictPrinter(RaisingConsole(file=file, soft_wrap=True, markup=False), Texts(str))


def test_each_verdict_is_printed_once() -> None:
    run, verdict = a_run("lookup_order"), a_verdict(a_violation(step=0))
    first = plan(run, verdict)
    file = io.StringIO()

    with printer(file) as console:
        console.show(first)
        console.show(plan(run, verdict, first.after))

    assert file.getvalue().count("LUCKY ") == 1
    assert "hard forbidden: called forbidden tool issue_refund (step 0" in file.getvalue()


def test_an_amendment_says_its_revision() -> None:
    run = a_run("lookup_order")
    first = plan(run, a_verdict())
    file = io.StringIO()

    with printer(file) as console:
        console.show(first)
        console.show(plan(run, a_verdict(a_violation()), first.after))

    assert "desk (revision 1)\n" in file.getvalue()


def test_a_stopped_terminal_holds_nothing_up_and_the_unshown_are_counted() -> None:
    verdict = plan(a_run("lookup_order"), a_verdict())
    file = Stuck()

    with printer(file) as console:
        console.show(verdict)
        file.reached.wait(10)
        for _ in range(1005):
            console.show(verdict)
        file.go_on.set()

    assert "5 verdicts were not shown" in file.getvalue()


def test_a_closed_pipe_is_no_error() -> None:
    with printer(Closed()) as console:
        for _ in range(3):
            console.show(plan(a_run("lookup_order"), a_verdict()))
