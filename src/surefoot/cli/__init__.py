"""The commands: one small file each, and what they share.

    app      the program: its commands, and what becomes of an error
    read     OTLP files to requests          offline  requests to runs
    gate     what a check's exit code says   lines    JSON lines
    report   the text of `check`             show     words and colours
    replay   the demo's recordings           inbox    a backend that reads verdicts back
    console  a running server's verdicts
"""

import os

# gRPC's core writes lines of its own to stderr, about one a second where a handshake
# fails. What they tell, our log tells in its own format. It reads this at its import.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from surefoot.cli.app import main  # noqa: E402 - after the line above

__all__ = ["main"]
