"""Verdicts share requests, no request is too large, and none is dropped in silence."""

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from surefoot.model import Severity, Violation
from surefoot.pipeline import outgoing
from worlds import World, requests


def spans_of(body: bytes) -> list[str]:
    """The names of the spans in a request."""
    request = ExportTraceServiceRequest.FromString(body)
    return [s.name for g in request.resource_spans for x in g.scope_spans for s in x.spans]


def test_traces_that_close_together_share_a_request(world: World) -> None:
    for framework in ("langgraph", "crewai", "openaiagents", "pydanticai"):
        world.send(*requests(f"{framework}/skips"))
    world.wait(200)

    (body,) = world.verdicts.bodies
    assert sum(name.startswith("verdict ") for name in spans_of(body)) == 4


def test_a_verdict_with_thousands_of_violations_takes_several_requests(world: World) -> None:
    """Each below what a gRPC server takes unless told otherwise; each violation once."""
    world.send(*requests("langgraph/skips"))
    (plan,) = world.wait(6)
    violation, out = plan.violations[0]
    many = tuple(
        (replace(violation, message="m" * 1_500), replace(out, span_id=n.to_bytes(8, "big")))
        for n in range(1, 5_001)
    )
    world.verdicts.bodies.clear()
    sender = world.judge._outgoing
    sender.add([replace(plan, violations=many, new=tuple(range(5_000)))], 0)
    sender.flush()

    bodies = world.verdicts.bodies
    names = [name for body in bodies for name in spans_of(body)]
    assert max(map(len, bodies)) <= outgoing.BYTES
    assert sum(name.startswith("verdict ") for name in names) == 1
    assert sum(name.startswith("violation ") for name in names) == 5_000


def test_large_verdicts_are_halved_until_they_fit(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "BYTES", 6_000)
    for framework in ("langgraph", "crewai", "openaiagents", "pydanticai"):
        world.send(*requests(f"{framework}/skips"))
    world.wait(200)

    assert len(world.verdicts.bodies) > 1
    assert (
        sum(name.startswith("verdict ") for b in world.verdicts.bodies for name in spans_of(b)) == 4
    )


def test_a_verdict_that_cannot_be_encoded_loses_itself_alone(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.send(*requests("langgraph/skips"))
    (good,) = world.wait(6)
    world.verdicts.bodies.clear()
    broken = Violation("broken", Severity.HARD, "no text", step=10**9)
    bad = replace(good, violations=((broken, good.violations[0][1]),), new=(0,))
    with caplog.at_level(logging.ERROR, "surefoot"):
        world.judge._outgoing.add([bad, good], 0)
        world.judge.flush()

    (body,) = world.verdicts.bodies
    assert sum(name.startswith("verdict ") for name in spans_of(body)) == 1
    assert "is not sent (IndexError)" in caplog.text


def test_nothing_is_judged_while_a_verdict_would_find_no_room(
    make_world: Callable[..., World],
) -> None:
    world = make_world()
    world.verdicts.room = 0
    world.send(*requests("langgraph/skips"))

    assert world.wait(6) == []
    assert world.buffer.counts.open == 11
    world.verdicts.room = 10
    assert len(world.wait(0)) == 1


def test_small_requests_wait_for_company_while_the_backend_is_behind(world: World) -> None:
    world.verdicts.behind = outgoing.BEHIND
    for framework in ("langgraph", "crewai"):
        world.send(*requests(f"{framework}/skips"))
        world.wait(200)
    assert world.verdicts.bodies == []

    world.verdicts.behind = 0
    world.wait(0)
    (body,) = world.verdicts.bodies
    assert sum(name.startswith("verdict ") for name in spans_of(body)) == 2


def test_at_the_end_nothing_waits_for_company(world: World) -> None:
    world.verdicts.behind = outgoing.BEHIND
    world.send(*requests("langgraph/skips"))
    world.judge.drain(world.clock.at_ns + 1)

    assert len(world.verdicts.bodies) == 1


def test_a_verdict_that_finds_no_room_after_all_is_told(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """At shutdown all is judged, room or not."""
    world.verdicts.room = 0
    world.send(*requests("langgraph/skips"))
    with caplog.at_level(logging.ERROR, "surefoot"):
        world.judge.drain(world.clock.at_ns + 1)

    assert "given up: 1 requests of verdicts" in caplog.text


def test_a_start_at_the_end_of_time_is_judged_like_any_other(world: World) -> None:
    """A sender's clock may say anything that 64 bits can."""
    bodies = []
    for body in requests("langgraph/skips"):
        request = ExportTraceServiceRequest.FromString(body)
        for group in request.resource_spans:
            for scope in group.scope_spans:
                for span in scope.spans:
                    span.start_time_unix_nano = span.end_time_unix_nano = 2**64 - 1
        bodies.append(request.SerializeToString())
    world.send(*bodies)

    assert len(world.wait(6)) == 1
    assert any(name.startswith("verdict ") for name in spans_of(world.verdicts.bodies[0]))
