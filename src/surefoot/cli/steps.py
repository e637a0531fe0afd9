"""`surefoot steps`: what agents did, one JSON object a run, one a line."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from surefoot.cli.lines import dump, run_line
from surefoot.cli.offline import runs
from surefoot.cli.read import requests
from surefoot.evaluate import mask
from surefoot.specs import SpecSet


class Unit(StrEnum):
    """What is one run."""

    TRACE = "trace"
    AGENT = "agent"
    SESSION = "session"


Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH...",
        help="OTLP files (.binpb, .json, .jsonl, each also .gz), folders of them, or - for the "
        "standard input, read as one stream.",
    ),
]
UnitOption = Annotated[Unit, typer.Option(help="What is one run.")]


def steps(paths: Paths, unit: UnitOption = Unit.TRACE) -> None:
    """Print the runs in OTLP files: one JSON object a run, one a line."""
    for run in runs(requests(paths), SpecSet(), unit=unit.value):
        typer.echo(dump(run_line(run, mask)))
