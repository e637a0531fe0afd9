"""`surefoot check`: judge OTLP files by specs, and gate.

Exits 0 if nothing gates, 1 if something does, 2 if nothing was judged or a check
crashed; `gate` owns the rules. A report is printed whole or not at all: it is made after
the last file was read.
"""

import io
import re
import sys
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from surefoot import specs as spec_files
from surefoot.cli.findings import Findings
from surefoot.cli.gate import FailOn, Gate, Judged, faults, gates, nothing_judged
from surefoot.cli.junit import junit
from surefoot.cli.lines import dump, judged_line
from surefoot.cli.offline import runs
from surefoot.cli.origins import Origins
from surefoot.cli.outfile import must_be_writable, written
from surefoot.cli.progress import reading
from surefoot.cli.read import STDIN, STDIN_NAME, requests, size
from surefoot.cli.report import report, summary
from surefoot.cli.sarif import sarif
from surefoot.cli.show import asides, plain, results
from surefoot.cli.steps import Paths, Unit, UnitOption
from surefoot.emit.texts import Texts
from surefoot.errors import InputError
from surefoot.evaluate import judge, mask

_GATED = 1
_NOT_JUDGED = 2
#: Paths named in one message; who names more knows what they are.
_PATHS_SHOWN = 3
_SHARE = re.compile(r"(?P<number>[0-9]{1,3}(?:\.[0-9]{1,9})?)\s*(?P<percent>%?)")


class Format(StrEnum):
    """How the result is printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"


def _named(names: list[str]) -> list[str]:
    """Take `--fail-on a,b` like `--fail-on a --fail-on b`."""
    split = [name.strip() for text in names for name in text.split(",")]
    for name in split:
        if name not in tuple(FailOn):
            raise typer.BadParameter(f"{name!r} is none of {', '.join(FailOn)}")
    return split


def _share(text: str) -> Fraction:
    """Take a share as `0.9` or `90%`."""
    if found := _SHARE.fullmatch(text.strip()):
        share = Fraction(found["number"]) / (100 if found["percent"] else 1)
        if share <= 1:
            return share
    raise typer.BadParameter(f"{text!r} is no share; write 0.9 or 90%")


def check(  # noqa: PLR0913 - the command's options
    *,
    paths: Paths,
    specs: Annotated[list[Path], typer.Option(help="A spec file or a folder of them; repeatable.")],
    output_format: Annotated[
        Format, typer.Option("--format", help="How to print the result.")
    ] = Format.TEXT,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write it, whole or not at all."
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            callback=lambda names: _named(names or []),
            metavar="|".join(FailOn),
            help="Exit 1 on any of these, in place of the usual: a hard violation, or a soft "
            "check violated in more than half of its runs. Repeatable, or with commas.",
        ),
    ] = None,
    min_pass_rate: Annotated[
        Fraction | None,
        typer.Option(
            parser=_share,
            metavar="SHARE",
            help="Exit 1 also if fewer of the runs pass, of those that are not inconclusive: "
            "0.9 or 90%. If all are inconclusive the rate is undefined, and too low.",
        ),
    ] = None,
    unit: UnitOption = Unit.TRACE,
) -> None:
    """Judge runs in OTLP files by specs; exit 1 if something gates."""
    file = None if output is None or str(output) == STDIN else output
    if file is not None:
        must_be_writable(file)
    loaded = spec_files.written(specs)
    origins = Origins()
    judged = _judged(paths, spec_files.SpecSet.of(loaded), unit, origins)
    if nothing := nothing_judged(judged):
        raise InputError(plain(mask(f"{_listed(specs if judged else paths)}: {nothing}")))
    kinds = frozenset(map(FailOn, fail_on or ()))
    gating = gates(judged, kinds, min_pass_rate)
    wrong = faults(judged)
    code = _NOT_JUDGED if wrong else _GATED if gating else 0
    if output_format is Format.TEXT and file is None:
        report(results(), judged, gating, Texts(mask), origins)
    else:
        findings = Findings(Texts(mask), origins, Gate.of(judged, kinds))
        _write(_body(output_format, judged, loaded, findings, gating, code), file)
        if gating or file is not None:  # what a log should tell
            for line in summary(judged, gating):
                asides().print(line)
    for fault in wrong:
        typer.echo(f"surefoot: {plain(mask(fault))}", err=True)
    if code:
        raise typer.Exit(code)


def _judged(
    paths: Sequence[Path], loaded: spec_files.SpecSet, unit: Unit, origins: Origins
) -> list[Judged]:
    aside = asides()
    with reading(aside, size(paths) if aside.is_terminal else None) as advance:
        found = runs(requests(paths, advance), loaded, unit=unit.value, origins=origins)
        return [
            Judged(run, tuple(judge(run, spec) for spec in loaded.matching(run))) for run in found
        ]


def _body(
    kind: Format,
    judged: Sequence[Judged],
    loaded: Sequence[spec_files.Spec],
    findings: Findings,
    gating: Sequence[str],
    code: int,
) -> bytes:
    """The report, as it is written away from a terminal."""
    if kind is Format.JSON:
        return b"".join(dump(judged_line(one.run, one.verdicts, mask)) + b"\n" for one in judged)
    if kind is Format.JUNIT:
        return junit(judged, [spec.name for spec in loaded], findings)
    if kind is Format.SARIF:
        meanings = {spec.name: tuple(spec_files.meanings(spec)) for spec in loaded}
        return sarif(judged, meanings, findings, code)
    out = io.StringIO()
    console = Console(file=out, soft_wrap=True, highlight=False, markup=False, emoji=False)
    report(console, judged, gating, Texts(mask), findings.origins)
    return out.getvalue().encode("utf-8", "backslashreplace")


def _write(body: bytes, file: Path | None) -> None:
    if file is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(body)
        return
    with written(file) as opened:
        opened.write(body)


def _listed(paths: Sequence[Path]) -> str:
    names = [STDIN_NAME if str(path) == STDIN else str(path) for path in paths]
    more = f" and {len(names) - _PATHS_SHOWN} more" if len(names) > _PATHS_SHOWN else ""
    return f"{', '.join(names[:_PATHS_SHOWN])}{more}"
