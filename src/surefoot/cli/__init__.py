"""The commands: one small file each, over the same core that the server runs.

    run, demo          the server
    steps, check       OTLP files through the core, offline
    validate, schema   specs

Output formats and exit codes are a contract that scripts rely on.
"""

import os

# gRPC's core writes lines of its own to stderr, about one a second where a handshake
# fails. What they tell, our log tells in its own format. It reads this at its import.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from surefoot.cli.app import main

__all__ = ["main"]
