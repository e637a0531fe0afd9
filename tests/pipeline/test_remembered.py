"""What a judgement takes, as it is told to the buffer."""

import gc
import tracemalloc
from collections.abc import Iterator

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from surefoot.buffer import Limits
from surefoot.model import Grade
from surefoot.pipeline.shared import GRADE_BYTES, Judgement
from surefoot.specs import SpecSet
from surefoot.specs.given import given
from worlds import World, requests

RUNS = 50


def again(recording: str, nth: int) -> Iterator[bytes]:
    """The recording's requests as those of another run: its ids are its own."""
    for body in requests(recording):
        request = ExportTraceServiceRequest.FromString(body)
        for group in request.resource_spans:
            for scope in group.scope_spans:
                for span in scope.spans:
                    for name in ("trace_id", "span_id", "parent_span_id"):
                        if old := getattr(span, name):
                            setattr(span, name, nth.to_bytes(3) + old[3:])
        yield request.SerializeToString()


def judge(world: World, recording: str, runs: range) -> None:
    for nth in runs:
        world.send(*again(recording, nth))
        world.wait(200)
        for told in (world.plans, world.verdicts.bodies, world.forward.bodies):
            told.clear()
    world.wait(0)


def desks(many: int, **rules: object) -> SpecSet:
    return given([{"name": f"desk{n}", **rules} for n in range(many)])


@pytest.mark.slow
@pytest.mark.parametrize("many", [1, 8])
@pytest.mark.parametrize("recording", ["langgraph/skips", "openaiagents/good"])
@pytest.mark.parametrize(
    "rules",
    [
        {"tools": ["*"]},
        {"required": ["check_policy", "x"], "forbidden": ["issue_refund", "lookup_order"]},
    ],
    ids=["green", "red"],
)
def test_the_size_of_a_judgement_is_told_within_a_fifth(
    many: int, recording: str, rules: dict[str, object]
) -> None:
    world = World(desks(many, **rules), Limits(kept_ns=0))
    judge(world, recording, range(1, 20))
    verdicts = world.buffer._remembered
    before = verdicts.verdict_bytes
    gc.collect()
    tracemalloc.start(1)
    try:
        judge(world, recording, range(20, 20 + RUNS))
        told = verdicts.verdict_bytes - before
        new = list(verdicts._verdicts)[-RUNS:]
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        for trace_id in new:
            verdicts._drop(trace_id)
        gc.collect()
        takes = held - tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    assert verdicts.verdict_bytes == before > 0
    assert told == pytest.approx(takes, rel=0.2)


def test_grades_count() -> None:
    judgement = Judgement(SpecSet())
    alone = judgement.size_of()
    judgement.hear(b"t", [Grade("a"), Grade("b")])

    assert judgement.size_of() == alone + 2 * GRADE_BYTES


def test_a_process_remembers_fewer_verdicts_by_many_specs_than_by_one() -> None:
    left = []
    for many in (1, 8):
        world = World(
            desks(many, forbidden=["issue_refund"]), Limits(kept_ns=0, verdict_bytes=40_000)
        )
        judge(world, "langgraph/skips", range(1, 41))
        left.append(len(world.buffer._remembered._verdicts))
        assert 30_000 < world.buffer._remembered.verdict_bytes <= 40_000

    one, eight = left
    assert 40 > one > 3 * eight > 3
