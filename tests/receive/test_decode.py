import contextlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from receive import reference
from receive.builders import (
    SPAN,
    TRACE,
    WANTED,
    a_request,
    keep,
    pairs,
    recorded_requests,
    with_raw_attribute,
)
from receive.strategies import LIMIT, requests
from surefoot.errors import DecodeError
from surefoot.model import Event, Link, Role, Span, Wanted
from surefoot.receive.decode import TEXT_LIMIT, Decoded, Decoder


def a_decoder(limit: int = TEXT_LIMIT, instance_id: str = "") -> Decoder:
    return Decoder(WANTED, keep, limit, instance_id)


def decode(request: ExportTraceServiceRequest, limit: int = TEXT_LIMIT) -> Decoded:
    return a_decoder(limit)(request.SerializeToString())


def only(decoded: Decoded) -> Span:
    (span,) = decoded.spans
    return span


@given(requests())
def test_equals_the_plain_way_on_any_request(request: ExportTraceServiceRequest) -> None:
    """The second time from memory; repr tells True from 1, which equality does not."""
    body = request.SerializeToString()
    decoder = a_decoder(LIMIT)
    first, second = decoder(body).spans, decoder(body).spans

    assert repr(first) == repr(reference.decode(body, WANTED, LIMIT))
    assert first == second == reference.decode(body, WANTED, LIMIT)


def test_equals_the_plain_way_on_every_recording() -> None:
    decoder = a_decoder()
    for body in recorded_requests():
        assert decoder(body).spans == reference.decode(body, WANTED, TEXT_LIMIT)


def test_several_threads_may_share_a_decoder() -> None:
    """The receiving threads do."""
    decoder = a_decoder()
    bodies = recorded_requests()[::4]
    with ThreadPoolExecutor(4) as pool:
        rounds = list(pool.map(lambda _: [decoder(body).spans for body in bodies], range(4)))

    assert rounds == [[reference.decode(body, WANTED, TEXT_LIMIT) for body in bodies]] * 4


@given(st.binary(max_size=200))
def test_bytes_are_spans_or_a_decode_error(body: bytes) -> None:
    try:
        a_decoder()(body)
    except DecodeError as error:
        assert "no OTLP trace request" in str(error)  # noqa: PT017 - either is fine


