"""To whom a hand-over hands over."""

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
)
from surefoot.model import Span, StepKind, Value

OI = "openinference.instrumentation."


def targets(*spans: Span) -> list[str]:
    return [known.hands_to for known in run_of(*spans).evidence]


def handed(tool: str, args: object = None, result: object = None, *agents: str) -> str:
    """Give to whom one call hands over, in a run with these agents besides `desk`."""
    others = [an_agent(n, 1, name) for n, name in enumerate(agents, start=5)]
    (known,) = run_of(an_agent(1), a_tool(2, 1, tool, args, result), *others).evidence
    assert known.kind is StepKind.HANDOFF
    return known.hands_to


@pytest.mark.parametrize(
    ("tool", "key"),
    [
        ("transfer_to_agent", "agent_name"),  # Google ADK
        ("handoff_to_agent", "agent_name"),  # Strands
        ("handoff", "to_agent"),  # LlamaIndex
        ("Delegate work to coworker", "coworker"),  # CrewAI
        ("delegate_task_to_member", "member_id"),  # Agno
        ("handoff", "subagent_type"),
        ("handoff", "assistant"),
        ("handoff", "target_agent"),
        ("handoff", "next_agent"),
        ("handoff", "agent_id"),
        ("handoff", "agent"),
    ],
)
def test_an_argument_names_the_agent(tool: str, key: str) -> None:
    assert handed(tool, {"task": "pay", key: " billing "}) == "billing"


@pytest.mark.parametrize("value", [7, None, "", " ", ["billing"], "x" * 201])
def test_what_is_no_name_names_nobody(value: object) -> None:
    assert handed("handoff", {"to_agent": value}) == ""


def test_a_name_may_be_long() -> None:
    assert handed("handoff", {"to_agent": "x" * 200}) == "x" * 200


@pytest.mark.parametrize(
    ("tool", "agent"),
    [
        ("transfer_to_refund_agent", "refund_agent"),
        ("transfer_back_to_supervisor", "supervisor"),
        ("handoff_to_refund_agent", "refund_agent"),
        ("Delegate To Billing Assistant", "billing_assistant"),
    ],
)
def test_the_tools_name_names_the_agent(tool: str, agent: str) -> None:
    assert handed(tool, {}) == agent


def test_an_agent_of_the_run_is_spelled_as_there() -> None:
    assert handed("transfer_to_refund_agent", {}, "", "Refund Agent") == "Refund Agent"
    assert handed("handoff", {"to_agent": "refund-agent"}, "", "Refund Agent") == "Refund Agent"
    assert handed("transfer_to_billing", {}, "", "Billing") == "Billing"


def test_a_call_under_an_agents_own_name_hands_over_to_it() -> None:
    """As those do that smolagents manages."""
    spans = [
        an_agent(1),
        a_model(2, 1, said=[asks(("c", "refund_agent", {"task": "pay"}))]),
        an_agent(3, 1, "Refund Agent"),
        a_tool(4, 3),
    ]

    assert targets(*spans) == ["Refund Agent", ""]


def test_an_argument_beats_the_name_and_the_name_the_result() -> None:
    said = "transferred to second_agent"

    assert handed("transfer_to_first_agent", {"agent": "third"}, said, "second_agent") == "third"
    assert handed("transfer_to_first_agent", {}, said, "second_agent") == "first_agent"


@pytest.mark.parametrize(
    "result",
    [
        "Refund Agent",
        '{"assistant": "refund_agent"}',
        "Transferred to refund agent, adopting its role.",
        "Handing off to refund_agent: order 7 is broken",
        "handed over to the 'Refund Agent'",
        "Delegated the task to refund-agent now",
        "switching control to refund_agent",
    ],
)
def test_a_result_names_an_agent_of_the_run(result: str) -> None:
    assert handed("handoff", {}, result, "Refund Agent", "Refund") == "Refund Agent"


@pytest.mark.parametrize(
    "result",
    [
        "",
        "done",
        "ask refund_agent",
        "money transferred to savings",
        "I have transferred it. Talk to refund_agent",
        "x" * 400 + " transferred to refund_agent",
    ],
)
def test_prose_that_names_none_in_so_many_words_tells_nothing(result: str) -> None:
    assert handed("handoff", {}, result, "refund_agent") == ""


def test_work_hands_over_to_nobody() -> None:
    assert targets(an_agent(1), a_tool(2, 1, "ask", {"agent_name": "billing"})) == [""]


def test_an_agent_without_a_span_may_be_known_by_its_calls() -> None:
    own: dict[str, Value] = {"gen_ai.agent.name": "Refund Agent"}
    spans = [
        a_chain(1),
        a_tool(2, 1, "transfer_to_refund_agent", {}),
        a_tool(3, 1, "pay", attributes=own),
    ]

    assert targets(*spans) == ["Refund Agent", ""]


def test_openai_agents_the_spans_name_is_the_agents() -> None:
    scope = OI + "openai_agents"

    def told(name: str) -> str:
        handover = a_span(2, 1, {OPENINFERENCE: "TOOL"}, name=name, scope=scope)
        (target,) = targets(an_agent(1, scope=scope), handover)
        return target

    assert told("handoff to Refunds & Returns") == "Refunds & Returns"
    assert told("handoff to Desk") == "desk"


def test_openai_agents_by_its_own_conventions_names_it() -> None:
    scope = "opentelemetry.instrumentation.openai_agents"
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "agent_handoff",
        "gen_ai.agent.name": "OpenAI Agent",
        "gen_ai.handoff.to_agent": "Billing Desk",
    }

    (known,) = run_of(an_agent(1), a_span(2, 1, attributes, scope=scope)).evidence

    assert (known.hands_to, known.named) == ("Billing Desk", True)


def test_crewai_the_coworker_is_told_by_the_span() -> None:
    delegate = a_tool(
        2, 1, "Ask question to coworker", {"coworker": "refund agent"}, scope=OI + "crewai"
    )

    assert targets(an_agent(1), delegate) == ["refund agent"]


def test_what_is_hidden_tells_nothing() -> None:
    assert handed("handoff", "__REDACTED__", "__REDACTED__", "refund_agent") == ""
