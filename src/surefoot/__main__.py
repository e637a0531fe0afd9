"""The program: what holds for a process that is Surefoot, before anything else is loaded.

Owns what no library may do to the program that imports it: a signal's handler, and a
variable of the environment. `surefoot.cli` and all else can be imported without either.
"""

import os
import signal
import sys


def main() -> None:
    """Run the command line, and exit with its code."""
    # gRPC's core writes lines of its own to stderr, about one a second where a handshake
    # fails. What they tell, our log tells in its own format. It reads this at its import.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    end_when_asked(sys.argv[1:])
    from surefoot.cli import main as command_line  # noqa: PLC0415 - half a second, after these

    command_line()


def end_when_asked(arguments: list[str]) -> None:
    """Handle SIGTERM from the start, where the process is a container's first.

    The system keeps signals from such a process until it handles them. Nothing was taken
    by then, so `run` ends as after an orderly stop; it goes on to handle the signal.
    """
    if os.getpid() != 1 or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return
    code = 0 if arguments[:1] == ["run"] else 128 + signal.SIGTERM
    signal.signal(signal.SIGTERM, lambda *_: os._exit(code))


if __name__ == "__main__":
    main()
