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
    """Check spec files: unknown keys and tools, rules that never fire."""
    problems = specs.lint(spec)
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(_WRONG)
    number, files = len(specs.load(spec).specs), sum(map(_files, spec))
    typer.echo(f"ok: {number} {_noun('spec', number)} in {files} {_noun('file', files)}")


def _files(path: Path) -> int:
    """How many spec files `path` is."""
    endings = (".yaml", ".yml")
    return sum(file.suffix in endings for file in path.iterdir()) if path.is_dir() else 1


def _noun(noun: str, number: int) -> str:
    return noun if number == 1 else f"{noun}s"
