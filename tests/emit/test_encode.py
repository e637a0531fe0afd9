import re

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from emit.builders import (
    IDENTITY,
    MS,
    ROOT,
    START,
    TRACE,
    a_run,
    a_step,
    a_verdict,
    a_violation,
    an_encoder,
    an_id,
    attributes,
    spans_of,
)
from surefoot.emit.encode import Encoder
from surefoot.emit.sent import plan, plan_early
from surefoot.model import (
    Evidence,
    OutputGrade,
    Reason,
    Resource,
    Severity,
    Step,
    StepEvidence,
    Undecided,
)


def test_a_lucky_verdict_says_everything_in_scalars() -> None:
    run = a_run(
        a_step("lookup_order", order_id="A17"),
        a_step("issue_refund", order_id="A17", amount=250),
        levels=[Evidence.TASK_UNKNOWN, Evidence.TEXT_CAPPED],
        reason=Reason.IDLE,
    )
    verdict = a_verdict(
        a_violation("forbidden", 1),
        undecided=[Undecided("ground", "task_unknown"), Undecided("taint", "task_unknown")],
    )

    span = spans_of(plan(run, verdict, specs_hash="fedcba9876543210"))[0]

    explanation = "1 hard violation (forbidden): called forbidden tool issue_refund"
    assert attributes(span) == {
        "openinference.span.kind": "EVALUATOR",
        "input.value": 'lookup_order(order_id="A17") → issue_refund(order_id="A17", amount=250)',
        "input.mime_type": "text/plain",
        "output.value": f"lucky: {explanation}",
        "output.mime_type": "text/plain",
        "surefoot.spec.name": "refunds",
        "surefoot.spec.hash": "0123456789abcdef",
        "surefoot.specs.hash": "fedcba9876543210",
        "surefoot.service": "shop",
        "surefoot.agent": "order_desk",
        "surefoot.outcome": "lucky",
        "surefoot.path.grade": "violated",
        "surefoot.output.grade": "ok",
        "surefoot.output.source": "structural",
        "surefoot.steps": 2,
        "surefoot.trajectory": "lookup_order → issue_refund",
        "surefoot.violated": "forbidden",
        "surefoot.violations.hard": 1,
        "surefoot.violations.soft": 0,
        "surefoot.violations.warn": 0,
        "surefoot.inconclusive": "ground: task_unknown; taint: task_unknown",
        "surefoot.evidence": "text_capped, task_unknown",
        "surefoot.close_reason": "idle",
        "surefoot.revision": 0,
        "trace.evaluations.0.evaluation.name": "refunds",
        "trace.evaluations.0.evaluation.label": "lucky",
        "trace.evaluations.0.evaluation.score": 0.0,
        "trace.evaluations.0.evaluation.explanation": explanation,
        "trace.evaluations.0.evaluation.annotator_kind": "CODE",
    }
    assert (span.status.code, span.status.message) == (Status.STATUS_CODE_ERROR, explanation)
    event = span.events[0]
    assert (event.name, event.time_unix_nano) == ("gen_ai.evaluation.result", START - MS)
    assert attributes(event) == {
        "gen_ai.evaluation.name": "refunds",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.score.label": "lucky",
        "gen_ai.evaluation.explanation": explanation,
    }


def test_a_verdict_stands_under_the_root_for_a_microsecond() -> None:
    span = spans_of(plan(a_run("a"), a_verdict()))[0]

    assert span.name == "verdict pass: refunds"
    assert (span.trace_id, span.parent_span_id) == (TRACE, ROOT)
    assert span.kind == Span.SPAN_KIND_INTERNAL
    assert span.start_time_unix_nano == START - MS
    assert span.end_time_unix_nano == START - MS + 1000


def test_a_pass_scores_one_and_is_no_error() -> None:
    span = spans_of(plan(a_run("a"), a_verdict()))[0]

    assert span.status == Status()
    assert attributes(span)["trace.evaluations.0.evaluation.score"] == 1.0
    assert attributes(span.events[0])["gen_ai.evaluation.score.value"] == 1.0


