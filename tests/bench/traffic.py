"""The recorded mix as load: requests of a given size, new traces at each replay.

All recordings, merged in order into requests of so many spans. At each replay the first
four bytes of every trace id are replaced in place, so that it is new traces to whoever
receives it, and making a request costs the sender next to nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

FIXTURES = Path(__file__).parents[2] / "proto_fixtures"
_SALT_BYTES = 4
#: How a trace id lies on the wire, in spans and links alike: field 1, 16 bytes.
_TRACE_ID_TAG = b"\x0a\x10"


@dataclass(frozen=True)
class Template:
    """A request, and where its trace ids lie."""

    body: bytes
    spans: int
    places: tuple[int, ...]

    def salted(self, replay: int) -> bytes:
        """The request, with trace ids of the replay's own."""
        salt = replay.to_bytes(_SALT_BYTES, "big")
        body = bytearray(self.body)
        for place in self.places:
            body[place : place + _SALT_BYTES] = salt
        return bytes(body)


def templates(spans_a_request: int, folder: Path = FIXTURES) -> list[Template]:
    """The recorded mix, merged into requests of this many spans (the last may be smaller)."""
    return [_template(request) for request in _merged(spans_a_request, folder)]


def _merged(size: int, folder: Path) -> Iterator[ExportTraceServiceRequest]:
    merged, held = ExportTraceServiceRequest(), 0
    for path in sorted(folder.rglob("*.binpb")):
        recorded = ExportTraceServiceRequest.FromString(path.read_bytes())
        for of_resource in recorded.resource_spans:
            for of_scope in of_resource.scope_spans:
                spans = list(of_scope.spans)
                while spans:
                    group = merged.resource_spans.add(resource=of_resource.resource)
                    scope = group.scope_spans.add(scope=of_scope.scope)
                    taken, spans = spans[: size - held], spans[size - held :]
                    scope.spans.extend(taken)
                    held += len(taken)
                    if held == size:
                        yield merged
                        merged, held = ExportTraceServiceRequest(), 0
    if held:
        yield merged


def _template(request: ExportTraceServiceRequest) -> Template:
    body = request.SerializeToString()
    ids, spans = set(), 0
    for of_resource in request.resource_spans:
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                spans += 1
                ids.add(span.trace_id)
                ids.update(link.trace_id for link in span.links)
    places = [place for one in ids if one for place in _places(body, _TRACE_ID_TAG + one)]
    return Template(body, spans, tuple(sorted(places)))


def _places(body: bytes, wanted: bytes) -> Iterator[int]:
    at = body.find(wanted)
    while at >= 0:
        yield at + len(_TRACE_ID_TAG)
        at = body.find(wanted, at + 1)
