"""With `unit: session` the traces of one session are one run, judged when it is quiet."""

from dataclasses import replace

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from surefoot.assemble import join
from surefoot.buffer import Limits
from surefoot.emit.sent import Plan
from surefoot.model import Evidence, Reason
from surefoot.pipeline import sessions
from surefoot.pipeline.shared import is_session
from surefoot.specs import SpecSet
from worlds import IDLE_NS, World, requests

IDLE_S = IDLE_NS / 1e9


@pytest.fixture
def world(specs: SpecSet) -> World:
    return World(specs, unit="session")


def turns(recording: str) -> list[list[bytes]]:
    """A recording's requests, apart by trace, in order of the traces' starts."""
    by_trace: dict[bytes, tuple[int, list[bytes]]] = {}
    for body in requests(recording):
        request = ExportTraceServiceRequest.FromString(body)
        for group in request.resource_spans:
            for scope in group.scope_spans:
                for span in scope.spans:
                    one = ExportTraceServiceRequest()
                    own = one.resource_spans.add()
                    own.resource.CopyFrom(group.resource)
                    within = own.scope_spans.add()
                    within.scope.CopyFrom(scope.scope)
                    within.spans.add().CopyFrom(span)
                    start, bodies = by_trace.get(span.trace_id, (2**63, []))
                    bodies.append(one.SerializeToString())
                    start = min(start, span.start_time_unix_nano)
                    by_trace[span.trace_id] = (start, bodies)
    return [bodies for _, bodies in sorted(by_trace.values(), key=lambda pair: pair[0])]


def tools(plan: Plan) -> list[str]:
    return [step.tool for step in plan.run.steps]


@pytest.mark.parametrize("framework", ["langgraph", "openaiagents", "n8n"])
def test_two_turns_of_a_session_are_one_run(world: World, specs: SpecSet, framework: str) -> None:
    """Both turns' calls; the trace of the latest; one verdict, one run."""
    alone = World(specs)
    for bodies in turns(f"{framework}/session"):
        alone.send(*bodies)
        world.send(*bodies)
        world.clock.advance(5)
    apart = alone.wait(IDLE_S)
    (plan,) = world.wait(IDLE_S)

    assert len(apart) == 2
    first, second = sorted(apart, key=lambda one: one.run.start_ns)
    assert tools(plan) == tools(first) + tools(second)
    assert plan.run.trace_id == second.run.trace_id
    assert plan.run.key == (plan.run.session or "").encode() != b""
    assert world.buffer.counts.open == 0
    assert world.buffer.counts.accounted() == world.buffer.counts.received


def test_a_session_is_not_judged_while_one_of_its_traces_goes_on(world: World) -> None:
    one, two = turns("langgraph/session")
    world.send(*one)
    world.clock.advance(100)
    world.send(*two[:-1])

    assert world.wait(IDLE_S - 50) == []
    world.send(two[-1])
    assert world.wait(IDLE_S - 1) == []
    assert len(world.wait(1)) == 1


def test_a_later_turn_amends_the_sessions_verdict(world: World) -> None:
    """Within the time to amend: one run still, told in the newer trace."""
    one, two = turns("langgraph/session")
    world.send(*one)
    (first,) = world.wait(IDLE_S)
    world.send(*two)
    (again,) = world.wait(IDLE_S)

    assert (first.after.revision, again.after.revision) == (0, 1)
    assert again.replaces == first.after.verdict_id
    assert len(again.run.steps) > len(first.run.steps)
    assert sum(green for _, _, green in world.luck.rates(world.clock.at_ns)) == 1


def test_what_leaves_points_into_the_traces_where_things_stand(world: World) -> None:
    """Parents and links name spans that are there: the step's own, the replaced verdict."""
    one, two = turns("langgraph/session")
    key = b"AKIA" + b"Q" * 16  # a credential in an earlier turn's result: a violation there
    world.send(*(body.replace(b"customer dana@example.com", b"k is " + key) for body in one))
    (first,) = world.wait(IDLE_S)
    world.send(*two)
    world.wait(IDLE_S)

    def standing(bodies: list[bytes]) -> list[Span]:
        return [
            span
            for body in bodies
            for group in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in group.scope_spans
            for span in scope.spans
        ]

    ours = standing(world.verdicts.bodies)
    there = {(span.trace_id, span.span_id) for span in (*ours, *standing([*one, *two]))}
    assert first.verdict
    assert first.verdict.violations
    assert {(span.trace_id, span.parent_span_id) for span in ours} <= there
    links = {(link.trace_id, link.span_id) for span in ours for link in span.links}
    assert links <= there
    assert (first.run.trace_id, first.after.verdict_id) in links


