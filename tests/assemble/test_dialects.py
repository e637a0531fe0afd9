"""What is peculiar to a framework, one claim each; recordings show the rest."""

import json
from typing import Any

import pytest

from assemble.runs_of import (
    OPENINFERENCE,
    a_chain,
    a_model,
    a_span,
    a_tool,
    an_agent,
    asks,
    run_of,
    steps_of,
    words,
)
from surefoot.assemble.dialects import DIALECTS, find
from surefoot.model import ArgsQuality, Event, Span, StepKind, Value

OI = "openinference.instrumentation."


def test_no_two_dialects_claim_a_scope() -> None:
    scopes = [scope for dialect in DIALECTS for scope in dialect.scopes]

    assert len(scopes) == len(set(scopes))
    assert all(scopes)


def test_the_scope_tells_before_the_attributes() -> None:
    both = a_span(1, None, {OPENINFERENCE: "TOOL"}, scope="strands.telemetry.tracer")

    assert type(find(both)).__name__ == "Strands"
    assert type(find(a_span(1, None, {OPENINFERENCE: "TOOL"}))).__name__ == "OpenInference"
    assert find(a_span(1)) is None


def test_langchain_a_tool_named_after_an_agent_is_a_tool() -> None:
    agent = a_span(
        2, 1, {OPENINFERENCE: "AGENT", "tool.name": "ask_desk_agent"}, scope=OI + "langchain"
    )

    assert [tool for tool, *_ in steps_of(an_agent(1), agent)] == ["ask_desk_agent"]


def test_langchain_a_lone_text_that_looks_like_arguments_is_none() -> None:
    """`send(payload='{"x": 1}')` is written as `{"x": 1}`."""
    spans = [
        an_agent(1),
        a_model(2, 1, said=[asks(("c", "send", {"payload": '{"x": 1}'}))]),
        a_tool(3, 1, "send", {"x": 1}, call_id="c", scope=OI + "langchain"),
    ]

    assert steps_of(*spans)[0][1] == {"payload": '{"x": 1}'}


def test_langchain_the_node_that_runs_tools_knows_their_arguments() -> None:
    calls = [{"name": "look", "args": {"id": "7"}, "id": "c", "type": "tool_call"}]
    node = a_chain(2, 1, attributes={"input.value": json.dumps(calls)}, scope=OI + "langchain")
    tool = a_tool(3, 2, args="7", result=None, scope=OI + "langchain")

    run = run_of(an_agent(1), node, tool)

    assert [step.args for step in run.steps] == [{"id": "7"}]
    assert run.evidence[0].args_quality is ArgsQuality.RECOVERED


def test_langchain_each_span_tells_its_agent() -> None:
    own = {"metadata": '{"lc_agent_name": "inner", "langgraph_step": 2}'}
    tool = a_tool(2, 1, attributes=own, scope=OI + "langchain")

    assert run_of(an_agent(1, name="node"), tool).steps[0].agent == "inner"


def test_openai_agents_a_hand_over_has_the_name_that_the_model_called() -> None:
    handoff = {OPENINFERENCE: "TOOL", "input.value": "desk", "output.value": "Refund Agent"}
    request = asks(("c", "transfer_to_refund_agent", {}))
    spans = [
        an_agent(1),
        a_chain(2, 1),
        a_model(3, 2, said=[request]),
        a_span(4, 2, handoff, name="handoff to Refund Agent", scope=OI + "openai_agents"),
    ]

    run = run_of(*spans)

    assert [(step.tool, step.args) for step in run.steps] == [("transfer_to_refund_agent", {})]
    assert run.evidence[0].kind is StepKind.HANDOFF


def test_openai_agents_a_hand_over_of_another_name_is_paired_by_its_place() -> None:
    handoff = {OPENINFERENCE: "TOOL"}
    spans = [
        an_agent(1),
        a_chain(2, 1),
        a_model(3, 2, said=[asks(("c", "transfer_to_agent", {"to": "x"}))]),
        a_span(4, 2, handoff, name="handoff to X", scope=OI + "openai_agents"),
    ]

    assert [tool for tool, *_ in steps_of(*spans)] == ["transfer_to_agent"]


