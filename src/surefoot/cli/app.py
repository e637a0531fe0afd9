"""The program `surefoot`: its commands, and what becomes of an error.

Owns the list of commands and the one place where an error becomes a message. Results
go to stdout, everything else to stderr. Exit codes: what the command says; 2 for a
usage, configuration, spec or input error, and for a fault of our own (a gate that broke
must not look like one that said no); 130 for an interrupt; 141 where the reader of our
output went away, as a shell has it for a closed pipe.
"""

import errno
import gc
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer
import typer.core

from surefoot.cli.check import check
from surefoot.cli.demo import demo
from surefoot.cli.run import run
from surefoot.cli.schema import schema
from surefoot.cli.steps import steps
from surefoot.cli.streams import let_go_of_output, open_standard_streams
from surefoot.cli.validate import validate
from surefoot.errors import SurefootError

_COLLECT_AFTER = 20_000
_WRONG = 2
_PIPE_CLOSED = 141


#: What writing to a full disk, a closed stream or a broken device ends with.
_NOT_WRITTEN = frozenset({errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC})


@contextmanager
def _written_out() -> Iterator[None]:
    """Write out what was printed, and exit with a word if that cannot be done."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # it is to be noticed here, not when Python ends
    except BrokenPipeError as gone:
        let_go_of_output()
        raise typer.Exit(_PIPE_CLOSED) from gone
    except OSError as failure:
        if failure.filename is not None or failure.errno not in _NOT_WRITTEN:
            raise
        let_go_of_output()
        typer.echo(f"surefoot: cannot write the output: {failure.strerror}", err=True)
        raise typer.Exit(_WRONG) from failure


class _Commands(typer.core.TyperGroup):
    """The commands, with errors told in one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            with _written_out():
                return super().invoke(ctx)
        except SurefootError as error:
            for line in str(error).splitlines():
                typer.echo(f"surefoot: {line}", err=True)
            raise typer.Exit(_WRONG) from error
        except (typer.Exit, typer.Abort, typer.TyperException, KeyboardInterrupt):
            raise
        except Exception as fault:
            traceback.print_exception(fault)
            typer.echo("surefoot: this is a fault in Surefoot, please report it", err=True)
            raise typer.Exit(_WRONG) from fault


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (run, demo, steps, check, validate, schema):
    app.command()(_command)


def _print_version(asked: bool) -> None:  # noqa: FBT001 - the shape typer calls
    if asked:
        try:
            typer.echo(f"surefoot {version('surefoot')}")
        except PackageNotFoundError:  # run from a source tree
            typer.echo("surefoot (not installed)")
        raise typer.Exit


@app.callback()
def surefoot(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Grades the path an AI agent took, on the wire."""


def main() -> None:
    """Run the command line, and exit with its code."""
    open_standard_streams()
    # A trace of 32,000 spans makes a million objects, none of them in a cycle. With
    # CPython's thresholds the collector looks at all of them again and again: 14 times
    # the CPU of 3,200 spans; with these 12 times.
    gc.set_threshold(_COLLECT_AFTER, 20, 20)
    try:
        with _written_out():  # help and usage are printed before a command is invoked
            app()
    except typer.Exit as stop:
        sys.exit(stop.exit_code)
