"""How often models were asked, and what that took and cost."""

import math

import pytest

from assemble.runs_of import (
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
from surefoot.model import Item, Run, Span, Value

ADK = "gcp.vertex.agent"


def a_priced_model(n: int, parent: int | None, cost: Value, key: str = "llm.cost.total") -> Span:
    return a_model(n, parent, attributes={key: cost})


def a_loop(n: int, parent: int, heard: list[Item]) -> Span:
    """A model's span that stands for an agent's whole loop."""
    return a_model(n, parent, heard=heard, scope=ADK)


def cost_of(*spans: Span) -> float | None:
    return run_of(*spans).cost


# How often a model was asked


def test_each_models_span_is_a_call() -> None:
    run = run_of(an_agent(1), a_model(2, 1), a_tool(3, 1), a_model(4, 1))

    assert run.llm_calls == 2


def test_a_call_that_failed_was_one() -> None:
    assert run_of(an_agent(1), a_model(2, 1, error=True), a_model(3, 1)).llm_calls == 2


def test_of_a_models_span_in_another_the_inner_ones_are_the_calls() -> None:
    """A client that tried three times asked three times."""
    outer = a_model(2, 1, end=20)

    once = run_of(an_agent(1), outer, a_model(3, 2))
    thrice = run_of(an_agent(1), a_model(2, 1), a_model(3, 2), a_model(4, 2), a_model(5, 2))

    assert (once.llm_calls, thrice.llm_calls) == (1, 3)


def test_an_outer_span_is_seen_through_spans_of_no_convention_alone() -> None:
    """A chain between two models is a program that asks twice."""
    seen = run_of(an_agent(1), a_model(2, 1), a_span(3, 2), a_model(4, 3))
    apart = run_of(an_agent(1), a_model(2, 1), a_chain(3, 2), a_model(4, 3))

    assert (seen.llm_calls, apart.llm_calls) == (1, 2)


def test_without_models_spans_nobody_tells() -> None:
    assert run_of(an_agent(1), a_tool(2, 1)).llm_calls == 0


def test_a_span_of_a_whole_loop_is_as_many_calls_as_its_history_tells() -> None:
    past = [
        words("system", "be kind"),
        words("user", "earlier"),
        words("assistant", "done"),
        words("user", "refund 7"),
        asks(("", "look", {})),
        words("tool", "found", name="look"),
        asks(("", "pay", {})),
        words("tool", "paid", name="pay"),
    ]

    assert run_of(an_agent(1), a_loop(2, 1, past)).llm_calls == 3


def test_a_transcript_of_other_agents_is_no_users_word() -> None:
    past = [
        words("user", "refund 7"),
        words("assistant", "one moment"),
        words("user", "For context: [triage] said so"),
        asks(("", "look", {})),
    ]

    assert run_of(an_agent(1), a_loop(2, 1, past)).llm_calls == 3


def test_a_span_of_a_loop_that_shows_nothing_is_one_call() -> None:
    assert run_of(an_agent(1), a_loop(2, 1, [])).llm_calls == 1


def test_a_span_of_a_loop_with_the_calls_inside_is_those() -> None:
    past = [words("user", "refund 7"), asks(("", "look", {}))]
    spans = [an_agent(1), a_loop(2, 1, past), *(a_model(n, 2) for n in (3, 4, 5))]

    assert run_of(*spans).llm_calls == 3


# What that cost


@pytest.mark.parametrize("key", ["llm.cost.total", "operation.cost", "gen_ai.usage.cost"])
def test_a_cost_is_the_sum_of_the_models(key: str) -> None:
    spans = [an_agent(1), a_priced_model(2, 1, 0.25, key), a_priced_model(3, 1, 2, key)]

    assert cost_of(*spans, a_model(4, 1)) == 2.25


def test_a_cost_may_be_told_in_halves() -> None:
    halves: dict[str, Value] = {"llm.cost.prompt": 0.25, "llm.cost.completion": 0.5}

    assert cost_of(an_agent(1), a_model(2, 1, attributes=halves)) == 0.75
    assert cost_of(an_agent(1), a_model(2, 1, attributes=halves | {"llm.cost.total": 1.0})) == 1.0
    del halves["llm.cost.completion"]
    assert cost_of(an_agent(1), a_model(2, 1, attributes=halves)) is None


def test_nothing_is_no_cost_and_zero_is_one() -> None:
    assert cost_of(an_agent(1), a_model(2, 1)) is None
    assert cost_of(an_agent(1), a_priced_model(2, 1, 0)) == 0.0


@pytest.mark.parametrize(
    "cost", ["0.5", True, -0.01, math.nan, math.inf, 10**400, 1e12, None, (0.5,)]
)
def test_what_is_no_amount_of_money_is_no_cost(cost: Value) -> None:
    assert cost_of(an_agent(1), a_priced_model(2, 1, cost)) is None


def test_an_upper_span_already_counts_what_is_below() -> None:
    spans = [an_agent(1), a_priced_model(2, 1, 1.0), a_priced_model(3, 2, 1.0)]

    assert cost_of(*spans) == 1.0


def test_an_overview_counts_only_where_no_model_tells() -> None:
    """The Claude Agent SDK has no models' spans."""
    sums: dict[str, Value] = {"llm.cost.total": 0.5, "llm.token_count.total": 30}

    alone = run_of(an_agent(1, attributes=sums), a_tool(2, 1), a_model(3, 1))
    both = run_of(
        an_agent(1, attributes=sums),
        a_model(2, 1, attributes={"llm.cost.total": 0.25, "llm.token_count.total": 7}),
    )

    assert (alone.cost, alone.tokens) == (0.5, 30)
    assert (both.cost, both.tokens) == (0.25, 7)


def test_of_one_overview_below_another_only_the_upper_counts() -> None:
    def summed(n: int, parent: int | None, cost: float) -> Span:
        return an_agent(n, parent, attributes={"llm.cost.total": cost})

    spans = [an_agent(1), summed(2, 1, 4.0), an_agent(3, 2), summed(4, 3, 1.0), summed(5, 1, 2.0)]

    assert cost_of(*spans) == 6.0


def test_a_chain_that_sums_up_is_not_asked() -> None:
    assert cost_of(a_chain(1, attributes={"llm.cost.total": 0.5}), a_tool(2, 1)) is None


def test_unit_agent_sums_each_part_by_itself() -> None:
    spans = [a_span(1, end=20)]
    for n, cost in ((2, 1.0), (4, 2.0)):
        spans += [an_agent(n, 1, f"agent {n}"), a_priced_model(n + 1, n, cost)]

    def told(run: Run) -> tuple[int, float | None]:
        return run.llm_calls, run.cost

    assert list(map(told, runs_of(*spans, unit="agent"))) == [(1, 1.0), (1, 2.0)]
