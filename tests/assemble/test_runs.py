"""The whole of `assemble`: properties first, then what a run is."""

import copy
import random
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assemble.runs_of import (
    TRACE,
    a_chain,
    a_model,
    a_span,
    a_tool,
    an_agent,
    asks,
    run_of,
    runs_of,
    words,
)
from assemble.strategies import spans
from surefoot import assemble
from surefoot.model import Evidence, Reason, Run, Span


def reduced(held: list[Span]) -> list[Span]:
    fresh = [copy.deepcopy(span) for span in held]  # one that comes twice is two objects
    for span in fresh:
        assemble.reduce(span)
    return fresh


def put_together(held: list[Span], unit: str = "trace") -> list[Run]:
    return assemble.assemble(held, reason=Reason.ROOT, whole=True, unit=unit)


@given(st.lists(spans(), max_size=12), st.sampled_from(["trace", "agent", "session"]))
@settings(max_examples=120, deadline=None)
def test_no_span_content_raises(held: list[Span], unit: str) -> None:
    """Whatever the ids, times, types and texts are."""
    runs = put_together(reduced(held), unit)

    for run in runs:
        assert len(run.steps) == len(run.evidence)
        assert all(step.t >= 0 for step in run.steps)
        assert run.levels
        assert run.levels == {Evidence.COMPLETE} or Evidence.COMPLETE not in run.levels


