import tracemalloc

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from receive.builders import (
    WANTED,
    a_field,
    a_request,
    keep,
    pairs,
    with_raw_attribute,
)
from surefoot.model import Cut, Span
from surefoot.receive.attributes import AttributeReader
from surefoot.receive.decode import TEXT_LIMIT, Decoded, Decoder


def a_decoder(limit: int = TEXT_LIMIT, instance_id: str = "") -> Decoder:
    return Decoder(WANTED, keep, limit, instance_id)


def decode(request: ExportTraceServiceRequest, limit: int = TEXT_LIMIT) -> Decoded:
    return a_decoder(limit)(request.SerializeToString())


def only(decoded: Decoded) -> Span:
    (span,) = decoded.spans
    return span


def test_every_type_of_value_is_read() -> None:
    every = {"s": "é", "t": True, "i": -5, "d": 0.5, "b": b"\x00", "a": [1, "x", None], "n": None}
    span = only(decode(a_request({"metadata": every})))

    assert span.attributes["metadata"] == {**every, "a": (1, "x", None)}


def test_one_invalid_text_does_not_fail_its_batch() -> None:
    body = a_request({"tool.name": "lookup-\u2026"}, {"tool.name": "fine"}).SerializeToString()
    first, second = a_decoder()(body.replace("\u2026".encode(), b"\xff\xfe!")).spans

    assert first.attributes == {"tool.name": "lookup-\ufffd\ufffd!"}
    assert second.attributes == {"tool.name": "fine"}


def test_invalid_names_messages_scopes_and_resources_are_read_too() -> None:
    request = a_request({}, name="\u2026", scope="\u2026", resource={"service.name": "\u2026"})
    request.resource_spans[0].scope_spans[0].spans[0].status.message = "\u2026"
    body = request.SerializeToString().replace("\u2026".encode(), b"\xff\xff\xff")
    span = only(a_decoder()(body))

    assert {span.name, span.scope, span.message, span.resource.service} == {"\ufffd" * 3}


def test_of_equal_keys_the_last_wins() -> None:
    span = only(decode(a_request([("tool.name", "first"), ("tool.name", "last")])))

    assert span.attributes == {"tool.name": "last"}


def test_a_value_before_its_key_is_read() -> None:
    """Legal protobuf, though nobody writes it."""
    for text in (b"short", b"x" * 300):
        value, key = a_field(2, a_field(1, text)), a_field(1, b"tool.name")
        body = with_raw_attribute(a_request({}).SerializeToString(), value + key)

        assert only(a_decoder()(body)).attributes == {"tool.name": text.decode()}


def test_an_attribute_that_cannot_be_read_counts_as_dropped() -> None:
    key = a_field(1, b"tool.name")
    for broken in (b"\x0a\x09tool", key + b"\x12\x7f\x0a", key + b"\x12\x04\x0a\x09ab", b"\xff"):
        body = with_raw_attribute(
            a_request({}, dropped_attributes_count=3).SerializeToString(), broken
        )
        span = only(a_decoder()(body))

        assert (span.attributes, span.dropped) == ({}, 4)


def test_values_nested_deeper_than_any_sender_may_are_dropped() -> None:
    value = b""
    for _ in range(200):
        value = a_field(5, a_field(1, value))
    attribute = a_field(1, b"metadata") + a_field(2, value)
    span = only(a_decoder()(with_raw_attribute(a_request({}).SerializeToString(), attribute)))

    assert (span.attributes, span.dropped) == ({}, 1)


# ---- indexed families


def test_numbered_keys_are_kept_under_their_prefix_in_index_order() -> None:
    """Gaps are fine: SDKs drop attributes."""
    span = only(
        decode(
            a_request(
                [
                    ("llm.input_messages.10.message.role", "tool"),
                    ("llm.input_messages.2.message.role", "user"),
                    ("llm.output_messages.0.message.role", "assistant"),
                    ("llm.input_messages.2.message.content", "hi"),
                ]
            )
        )
    )

    assert span.attributes == {
        "llm.input_messages": (
            (("message.role", "user"), ("message.content", "hi")),
            (("message.role", "tool"),),
        ),
        "llm.output_messages": ((("message.role", "assistant"),),),
    }


def test_equal_numbered_keys_are_both_kept() -> None:
    twice = [("llm.input_messages.0.message.role", "a"), ("llm.input_messages.0.message.role", "b")]
    span = only(decode(a_request(twice)))

    assert span.attributes["llm.input_messages"] == (
        (("message.role", "a"), ("message.role", "b")),
    )


def test_made_up_keys_do_not_grow_the_tables_for_ever() -> None:
    """And a slot met before the tables start anew joins one met after."""
    decoder = a_decoder()
    role = "llm.input_messages.0.message.role"
    numbered = [(f"llm.input_messages.{n}.message.role", "user") for n in range(20_000)]
    content = ("llm.input_messages.0.message.content", "hi")
    span = only(decoder(a_request([*numbered, content, (role, "again")]).SerializeToString()))
    entries = span.attributes["llm.input_messages"]

    assert isinstance(entries, tuple)
    assert len(entries) == 20_000
    assert entries[0] == (
        ("message.role", "user"),
        ("message.content", "hi"),
        ("message.role", "again"),
    )


def test_made_up_values_do_not_grow_the_memory_for_ever() -> None:
    reader = AttributeReader(WANTED, TEXT_LIMIT)
    for number in range(20_000):
        reader([pair.SerializeToString() for pair in pairs({"tool.name": f"tool {number}"})])

    assert len(reader._seen) <= 8_192


# ---- texts that are too long


def test_a_long_text_is_cut_on_a_code_point() -> None:
    limit = 100
    for text in ("x" * 101, "é" * 51, "x" + "é" * 60, "€" * 40, "😀" * 30):
        value = only(decode(a_request({"input.value": text}), limit)).attributes["input.value"]

        assert isinstance(value, Cut)
        assert text.startswith(str.__str__(value))
        assert limit - 3 <= len(str.__str__(value).encode()) <= limit


def test_a_text_as_long_as_the_limit_is_whole() -> None:
    value = only(decode(a_request({"input.value": "x" * 100}), 100)).attributes["input.value"]

    assert value == "x" * 100
    assert not isinstance(value, Cut)


def test_what_a_huge_attribute_leaves_behind_is_small() -> None:
    decoder = a_decoder()
    body = a_request(
        {"input.value": "x" * 10_000_000, "unwanted": "y" * 10_000_000}
    ).SerializeToString()
    tracemalloc.start()
    try:
        decoded = decoder(body)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert only(decoded).attributes["input.value"] == Cut("x" * TEXT_LIMIT)
    assert held < 3 * TEXT_LIMIT


def test_a_huge_array_is_not_read() -> None:
    """Small values take up to 18 times their bytes as objects."""
    span = only(decode(a_request({"metadata": [{}] * 1_000, "tool.name": [{}] * 40}), 100))

    assert span.attributes["metadata"] == Cut()
    assert isinstance(span.attributes["tool.name"], tuple)
