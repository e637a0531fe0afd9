"""`surefoot schema`: the spec file's JSON Schema, for editors."""

import json

import typer

from surefoot import specs


def schema() -> None:
    """Print the JSON Schema of a spec file."""
    typer.echo(json.dumps(specs.json_schema(), indent=2, ensure_ascii=False))
