"""The standard streams, in whatever state the caller left them.

Owns what stands in for a stream that is closed or can take no more. Decides no exit code.
"""

import os
import sys
from typing import Final, TextIO

_STDERR: Final = 2


def open_standard_streams() -> None:
    """Make sure that there are stdin, stdout and stderr.

    A caller may have closed them (`>&-`). Python has no stream then, and the first socket
    would take the free number. What is put there takes nothing: writing results fails
    as it does on the closed stream, while a server that prints nothing runs.
    """
    while (number := os.open(os.devnull, os.O_RDONLY)) <= _STDERR:
        os.set_inheritable(number, True)  # noqa: FBT003 - os has it so
    os.close(number)
    sys.stdout = _stream(sys.stdout, 1)
    sys.stderr = _stream(sys.stderr, 2)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show an arrow is no error
            stream.reconfigure(errors="backslashreplace")


def let_go_of_output() -> None:
    """Send what is left to print nowhere, where Python would complain of it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _stream(stream: TextIO | None, number: int) -> TextIO:
    """The stream, or one that stands in for it: nobody reads what went to a closed stderr."""
    if stream is not None:
        return stream
    if number == _STDERR:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
    return open(number, "w", encoding="utf-8", closefd=False)
