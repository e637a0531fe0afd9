"""Recordings of real agents, and sending them to a server as their exporters did.

Owns the recordings that come with the package: `recordings/<framework>/<run>/`, one file
an export request, in order of arrival. Sent as recorded, ids and times included.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc

from surefoot.cli.inbox import METHOD, SERVICE
from surefoot.errors import InputError
from surefoot.receive.wire import parse

FOLDER: Final = Path(__file__).parent / "recordings"
SPEC: Final = FOLDER / "refund-desk.yaml"
_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded run: its export requests, and the traces in them."""

    framework: str
    run: str
    requests: tuple[bytes, ...]
    traces: tuple[bytes, ...]


def recordings(folder: Path = FOLDER) -> list[Recording]:
    """The recordings in a folder, in order of the run's name, then the framework's."""
    found = [_recording(path) for path in folder.glob("*/*") if path.is_dir()]
    return sorted(found, key=lambda one: (one.run, one.framework))


def send(recording: Recording, address: str) -> None:
    """Send a recording's requests over gRPC, one after the other.

    Raises:
        InputError: The server did not take one.
    """
    with grpc.insecure_channel(address) as channel:
        export = channel.unary_unary(f"/{SERVICE}/{METHOD}")
        try:
            for request in recording.requests:
                export(request, timeout=_TIMEOUT_S, wait_for_ready=True)
        except grpc.RpcError as failure:
            raise InputError(f"{address} did not take a recording: {failure}") from failure


def _recording(path: Path) -> Recording:
    requests = tuple(file.read_bytes() for file in sorted(path.glob("*.binpb")))
    return Recording(path.parent.name, path.name, requests, _traces(requests))


def _traces(requests: Sequence[bytes]) -> tuple[bytes, ...]:
    """The trace ids in the requests, in order of their first span."""
    ids = dict.fromkeys(
        bytes(span.trace_id)
        for request in requests
        for of_resource in parse(request).resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    )
    return tuple(ids)
