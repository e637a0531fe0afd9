"""What the door keeps of a span."""

import json

import pytest

from assemble.runs_of import OPENINFERENCE, a_model, a_span, a_tool, an_agent, asks, words
from surefoot.assemble import WANTED, reduce
from surefoot.assemble.dialects import keys
from surefoot.model import Event, Item, Role, Span, Value


def reduced(span: Span) -> Span:
    reduce(span)
    return span


def weight(span: Span) -> int:
    """Count the characters that a span holds."""

    def count(value: object) -> int:
        if isinstance(value, tuple):
            return sum(map(count, value))
        return len(value) if isinstance(value, str) else 0

    return sum(map(count, span.attributes.values()))


def said_again(text: str = "x" * 400) -> list[Item]:
    return [words("user", text), asks(("c", "look", {}))]


@pytest.mark.parametrize(
    ("attributes", "role"),
    [
        ({OPENINFERENCE: "TOOL"}, Role.TOOL),
        ({OPENINFERENCE: "tool"}, Role.TOOL),
        ({OPENINFERENCE: "AGENT"}, Role.AGENT),
        ({OPENINFERENCE: "LLM"}, Role.LLM),
        ({OPENINFERENCE: "CHAIN"}, Role.CHAIN),
        ({OPENINFERENCE: "RETRIEVER"}, Role.OTHER),
        ({OPENINFERENCE: "EVALUATOR"}, Role.OTHER),
        ({OPENINFERENCE: "UNKNOWN"}, Role.OTHER),
        ({OPENINFERENCE: "TOOL", "traceloop.span.kind": "task"}, Role.TASK),
        ({OPENINFERENCE: 7}, Role.OTHER),
        ({"gen_ai.operation.name": "execute_tool"}, Role.TOOL),
        ({"gen_ai.operation.name": "invoke_agent"}, Role.AGENT),
        ({"gen_ai.operation.name": "chat"}, Role.LLM),
        ({"gen_ai.operation.name": "plan"}, Role.CHAIN),
        ({"gen_ai.operation.name": "create_agent"}, Role.OTHER),
        ({"gen_ai.operation.name": "embeddings"}, Role.OTHER),
        ({"gen_ai.operation.name": "save_memory"}, Role.OTHER),
        ({"traceloop.span.kind": "tool"}, Role.TOOL),
        ({"traceloop.span.kind": "workflow"}, Role.CHAIN),
        ({"traceloop.span.kind": "task"}, Role.TASK),
        ({"llm.request.type": "chat"}, Role.LLM),
        ({"llm.request.type": "embedding"}, Role.OTHER),
        ({"ai.operationId": "ai.toolCall"}, Role.TOOL),
        ({"ai.operationId": "ai.generateText"}, Role.AGENT),
        ({"ai.operationId": "ai.streamText.doStream"}, Role.LLM),
        ({"ai.operationId": "ai.embed"}, Role.OTHER),
        ({"mcp.method.name": "tools/call"}, Role.TOOL),
        ({"mcp.method.name": "tools/list"}, Role.OTHER),
        ({"langfuse.observation.type": "tool"}, Role.TOOL),
        ({"langfuse.observation.type": "embedding"}, Role.OTHER),
        ({"mlflow.spanType": '"TOOL"'}, Role.TOOL),
        ({"mlflow.spanType": '"RETRIEVER"'}, Role.OTHER),
        ({"http.method": "GET"}, Role.NONE),
        ({}, Role.NONE),
    ],
)
def test_the_role_is_what_a_convention_says(attributes: dict[str, Value], role: Role) -> None:
    assert reduced(a_span(1, None, attributes)).role is role


def test_a_span_that_no_convention_knows_keeps_ids_times_and_status() -> None:
    span = reduced(a_span(1, 2, {"http.url": "https://example.com"}, raised="ValueError"))

    assert (span.name, span.attributes, span.events) == ("", {}, ())
    assert (span.span_id[-1], span.parent_id[-1], span.start_ns) == (1, 2, 1_000_000)


def test_a_grade_makes_a_span_known() -> None:
    """Whoever writes it: a grade is told by its event."""
    span = a_span(1)
    span.events = (Event("gen_ai.evaluation.result", 0, {"gen_ai.evaluation.name": "g"}),)

    assert reduced(span).role is Role.OTHER
    assert len(span.events) == 1


def test_graders_words_are_kept_on_any_known_span() -> None:
    grade: dict[str, Value] = {
        "trace.evaluations": ((("evaluation.label", "pass"),),),
        "surefoot.output_ok": True,
    }
    for kind in ("AGENT", "TOOL", "LLM", "CHAIN", "EVALUATOR"):
        assert (
            grade.items()
            <= reduced(a_span(1, 2, {OPENINFERENCE: kind, **grade})).attributes.items()
        )


