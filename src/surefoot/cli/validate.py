"""`surefoot validate`: what is wrong with spec files, before they judge anything."""

from pathlib import Path
from typing import Annotated

import typer

from surefoot import specs

_WRONG = 2


def validate(
    spec: Annotated[
        list[Path], typer.Argument(metavar="SPEC...", help="Spec files, or folders of them.")
    ],
) -> None:
    """Check spec files: unknown keys, tools outside `tools`, rules that can never fire."""
    problems = specs.lint(spec)
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(_WRONG)
