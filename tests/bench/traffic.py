"""The recorded mix as load: requests of a given size, new traces at each replay.

All recordings, merged in order into requests of so many spans. At each replay the first
four bytes of every trace id are replaced in place, so that it is new traces to whoever
receives it, and making a request costs the sender next to nothing.

The recordings' texts are short, since they were written to be read; those of production
are not. `lengthened` makes them so: the same text grows by the same words wherever it
stands (alone, in JSON, in JSON within JSON), so a history that repeats still repeats.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

FIXTURES = Path(__file__).parents[2] / "proto_fixtures"
_SALT_BYTES = 4
#: How a trace id lies on the wire, in spans and links alike: field 1, 16 bytes.
_TRACE_ID_TAG = b"\x0a\x10"
#: The beginning of a message's text in JSON, however deep, up to what JSON would escape.
_MESSAGE = re.compile(r'(?:content|text)\\*"\s*:\s*\\*"([^"\\\n]{24,})')
_PLAIN = re.compile(r'[^"\\\n]{24,}')
#: How long a real prompt is, by the design: 2 KB and more.
LONG_CHARS = 2048


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


def templates(
    spans_a_request: int, folder: Path = FIXTURES, *, long: bool = False
) -> list[Template]:
    """The recorded mix, merged into requests of this many spans (the last may be smaller)."""
    merged = _merged(spans_a_request, folder)
    return [_template(lengthened(request) if long else request) for request in merged]


def lengthened(request: ExportTraceServiceRequest) -> ExportTraceServiceRequest:
    """The request with each message's text `LONG_CHARS` longer, changed in place."""
    values = [
        (attribute.key, attribute.value)
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
        for attribute in span.attributes
        if attribute.value.HasField("string_value")
    ]
    beginnings: set[str] = set()
    for key, value in values:
        beginnings.update(_MESSAGE.findall(value.string_value))
        if key.endswith(".content"):
            beginnings.update(_PLAIN.findall(value.string_value)[:1])
    if not beginnings:
        return request
    longest_first = sorted(beginnings, key=len, reverse=True)
    grown = re.compile("|".join(re.escape(one) for one in longest_first))
    for _, value in values:
        value.string_value = grown.sub(lambda m: f"{m[0]} {_words(m[0])}", value.string_value)
    return request


@lru_cache(4096)
def _words(seed: str) -> str:
    """So many characters of words, the same ones for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - filler, no secret
    words = ("".join(chance.choices("abcdefghijklmnop", k=6)) for _ in range(LONG_CHARS // 7))
    return " ".join(words)


def template_of(body: bytes) -> Template:
    """One recorded request as it is."""
    return _template(ExportTraceServiceRequest.FromString(body))


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