def test_a_call_in_a_trace_of_its_own_is_stitched_to_its_session(world: World) -> None:
    """A thread without context makes a trace a call; the session's id joins it."""
    one, _ = turns("langgraph/session")
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.CopyFrom(ExportTraceServiceRequest.FromString(one[0]).resource_spans[0].resource)
    scope = group.scope_spans.add()
    scope.scope.name = "openinference.instrumentation.langchain"
    span = scope.spans.add(trace_id=b"orphan-tool-span", span_id=b"orphan!!", name="send_email")
    (session,) = {
        one.value.string_value
        for body in one
        for own in ExportTraceServiceRequest.FromString(body).resource_spans[0].scope_spans
        for each in own.spans
        for one in each.attributes
        if one.key == "session.id"
    }
    span.start_time_unix_nano, span.end_time_unix_nano = 2**62, 2**62 + 1
    for key, text in (
        ("openinference.span.kind", "TOOL"),
        ("tool.name", "send_email"),
        ("input.value", '{"to": "dana@example.com", "text": "done"}'),
        ("session.id", session),
    ):
        span.attributes.add(key=key).value.string_value = text
    world.send(*one, request.SerializeToString())
    (plan,) = world.wait(IDLE_S)

    assert tools(plan)[-1] == "send_email"
    assert plan.run.trace_id != b"orphan-tool-span"
    assert Evidence.ROOT_MISSING not in plan.run.levels


def test_what_names_no_session_is_judged_alone(world: World) -> None:
    world.send(*requests("crewai/skips"))
    (plan,) = world.wait(IDLE_S)

    assert (plan.run.key, plan.run.session) == (b"", None)


def test_a_session_id_that_is_no_text_is_an_id_all_the_same(world: World) -> None:
    """JSON may hold half a surrogate pair; it must cost no trace."""
    one, _ = turns("langgraph/session")
    world.send(*one)
    (plan,) = world.wait(IDLE_S)
    odd = join([replace(plan.run, session="\ud800")])

    assert is_session(odd)
    assert not is_session(replace(odd, key=b""))


def test_at_shutdown_sessions_that_wait_are_judged(world: World) -> None:
    for bodies in turns("langgraph/session"):
        world.send(*bodies)
    lost = world.judge.drain(world.clock.at_ns + 1)

    (plan,) = world.plans
    assert lost == 0
    assert plan.run.reason is Reason.SHUTDOWN
    assert world.buffer.counts.accounted() == world.buffer.counts.received


def test_a_session_without_time_at_shutdown_is_counted_as_lost(world: World) -> None:
    for bodies in turns("langgraph/session"):
        world.send(*bodies)
    world.wait(IDLE_S - 1)
    received = world.buffer.counts.received
    world.judge.drain(world.clock.at_ns)

    assert world.plans == []
    assert world.buffer.counts.lost == {"shutdown": received}


def test_judged_sessions_are_forgotten_after_the_time_to_amend(world: World) -> None:
    one, _ = turns("langgraph/session")
    world.send(*one)
    world.wait(IDLE_S)
    world.wait(700)

    assert world.sessions
    assert not world.sessions._groups


def test_of_too_many_sessions_the_one_that_owes_nothing_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "MOST", 2)
    held = sessions.Sessions(idle_ns=1, max_age_ns=9, kept_ns=9, is_open=lambda _id: False)
    for name in ("a", "b", "c"):
        held.hear(name, name.encode())

    assert list(held._groups) == [b"b", b"c"]


def test_the_wait_ends_when_a_session_is_due(specs: SpecSet) -> None:
    """Also where the buffer holds nothing any more."""
    world = World(specs, Limits(kept_ns=0), unit="session")
    assert world.judge.wait_ns() is None
    one, *_ = turns("langgraph/session")
    world.send(*one)
    assert world.judge.wait_ns() == IDLE_NS
    world.clock.advance(IDLE_S)
    assert world.judge.judge_next()
    assert world.judge.wait_ns() == 0

    assert len(world.wait(0)) == 1
    assert world.judge.wait_ns() is None


def test_the_wait_for_a_session_whose_trace_has_closed_is_the_rest_of_its_time(
    specs: SpecSet,
) -> None:
    world = World(specs, Limits(kept_ns=0, trace_spans=3), unit="session")
    one, *_ = turns("langgraph/session")
    world.send(*one[:3])
    assert world.judge.judge_next()
    world.clock.advance(1)

    assert world.buffer.next_due_ns() is None
    assert world.judge.wait_ns() == IDLE_NS - 1_000_000_000
