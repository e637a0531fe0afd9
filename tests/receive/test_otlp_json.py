import base64
import json

import pytest
from google.protobuf import json_format
from hypothesis import given
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from receive.builders import TRACE, recorded_requests
from receive.strategies import requests
from surefoot.errors import DecodeError
from surefoot.receive.otlp_json import to_protobuf

PREFIX = "resourceSpans[0].scopeSpans[0].spans[0]"


def as_json(request: ExportTraceServiceRequest) -> str:
    """By the official converter, and then what OTLP does in another way."""
    tree = json_format.MessageToDict(request, use_integers_for_enums=True)
    for of_resource in tree.get("resourceSpans", []):
        for of_scope in of_resource.get("scopeSpans", []):
            for span in of_scope.get("spans", []):
                for place in (span, *span.get("links", [])):
                    _hex(place)
    return json.dumps(tree)


def _hex(place: dict[str, str]) -> None:
    for key in ("traceId", "spanId", "parentSpanId"):
        if key in place:
            place[key] = base64.b64decode(place[key]).hex()


def a_json(**fields: object) -> bytes:
    """A request of one span with these fields."""
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [fields]}]}]}).encode()


def the_span(text: bytes) -> object:
    request = ExportTraceServiceRequest.FromString(to_protobuf(text))
    return request.resource_spans[0].scope_spans[0].spans[0]


@given(requests())
def test_json_and_protobuf_are_the_same_request(request: ExportTraceServiceRequest) -> None:
    assert ExportTraceServiceRequest.FromString(to_protobuf(as_json(request))) == request


def test_every_recording_survives_json() -> None:
    for body in recorded_requests()[::10]:
        request = ExportTraceServiceRequest.FromString(body)

        assert ExportTraceServiceRequest.FromString(to_protobuf(as_json(request))) == request


@pytest.mark.parametrize("id_", [TRACE.hex(), TRACE.hex().upper()])
def test_ids_are_hex_of_either_case(id_: str) -> None:
    assert the_span(a_json(traceId=id_)).trace_id == TRACE  # type: ignore[attr-defined] # a Span


@pytest.mark.parametrize("number", [1_700_000_000_000_000_001, "1700000000000000001"])
def test_long_numbers_are_numbers_or_texts(number: object) -> None:
    span = the_span(a_json(startTimeUnixNano=number))

    assert span.start_time_unix_nano == 1_700_000_000_000_000_001  # type: ignore[attr-defined] # a Span


def test_numbers_in_javascript_notation_are_read() -> None:
    text = a_json(startTimeUnixNano="X").replace(b'"X"', b"1.7e18")

    assert the_span(text).start_time_unix_nano == 17 * 10**17  # type: ignore[attr-defined] # a Span


def test_unknown_fields_and_nulls_are_ignored() -> None:
    text = a_json(name="x", status=None, new={"a": [1]}, trace_id="zz")

    assert the_span(text).name == "x"  # type: ignore[attr-defined] # a Span


def test_half_an_emoji_does_not_fail_the_request() -> None:
    """JavaScript SDKs cut texts so."""
    text = a_json(name="X").replace(b"X", rb"ok \ud83d")

    assert the_span(text).name == "ok \ufffd"  # type: ignore[attr-defined] # a Span


def test_invalid_utf8_does_not_fail_the_request() -> None:
    text = a_json(name="X").replace(b"X", b"ok \xff")

    assert the_span(text).name == "ok \ufffd"  # type: ignore[attr-defined] # a Span


def test_an_empty_object_is_an_empty_request() -> None:
    assert to_protobuf(b"{}") == b""


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "no OTLP/JSON trace request: [] is no object"),
        (b'{"resourceLogs": []}', "no resourceSpans"),
        (b'{"resourceSpans": {}}', "resourceSpans: {} is no array"),
        (b'{"resourceSpans": [3]}', "resourceSpans[0]: 3 is no object"),
        (a_json(traceId="zz"), f"{PREFIX}.traceId: 'zz' is no id in hex"),
        (a_json(name=3), f"{PREFIX}.name: 3 is no text"),
        (a_json(kind="SERVER"), f"{PREFIX}.kind: 'SERVER' is no integer (enums are)"),
        (a_json(kind=True), f"{PREFIX}.kind: True is no integer"),
        (a_json(startTimeUnixNano=-1), f"{PREFIX}.startTimeUnixNano: -1 is no integer"),
        (a_json(startTimeUnixNano=2**64), f"{PREFIX}.startTimeUnixNano: 1.8"),
        (a_json(status=[]), f"{PREFIX}.status: [] is no object"),
        (a_json(attributes=[{"value": {"boolValue": 1}}]), "value.boolValue: 1 is no boolean"),
        (a_json(attributes=[{"value": {"bytesValue": "%"}}]), "value.bytesValue: '%' is no base64"),
        (
            a_json(attributes=[{"value": {"doubleValue": "x"}}]),
            "value.doubleValue: 'x' is no number",
        ),
    ],
)
def test_an_error_says_where(text: bytes, where: str) -> None:
    with pytest.raises(DecodeError) as caught:
        to_protobuf(text)

    assert where in str(caught.value)


def test_values_nested_too_deep_are_an_error_not_a_crash() -> None:
    value: dict[str, object] = {"stringValue": "x"}
    for _ in range(120):
        value = {"arrayValue": {"values": [value]}}
    with pytest.raises(DecodeError, match="nested too deep"):
        to_protobuf(a_json(attributes=[{"key": "a", "value": value}]))