@given(st.data())
def test_flipped_bytes_of_a_recording_never_raise_anything_else(data: st.DataObject) -> None:
    """Attributes are read by hand, so garbage within them must be met by hand too."""
    body = bytearray(data.draw(st.sampled_from(recorded_requests())))
    for _ in range(data.draw(st.integers(1, 8))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(DecodeError):
        a_decoder()(bytes(body))


@given(st.binary(max_size=150))
def test_a_garbage_attribute_costs_itself_only(garbage: bytes) -> None:
    """It is a field of its own, so its neighbours are safe."""
    request = a_request({"tool.name": "lookup"})
    body = request.SerializeToString()
    whole = with_raw_attribute(body, garbage)
    span = only(a_decoder()(whole))

    assert span.attributes["tool.name"] == "lookup" or b"tool.name" in garbage
    assert span.dropped in (0, 1)


@pytest.mark.parametrize("trace_id", [b"", bytes(16), b"short", bytes(range(24))])
def test_a_trace_id_that_is_none_is_rejected(trace_id: bytes) -> None:
    decoded = decode(a_request({}, {}, trace_id=trace_id))

    assert decoded.spans == []
    assert decoded.rejected == [("trace_id", b""), ("trace_id", b"")]


@pytest.mark.parametrize("span_id", [b"", bytes(8), b"short", bytes(range(12))])
def test_a_span_id_that_is_none_is_rejected_with_its_trace(span_id: bytes) -> None:
    decoded = decode(a_request({}, span_id=span_id))

    assert decoded.rejected == [("span_id", TRACE)]


def test_good_spans_beside_rejected_ones_are_taken() -> None:
    request = a_request({}, {}, {})
    request.resource_spans[0].scope_spans[0].spans[1].trace_id = b""

    assert len(decode(request).spans) == 2


@pytest.mark.parametrize(
    ("sent", "kept"), [(b"", b""), (bytes(8), b""), (SPAN, SPAN), (b"odd", b"odd")]
)
def test_a_parent_of_zeros_is_no_parent(sent: bytes, kept: bytes) -> None:
    """One of another length is kept: a parent that never comes."""
    assert only(decode(a_request({}, parent_span_id=sent))).parent_id == kept


def test_logs_sent_to_traces_are_rejected_by_their_ids() -> None:
    """They parse, since the wire format has no names."""
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add()
    record.time_unix_nano = 1
    record.body.string_value = "hello"
    decoded = a_decoder()(logs.SerializeToString())

    assert [reason for reason, _ in decoded.rejected] == ["trace_id"]


# ---- our own spans


def test_spans_of_our_scope_are_own() -> None:
    decoded = decode(a_request({}, {}, scope="surefoot"))

    assert (decoded.own, decoded.spans) == (2, [])


def test_spans_with_our_attribute_are_own_whatever_their_scope() -> None:
    """Some hops drop scopes."""
    decoded = decode(a_request({"surefoot.spec.name": "refund"}, {"tool.name": "lookup"}))

    assert decoded.own == 1
    assert len(decoded.spans) == 1


ME = {"service.name": "surefoot", "service.instance.id": "me"}


@pytest.mark.parametrize(
    ("request_", "is_only_own"),
    [
        (a_request({}, scope="surefoot", resource=ME), True),
        (a_request({}, scope="surefoot", resource={"service.instance.id": "you"}), False),
        (a_request({}, scope="surefoot"), False),
        (a_request({}, scope="other", resource=ME), False),
        (a_request(scope="surefoot", resource=ME), False),
        (a_request({}, scope="surefoot", resource=ME, span_id=b""), False),
    ],
)
def test_only_own_is_said_of_this_instance_alone(
    request_: ExportTraceServiceRequest,
    is_only_own: bool,  # noqa: FBT001 - a table's column
) -> None:
    assert a_decoder(instance_id="me")(request_.SerializeToString()).only_own is is_only_own


def test_without_an_instance_id_nothing_is_only_own() -> None:
    request = a_request({}, scope="surefoot", resource={"service.instance.id": ""})

    assert decode(request).only_own is False


def test_one_stranger_makes_a_request_not_only_own() -> None:
    mine = a_request({}, scope="surefoot", resource=ME).SerializeToString()
    theirs = a_request({}, scope="other").SerializeToString()

    assert a_decoder(instance_id="me")(mine + theirs).only_own is False


def test_events_and_links_are_kept_in_part() -> None:
    request = a_request({})
    span = request.resource_spans[0].scope_spans[0].spans[0]
    kept = {"exception.message": "boom", "exception.stacktrace": "very long"}
    span.events.add(name="exception", time_unix_nano=5, attributes=pairs(kept))
    span.links.add(trace_id=TRACE, span_id=SPAN, trace_state="a=b")
    decoded = only(decode(request))

    assert decoded.events == (Event("exception", 5, {"exception.message": "boom"}),)
    assert decoded.links == (Link(TRACE, SPAN),)


def test_resources_are_shared_among_requests() -> None:
    decoder = a_decoder()
    body = a_request(
        {}, resource={"service.name": "shop", "host.cpus": 4, "list": [1]}
    ).SerializeToString()
    first, second = only(decoder(body)).resource, only(decoder(body)).resource

    assert first is second
    assert first.service == "shop"
    assert first.attributes == {"service.name": "shop", "host.cpus": 4}


def test_equal_short_texts_are_one_object() -> None:
    decoder = a_decoder()
    one = only(decoder(a_request({"tool.name": "lookup_order"}).SerializeToString()))
    other = only(decoder(a_request({"tool.name": "lookup_order"}).SerializeToString()))

    assert one.attributes["tool.name"] is other.attributes["tool.name"]


def test_empty_names_and_spans_that_end_before_they_start_are_data() -> None:
    span = only(decode(a_request({}, name="", start_time_unix_nano=9, end_time_unix_nano=4)))

    assert (span.name, span.start_ns, span.end_ns) == ("", 9, 4)


def test_every_span_is_reduced_once() -> None:
    seen: list[bytes] = []

    def reduce(span: Span) -> None:
        seen.append(span.span_id)
        span.role = Role.TOOL

    decoder = Decoder(Wanted(frozenset()), reduce, TEXT_LIMIT)
    spans = decoder(a_request({}, {}).SerializeToString()).spans

    assert seen == [span.span_id for span in spans]
    assert all(span.role is Role.TOOL for span in spans)


def test_an_empty_request_is_no_spans() -> None:
    assert a_decoder()(b"") == Decoded([], [])


def test_garbage_is_a_decode_error() -> None:
    with pytest.raises(DecodeError, match="no OTLP trace request"):
        a_decoder()(b"\xff\xff\xff\xff garbage")
