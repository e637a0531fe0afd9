"""A report into a file, whole or not at all.

Owns that nobody finds half a report: it is written beside its place under another name,
and takes the place when it is complete. What stood there stays if anything goes wrong.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from surefoot.errors import InputError

_MODE = 0o666


def must_be_writable(path: Path) -> None:
    """Make sure that there is a folder to write into, before a long read begins.

    Raises:
        InputError: There is none, or `path` is one itself.
    """
    folder = Path(os.path.realpath(path)).parent
    if path.is_dir():
        raise InputError(f"{path}: cannot be written: it is a folder; name a file in it")
    if not folder.is_dir():
        raise InputError(f"{path}: cannot be written: there is no folder {folder}; make it first")


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """Write the file at `path`, which changes when the block ends, unless by an error.

    Raises:
        InputError: It cannot be written.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    try:
        if target.exists() and not target.is_file():  # a pipe or a device: there is no place
            with target.open("wb") as file:
                yield file
            return
        with _beside(target) as file:
            yield file
    except OSError as failure:
        raise InputError(f"{path}: cannot be written: {failure.strerror}") from failure


@contextmanager
def _beside(target: Path) -> Iterator[BinaryIO]:
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(number)
        Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else _MODE & ~_umask())
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    """What new files are not allowed to be; it can only be asked by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