def test_openai_agents_hosted_tools_stand_in_the_response() -> None:
    response = {"output": [{"type": "web_search_call", "id": "ws", "action": {"query": "x"}}]}
    model = a_model(
        2,
        1,
        said=[words("assistant", "bye")],
        attributes={"output.value": json.dumps(response)},
        scope=OI + "openai_agents",
    )

    (step,) = run_of(an_agent(1), model).steps

    assert (step.tool, step.args) == ("web_search", {"query": "x"})


def test_crewai_a_coworker_works_below_the_tool_that_called_it() -> None:
    delegate = a_tool(2, 1, "Delegate work to coworker", {"coworker": "clerk"}, scope=OI + "crewai")

    run = run_of(an_agent(1), delegate, a_tool(3, 2))

    assert [step.agent for step in run.steps] == ["desk", "clerk"]


def test_crewai_tasks_are_filled_in_from_the_inputs() -> None:
    attributes: dict[str, Value] = {
        "crew_tasks": '[{"description": "Refund {order}"}]',
        "input.value": '{"order": "7"}',
    }

    run = run_of(a_chain(1, attributes=attributes, scope=OI + "crewai"), a_tool(2, 1))

    assert run.task == "Refund 7"


def test_googleadk_the_merged_span_is_no_call() -> None:
    merged = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)"}

    assert steps_of(an_agent(1), a_span(2, 1, merged, scope="gcp.vertex.agent")) == []


def test_beeai_spans_of_a_tools_events_are_no_calls() -> None:
    event = a_span(3, 2, {OPENINFERENCE: "TOOL"}, name="retry", scope=OI + "beeai")

    assert len(steps_of(an_agent(1), a_tool(2, 1, scope=OI + "beeai"), event)) == 1


def test_dspy_the_spans_name_is_the_tools() -> None:
    tool = a_span(
        2,
        1,
        {OPENINFERENCE: "TOOL", "input.value": '{"kwargs": {"id": 1}}', "output.value": '"found"'},
        name="look.__call__",
        scope=OI + "dspy",
    )

    assert steps_of(a_chain(1), tool) == [("look", {"id": 1}, True, "found")]


def test_dspy_the_models_form_is_no_users_word() -> None:
    form = a_model(
        2, 1, heard=[words("user", "[[ ## observation ## ]] order 7")], scope=OI + "dspy"
    )

    run = run_of(a_chain(1, attributes={"input.value": '{"question": "refund 7"}'}), form)

    assert run.told.user == ("refund 7",)


def test_strands_an_argument_named_text_is_not_all_of_them() -> None:
    attributes = {"input.value": "hello", "tool.parameters": '{"id": "7", "text": "hello"}'}
    tool = a_tool(2, 1, attributes=attributes, scope="strands.telemetry.tracer")

    assert steps_of(an_agent(1), tool)[0][1] == {"id": "7", "text": "hello"}


def test_strands_events_hold_arguments_results_and_messages() -> None:
    genai = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"}
    tool = a_span(3, 1, genai, scope="strands.telemetry.tracer")
    tool.events = (
        Event("gen_ai.tool.message", 0, {"role": "tool", "content": '{"id": 1}', "id": "c"}),
        Event("gen_ai.choice", 0, {"message": '[{"text": "found"}]', "id": "c"}),
    )
    chat = a_span(2, 1, {"gen_ai.operation.name": "chat"}, scope="strands.telemetry.tracer")
    chat.events = (
        Event("gen_ai.user.message", 0, {"content": '[{"text": "refund 7"}]'}),
        Event(
            "gen_ai.choice",
            0,
            {
                "message": '[{"toolUse": {"toolUseId": "c", "name": "look", "input": {"id": 1}}}]',
                "finish_reason": "tool_use",
            },
        ),
    )

    run = run_of(an_agent(1), chat, tool)

    assert [(s.tool, s.args, s.result) for s in run.steps] == [("look", {"id": 1}, "found")]
    assert run.task == "refund 7"


