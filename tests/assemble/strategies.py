"""Spans of any content: ids that clash and ring, times that run back, odd types."""

from hypothesis import strategies as st

from surefoot.assemble import WANTED
from surefoot.assemble.dialects import DIALECTS
from surefoot.model import Event, Resource, Span

SCOPES = sorted({scope for dialect in DIALECTS for scope in dialect.scopes} | {"", "other"})
KEYS = sorted(WANTED.keys)
KINDS = ["TOOL", "AGENT", "LLM", "CHAIN", "tool", "UNKNOWN", "RETRIEVER", "EVALUATOR", ""]
OPERATIONS = ["execute_tool", "invoke_agent", "chat", "create_agent", "plan", "save_memory"]
_RESOURCE = Resource("shop")

texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "__REDACTED__",
            "{}",
            '{"a": 1}',
            '{"a": "b',
            "{'a': 1}",
            '[{"role": "user", "content": "hi"}]',
            '[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"t"}]}]',
            '{"messages": [["user", "hi"], ["ai", "yo"]]}',
            '{"type":"tool","data":{"content":"x","tool_call_id":"c","status":"error"}}',
            '{"kwargs": {"a": 1}, "args": [1, [2]]}',
            '{"content": [{"type": "text", "text": "x"}], "isError": true}',
            '"quoted"',
            "ToolCall(tool_name='x', arguments={})",
            "id='1' source='user' content='hi'",
            '{"output": {"output": {"output": {}}}}',
            "[" * 400,
            '{"a":' * 200 + "1" + "}" * 200,
            "\ud800",
            "final_answer",
            "transfer_to_desk",
            "tool",
            "call_1",
        ]
    ),
)
values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.binary(max_size=8),
        texts,
        texts,
        texts,
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=5), inner, max_size=3),
    ),
    max_leaves=6,
)
suffixes = st.sampled_from(
    [
        "message.role",
        "message.content",
        "message.tool_call_id",
        "message.name",
        "message.tool_calls.0.tool_call.id",
        "message.tool_calls.0.tool_call.function.name",
        "message.tool_calls.0.tool_call.function.arguments",
        "message.contents.0.message_content.text",
        "message.contents.1.tool_call.function.name",
        "role",
        "content",
        "tool_calls.0.name",
        "tool.json_schema",
        "",
    ]
)
items = st.lists(st.tuples(suffixes, values), max_size=4).map(tuple)
families = st.dictionaries(
    st.sampled_from(list(WANTED.indexed)), st.lists(items, max_size=4).map(tuple), max_size=2
)
marks: st.SearchStrategy[dict[str, str]] = st.one_of(
    st.sampled_from(KINDS).map(lambda kind: {"openinference.span.kind": kind}),
    st.sampled_from(OPERATIONS).map(lambda name: {"gen_ai.operation.name": name}),
    st.sampled_from(["tool", "agent", "task"]).map(lambda kind: {"traceloop.span.kind": kind}),
    st.sampled_from(["ai.toolCall", "ai.streamText"]).map(lambda name: {"ai.operationId": name}),
    st.just({}),
)
ids = st.integers(0, 6).map(lambda n: n.to_bytes(8, "big") if n else b"")
events = st.lists(
    st.builds(
        Event,
        name=st.sampled_from(["exception", "gen_ai.choice", "gen_ai.user.message", "x"]),
        time_ns=st.integers(0, 9),
        attributes=st.dictionaries(st.sampled_from(sorted(WANTED.event_keys)), values, max_size=3),
    ),
    max_size=2,
).map(tuple)
times = st.integers(0, 2**64 - 1) | st.integers(0, 20)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    """One span, before the door has reduced it."""
    attributes = draw(st.dictionaries(st.sampled_from(KEYS), values, max_size=6))
    return Span(
        trace_id=draw(st.sampled_from([b"a" * 16, b"b" * 16])),
        span_id=draw(ids),
        parent_id=draw(ids | st.just(b"short")),
        name=draw(texts | st.sampled_from(["handoff to desk", "Agent.run", "x.setup_agent"])),
        start_ns=draw(times),
        end_ns=draw(times),
        status=draw(st.integers(0, 3)),
        message=draw(texts),
        flags=draw(st.sampled_from([0, 0x100, 0x300])),
        scope=draw(st.sampled_from(SCOPES)),
        resource=_RESOURCE,
        attributes={**attributes, **draw(families), **draw(marks)},
        events=draw(events),
        dropped=draw(st.sampled_from([0, 0, 3])),
    )
