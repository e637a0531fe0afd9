"""Find OTLP files and read the export requests in them, one stream in sorted order.

Owns which files count: `.binpb` holds one ExportTraceServiceRequest, `.json` one as
OTLP/JSON, `.jsonl` one a line; a byte order mark before JSON is no part of it. A folder
is searched through; what is no OTLP trace request in it (another ending, a JSON document
without spans, such as notes beside the recordings) is passed over, but a broken file is
not: half a stream gives wrong verdicts.
Knows no span.
"""

import codecs
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from surefoot.errors import DecodeError, InputError
from surefoot.receive import otlp_json

ENDINGS: Final = (".binpb", ".json", ".jsonl")
#: What a trace request in JSON has, and what the other signals' requests have, which a
#: Collector's file exporter writes between them.
_SPANS: Final = b'"resourceSpans"'
_NO_SPANS: Final = (b'"resourceLogs"', b'"resourceMetrics"', b'"resourceProfiles"')


@dataclass(frozen=True, slots=True)
class Request:
    """The bytes of one ExportTraceServiceRequest. origin: the file, and the line if any."""

    body: bytes
    origin: str


def requests(paths: Iterable[Path]) -> Iterator[Request]:
    """Yield every request in the files and folders, in the order given.

    Raises:
        InputError: A path cannot be read or is no OTLP, or a folder holds none.
    """
    for path in paths:
        if path.is_dir():
            yield from _folder(path)
        elif not path.exists():
            raise InputError(f"{path}: no such file; name OTLP files or folders of them")
        elif path.suffix not in ENDINGS:
            raise InputError(f"{path}: not an OTLP file; one ends in {', '.join(ENDINGS)}")
        else:
            yield from _file(path, named=True)


def _folder(folder: Path) -> Iterator[Request]:
    empty = True
    for path in _files(folder):
        for request in _file(path, named=False):
            empty = False
            yield request
    if empty:
        raise InputError(f"{folder}: holds no OTLP trace request; one ends in {', '.join(ENDINGS)}")


def _files(folder: Path) -> Iterator[Path]:
    """Every file below that may be OTLP, in sorted order."""
    found = [
        Path(where, name)
        for where, _folders, names in os.walk(folder, onerror=_fail)
        for name in names
        if name.endswith(ENDINGS)
    ]
    return iter(sorted(found, key=lambda path: path.parts))


def _fail(failure: OSError) -> None:
    raise InputError(f"{failure.filename}: cannot be read: {failure.strerror}") from failure


def _file(path: Path, *, named: bool) -> Iterator[Request]:
    try:
        body = path.read_bytes()
    except OSError as failure:
        raise InputError(f"{path}: cannot be read: {failure.strerror}") from failure
    if path.suffix == ".binpb":
        yield Request(body, str(path))
    elif _SPANS in body:
        yield from _json(path, body.removeprefix(codecs.BOM_UTF8))
    elif named:
        raise InputError(f"{path}: holds no OTLP trace request; one has a list resourceSpans")


def _json(path: Path, body: bytes) -> Iterator[Request]:
    one = path.suffix == ".json"
    for number, line in enumerate([body] if one else body.split(b"\n"), start=1):
        if not line.strip() or (_SPANS not in line and any(key in line for key in _NO_SPANS)):
            continue
        origin = str(path) if one else f"{path}:{number}"
        try:
            yield Request(otlp_json.to_protobuf(line), origin)
        except DecodeError as problem:
            raise InputError(f"{origin}: {problem}") from problem