def test_autogen_an_unknown_tool_failed_though_its_span_is_ok() -> None:
    answer = "Error: tool 'drop' not found in any workbench"
    scope = OI + "autogen_agentchat"

    assert not steps_of(an_agent(1), a_tool(2, 1, "drop", {}, answer, scope=scope))[0][2]
    assert steps_of(an_agent(1), a_tool(2, 1, "drop", {}, answer))[0][2]


def test_vercel_an_error_that_was_copied_is_none() -> None:
    """A converter marks each span after a failed one; a true failure threw, or gave nothing."""
    copied = a_tool(2, 1, error=True, scope="ai")
    thrown = a_tool(3, 1, error=True, raised="Error", scope="ai")
    silent = a_tool(4, 1, error=True, result=None, scope="ai")

    assert [ok for _, _, ok, _ in steps_of(an_agent(1), copied, thrown, silent)] == [
        True,
        False,
        False,
    ]


def test_bedrock_arguments_are_named_values() -> None:
    attributes = {
        "input.value": "model text",
        "tool.parameters": '[{"name": "id", "type": "string", "value": "7"}]',
    }

    assert steps_of(an_agent(1), a_tool(2, 1, attributes=attributes, scope=OI + "bedrock"))[0][
        1
    ] == {"id": "7"}


def test_claude_a_sub_agent_is_its_type() -> None:
    scope = OI + "claude_agent_sdk"
    task = a_tool(2, 1, "Task", {"subagent_type": "clerk"}, scope=scope)
    sub = an_agent(3, 2, "Task", scope=scope)

    run = run_of(an_agent(1), task, sub, a_tool(4, 3))

    assert [step.agent for step in run.steps] == ["desk", "clerk"]


def test_agent_framework_and_others_need_no_dialect() -> None:
    """Whoever keeps to a convention is read through it."""
    genai = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.id": "c",
        "gen_ai.tool.call.arguments": '{"id": 1}',
        "gen_ai.tool.call.result": "found",
    }
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}

    run = run_of(a_span(1, None, agent), a_span(2, 1, genai))

    assert [(s.tool, s.args, s.result, s.agent) for s in run.steps] == [
        ("look", {"id": 1}, "found", "clerk")
    ]


def test_arguments_that_a_switch_replaced_by_their_schema_are_found() -> None:
    """OpenInference's dual write copies `tool.parameters`, a schema here."""
    schema = '{"type": "object", "properties": {"id": {}}}'
    attributes = {"tool.parameters": schema, "gen_ai.tool.call.arguments": schema}

    assert steps_of(an_agent(1), a_tool(2, 1, args={"id": 1}, attributes=attributes))[0][1] == {
        "id": 1
    }
    assert run_of(an_agent(1), a_tool(2, 1, attributes=attributes)).evidence[0].args_quality is (
        ArgsQuality.MISSING
    )


@pytest.mark.parametrize("kind", ["str", "structured"])
def test_genai_values_may_be_texts_or_structures(kind: str) -> None:
    arguments: Any = {"id": (1, 2)}
    value = json.dumps({"id": [1, 2]}) if kind == "str" else arguments
    tool = a_span(
        2,
        1,
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "look",
            "gen_ai.tool.call.arguments": value,
        },
    )

    assert steps_of(an_agent(1), tool)[0][1] == {"id": [1, 2]}


def test_old_openllmetry_numbers_its_messages() -> None:
    chat: dict[str, Value] = {
        "llm.request.type": "chat",
        "gen_ai.prompt": ((("role", "user"), ("content", "refund 7")),),
        "gen_ai.completion": (
            (
                ("role", "assistant"),
                ("tool_calls.0.id", "c"),
                ("tool_calls.0.name", "drop"),
                ("tool_calls.0.arguments", "{}"),
            ),
        ),
    }
    workflow: Span = a_span(
        1, None, {"traceloop.span.kind": "workflow", "traceloop.entity.name": "w"}
    )

    run = run_of(workflow, a_span(2, 1, chat), a_tool(3, 1))

    assert [step.tool for step in run.steps] == ["drop", "look"]
    assert run.task == "refund 7"
