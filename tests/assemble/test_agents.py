"""Which agent made a call."""

from assemble.runs_of import OPENINFERENCE, a_chain, a_span, a_tool, an_agent, run_of
from surefoot.model import Span


def agents_of(*spans: Span) -> list[str]:
    return [step.agent for step in run_of(*spans).steps]


def test_the_nearest_agent_above_made_it() -> None:
    spans = [an_agent(1), an_agent(2, 1, "inner"), a_chain(3, 2), a_tool(4, 3), a_tool(5, 1, "b")]

    assert agents_of(*spans) == ["inner", "desk"]


def test_an_agents_span_without_a_name_counts_for_nothing() -> None:
    """The one above it is asked."""
    nameless = a_span(2, 1, {OPENINFERENCE: "AGENT", "graph.node.id": "strands_agent"}, name=" ")

    assert agents_of(an_agent(1), nameless, a_tool(3, 2)) == ["desk"]


def test_a_name_in_a_spans_name_is_a_name() -> None:
    for name in ("invoke_agent desk", "agent_run [desk]", "desk.run", "desk.t-1._execute_core"):
        agent = a_span(1, None, {OPENINFERENCE: "AGENT"}, name=name)

        assert agents_of(agent, a_tool(2, 1)) == ["desk"], name


def test_made_up_node_ids_are_no_names() -> None:
    for node in ("agent_01", "0123456789abcdef", "9217d5d0-bb66-4b40-a2a5-f103b9b18844"):
        attributes = {OPENINFERENCE: "AGENT", "graph.node.id": node}

        assert agents_of(a_span(1, None, attributes, name="desk.run"), a_tool(2, 1)) == ["desk"]


def test_a_tools_own_word_counts_where_no_agent_is_above() -> None:
    own = {"gen_ai.agent.name": "own"}

    assert agents_of(a_chain(1), a_tool(2, 1, attributes=own)) == ["own"]
    assert agents_of(an_agent(1), a_tool(2, 1, attributes=own)) == ["desk"]


def test_an_agent_beside_its_calls_is_told_by_time() -> None:
    spans = [
        a_span(1, end=30),
        an_agent(2, 1, "first", start=2, end=10),
        a_tool(3, 1, start=3),
        an_agent(4, 1, "second", start=5, end=8),
        a_tool(5, 1, start=6),
        a_tool(6, 1, start=9),
        a_tool(7, 1, start=20),
    ]

    assert agents_of(*spans) == ["first", "second", "first", "main"]


def test_without_any_agent_it_is_main() -> None:
    run = run_of(a_chain(1), a_tool(2, 1))

    assert (run.agent, [step.agent for step in run.steps]) == ("main", ["main"])


def test_the_run_is_its_roots_agent_or_the_first_one() -> None:
    assert run_of(an_agent(1), an_agent(2, 1, "inner")).agent == "desk"
    assert run_of(a_chain(1), an_agent(2, 1, "first"), an_agent(3, 1, "second")).agent == "first"