@given(st.lists(spans(), max_size=10), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_any_order_of_the_same_spans_gives_the_same_runs(
    held: list[Span], shuffler: random.Random
) -> None:
    first = put_together(reduced(held))
    shuffled = list(held)
    shuffler.shuffle(shuffled)

    assert repr(put_together(reduced(shuffled))) == repr(first)


@given(st.lists(spans(), min_size=1, max_size=8))
@settings(max_examples=30, deadline=None)
def test_a_span_that_comes_twice_counts_once(held: list[Span]) -> None:
    assert repr(put_together(reduced(held + held))) == repr(put_together(reduced(held)))


@given(st.lists(spans(), max_size=10))
@settings(max_examples=30, deadline=None)
def test_there_is_a_run_exactly_where_there_is_an_ai_span(held: list[Span]) -> None:
    ready = reduced(held)
    traces = {span.trace_id for span in ready if span.role.is_ai}
    hosts = {span.trace_id for span in ready if span.scope == "n8n-workflow"}

    found = {run.trace_id for run in put_together(ready)}

    assert found <= traces
    assert found >= traces - hosts


def calls_made(job: Callable[[], object]) -> int:
    """Count the calls of functions, Python's and C's, that a job makes."""
    count = 0

    def count_one(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_one)
    try:
        job()
    finally:
        sys.setprofile(None)
    return count


def deep(size: int) -> list[Span]:
    return [a_tool(n + 1, n or None, f"tool {n % 7}", {"n": n}) for n in range(size)]


def wide(size: int) -> list[Span]:
    turns = range(2, size, 2)
    models = [a_model(n, 1, said=[asks(("", "look", {"a": 1}))]) for n in turns]
    return [an_agent(1, end=size), *models, *(a_tool(n + 1, 1, args={"a": 1}) for n in turns)]


def one_id(size: int) -> list[Span]:
    return [an_agent(1), *(a_tool(n, 1, args={"n": n}, call_id="c") for n in range(2, size))]


def tried_again(size: int) -> list[Span]:
    return [an_agent(1), *(a_tool(n, 1, args={"n": 1}, call_id="c") for n in range(2, size))]


def in_a_ring(size: int) -> list[Span]:
    return [an_agent(n + 1, (n + 1) % size + 1) for n in range(size)]


def never_asked_back(size: int) -> list[Span]:
    said = [asks((f"c{n}", "look", {"n": n})) for n in range(size)]
    return [an_agent(1), *(a_model(n + 2, 1, said=[item]) for n, item in enumerate(said))]


def side_by_side(size: int) -> list[Span]:
    agents = [an_agent(n, end=size) for n in range(1, size, 2)]
    return [*agents, *(a_tool(n, None) for n in range(2, size, 2))]


def long_history(size: int) -> list[Span]:
    past = [words(["user", "tool"][n % 2], f"message {n}") for n in range(20)]
    return [an_agent(1), *(a_model(n, 1, heard=past) for n in range(2, size))]


@pytest.mark.parametrize(
    "shape",
    [deep, wide, one_id, tried_again, in_a_ring, never_asked_back, side_by_side, long_history],
)
def test_work_grows_with_the_spans_and_no_faster(shape: Callable[[int], list[Span]]) -> None:
    """Counted, not timed: ten times the spans make at most twelve times the calls."""
    few, many = (reduced(shape(size)) for size in (60, 600))

    once = calls_made(lambda: put_together(few))
    tenfold = calls_made(lambda: put_together(many))

    assert tenfold <= 12 * once


def test_a_chain_of_thirty_thousand_spans_is_no_deeper_than_one() -> None:
    """Nothing recurses over parents."""
    (run,) = runs_of(*deep(30_000))

    assert run.spans == 30_000


def test_without_an_ai_span_there_is_no_run() -> None:
    assert runs_of(a_span(1), a_span(2, 1, {"http.method": "GET"})) == []


def test_the_root_is_the_topmost_ai_span_below_a_web_request() -> None:
    run = run_of(a_span(1, name="POST /chat"), an_agent(2, 1), a_tool(3, 2))

    assert run.root.span_id == (2).to_bytes(8, "big")
    assert run.service == "shop"
    assert run.agent == "desk"


def test_several_topmost_agents_are_one_run_from_the_earliest() -> None:
    run = run_of(a_span(1, end=9), an_agent(3, 1, "late"), an_agent(2, 1, "early"))

    assert run.root.span_id == (2).to_bytes(8, "big")
    assert run.levels == {Evidence.MULTI_RUN_TRACE, Evidence.NO_TOOL_SPANS, Evidence.TASK_UNKNOWN}


def test_unit_agent_gives_each_topmost_agent_its_part() -> None:
    spans_ = [
        a_span(1, end=20),
        an_agent(2, 1, "first"),
        a_tool(3, 2, "a"),
        an_agent(4, 2, "inner"),
        a_tool(5, 4, "b"),
        an_agent(6, 1, "second"),
        a_tool(7, 6, "c"),
        a_tool(8, 1, "of nobody"),
    ]

    runs = runs_of(*spans_, unit="agent")

    assert [(run.agent, [step.tool for step in run.steps]) for run in runs] == [
        ("first", ["a", "b"]),
        ("second", ["c"]),
    ]
    assert [run.key for run in runs] == [(2).to_bytes(8, "big"), (6).to_bytes(8, "big")]


def test_unit_agent_without_agents_is_as_unit_trace() -> None:
    (run,) = runs_of(a_chain(1), a_tool(2, 1), unit="agent")

    assert (run.key, len(run.steps)) == (b"", 1)


def test_spans_of_several_traces_give_a_run_each() -> None:
    other = bytes(16)[:-1] + b"\x01"

    runs = runs_of(an_agent(2, start=20), an_agent(1, trace=other))

    assert [run.trace_id for run in runs] == [other, TRACE]


def test_time_counts_from_the_runs_start() -> None:
    run = run_of(an_agent(1, start=10), a_tool(2, 1, start=12.5), a_tool(3, 1, start=13))

    assert [step.t for step in run.steps] == [2.5, 3.0]


def test_a_tool_that_seems_to_start_before_its_run_starts_with_it() -> None:
    """Clocks of two services differ; an AI span's start is the run's start then."""
    run = run_of(an_agent(1, start=10), a_tool(2, 1, start=8))

    assert [step.t for step in run.steps] == [0.0]
    assert run.start_ns == 8_000_000


def test_a_span_that_ends_before_it_starts_takes_no_time() -> None:
    (known,) = run_of(an_agent(1), a_tool(2, 1, start=5, end=3)).evidence

    assert (known.start_ns, known.end_ns) == (5_000_000, 5_000_000)


def test_the_session_is_the_roots_or_the_first_that_is_named() -> None:
    named = {"session.id": "s-1"}

    assert run_of(an_agent(1, attributes=named)).session == "s-1"
    assert run_of(an_agent(1), a_tool(2, 1, attributes=named)).session == "s-1"
    assert run_of(an_agent(1)).session is None


def test_tokens_and_models_are_the_model_spans() -> None:
    counts = {"llm.token_count.total": 50, "llm.model_name": "small"}
    half = {"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}
    run = run_of(
        an_agent(1, attributes={"llm.token_count.total": 999}),
        a_model(2, 1, attributes=counts),
        a_model(3, 2, attributes=counts),
        a_model(4, 1, attributes=half | {"gen_ai.request.model": "big"}),
    )

    assert run.tokens == 60
    assert run.models == ("small", "big")


def test_a_workflow_that_holds_no_agent_is_no_run() -> None:
    workflow = a_span(1, None, {"n8n.workflow.id": "w"}, scope="n8n-workflow")
    node = a_span(2, 1, {"n8n.node.type": "n8n-nodes-base.webhook"}, scope="n8n-workflow")

    assert runs_of(workflow, node) == []
    assert run_of(workflow).levels >= {Evidence.NO_TOOL_SPANS}
