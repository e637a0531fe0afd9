"""Requests of every shape, for hypothesis."""

from typing import Any

from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from receive.builders import SPAN, TRACE, pairs

#: A text limit just beyond what the decoder reads in place.
LIMIT = 16_500


keys = st.sampled_from(
    [
        "tool.name",
        "input.value",
        "output.value",
        "metadata",
        "llm.token_count.total",
        "llm.token_count.",
        "llm.input_messages",
        "llm.input_messages.0.message.role",
        "llm.input_messages.0.message.content",
        "llm.input_messages.10.message.role",
        "llm.input_messages.2.message.role",
        "llm.input_messages.2",
        "llm.input_messages.x.message.role",
        "llm.output_messages.0.message.role",
        "llm.tools.0.tool.json_schema",
        "llm.token_count." + "x" * 130,
        "llm.input_messages.0." + "x" * 130,
        "unwanted",
        "",
        "ключ",
    ]
) | st.text(max_size=200)
# Lengths around every border at which an encoding or our way of reading it changes.
borders = [0, 1, 60, 110, 120, 124, 127, 128, 130, 134, 16_370, 16_380, 16_384, LIMIT, LIMIT + 1]
texts = st.text(max_size=20) | st.builds(
    lambda size, wobble: "x" * (size + wobble), st.sampled_from(borders), st.integers(0, 4)
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | texts
    | st.binary(max_size=140)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=6,
)
attributes = st.lists(st.tuples(keys, values), max_size=8)
ids = st.binary(min_size=8, max_size=8).filter(any)


@st.composite
def requests(draw: st.DrawFn) -> ExportTraceServiceRequest:
    """Requests whose span ids are good and none of which is our own."""
    request = ExportTraceServiceRequest()
    for _ in range(draw(st.integers(0, 2))):
        of_resource = request.resource_spans.add()
        of_resource.resource.attributes.extend(pairs(draw(attributes)))
        of_scope = of_resource.scope_spans.add()
        of_scope.scope.name = draw(st.sampled_from(["", "a scope"]))
        for _ in range(draw(st.integers(0, 3))):
            span = of_scope.spans.add(
                trace_id=draw(ids) * 2,
                span_id=draw(ids),
                trace_state=draw(st.sampled_from(["", "a=b"])),
                parent_span_id=draw(st.sampled_from([b"", bytes(8), SPAN, b"short"])),
                name=draw(texts),
                kind=draw(st.integers(0, 5)),
                start_time_unix_nano=draw(st.integers(0, 2**64 - 1)),
                end_time_unix_nano=draw(st.integers(0, 2**64 - 1)),
                attributes=pairs(draw(attributes)),
                dropped_attributes_count=draw(st.integers(0, 2**32 - 1)),
                dropped_events_count=draw(st.integers(0, 9)),
                flags=draw(st.integers(0, 2**32 - 1)),
            )
            if draw(st.booleans()):
                code: Any = draw(st.integers(-1, 9))  # an enum is open: any int32
                span.status.MergeFrom(Status(code=code, message=draw(texts)))
            for _ in range(draw(st.integers(0, 2))):
                its_keys = st.sampled_from(["exception.message", "exception.type", "other"])
                its_pairs = draw(st.lists(st.tuples(its_keys, values), max_size=3))
                span.events.add(name=draw(texts), time_unix_nano=7, attributes=pairs(its_pairs))
                span.links.add(trace_id=TRACE, span_id=draw(ids), attributes=pairs({"a": 1}))
    return request