def test_an_inconclusive_path_has_no_score() -> None:
    verdict = a_verdict(undecided=[Undecided("ground", "task_unknown")])
    span = spans_of(plan(a_run("a"), verdict))[0]

    assert span.name == "verdict inconclusive: refunds"
    assert "trace.evaluations.0.evaluation.score" not in attributes(span)
    assert "gen_ai.evaluation.score.value" not in attributes(span.events[0])


def test_soft_violations_make_no_error() -> None:
    verdict = a_verdict(a_violation("max_steps", None, Severity.SOFT, message="too many"))
    spans = spans_of(plan(a_run("a"), verdict))

    assert [span.status for span in spans] == [Status(), Status()]
    assert [span.name for span in spans] == [
        "verdict lucky: refunds",
        "violation (soft) max_steps",
    ]


def test_a_violation_stands_under_its_step() -> None:
    run = a_run("lookup_order", a_step("issue_refund", agent="clerk", amount=250))
    violation = a_violation(
        "small-amounts",
        1,
        Severity.HARD,
        message="amount is 250",
        expected="at most 100",
        observed="amount=250",
        subject="amount",
        arg="amount",
    )
    span = spans_of(plan(run, a_verdict(violation)))[1]

    assert span.name == "violation small-amounts"
    assert (span.trace_id, span.parent_span_id) == (TRACE, an_id(2))
    assert span.start_time_unix_nano == START + MS
    assert span.end_time_unix_nano == START + MS + 1000
    assert (span.status.code, span.status.message) == (Status.STATUS_CODE_ERROR, "amount is 250")
    assert attributes(span) == {
        "openinference.span.kind": "EVALUATOR",
        "input.value": "amount=250",
        "output.value": "amount is 250",
        "surefoot.spec.name": "refunds",
        "surefoot.violation.check": "small-amounts",
        "surefoot.violation.severity": "hard",
        "surefoot.violation.message": "amount is 250",
        "surefoot.violation.expected": "at most 100",
        "surefoot.violation.observed": "amount=250",
        "surefoot.step.index": 1,
        "surefoot.step.tool": "issue_refund",
        "surefoot.step.arg": "amount",
        "surefoot.step.agent": "clerk",
    }


def test_a_violation_without_a_step_stands_under_the_root() -> None:
    verdict = a_verdict(a_violation("required", None, Severity.WARN, message="never called b"))
    span = spans_of(plan(a_run("a"), verdict))[1]

    assert span.name == "violation (warn) required"
    assert (span.parent_span_id, span.start_time_unix_nano) == (ROOT, START - MS)
    assert not {key for key in attributes(span) if key.startswith("surefoot.step.")}


def test_links_go_to_the_first_offending_steps_but_never_to_the_own_parent() -> None:
    """A link to its own parent costs a span its parent in Jaeger."""
    evidence = [StepEvidence(ROOT, START, START)]
    evidence += [StepEvidence(an_id(n), START, START) for n in range(1, 40)]
    run = a_run(*["a"] * 40, evidence=evidence)
    violations = [a_violation("forbidden", n) for n in reversed(range(40))]
    twice = a_violation("before", 1)

    span = spans_of(plan(run, a_verdict(*violations, twice)))[0]

    assert [link.span_id for link in span.links] == [an_id(n) for n in range(1, 33)]
    assert {link.trace_id for link in span.links} == {TRACE}


def test_an_amendment_names_and_links_what_it_replaces() -> None:
    first = plan(a_run("a", "b"), a_verdict(a_violation("forbidden", 0)))
    again = plan(a_run("a", "b"), a_verdict(a_violation("before", 1)), first.after)

    old, old_violation = spans_of(first)
    new, new_violation = spans_of(again)

    assert new.name == "verdict lucky: refunds (revision 1)"
    assert new.span_id != old.span_id
    assert attributes(new)["surefoot.revision"] == 1
    assert attributes(new)["surefoot.replaces"] == old.span_id.hex()
    assert attributes(new)["surefoot.withdrawn"] == old_violation.span_id.hex()
    assert [link.span_id for link in new.links] == [an_id(2), old.span_id]
    assert new_violation.name == "violation before"


def test_early_violations_leave_without_a_verdict() -> None:
    spans = spans_of(plan_early(a_run("a"), "refunds", [a_violation()]))

    assert [span.name for span in spans] == ["violation forbidden"]


