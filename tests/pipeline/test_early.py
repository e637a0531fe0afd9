"""Violations that leave while a trace is open; time is moved."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from surefoot.cli.offline import runs
from surefoot.cli.read import Request
from surefoot.emit.sent import Plan
from surefoot.pipeline.early import MOST_LOOKS, look
from surefoot.pipeline.shared import Judgement
from surefoot.specs import SpecSet
from surefoot.specs.schema import Match, Spec
from worlds import FIXTURES, World, renamed, requests, split

RECORDINGS = sorted(path.parent for path in FIXTURES.glob("*/*/meta.json"))
#: One of each way in which spans tell of calls; the rest is for the slow suite.
SOME = ("mcp/good", "autogen/good", "openaiagents/good", "langgraph/skips", "crewai/good")


def specs_for(tools: Iterable[str]) -> SpecSet:
    """Specs that forbid each tool, and such whose vocabulary lacks one."""
    named = sorted(filter(None, tools))
    made = [Spec(name=f"no {tool}", forbidden=(tool,)) for tool in named]
    for tool in named:
        others = tuple(other for other in named if other != tool) or ("nothing",)
        made.append(Spec(name=f"without {tool}", tools=others))
    made += [Spec(name="globs", forbidden=("*e*",)), Spec(name="secrets", secrets=True)]
    return SpecSet.of(made)


def violations(plans: Iterable[Plan]) -> Counter[tuple[str, str, str]]:
    return Counter(
        (plan.spec, one.check, one.message)
        for plan in plans
        if plan.verdict
        for one in plan.verdict.violations
    )


def orders(folder: Path) -> Iterator[list[bytes]]:
    """As it came, one span a request, and shuffled."""
    bodies = requests(f"{folder.parent.name}/{folder.name}")
    yield bodies
    pieces = [piece for body in bodies for piece in split(body)]
    yield list(pieces)
    rng = random.Random(folder.name)  # noqa: S311 - an order, not a secret
    for _ in range(3):
        rng.shuffle(pieces)
        yield list(pieces)


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(
            folder,
            id=(name := f"{folder.parent.name}/{folder.name}"),
            marks=() if name in SOME else pytest.mark.slow,
        )
        for folder in RECORDINGS
    ],
)
def test_what_left_early_is_found_by_the_verdict_and_nothing_leaves_twice(folder: Path) -> None:
    """Looked at after each request; the same violations as of a trace that came at once."""
    sent = [Request(body, "sent") for body in next(orders(folder))]
    specs = specs_for(step.tool for run in runs(sent, SpecSet()) for step in run.steps)
    at_once = World(specs)
    at_once.send(*next(orders(folder)))
    expected = violations(at_once.wait(200))
    for bodies in orders(folder):
        world = World(specs)
        for body in bodies:
            world.send(body)
            world.wait(1.1)
        world.wait(200)
        final = [plan for plan in world.plans if plan.verdict]
        early = {one.span_id for p in world.plans if not p.verdict for _, one in p.new_violations}
        found = {one.span_id for plan in final for _, one in plan.violations}
        left = Counter(one.span_id for plan in world.plans for _, one in plan.new_violations)

        assert early <= found
        assert not any(plan.withdrawn for plan in final)
        assert set(left.values()) <= {1}
        assert set(left) == found
        assert violations(final) == expected
        assert world.buffer.counts.accounted() == world.buffer.counts.received


FORBIDDING = Spec(name="desk", forbidden=("lookup_order", "check_policy"))


def a_world(*specs: Spec, unit: str = "trace") -> World:
    return World(SpecSet.of(specs or (FORBIDDING,)), unit=unit)


def early_plans(world: World, *bodies: bytes) -> list[Plan]:
    """What leaves while the spans come, each a little later."""
    plans = []
    for body in bodies:
        world.send(body)
        plans += world.wait(1.1)
    return [plan for plan in plans if plan.verdict is None]


OPEN = requests("langgraph/good")[:-1]
LAST = requests("langgraph/good")[-1]


def test_each_check_fires_once_and_the_verdict_counts_what_left() -> None:
    world = a_world()
    early = early_plans(world, *OPEN)
    world.send(LAST)
    (final,) = world.wait(6)

    assert [[one.check for one, _ in plan.new_violations] for plan in early] == [["forbidden"]]
    assert final.verdict
    assert [str(one) for one in final.verdict.violations] == [
        "called forbidden tool: lookup_order",
        "called forbidden tool: check_policy",
    ]
    assert [one.message for one, _ in final.new_violations] == [
        "called forbidden tool: check_policy"
    ]
    assert early[0].violations[0][1].span_id == final.violations[0][1].span_id
    assert final.is_first


def test_a_look_is_no_verdict_and_each_violation_is_counted_once() -> None:
    world = a_world()
    early_plans(world, *OPEN)
    (metric,) = [m for m in _metrics(world) if m.name == "surefoot.violations"]
    assert [point.value for point in metric.data.data_points] == [1]
    names = {metric.name for metric in _metrics(world)}
    assert not names & {"surefoot.verdicts", "surefoot.verdict.latency", "surefoot.runs"}
    assert world.judge.verdicts == 0
    world.send(LAST)
    world.wait(6)
    (metric,) = [m for m in _metrics(world) if m.name == "surefoot.violations"]

    assert sum(point.value for point in metric.data.data_points) == 2
    assert world.judge.verdicts == 1


def _metrics(world: World) -> list:  # type: ignore[type-arg] # the SDK's own
    (scope,) = world.metrics.read().resource_metrics[0].scope_metrics
    return list(scope.metrics)


@pytest.mark.parametrize(
    "spec",
    [
        Spec(name="off", forbidden=("lookup_order",), early=False),
        Spec(name="agent", forbidden=("lookup_order",), match=Match(agent=("*",))),
        Spec(name="key", forbidden=("lookup_order",), match=Match(attributes={"a": ("*",)})),
        Spec(name="other", forbidden=("lookup_order",), match=Match(service=("other",))),
        Spec(name="seen", max_steps=1),
        Spec(name="absent", required=("pay",), before=(("check_policy", "lookup_order"),)),
    ],
    ids=lambda spec: spec.name,
)  # fmt: skip
def test_specs_that_need_the_close_do_not_fire(spec: Spec) -> None:
    assert early_plans(a_world(spec), *OPEN) == []


def test_other_units_do_not_fire() -> None:
    for unit in ("agent", "session"):
        assert early_plans(a_world(unit=unit), *OPEN) == []


def test_a_spec_fires_by_the_tools_own_service_and_then_judges_the_run() -> None:
    """The root is of another service, which the spec does not name."""
    spec = Spec(name="server", forbidden=("lookup_order",), match=Match(service=("elsewhere",)))
    world = a_world(spec)
    (early,) = early_plans(world, *(renamed(body, "elsewhere") for body in OPEN))
    world.send(LAST)
    (final,) = world.wait(6)

    assert early.run.service == "elsewhere"
    assert final.run.service == "refund-langgraph"
    assert [str(one) for one, _ in final.violations] == ["called forbidden tool: lookup_order"]
    assert early_plans(a_world(spec), *OPEN) == []


def test_a_spec_that_fired_judges_the_run_as_it_was_whatever_is_in_force() -> None:
    world = a_world()
    (early,) = early_plans(world, *OPEN)
    other = Spec(name="desk", forbidden=("issue_refund",))
    world.judge.use(SpecSet.of([other, Spec(name="new", max_steps=1)]))
    world.send(LAST)
    plans = world.wait(6)

    assert [plan.spec for plan in plans] == ["desk", "new"]
    desk = plans[0].verdict
    assert desk
    assert desk.spec_hash == world.specs.specs[0].hash
    assert early.violations[0][1].span_id in {one.span_id for _, one in plans[0].violations}


def test_a_spec_that_is_gone_by_the_close_judges_what_it_fired_on() -> None:
    world = a_world()
    early_plans(world, *OPEN)
    world.judge.use(SpecSet())
    world.send(LAST)
    (final,) = world.wait(6)

    assert final.verdict
    assert (final.spec, len(final.verdict.violations)) == ("desk", 2)


def test_a_late_span_amends_what_an_early_look_and_a_verdict_said() -> None:
    """Neither is sent again, and the run is counted once."""
    world = a_world()
    early_plans(world, *OPEN)
    (first,) = world.wait(120)
    world.send(LAST)
    amended = [plan for plan in world.wait(6) if plan.emit]

    assert first.is_first
    assert [plan.new_violations for plan in amended] == [[]]
    assert amended[0].after.revision == 1


def test_a_trace_may_ask_to_be_put_together_so_often_and_no_more() -> None:
    """What speaks against an early violation may do so each second."""
    world = a_world()
    world.send(*OPEN)
    fresh = world.buffer.pop_fresh(world.clock.at_ns + 2_000_000_000)
    assert fresh
    asked = replace(fresh, verdict=Judgement(world.specs, early=True, looks=MOST_LOOKS))
    one_left = replace(fresh, verdict=Judgement(world.specs, early=True, looks=MOST_LOOKS - 1))

    assert look(asked, world.specs, world.shared) == ([], None)
    plans, judgement = look(one_left, world.specs, world.shared)
    assert len(plans) == 1
    assert judgement
    assert (judgement.looks, judgement.early) == (MOST_LOOKS, True)


def test_an_open_trace_wakes_the_judge_for_its_look() -> None:
    world = a_world()
    world.send(OPEN[0])

    assert world.judge.wait_ns() == 1_000_000_000


def test_three_spans_of_one_call_are_one_violation_whichever_comes_first() -> None:
    """The framework's, the client's and the server's of a call by MCP."""
    pieces = [piece for body in requests("mcp/good") for piece in split(body)]
    telling = [piece for piece in pieces if is_a_call(piece, "lookup_order")]
    others = [piece for piece in pieces if piece not in telling]
    assert len(telling) == 4
    for order in permutations(telling):
        world = a_world(Spec(name="desk", forbidden=("lookup_order",)))
        early = early_plans(world, *order)
        world.send(*others)
        (final,) = [plan for plan in world.wait(200) if plan.run.steps]

        assert [len(plan.new_violations) for plan in early] == [1]
        assert final.new_violations == []
        assert [one.message for one, _ in final.violations] == [
            "called forbidden tool: lookup_order"
        ]


def is_a_call(body: bytes, tool: str) -> bool:
    (group,) = ExportTraceServiceRequest.FromString(body).resource_spans
    return group.scope_spans[0].spans[0].name.endswith(tool)
