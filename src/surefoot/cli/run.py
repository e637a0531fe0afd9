"""`surefoot run`: the server."""

import os
from pathlib import Path
from typing import Annotated

import typer

from surefoot.config import load_config


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
    loaded = load_config(config, os.environ)
    from surefoot import service  # noqa: PLC0415 - the servers' libraries take a while to load

    raise typer.Exit(service.run(loaded, tuple(specs) if specs else loaded.spec_paths()))
