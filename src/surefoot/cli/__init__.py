"""The commands: one small file each, over the same core that the server runs.

    run, demo          the server
    steps, check       OTLP files through the core, offline
    validate, schema   specs

Output formats and exit codes are a contract that scripts rely on.
"""

import os
import signal
import sys

# gRPC's core writes lines of its own to stderr, about one a second where a handshake
# fails. What they tell, our log tells in its own format. It reads this at its import.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

# The system keeps signals from a container's first process until it handles them, and the
# rest takes half a second to load. Nothing was taken by then; `run` goes on to handle it.
if os.getpid() == 1:
    _CODE = 0 if sys.argv[1:2] == ["run"] else 128 + signal.SIGTERM
    signal.signal(signal.SIGTERM, lambda *_: os._exit(_CODE))

from surefoot.cli.app import main

__all__ = ["main"]
