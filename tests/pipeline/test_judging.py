"""From requests to verdicts, over recorded runs; time is moved."""

import logging
import random
from collections.abc import Callable
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from surefoot.buffer import Limits
from surefoot.model import Outcome, Reason
from surefoot.specs import SpecSet, load
from surefoot.telemetry import RunUnmatched
from worlds import World, renamed, requests, split

RECORDED = ("langgraph", "openaiagents", "pydanticai", "crewai", "smolagents", "llamaindex")


def said(world: World) -> dict[bytes, tuple[str, tuple[str, ...]]]:
    """By trace: the last verdict's outcome and violations, as words."""
    return {
        plan.run.trace_id: (
            plan.verdict.outcome.value,
            tuple(str(violation) for violation in plan.verdict.violations),
        )
        for plan in world.plans
        if plan.verdict
    }


def points_of(world: World) -> dict[str, float]:
    """The sum of each instrument's points that are numbers; what has none is not here."""
    (scope,) = world.metrics.read().resource_metrics[0].scope_metrics
    return {
        metric.name: sum(getattr(point, "value", 0) for point in metric.data.data_points)
        for metric in scope.metrics
        if metric.data.data_points
    }


@pytest.mark.parametrize("framework", RECORDED)
def test_a_good_run_passes_and_a_skipped_check_does_not(world: World, framework: str) -> None:
    world.send(*requests(f"{framework}/good"))
    (good,) = world.wait(200)
    world.send(*requests(f"{framework}/skips"))
    (skips,) = world.wait(200)

    assert good.verdict
    assert good.verdict.outcome is Outcome.PASS
    assert skips.verdict
    assert skips.verdict.outcome is Outcome.LUCKY


