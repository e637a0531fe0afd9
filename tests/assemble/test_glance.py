"""What is sure of new spans of a trace that is still open."""

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
from surefoot import assemble
from surefoot.assemble.glance import glance, holds, other_way
from surefoot.model import ArgsQuality, Run, Span

OPENAI = "openinference.instrumentation.openai_agents"
LANGCHAIN = "openinference.instrumentation.langchain"
REMOTE = 0x300


def glance_at(*spans: Span) -> Run | None:
    """Reduce the spans as the door does, and glance."""
    for span in spans:
        assemble.reduce(span)
    return glance(spans)


def tools_in(run: Run | None) -> list[str]:
    return [step.tool for step in run.steps] if run else []


def an_mcp(n: int, parent: int | None, tool: str = "look", flags: int = 0) -> Span:
    attributes = {"mcp.method.name": "tools/call", "gen_ai.tool.name": tool}
    return a_span(n, parent, attributes, name=f"tools/call {tool}", scope="mcp", flags=flags)


def test_calls_are_read_as_at_the_close_in_order_of_start() -> None:
    spans = [
        a_tool(3, 1, "pay", {"sum": 5}, "paid", "c2"),
        a_tool(2, 1, "look", {"id": "a"}, "found", "c1"),
    ]
    run = glance_at(*spans)
    closed = run_of(an_agent(1), *spans)

    assert run
    assert [(s.tool, s.args, s.ok, s.result) for s in run.steps] == [
        (s.tool, s.args, s.ok, s.result) for s in closed.steps
    ]
    assert [(e.span_id, e.start_ns, e.end_ns, e.call_id, e.args_quality) for e in run.evidence] == [
        (e.span_id, e.start_ns, e.end_ns, e.call_id, e.args_quality) for e in closed.evidence
    ]
    assert (run.trace_id, run.service, run.key) == (closed.trace_id, "shop", b"")
    assert run.root.span_id == spans[1].span_id
    assert [step.agent for step in run.steps] == ["", ""]


def test_models_are_named_and_other_spans_are_not_read() -> None:
    model = a_model(2, 1, attributes={"llm.model_name": "small"})
    run = glance_at(model, a_chain(3, 1), an_agent(4, 1))

    assert run
    assert (run.models, run.steps, run.root.span_id) == (("small",), [], model.span_id)
    assert glance_at(a_chain(3, 1), a_model(2, 1)) is None


@pytest.mark.parametrize(
    "tool",
    ["final_answer", "handoff", "transfer_to_billing", "transfer_to_refund_agent",
     "switch_to_billing", "delegate_to_billing", "delegate_work_to_coworker"],
)  # fmt: skip
def test_what_may_end_the_run_or_hand_over_is_left_out(tool: str) -> None:
    assert glance_at(a_tool(2, 1, tool, {})) is None


def test_a_hand_overs_own_span_is_left_out() -> None:
    attributes = {OPENINFERENCE: "TOOL"}
    assert glance_at(a_span(2, 1, attributes, name="handoff to Billing", scope=OPENAI)) is None


def test_a_call_that_may_only_wait_for_approval_is_left_out() -> None:
    """OpenAI Agents make a span for a call that a human may still refuse."""
    waiting = a_tool(2, 1, "pay", {"sum": 5}, None, scope=OPENAI)
    done = a_tool(3, 1, "pay", {"sum": 5}, "paid", scope=OPENAI)

    assert tools_in(glance_at(waiting, done)) == ["pay"]
    assert tools_in(glance_at(a_tool(2, 1, "pay", {"sum": 5}, None))) == ["pay"]


def test_an_agents_span_that_is_a_tools_is_a_call() -> None:
    span = a_span(
        2, 1, {OPENINFERENCE: "AGENT", "tool.name": "ask_agent", "output.value": "x"},
        scope=LANGCHAIN,
    )  # fmt: skip
    assert tools_in(glance_at(span)) == ["ask_agent"]


