"""Builders of requests for tests, by the generated classes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from surefoot.model import Span, Wanted

TRACE = bytes(range(16))
SPAN = bytes(range(1, 9))
#: A realistic mix of exact keys, prefixes and numbered families.
WANTED = Wanted(
    keys=frozenset(
        {
            "tool.name",
            "tool.parameters",
            "input.value",
            "output.value",
            "openinference.span.kind",
            "agent.name",
            "graph.node.id",
            "graph.node.name",
            "session.id",
            "metadata",
            "llm.model_name",
            "llm.finish_reason",
            "gen_ai.operation.name",
            "gen_ai.tool.name",
            "gen_ai.tool.call.arguments",
            "gen_ai.tool.call.result",
            "gen_ai.agent.name",
            "surefoot.output_ok",
        }
    ),
    prefixes=("llm.token_count.",),
    indexed=("llm.input_messages", "llm.output_messages"),
    event_keys=frozenset({"exception.type", "exception.message"}),
)
RECORDINGS = Path(__file__).parents[2] / "proto_fixtures"


def recorded_requests() -> list[bytes]:
    """Every recorded request body, in a stable order."""
    return [path.read_bytes() for path in sorted(RECORDINGS.rglob("*.binpb"))]


def keep(_span: Span) -> None:
    """Reduce nothing."""


def an_any(value: Any) -> AnyValue:
    """A Python value as an AnyValue; None is the empty one."""
    wire = AnyValue()
    if isinstance(value, bool):
        wire.bool_value = value
    elif isinstance(value, int):
        wire.int_value = value
    elif isinstance(value, float):
        wire.double_value = value
    elif isinstance(value, str):
        wire.string_value = value
    elif isinstance(value, bytes):
        wire.bytes_value = value
    elif isinstance(value, list):
        wire.array_value.SetInParent()
        wire.array_value.values.extend(an_any(one) for one in value)
    elif isinstance(value, dict):
        wire.kvlist_value.SetInParent()
        wire.kvlist_value.values.extend(pairs(value))
    return wire


def pairs(values: Mapping[str, Any] | list[tuple[str, Any]]) -> list[KeyValue]:
    """Key-value pairs; a list may hold equal keys."""
    items = values.items() if isinstance(values, Mapping) else values
    return [KeyValue(key=key, value=an_any(value)) for key, value in items]


def a_request(
    *attributes: Mapping[str, Any] | list[tuple[str, Any]],
    scope: str = "test",
    resource: Mapping[str, Any] | None = None,
    **fields: Any,
) -> ExportTraceServiceRequest:
    """A request with one span for each of `attributes`; `fields` are set on every span."""
    request = ExportTraceServiceRequest()
    of_resource = request.resource_spans.add()
    of_resource.resource.attributes.extend(pairs(resource or {"service.name": "shop"}))
    of_scope = of_resource.scope_spans.add()
    of_scope.scope.name = scope
    for number, of_span in enumerate(attributes, start=1):
        its_own = {"trace_id": TRACE, "span_id": number.to_bytes(8, "big"), "name": "span"}
        of_scope.spans.add(**(its_own | fields), attributes=pairs(of_span))
    return request


def with_raw_attribute(body: bytes, raw: bytes) -> bytes:
    """The request of one span with one more attribute, whatever that is."""
    request = ExportTraceServiceRequest.FromString(body)
    span = request.resource_spans[0].scope_spans[0].spans[0].SerializeToString()
    return a_field(1, a_field(2, a_field(2, span + a_field(9, raw))))


def a_field(number: int, payload: bytes) -> bytes:
    """A length-delimited field."""
    return bytes([number << 3 | 2]) + _varint(len(payload)) + payload


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])
