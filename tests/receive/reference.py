"""The plain way to decode a request: generated classes, one attribute after another.

Slow and easy to read; what `surefoot.receive.decode` must equal.
"""

from collections.abc import Iterable
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from surefoot.model import Cut, Event, Link, Resource, Span, Value, Wanted
from surefoot.receive.fields import COMPOUND_FACTOR


def decode(body: bytes, wanted: Wanted, text_limit: int) -> list[Span]:
    """The spans of a request whose ids are all good and none of which is our own."""
    request = ExportTraceServiceRequest.FromString(body)
    return [
        _span(
            span,
            of_scope.scope.name,
            _resource(of_resource.resource, text_limit),
            wanted,
            text_limit,
        )
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    ]


def _span(span: Any, scope: str, resource: Resource, wanted: Wanted, limit: int) -> Span:
    return Span(
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_id=b"" if span.parent_span_id == bytes(8) else span.parent_span_id,
        name=_text(span.name, limit),
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        status=span.status.code,
        message=_text(span.status.message, limit),
        flags=span.flags,
        scope=_text(scope, limit),
        resource=resource,
        attributes=_attributes(span.attributes, wanted, limit),
        events=tuple(_event(event, wanted, limit) for event in span.events),
        links=tuple(Link(link.trace_id, link.span_id) for link in span.links),
        dropped=span.dropped_attributes_count,
    )


def _resource(resource: Any, limit: int) -> Resource:
    values = {pair.key: _value(pair.value, limit) for pair in resource.attributes}
    scalars = {
        key: value for key, value in values.items() if isinstance(value, bool | int | float | str)
    }
    service = scalars.get("service.name")
    return Resource(service if isinstance(service, str) else "", scalars)


def _event(event: Any, wanted: Wanted, limit: int) -> Event:
    pairs = [pair for pair in event.attributes if pair.key in wanted.event_keys]
    attributes = {pair.key: _value(pair.value, limit) for pair in pairs}
    return Event(_text(event.name, limit), event.time_unix_nano, attributes)


def _attributes(pairs: Iterable[Any], wanted: Wanted, limit: int) -> dict[str, Value]:
    kept: dict[str, Value] = {}
    families: dict[str, dict[int, list[tuple[str, Value]]]] = {}
    for pair in pairs:
        numbered = _numbered(pair.key, wanted)
        if pair.key in wanted.keys:
            kept[pair.key] = _value(pair.value, limit)
        elif numbered:
            family, number, suffix = numbered
            items = families.setdefault(family, {}).setdefault(number, [])
            items.append((suffix, _value(pair.value, limit)))
        elif pair.key.startswith(wanted.prefixes):
            kept[pair.key] = _value(pair.value, limit)
    for family, entries in sorted(families.items()):
        kept[family] = tuple(tuple(items) for _, items in sorted(entries.items()))
    return kept


def _numbered(key: str, wanted: Wanted) -> tuple[str, int, str] | None:
    for family in wanted.indexed:
        number, _, suffix = key.removeprefix(f"{family}.").partition(".")
        if key.startswith(f"{family}.") and number.isascii() and number.isdigit():
            return family, int(number), suffix
    return None


def _value(value: Any, limit: int) -> Value:
    kind = value.WhichOneof("value")
    compound = kind in ("array_value", "kvlist_value")
    if compound and getattr(value, kind).ByteSize() > COMPOUND_FACTOR * limit:
        return Cut()
    if kind == "string_value":
        return _text(value.string_value, limit)
    if kind == "array_value":
        return tuple(_value(one, limit) for one in value.array_value.values)
    if kind == "kvlist_value":
        return {pair.key: _value(pair.value, limit) for pair in value.kvlist_value.values}
    if kind == "bytes_value" and len(value.bytes_value) > limit:
        return Cut()
    return None if kind is None else getattr(value, kind)


def _text(text: str, limit: int) -> str:
    raw = text.encode()
    return text if len(raw) <= limit else Cut(raw[:limit].decode("utf-8", "ignore"))
