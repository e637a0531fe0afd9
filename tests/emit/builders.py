"""Builders of runs and verdicts for tests: say only what the test is about."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from surefoot.emit.encode import Encoder
from surefoot.emit.identity import Identity
from surefoot.emit.sent import Plan
from surefoot.model import (
    Evidence,
    OutputGrade,
    PathGrade,
    Reason,
    Resource,
    Root,
    Run,
    Severity,
    Step,
    StepEvidence,
    Undecided,
    Verdict,
    Violation,
)

TRACE = bytes(range(16))
ROOT = b"rootspan"
START = 1_700_000_000_000_000_000
MS = 1_000_000
IDENTITY = Identity(instance_id="i-1", version="1.2.3")


def an_id(n: int) -> bytes:
    """The n-th span id; n from 1."""
    return n.to_bytes(8, "big")


def a_step(tool: str = "lookup_order", *, agent: str = "main", **args: Any) -> Step:
    """One tool call."""
    return Step(tool, args, agent=agent)


def a_run(
    *steps: Step | str,
    evidence: Sequence[StepEvidence] | None = None,
    levels: Sequence[Evidence] = (Evidence.COMPLETE,),
    **changes: Any,
) -> Run:
    """A run of these steps; the n-th (from 0) has span id n + 1 and starts at n ms."""
    called = [a_step(step) if isinstance(step, str) else step for step in steps]
    known = evidence or [
        StepEvidence(an_id(n + 1), START + n * MS, START + n * MS + 500, f"call-{n}")
        for n in range(len(called))
    ]
    run = Run(
        trace_id=TRACE,
        key=b"",
        service="shop",
        agent="order_desk",
        session="s-1",
        root=Root(ROOT, START - MS, START + 9 * MS),
        resource=Resource("shop", {"service.name": "shop"}),
        steps=called,
        evidence=list(known),
        levels=frozenset(levels),
        reason=Reason.ROOT,
        start_ns=START - MS,
        end_ns=START + 9 * MS,
    )
    return replace(run, **changes)


def a_violation(
    check: str = "forbidden",
    step: int | None = 0,
    severity: Severity = Severity.HARD,
    **changes: Any,
) -> Violation:
    """One broken rule."""
    message = changes.pop("message", "called forbidden tool issue_refund")
    return Violation(check, severity, message, step, **changes)


def a_verdict(
    *violations: Violation,
    output: OutputGrade = OutputGrade.OK,
    undecided: Sequence[Undecided] = (),
    spec: str = "refunds",
    output_source: str = "structural",
) -> Verdict:
    """A verdict whose path grade follows from what was found."""
    path = PathGrade.INCONCLUSIVE if undecided else PathGrade.OK
    return Verdict(
        spec=spec,
        spec_hash="0123456789abcdef",
        path=PathGrade.VIOLATED if violations else path,
        output=output,
        output_source=output_source,
        violations=violations,
        undecided=tuple(undecided),
    )


def plain(text: str) -> str:
    """A mask for texts without secrets."""
    return text


def an_encoder(*, redact_values: bool = False) -> Encoder:
    """An encoder that masks nothing."""
    return Encoder(plain, IDENTITY, redact_values=redact_values)


def spans_of(*plans: Plan, encoder: Encoder | None = None) -> list[Span]:
    """The spans that plans send, read back from the bytes."""
    request = ExportTraceServiceRequest.FromString((encoder or an_encoder()).encode(plans))
    return [
        span
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def attributes(holder: Any) -> dict[str, Any]:
    """A span's, event's or resource's attributes; each key once, scalars only."""
    found: dict[str, Any] = {}
    pair: KeyValue
    for pair in holder.attributes:
        kind = pair.value.WhichOneof("value")

        assert kind in {"string_value", "int_value", "double_value", "bool_value"}
        assert pair.key not in found
        found[pair.key] = getattr(pair.value, kind)
    return found