def test_a_span_that_bears_a_grade_is_known_by_it() -> None:
    """A web request's span may carry what somebody said of what it led to."""
    span = reduced(a_span(1, None, {"annotations": ((("annotation.label", "good"),),)}))

    assert span.role is Role.OTHER
    assert "annotations" in span.attributes


def test_what_was_used_is_kept_where_it_is_asked_for() -> None:
    """On models' spans, and on agents' that may sum up what has no span."""
    used: dict[str, Value] = dict.fromkeys(keys.USAGE, 1)

    for kind, kept in (("LLM", True), ("AGENT", True), ("CHAIN", False), ("TOOL", False)):
        span = reduced(a_span(1, 2, {OPENINFERENCE: kind, **used}))

        assert keys.USAGE.issubset(span.attributes) is kept, kind
        assert keys.USAGE.isdisjoint(span.attributes) is not kept, kind


def test_a_specs_own_attribute_survives() -> None:
    """The door may be asked for keys that no dialect knows."""
    for make in (an_agent, a_tool, a_model):
        span = make(1, 2, attributes={"app.outcome": "paid"})

        assert reduced(span).attributes["app.outcome"] == "paid"


def test_a_model_keeps_its_messages_once() -> None:
    """Not the same conversation again as input and output, JSON or GenAI's."""
    copy = json.dumps([{"role": "user", "content": "x" * 400}])
    copies = dict.fromkeys(("input.value", "output.value", "gen_ai.input.messages"), copy)

    span = reduced(a_model(1, heard=said_again(), said=said_again(), attributes=copies))

    assert weight(span) < 1300
    assert set(span.attributes) == {OPENINFERENCE, keys.HEARD, keys.SAID}


def test_what_hides_a_value_is_no_copy() -> None:
    span = reduced(a_model(1, attributes={"input.value": "__REDACTED__"}))

    assert span.attributes["input.value"] == "__REDACTED__"


def test_tool_definitions_become_names_and_one_object() -> None:
    offer = json.dumps(
        {
            "type": "function",
            "function": {
                "name": "look",
                "description": "x" * 500,
                "parameters": {"type": "object", "properties": {"id": {}}},
            },
        }
    )
    spans = [
        a_model(n, attributes={"llm.tools": ((("tool.json_schema", offer),),)}) for n in (1, 2)
    ]

    one, other = (reduced(span).attributes[keys.OFFERS] for span in spans)

    assert one == ((("name", "look"), ("properties", ("id",))),)
    assert one is other


def test_a_long_answer_is_held_as_its_words() -> None:
    talk = [{"role": "user", "content": "x" * 900}, {"role": "assistant", "content": "bye"}]
    span = an_agent(1, attributes={"output.value": json.dumps({"messages": talk})})

    assert weight(reduced(span)) < 100
    assert span.attributes[keys.CLOSING] == "bye"


def test_a_long_result_is_held_without_its_envelope() -> None:
    """So that it is the very text that the model heard."""
    text = "y" * 900
    envelope = {"type": "tool", "data": {"content": text, "tool_call_id": "c", "x": "z" * 900}}
    span = reduced(a_tool(1, result=envelope))

    assert weight(span) < 1000
    assert text in str(span.attributes[keys.OUTCOME])


def test_a_chains_long_texts_go_and_its_short_ones_stay() -> None:
    texts = {"input.value": "short", "output.value": "x" * 5000}
    span = reduced(a_span(1, 2, {OPENINFERENCE: "CHAIN", **texts}))

    assert span.attributes == {OPENINFERENCE: "CHAIN", "input.value": "short"}


def test_messages_in_json_are_shared_with_those_that_came_before() -> None:
    """A history that every turn repeats costs a pointer a message."""
    turns = [[{"role": "user", "content": f"message {n}"} for n in range(size)] for size in (3, 4)]
    spans = [
        a_span(
            n, None, {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(turn)}
        )
        for n, turn in enumerate(turns, start=1)
    ]

    first, second = (reduced(span).attributes[keys.HEARD] for span in spans)

    assert isinstance(first, tuple)
    assert isinstance(second, tuple)
    assert all(one is other for one, other in zip(first, second, strict=False))


def test_only_exceptions_and_grades_stay_of_the_events() -> None:
    span = an_agent(1, raised="ValueError")
    span.events += (Event("ai.stream.firstChunk", 0, {}),)

    assert [event.name for event in reduced(span).events] == ["exception"]


def test_reducing_twice_is_reducing_once() -> None:
    span = reduced(a_model(1, heard=said_again(), said=said_again()))
    before = repr(span)

    assert repr(reduced(span)) == before


def test_no_key_of_the_wire_can_pass_for_one_of_ours() -> None:
    ours = (
        keys.HEARD,
        keys.SAID,
        keys.ASKED,
        keys.OFFERS,
        keys.OPENING,
        keys.CLOSING,
        keys.OUTCOME,
    )

    assert not WANTED.keys.intersection(ours)
    assert not any(prefix.startswith("~") for prefix in (*WANTED.prefixes, *WANTED.indexed))
