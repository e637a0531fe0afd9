"""The program `surefoot`: its commands, and what becomes of an error.

Owns the list of commands and the one place where an error becomes a message. Results
go to stdout, everything else to stderr. Exit codes: what the command says; 2 for a
usage, configuration, spec or input error, and for a fault of our own (a gate that broke
must not look like one that said no); 130 for an interrupt; 141 where the reader of our
output went away, as a shell has it for a closed pipe.
"""

import os
import sys
import traceback
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer
import typer.core

from surefoot.cli.check import check
from surefoot.cli.demo import demo
from surefoot.cli.run import run
from surefoot.cli.schema import schema
from surefoot.cli.steps import steps
from surefoot.cli.validate import validate
from surefoot.errors import SurefootError

_WRONG = 2
_PIPE_CLOSED = 141


class _Commands(typer.core.TyperGroup):
    """The commands, with errors told in one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # a closed pipe is to be noticed here
        except SurefootError as error:
            for line in str(error).splitlines():
                typer.echo(f"surefoot: {line}", err=True)
            raise typer.Exit(_WRONG) from error
        except BrokenPipeError as gone:
            # What is still buffered has nowhere to go; Python would complain at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(_PIPE_CLOSED) from gone
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
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show an arrow is no error
            stream.reconfigure(errors="backslashreplace")
    app()
