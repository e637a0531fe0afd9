"""`surefoot check`: judge OTLP files by specs, and gate.

Exits 0 if nothing gates, 1 if something does, 2 if nothing was judged or a check
crashed; `gate` owns the rules.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from surefoot import specs as spec_files
from surefoot.cli.gate import FailOn, Judged, faults, gates
from surefoot.cli.lines import dump, judged_line
from surefoot.cli.offline import runs
from surefoot.cli.read import requests
from surefoot.cli.report import report
from surefoot.cli.show import plain, results
from surefoot.cli.steps import Paths, Unit, UnitOption
from surefoot.emit.texts import Texts
from surefoot.evaluate import judge, mask

_GATED = 1
_NOT_JUDGED = 2


class Format(StrEnum):
    """How the result is printed."""

    TEXT = "text"
    JSON = "json"


def _named(names: list[str]) -> list[str]:
    """Take `--fail-on a,b` like `--fail-on a --fail-on b`."""
    split = [name.strip() for text in names for name in text.split(",")]
    for name in split:
        if name not in tuple(FailOn):
            raise typer.BadParameter(f"{name!r} is none of {', '.join(FailOn)}")
    return split


def check(
    paths: Paths,
    specs: Annotated[list[Path], typer.Option(help="A spec file or a folder of them; repeatable.")],
    output_format: Annotated[
        Format, typer.Option("--format", help="How to print the result.")
    ] = Format.TEXT,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            callback=lambda names: _named(names or []),
            metavar="|".join(FailOn),
            help="Exit 1 on any of these, in place of the usual: a hard violation, or a soft "
            "check violated in more than half of its runs. Repeatable, or with commas.",
        ),
    ] = None,
    unit: UnitOption = Unit.TRACE,
) -> None:
    """Judge the runs in OTLP files by specs; exit 1 if something gates."""
    loaded = spec_files.load(specs)
    judged = [
        Judged(run, tuple(judge(run, spec) for spec in loaded.matching(run)))
        for run in runs(requests(paths), loaded, unit=unit.value)
    ]
    gating = gates(judged, frozenset(FailOn(name) for name in fail_on or ()))
    if output_format is Format.JSON:
        for one in judged:
            typer.echo(dump(judged_line(one.run, one.verdicts, mask)))
    else:
        report(results(), judged, gating, Texts(mask))
    if wrong := faults(judged):
        for fault in wrong:
            typer.echo(f"surefoot: {plain(mask(fault))}", err=True)
        raise typer.Exit(_NOT_JUDGED)
    if gating:
        raise typer.Exit(_GATED)
