"""Find OTLP files and read the export requests in them, one stream in sorted order.

Owns which files count: `.binpb` holds one ExportTraceServiceRequest, `.json` one as
OTLP/JSON, or one a line as the Collector's file exporter writes them under that name too,
`.jsonl` one a line; each also gzip'ed, with `.gz` at its end. `-` is the standard input,
read for what it is, and so is a pipe that a shell names (`<(…)`). A folder is searched
through; what is no OTLP trace request in it (another ending, a JSON document without
spans, such as notes beside the recordings) is passed over, but a broken file is not: half
a stream gives wrong verdicts.
Knows no span.
"""

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, cast

from surefoot.cli.json_lines import Stream, documents
from surefoot.errors import InputError

ENDINGS: Final = (".binpb", ".json", ".jsonl")
STDIN: Final = "-"
#: What the standard input is called in messages.
STDIN_NAME: Final = "<stdin>"
_GZ: Final = ".gz"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 16
#: How an ExportTraceServiceRequest begins: the tag of its only field.
_FIRST_TAG: Final = b"\x0a"
_ANY: Final = f"{', '.join(ENDINGS)}, or one of these and {_GZ}"

#: Told how many bytes were read since it was told last, as they lie on the disk.
Advance = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Request:
    """The bytes of one ExportTraceServiceRequest.

    file: as it was named, or found below a folder that was. line: in a file of one
    request a line, from 1; 0 where a file holds one.
    """

    body: bytes
    file: str
    line: int = 0

    @property
    def origin(self) -> str:
        """The file, and the line if any, as a compiler would write it."""
        return f"{self.file}:{self.line}" if self.line else self.file


def size(paths: Iterable[Path]) -> int | None:
    """How many bytes are to be read; None if that cannot be known."""
    total = 0
    for path in paths:
        if str(path) == STDIN:
            return None
        files = _files(path) if path.is_dir() else [path]
        total += sum(file.stat().st_size for file in files if file.is_file())
    return total


def requests(paths: Iterable[Path], advance: Advance = int) -> Iterator[Request]:
    """Yield every request in the files and folders, in the order given.

    Raises:
        InputError: A path cannot be read or is no OTLP, or a folder holds none.
    """
    for path in paths:
        if str(path) == STDIN:
            yield from _stdin(advance)
        elif path.is_dir():
            yield from _folder(path, advance)
        elif not path.exists():
            raise InputError(f"{path}: no such file; name OTLP files or folders of them")
        elif path.is_file() and not path.name.endswith((*ENDINGS, _GZ)):
            raise InputError(f"{path}: not an OTLP file; one ends in {_ANY}")
        else:
            yield from _file(path, advance, named=True)


def _folder(folder: Path, advance: Advance) -> Iterator[Request]:
    empty = True
    for path in _files(folder):
        for request in _file(path, advance, named=False):
            empty = False
            yield request
    if empty:
        raise InputError(f"{folder}: holds no OTLP trace request; one ends in {_ANY}")


def _files(folder: Path) -> list[Path]:
    """Every file below that may be OTLP, in sorted order."""
    found = [
        Path(where, name)
        for where, _folders, names in os.walk(folder, onerror=_fail)
        for name in names
        if name.removesuffix(_GZ).endswith(ENDINGS)
    ]
    return sorted(found, key=lambda path: path.parts)


def _fail(failure: OSError) -> None:
    raise InputError(f"{failure.filename}: cannot be read: {failure.strerror}") from failure


def _stdin(advance: Advance) -> Iterator[Request]:
    if sys.stdin is None:
        raise InputError(f"{STDIN_NAME}: is closed; give OTLP to it, or name files")
    with _told(STDIN_NAME):
        yield from _requests(sys.stdin.buffer, STDIN_NAME, advance, named=True)


def _file(path: Path, advance: Advance, *, named: bool) -> Iterator[Request]:
    with _told(str(path)), path.open("rb") as file:
        yield from _requests(file, str(path), advance, named=named)


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Name the file in what goes wrong while it is read."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as failure:
        why = "ends too early" if isinstance(failure, EOFError) else "is broken"
        raise InputError(f"{name}: the gzip {why}; write it again, whole") from failure
    except OSError as failure:
        raise InputError(f"{name}: cannot be read: {failure.strerror}") from failure


def _requests(file: BinaryIO, name: str, advance: Advance, *, named: bool) -> Iterator[Request]:
    stream: Stream = io.BufferedReader(_Metered(file, advance), _CHUNK)
    plain = name.removesuffix(_GZ)
    if stream.peek(2)[:2] == _GZIP_MAGIC:
        stream = io.BufferedReader(cast("io.RawIOBase", gzip.GzipFile(fileobj=stream)), _CHUNK)
    elif plain != name:
        raise InputError(f"{name}: no gzip, though it ends in {_GZ}; rename it, or gzip it")
    if plain.endswith(".binpb") or not (plain.endswith(ENDINGS) or _looks_like_json(stream)):
        yield _binary(stream.read(), name)
    else:
        one_a_line = plain.endswith(".jsonl")
        for body, line in documents(stream, name, named=named, one_a_line=one_a_line):
            yield Request(body, name, line)


def _looks_like_json(stream: Stream) -> bool:
    """Whether a stream without a name for it is JSON. No protobuf of OTLP begins so."""
    return stream.peek(1).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"


def _binary(body: bytes, name: str) -> Request:
    if not body.startswith(_FIRST_TAG):
        what = "no OTLP trace request" if body else "is empty"
        raise InputError(f"{name}: {what}; write one whole ExportTraceServiceRequest")
    return Request(body, name)


class _Metered(io.RawIOBase):
    """A file that says how much of it is read."""

    def __init__(self, file: BinaryIO, advance: Advance) -> None:
        super().__init__()
        self._file = file
        self._advance = advance

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]
        """Read some bytes."""
        read = self._file.read(len(buffer))
        buffer[: len(read)] = read
        self._advance(len(read))
        return len(read)
