"""What others say of an output, before, while and after its run is judged."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from emit.builders import attributes
from receive.builders import a_request
from surefoot.buffer import Limits
from surefoot.cli.offline import runs
from surefoot.cli.read import Request
from surefoot.emit.sent import Plan
from surefoot.evaluate import judge
from surefoot.model import Outcome, Reason
from surefoot.specs import SpecSet
from worlds import IDLE_NS, World, requests, split

RECORDING = "langgraph/skips"
KEPT_S, REMEMBERED_S = 60, 15 * 60
ANOTHER_TRACE = bytes(range(100, 116))


def spans_of(recording: str) -> list[Span]:
    return [
        span
        for body in requests(recording)
        for group in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in group.scope_spans
        for span in scope.spans
    ]


TRACE = spans_of(RECORDING)[0].trace_id
ROOT = next(span for span in spans_of(RECORDING) if not span.parent_span_id)
A_TOOL = next(
    span
    for span in spans_of(RECORDING)
    if any(one.value.string_value == "TOOL" for one in span.attributes)
)


def a_grade(
    label: str = "incorrect",
    *,
    name: str = "correctness",
    of: bytes = ROOT.span_id,
    form: str = "carrier",
    at: int = 0,
) -> bytes:
    """A request with one grade of the recorded run; `at` tells which of several is later."""
    end_ns = ROOT.end_time_unix_nano + at
    span_id = f"{name[:1]}{form[:1]}{at:06}".encode()
    place: dict[str, Any] = {"span_id": span_id, "end_time_unix_nano": end_ns}
    entries = {
        f"evaluations.0.evaluation.{key}": value
        for key, value in {"name": name, "label": label, "explanation": "x" * 999}.items()
    }
    kind = {"openinference.span.kind": "EVALUATOR"}
    if form == "carrier":
        links = [Span.Link(trace_id=TRACE, span_id=of)]
        request = a_request(entries | kind, trace_id=ANOTHER_TRACE, links=links, **place)
    elif form == "child":
        request = a_request(entries | kind, trace_id=TRACE, parent_span_id=of, **place)
    elif form == "trace":
        whole = {f"trace.{key}": value for key, value in entries.items()}
        request = a_request(whole, trace_id=TRACE, parent_span_id=of, **place)
    else:
        request = a_request({}, trace_id=TRACE, parent_span_id=of, **place | {"span_id": of})
        event = request.resource_spans[0].scope_spans[0].spans[0].events.add()
        event.name, event.time_unix_nano = "gen_ai.evaluation.result", end_ns
        told = a_request({"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.label": label})
        event.attributes.extend(told.resource_spans[0].scope_spans[0].spans[0].attributes)
    return request.SerializeToString()


def outcome(plan: Plan) -> tuple[Outcome, str]:
    assert plan.verdict
    return plan.verdict.outcome, plan.verdict.output_source


def rates(world: World) -> dict[str, tuple[int, int]]:
    """By source: lucky and green."""
    found = world.luck.rates(world.clock.now_ns())
    return {series.output_source: (lucky, green) for series, lucky, green in found}


def counted_in(world: World) -> float:
    """Verdicts and violations that were counted."""
    (scope,) = world.metrics.read().resource_metrics[0].scope_metrics
    return sum(
        getattr(point, "value", 0)
        for metric in scope.metrics
        if metric.name in ("surefoot.verdicts", "surefoot.violations")
        for point in metric.data.data_points
    )


FORMS = ("carrier", "child", "trace")


@pytest.mark.parametrize("form", FORMS)
def test_a_grade_of_a_trace_that_has_not_come_waits_for_it(world: World, form: str) -> None:
    world.send(a_grade(form=form))
    assert world.wait(300) == []
    world.send(*requests(RECORDING))
    (plan,) = world.wait(6)

    assert outcome(plan) == (Outcome.FAIL, "evaluation")
    assert world.buffer.counts.grades_dropped == 0


def test_a_grade_waits_for_its_trace_no_longer_than_a_late_span_would(world: World) -> None:
    world.send(a_grade())
    world.wait(601)
    world.send(*requests(RECORDING))
    (plan,) = world.wait(6)

    assert outcome(plan) == (Outcome.LUCKY, "structural")
    assert world.buffer.counts.grades_dropped == 1


@pytest.mark.parametrize("form", [*FORMS, "event"])
def test_a_grade_of_an_open_trace_waits_for_its_close(world: World, form: str) -> None:
    if form == "event":  # on the root itself
        *first, last = requests(RECORDING)
        request = ExportTraceServiceRequest.FromString(last)
        of_root = ExportTraceServiceRequest.FromString(a_grade(form="event"))
        graded = of_root.resource_spans[0].scope_spans[0].spans[0]
        for group in request.resource_spans:
            for scope in group.scope_spans:
                for span in scope.spans:
                    if span.span_id == ROOT.span_id:
                        span.events.extend(graded.events)
        world.send(*first, request.SerializeToString())
    else:
        world.send(*requests(RECORDING), a_grade(form=form))
    (plan,) = world.wait(6)

    assert outcome(plan) == (Outcome.FAIL, "evaluation")
    assert plan.after.revision == 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("later_s", [KEPT_S, REMEMBERED_S])
def test_a_grade_of_a_judged_trace_amends_its_verdict(
    world: World, later_s: int, form: str
) -> None:
    """Also when its spans are gone; whatever else the verdict said stands."""
    world.send(*requests(RECORDING))
    (first,) = world.wait(later_s)
    counted = counted_in(world)
    world.send(a_grade(form=form))
    (amended,) = world.wait(0)

    assert outcome(first) == (Outcome.LUCKY, "structural")
    assert outcome(amended) == (Outcome.FAIL, "evaluation")
    assert (amended.after.revision, amended.replaces) == (1, first.after.verdict_id)
    assert first.verdict
    assert amended.verdict
    assert amended.verdict.violations == first.verdict.violations != ()
    assert (amended.new, amended.withdrawn) == ((), ())
    assert counted_in(world) == counted
    assert world.judge.verdicts == 1
    assert world.buffer.counts.accounted() == world.buffer.counts.received


def test_an_amendment_says_the_same_whether_the_spans_are_held_or_gone(
    make_world: Callable[..., World],
) -> None:
    said = []
    for later_s in (KEPT_S, REMEMBERED_S):
        world = make_world()
        world.send(*requests(RECORDING))
        world.wait(later_s)
        world.send(a_grade())
        world.wait(0)
        said.append(world.verdicts.bodies[-1])

    assert said[0] == said[1]


@pytest.mark.parametrize("later_s", [KEPT_S, REMEMBERED_S])
def test_the_luck_windows_entry_moves_to_the_graded_series(world: World, later_s: int) -> None:
    world.send(*requests(RECORDING))
    world.wait(later_s)
    assert rates(world) == {"structural": (1, 1)}
    world.send(a_grade("correct"))
    world.wait(0)
    assert rates(world) == {"evaluation": (1, 1)}
    world.send(a_grade("incorrect", at=1))
    world.wait(0)
    assert rates(world) == {}


@pytest.mark.parametrize("later_s", [0, KEPT_S, REMEMBERED_S])
def test_the_latest_grade_counts_whenever_it_comes(world: World, later_s: int) -> None:
    world.send(*requests(RECORDING), a_grade("correct", at=2))
    world.wait(max(later_s, 6))
    world.send(a_grade("incorrect", at=1))

    assert world.wait(0) == []
    assert outcome(world.plans[-1]) == (Outcome.LUCKY, "evaluation")
    world.send(a_grade("incorrect", at=3))
    (amended,) = world.wait(0)
    assert outcome(amended) == (Outcome.FAIL, "evaluation")


def test_a_grade_that_is_taken_back_leaves_the_question_to_the_next_source(world: World) -> None:
    world.send(*requests(RECORDING), a_grade("incorrect"))
    world.wait(REMEMBERED_S)
    world.send(a_grade("cannot say", at=1))
    (amended,) = world.wait(0)

    assert outcome(amended) == (Outcome.LUCKY, "structural")


@pytest.mark.parametrize("later_s", [KEPT_S, REMEMBERED_S])
def test_the_same_grade_again_alters_nothing(world: World, later_s: int) -> None:
    world.send(*requests(RECORDING), a_grade())
    world.wait(later_s)
    world.send(a_grade(), a_grade())

    assert world.wait(0) == []
    assert len(world.plans) == 1


@pytest.mark.parametrize("form", FORMS[:2])
@pytest.mark.parametrize("later_s", [0, KEPT_S, REMEMBERED_S])
def test_a_grade_of_a_tool_says_nothing_of_the_runs_output(
    world: World, later_s: int, form: str
) -> None:
    world.send(*requests(RECORDING))
    world.wait(later_s)
    world.send(a_grade(of=A_TOOL.span_id, form=form))
    world.wait(6)

    assert [outcome(plan) for plan in world.plans] == [(Outcome.LUCKY, "structural")]


def test_a_trace_that_was_judged_and_forgotten_gets_no_amendment(
    make_world: Callable[..., World],
) -> None:
    world = make_world(Limits(verdicts=0))
    world.send(*requests(RECORDING))
    world.wait(REMEMBERED_S)
    world.send(a_grade())

    assert world.wait(0) == []
    assert world.buffer.counts.grades_dropped == 1


def test_a_grade_of_a_trace_that_waits_to_be_judged_is_not_lost(
    make_world: Callable[..., World],
) -> None:
    """It was too big, so its spans go with its close."""
    world = make_world(Limits(trace_spans=len(spans_of(RECORDING))))
    world.send(*requests(RECORDING), a_grade())
    first, amended = world.wait(0)

    assert first.run.reason is Reason.SPAN_LIMIT
    assert outcome(amended) == (Outcome.FAIL, "evaluation")
    assert amended.after.revision == 1


def test_a_grade_that_came_with_no_agents_span_waits_on(world: World) -> None:
    """A web request's root and a grade; the agent's spans come after they were let go."""
    web = a_request({}, trace_id=TRACE, span_id=b"webroot!").SerializeToString()
    world.send(web, a_grade(form="trace"))
    assert world.wait(200) == []
    world.send(*requests(RECORDING))
    (plan,) = world.wait(6)

    assert outcome(plan) == (Outcome.FAIL, "evaluation")


def test_our_own_verdicts_are_no_grades(world: World) -> None:
    """They come back where a backend sends on what it gets, also without their scope."""
    world.send(*requests(RECORDING))
    world.wait(6)
    body = ExportTraceServiceRequest.FromString(world.verdicts.bodies[0])
    assert "trace.evaluations.0.evaluation.label" in attributes(
        body.resource_spans[0].scope_spans[0].spans[0]
    )
    for of_scope in body.resource_spans[0].scope_spans:
        of_scope.scope.name = ""
    world.send(world.verdicts.bodies[0], body.SerializeToString())

    assert world.wait(6) == []
    assert world.buffer.counts.ignored["own"] > 0


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_order_of_spans_and_grades_gives_the_same_verdict(specs: SpecSet, seed: int) -> None:
    """The same pieces online and offline, some twice."""
    rng = random.Random(seed)  # noqa: S311 - an order, not a secret
    told = [
        a_grade("correct", at=1),
        a_grade("incorrect", at=2, form="child"),
        a_grade(rng.choice(["correct", "incorrect"]), at=3, form=rng.choice(FORMS)),
        a_grade("bad", name="tone", of=A_TOOL.span_id),
    ]
    pieces = [piece for body in requests(RECORDING) for piece in split(body)] + told
    plain, torn = World(specs), World(specs)
    plain.send(*pieces)
    plain.wait(300)
    pieces += rng.choices(pieces, k=len(pieces) // 2)
    rng.shuffle(pieces)
    for piece in pieces:
        torn.send(piece)
        torn.clock.advance(0.1)
    torn.wait(300)
    (run,) = runs([Request(piece, "") for piece in pieces], specs)
    (spec,) = specs.matching(run)

    assert torn.verdicts.bodies == plain.verdicts.bodies
    assert len(plain.plans) == 1
    assert judge(run, spec) == plain.plans[0].verdict
    assert outcome(plain.plans[0])[1] == "evaluation"


@pytest.mark.parametrize("later_s", [0, KEPT_S, REMEMBERED_S])
def test_with_unit_agent_each_run_is_amended_by_its_own_grade(specs: SpecSet, later_s: int) -> None:
    world = World(specs, unit="agent")
    world.send(*requests(RECORDING))
    world.wait(later_s)
    root = world.plans[0].run.root.span_id if later_s else agents_root(specs)
    world.send(a_grade(of=root), a_grade("bad", name="other", of=A_TOOL.span_id))
    world.wait(6)

    assert world.plans[-1].run.key == root
    assert outcome(world.plans[-1]) == (Outcome.FAIL, "evaluation")


def agents_root(specs: SpecSet) -> bytes:
    (run,) = runs([Request(body, "") for body in requests(RECORDING)], specs, unit="agent")
    return run.key


SESSION = "langgraph/session"
LATEST = max(spans_of(SESSION), key=lambda span: span.start_time_unix_nano)
EARLIEST = min(spans_of(SESSION), key=lambda span: span.start_time_unix_nano)


def of_session(trace_id: bytes, at: int = 0) -> bytes:
    request = ExportTraceServiceRequest.FromString(a_grade(of=b"", at=at))
    request.resource_spans[0].scope_spans[0].spans[0].links[0].trace_id = trace_id
    return request.SerializeToString()


@pytest.mark.parametrize("later_s", [0, 1, KEPT_S, REMEMBERED_S, 20 * 60])
def test_a_sessions_output_is_that_of_its_latest_trace(specs: SpecSet, later_s: int) -> None:
    """Whenever the grade comes: also when the session waits, and when it is forgotten."""
    world = World(specs, unit="session")
    idle_s = IDLE_NS / 1e9
    world.send(*requests(SESSION))
    world.wait(idle_s / 2 if later_s == 1 else later_s and idle_s + later_s)
    world.send(of_session(EARLIEST.trace_id), of_session(LATEST.trace_id))
    world.wait(2 * idle_s)

    assert EARLIEST.trace_id != LATEST.trace_id
    outcomes = [outcome(plan)[0] for plan in world.plans]
    assert outcomes[-1] is Outcome.FAIL
    assert len(outcomes) == (1 if later_s <= 1 else 2)


def test_a_grade_of_an_earlier_trace_of_a_session_changes_nothing(specs: SpecSet) -> None:
    world = World(specs, unit="session")
    world.send(*requests(SESSION))
    (first,) = world.wait(IDLE_NS / 1e9)
    world.send(of_session(EARLIEST.trace_id))

    assert world.wait(2 * IDLE_NS / 1e9) == []
    assert outcome(first)[1] == "structural"


def test_a_grade_of_a_session_outlives_a_late_turn(specs: SpecSet) -> None:
    """A grade that came when the spans were gone counts when the session is judged again."""
    world = World(specs, unit="session")
    *first, last = requests(SESSION)
    world.send(*first, last)
    world.wait(IDLE_NS / 1e9)
    world.send(of_session(LATEST.trace_id))
    world.wait(2 * IDLE_NS / 1e9)
    late = a_request(
        {"openinference.span.kind": "TOOL", "tool.name": "lookup_order"},
        trace_id=LATEST.trace_id,
        parent_span_id=LATEST.span_id,
        span_id=b"latetool",
        start_time_unix_nano=LATEST.start_time_unix_nano,
        end_time_unix_nano=LATEST.start_time_unix_nano + 1,
    )
    world.send(late.SerializeToString())
    (amended,) = world.wait(3 * IDLE_NS / 1e9)

    assert amended.after.revision == 2
    assert outcome(amended)[0] is Outcome.FAIL


def test_a_fault_in_an_amendment_loses_that_one_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    world.send(*requests(RECORDING))
    world.wait(REMEMBERED_S)
    with monkeypatch.context() as patch:
        patch.setattr(world.judge, "_plans_again", broken)
        world.send(a_grade(at=1))
        assert world.wait(0) == []
    world.send(a_grade(at=2))

    assert len(world.wait(0)) == 1
    assert world.buffer.counts.accounted() == world.buffer.counts.received


def test_a_spec_that_asks_no_evaluation_keeps_nothing_for_one(specs: SpecSet) -> None:
    structural = replace(
        specs, specs=tuple(replace(one, output_ok=one.output_ok[1:]) for one in specs.specs)
    )
    world = World(structural)
    world.send(*requests(RECORDING))
    world.wait(REMEMBERED_S)
    judgement = world.buffer._remembered.verdict(TRACE)
    world.send(a_grade())

    assert world.wait(0) == []
    assert judgement
    assert judgement.packed == {}