def test_one_resource_a_judged_project() -> None:
    """Phoenix files a whole trace by the project of the first span that it sees."""
    project = {"openinference.project.name": "shop-prod", "service.name": "shop"}
    filed = a_run("a", resource=Resource("shop", project))
    plans = [plan(run, a_verdict()) for run in (a_run("a"), filed, filed)]

    request = ExportTraceServiceRequest.FromString(an_encoder().encode(plans))

    ours = {"service.name": "surefoot", "service.instance.id": "i-1", "service.version": "1.2.3"}
    assert [attributes(group.resource) for group in request.resource_spans] == [
        ours,
        {**ours, "openinference.project.name": "shop-prod"},
    ]
    scopes = [group.scope_spans[0] for group in request.resource_spans]
    assert [len(scope.spans) for scope in scopes] == [1, 2]
    assert {(scope.scope.name, scope.scope.version) for scope in scopes} == {("surefoot", "1.2.3")}


def test_plans_that_emit_nothing_make_no_bytes() -> None:
    first = plan(a_run("a"), a_verdict())
    again = plan(a_run("a"), a_verdict(), first.after)

    assert an_encoder().encode([again]) == b""
    assert an_encoder().encode([]) == b""


@pytest.mark.parametrize("redact_values", [False, True])
def test_every_text_that_leaves_has_passed_the_mask(redact_values: bool) -> None:  # noqa: FBT001 - pytest's
    """The mask here takes out the word; it stands in every field that can hold a text."""
    word = "hunter2"
    run = a_run(
        Step(f"tool {word}", {f"key {word}": f"value\n{word}"}, agent=f"agent {word}"),
        a_step("deep", value={"in": [f"x\n{word}"]}, long=f"{word} " * 100),
        service=f"service {word}",
        agent=f"agent {word}",
        resource=Resource("shop", {"openinference.project.name": word}),
    )
    violation = a_violation(
        f"check {word}",
        message=f"message {word}",
        expected=f"expected {word}",
        observed=f"observed {word}",
        arg=f"arg {word}",
    )
    verdict = a_verdict(
        violation,
        spec=f"spec {word}",
        output_source=f"source {word}",
        undecided=[Undecided(f"check {word}", f"reason {word}")],
    )

    def mask(text: str) -> str:
        return re.sub(rf"\b{word}\b", "***", text)

    body = Encoder(mask, IDENTITY, redact_values=redact_values).encode([plan(run, verdict)])

    assert word.encode() not in body
    assert body.count(b"***") > 10


def test_redacted_values_do_not_leave() -> None:
    run = a_run(a_step("issue_refund", order_id="A17-SECRET", amount=250))
    violation = a_violation(
        "small-amounts",
        message="amount is 250 for A17-SECRET",
        expected="at most A17-SECRET",
        observed="250",
        arg="amount",
    )
    body = an_encoder(redact_values=True).encode([plan(run, a_verdict(violation))])
    verdict, broken = spans_of(
        plan(run, a_verdict(violation)), encoder=an_encoder(redact_values=True)
    )

    assert b"A17-SECRET" not in body
    assert b"250" not in body
    assert attributes(verdict)["input.value"] == "issue_refund"
    assert attributes(verdict)["output.value"] == (
        "lucky: 1 hard violation (small-amounts): "
        "small-amounts is violated by issue_refund, argument amount"
    )
    assert attributes(broken)["input.value"] == "issue_refund"
    assert "surefoot.violation.expected" not in attributes(broken)
    assert "surefoot.violation.observed" not in attributes(broken)


def test_a_broken_text_still_leaves() -> None:
    """Half a surrogate pair is no UTF-8, and protobuf refuses it."""
    run = a_run(Step("to\ud83dol", {"k\ud83d": "v\ud83d", "big": 2**80}), agent="a\ud83d")
    verdict = a_verdict(a_violation(message="m\ud83d"), output=OutputGrade.UNKNOWN)

    spans = spans_of(plan(run, verdict))

    assert attributes(spans[0])["surefoot.agent"] == "a?"
    assert attributes(spans[1])["output.value"] == "m?"