@given(seed=st.integers(0, 10_000), recording=st.sampled_from([
    f"{framework}/{run}" for framework in RECORDED for run in ("good", "skips", "loops")
]))  # fmt: skip
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_order_split_and_duplication_gives_the_same_verdict(
    specs: SpecSet, seed: int, recording: str
) -> None:
    """The spans of a recording, as they came and torn apart, twice and shuffled."""
    plain, torn = World(specs), World(specs)
    plain.send(*requests(recording))
    pieces = [piece for body in requests(recording) for piece in split(body)]
    rng = random.Random(seed)  # noqa: S311 - an order, not a secret
    pieces += rng.choices(pieces, k=len(pieces) // 2)
    rng.shuffle(pieces)
    for piece in pieces:
        torn.send(piece)
        torn.clock.advance(0.1)
    plain.wait(200)
    torn.wait(200)

    assert said(plain) == said(torn) != {}
    assert torn.buffer.counts.accounted() == torn.buffer.counts.received
    assert torn.verdicts.bodies == plain.verdicts.bodies


def test_a_root_that_comes_after_idle_amends_to_a_whole_runs_verdict(
    make_world: Callable[..., World],
) -> None:
    whole, late = make_world(), make_world()
    *first, last = requests("langgraph/good")
    whole.send(*first, last)
    (expected,) = whole.wait(6)
    late.send(*first)
    (early,) = late.wait(120)
    late.send(last)
    (amended,) = late.wait(6)

    assert early.verdict
    assert early.verdict.outcome is Outcome.INCONCLUSIVE
    assert early.run.reason is Reason.IDLE
    assert (amended.verdict, amended.run.steps) == (expected.verdict, expected.run.steps)
    assert (amended.after.revision, amended.replaces) == (1, early.after.verdict_id)


def test_a_web_requests_root_that_comes_long_before_closes_nothing(world: World) -> None:
    """A web server's span ends at once; the agent that it started goes on."""
    request = ExportTraceServiceRequest()
    bodies = requests("langgraph/good")
    agents = ExportTraceServiceRequest.FromString(bodies[-1])
    root = next(
        span
        for group in agents.resource_spans
        for scope in group.scope_spans
        for span in scope.spans
        if not span.parent_span_id
    )
    web = request.resource_spans.add().scope_spans.add().spans.add()
    web.trace_id, web.span_id, web.name = root.trace_id, b"webroot!", "POST /chat"
    root.parent_span_id = b"webroot!"
    world.send(request.SerializeToString())

    assert world.wait(60) == []
    world.send(*bodies[:-1])
    assert world.wait(60) == []
    world.send(agents.SerializeToString())
    (plan,) = world.wait(6)
    assert plan.verdict
    assert plan.verdict.outcome is Outcome.PASS


def test_a_fault_loses_one_trace_and_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of ours in one trace leaves the next one alone."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    world.send(*requests("langgraph/good"))
    with monkeypatch.context() as patch:
        patch.setattr(world.judge, "_plans", broken)
        assert world.wait(6) == []
    world.send(*requests("langgraph/skips"))

    assert len(world.wait(6)) == 1
    assert world.buffer.counts.lost == {"fault": 15}
    assert world.buffer.counts.accounted() == world.buffer.counts.received


def test_at_shutdown_all_is_judged_or_counted(make_world: Callable[..., World]) -> None:
    world = make_world()
    world.send(*requests("langgraph/good")[:2], *requests("crewai/good"))
    lost = world.judge.drain(world.clock.at_ns + 1)

    assert lost == 0
    assert {plan.run.reason for plan in world.plans} == {Reason.SHUTDOWN}
    assert world.buffer.counts.accounted() == world.buffer.counts.received


def test_what_the_shutdown_has_no_time_for_is_counted(world: World) -> None:
    world.send(*requests("langgraph/good"), *requests("crewai/good"))
    received = world.buffer.counts.received
    world.judge.drain(world.clock.at_ns)

    assert world.plans == []
    assert world.buffer.counts.lost == {"shutdown": received}
    assert world.buffer.counts.accounted() == received


def test_metrics_count_each_run_once_and_carry_the_law(make_world: Callable[..., World]) -> None:
    world = make_world(Limits())
    world.send(*requests("langgraph/skips"), *requests("langgraph/skips"))
    world.wait(6)
    world.ledger.carry(world.metrics)
    totals = points_of(world)
    places = ("rejected", "ignored", "duplicate", "late", "lost", "judged")

    assert totals["surefoot.verdicts"] == 1
    assert totals["surefoot.luck.rate"] == 1
    assert totals["surefoot.luck.green"] == totals["surefoot.luck.lucky"] == 1
    assert totals["surefoot.spans.received"] == sum(
        totals.get(f"surefoot.spans.{place}", 0) for place in places
    )


def test_without_a_green_run_the_luck_rate_has_no_point(world: World) -> None:
    world.send(*requests("langgraph/crash"))
    (plan,) = world.wait(200)

    assert plan.verdict
    assert not plan.verdict.is_green
    assert "surefoot.luck.rate" not in points_of(world)


def unmatched(caplog: pytest.LogCaptureFixture) -> list[RunUnmatched]:
    told = [getattr(record, "event", None) for record in caplog.records]
    return [one for one in told if isinstance(one, RunUnmatched)]


@pytest.fixture
def picky(tmp_path: Path) -> World:
    """A pipeline whose one spec is for other agents."""
    file = tmp_path / "desk.yaml"
    file.write_text("specs: [{name: desk, match: {service: 'refund-*'}, max_steps: 9}]")
    return World(load([file]))


def test_a_run_that_meets_no_spec_is_told_of_once(
    picky: World, caplog: pytest.LogCaptureFixture
) -> None:
    bodies = [*requests("crewai/good"), *requests("crewai/skips")]
    with caplog.at_level(logging.INFO, "surefoot"):
        picky.send(*(renamed(body, "ops-bot") for body in bodies))
        picky.wait(130)
        (told,) = unmatched(caplog)

    assert told.service == "ops-bot"
    assert told.agent == "refund agent"
    assert told.level == logging.INFO


def test_a_name_that_is_told_of_is_cut(picky: World, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "surefoot"):
        picky.send(*(renamed(body, "x" * 101) for body in requests("crewai/good")))
        picky.send(*(renamed(body, "y" * 100) for body in requests("crewai/skips")))
        picky.wait(130)

    assert {one.service for one in unmatched(caplog)} == {"x" * 100 + "…", "y" * 100}


def test_a_run_that_meets_one_is_not_told_of_nor_any_where_there_is_none(
    picky: World, caplog: pytest.LogCaptureFixture
) -> None:
    """That no specs are loaded was told at the start."""
    none = World(SpecSet())
    with caplog.at_level(logging.INFO, "surefoot"):
        for one in (picky, none):
            one.send(*requests("crewai/good"))
            one.wait(130)

    assert unmatched(caplog) == []