@pytest.mark.parametrize(
    "span",
    [
        a_tool(2, 1, args="[REDACTED]"),
        a_tool(2, 1, args="plain words"),
        a_tool(2, 1, args='{"id": "a'),
        a_tool(2, 1),
        a_tool(2, 1, args={"id": "a"}, scope=LANGCHAIN),
    ],
    ids=["hidden", "wrapped", "cut", "missing", "doubted"],
)
def test_arguments_that_are_not_exact_on_the_span_are_missing(span: Span) -> None:
    run = glance_at(span)

    assert run
    assert (run.steps[0].args, run.evidence[0].args_quality) == ({}, ArgsQuality.MISSING)


def test_the_result_of_a_failed_call_is_not_told_since_it_may_be_tried_again() -> None:
    run = glance_at(a_tool(2, 1, result="no"), a_tool(3, 1, result="no", error=True))

    assert run
    assert [(step.ok, step.result) for step in run.steps] == [(True, "no"), (False, "")]
    assert [known.result_known for known in run.evidence] == [True, False]


def test_every_call_may_go_the_other_way() -> None:
    run = glance_at(a_tool(2, 1), a_tool(3, 1, error=True))

    assert run
    assert [step.ok for step in other_way(run).steps] == [False, True]
    assert [step.ok for step in run.steps] == [True, False]


def does_hold(seen: Span, *others: Span, index: int = 0) -> bool:
    """Whether the call that is seen at a glance stands in the trace so far."""
    run = glance_at(seen)
    spans = (seen, *others)
    so_far = run_of(*spans, whole=False)
    assert run
    return holds(so_far, index, run.evidence[0], {span.span_id: span for span in spans})


def test_a_call_stands_as_long_as_nothing_speaks_against_it() -> None:
    assert does_hold(a_tool(3, 2))
    assert does_hold(a_tool(3, 2), a_tool(4, 2, "pay"))
    assert not does_hold(a_tool(3, 2), a_tool(4, 2, "pay"), index=1)


def test_a_call_that_another_span_tells_of_too_stands_as_that_one() -> None:
    assert does_hold(an_mcp(3, 2), a_tool(2, 1))
    assert does_hold(a_tool(4, 3), an_mcp(3, 2), a_tool(2, 1))


def test_of_a_servers_span_nothing_is_sure_until_all_above_it_is_here() -> None:
    """The framework's span may give the tool another name."""
    assert not does_hold(an_mcp(3, 2))
    assert not does_hold(a_tool(3, 2, flags=REMOTE))
    assert not does_hold(an_mcp(3, 2), a_chain(2, 1))
    assert does_hold(an_mcp(3, 2), a_chain(2, 1), a_chain(1))
    assert does_hold(an_mcp(3, None))


def test_spans_above_one_another_lead_to_no_root() -> None:
    assert not does_hold(an_mcp(3, 2), a_chain(2, 3))


def test_a_name_that_another_ends_with_is_not_sure() -> None:
    """The model asks for `desk_look`, the server calls it `look`: they may become one."""
    asked = a_model(5, 1, said=[asks(("c9", "desk_look", {}))])
    same = a_model(5, 1, said=[asks(("c9", "look", {}))])

    assert not does_hold(a_tool(3, 2), asked, index=0)
    assert not does_hold(a_tool(3, 2), asked, index=1)
    assert does_hold(a_tool(3, 2), same)


def test_a_call_that_is_a_hand_over_by_now_does_not_stand() -> None:
    """An agent of the name that the tool's has come meanwhile."""
    seen = glance_at(a_tool(3, 2, "look"))
    handed = run_of(a_tool(3, 2, "transfer_to_desk"), an_agent(2, 1, name="desk"), whole=False)

    assert seen
    assert not holds(handed, 0, seen.evidence[0], {})


def test_a_call_that_only_the_model_tells_of_does_not_stand() -> None:
    seen = glance_at(a_tool(3, 2, "look"))
    asked = run_of(a_model(3, 2, said=[asks(("c1", "look", {}))]), whole=False)

    assert seen
    assert not holds(asked, 0, seen.evidence[0], {})
