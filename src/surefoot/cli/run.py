"""`surefoot run`: the server."""

import os
from pathlib import Path
from typing import Annotated

import typer

from surefoot.cli.console import VerdictPrinter
from surefoot.cli.show import results
from surefoot.cli.streams import let_go_of_output
from surefoot.config import load_config
from surefoot.emit.texts import Texts
from surefoot.evaluate import mask


def run(
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", metavar="FILE", help="The configuration, a YAML file."),
    ] = None,
    specs: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="A spec file or a folder of them, in place of the configuration's; repeatable.",
        ),
    ] = None,
) -> None:
    """Take OTLP traces, pass them on, judge them, emit verdicts. Stops on SIGTERM."""
    loaded = load_config(config, os.environ, seek_specs=not specs)
    from surefoot import service  # noqa: PLC0415 - the servers' libraries take a while to load

    paths = tuple(specs) if specs else loaded.spec_paths()
    if not loaded.console:
        raise typer.Exit(service.run(loaded, paths))
    texts = Texts(mask, redact_values=loaded.judging.redact_values)
    with VerdictPrinter(results(), texts) as printer:
        code = service.run(loaded, paths, on_plan=printer.show)
    if printer.is_gone:  # that is no reason for another exit code
        let_go_of_output()
    raise typer.Exit(code)
