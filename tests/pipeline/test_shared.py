"""Another set of specs while runs are open, judged and amended."""

from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from emit.builders import attributes
from surefoot.emit.sent import Plan
from surefoot.specs import SpecSet, load
from worlds import SPEC, World, requests


@pytest.fixture
def stricter(tmp_path: Path) -> SpecSet:
    """The example's spec under the same name, and no run writes the mail that it asks for."""
    file = tmp_path / "stricter.yaml"
    text = SPEC.read_text("utf-8")
    file.write_text(text.replace("required: [", "required: [send_email, "), encoding="utf-8")
    specs = load([file])
    assert [spec.name for spec in specs.specs] == [spec.name for spec in load([SPEC]).specs]
    return specs


def put_in_force(world: World, specs: SpecSet) -> None:
    """As the server does."""
    world.luck.in_force(specs)
    world.judge.use(specs)


def hashes(plan: Plan) -> tuple[str, str]:
    """Of the set and of the spec by which a run was judged."""
    assert plan.verdict
    return plan.specs_hash, plan.verdict.spec_hash


def hashes_of(specs: SpecSet) -> tuple[str, str]:
    (spec,) = specs.specs
    return specs.hash, spec.hash


def counts(world: World) -> list[tuple[int, int]]:
    """(lucky, green) of each series."""
    return [(lucky, green) for _, lucky, green in world.luck.rates(world.clock.now_ns())]


def test_a_run_is_judged_by_the_set_in_force_at_its_close(
    world: World, specs: SpecSet, stricter: SpecSet
) -> None:
    world.send(*requests("langgraph/good"))
    (before,) = world.wait(200)
    world.send(*requests("openaiagents/good"))
    put_in_force(world, stricter)
    (after,) = world.wait(200)

    assert hashes(before) == hashes_of(specs)
    assert hashes(after) == hashes_of(stricter)
    assert before.verdict
    assert before.verdict.violations == ()
    assert after.verdict
    assert [one.check for one in after.verdict.violations] == ["required"]


def test_an_amendment_keeps_the_set_of_its_close(
    world: World, specs: SpecSet, stricter: SpecSet
) -> None:
    """Also where the new set has no such spec."""
    *first, last = requests("langgraph/good")
    world.send(*first)
    (early,) = world.wait(120)
    put_in_force(world, stricter)
    put_in_force(world, SpecSet())
    world.send(last)
    (amended,) = world.wait(6)

    assert amended.after.revision == 1
    assert hashes(amended) == hashes(early) == hashes_of(specs)


def test_a_spec_with_another_hash_starts_its_window_anew(
    world: World, specs: SpecSet, stricter: SpecSet
) -> None:
    """And what the old one still judges is not counted in it."""
    *first, last = requests("crewai/good")
    world.send(*requests("langgraph/good"), *first)
    world.wait(200)
    before = counts(world)
    put_in_force(world, stricter)
    ended = counts(world)
    world.send(last)
    world.wait(10)
    amended = counts(world)
    world.send(*requests("openaiagents/good"))
    world.wait(200)

    assert sum(green for _, green in before) >= 1
    assert (ended, amended) == ([], [])
    assert counts(world) == [(1, 1)]
    assert specs.hash != stricter.hash


def test_a_spec_that_is_the_same_in_another_set_keeps_its_window(
    world: World, specs: SpecSet, tmp_path: Path
) -> None:
    more = tmp_path / "more.yaml"
    more.write_text("specs: [{name: more, forbidden: [x], match: {service: none}}]", "utf-8")
    world.send(*requests("langgraph/good"))
    world.wait(200)
    before = counts(world)
    larger = load([SPEC, more])
    put_in_force(world, larger)

    assert counts(world) == before == [(0, 1)]
    assert larger.hash != specs.hash


def test_both_hashes_stand_on_the_verdict_span(world: World, specs: SpecSet) -> None:
    world.send(*requests("langgraph/good"))
    world.wait(200)
    (body,) = world.verdicts.bodies
    (span,) = ExportTraceServiceRequest.FromString(body).resource_spans[0].scope_spans[0].spans

    told = attributes(span)
    assert (told["surefoot.specs.hash"], told["surefoot.spec.hash"]) == hashes_of(specs)
