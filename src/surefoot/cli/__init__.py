"""The commands: one small file each, over the same core that the server runs.

    run, demo          the server
    steps, check       OTLP files through the core, offline
    validate, schema   specs

Output formats and exit codes are a contract that scripts rely on.
"""

from surefoot.cli.app import main

__all__ = ["main"]
