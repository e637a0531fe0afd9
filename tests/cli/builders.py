"""Runs and verdicts made by hand."""

from surefoot.model import (
    Evidence,
    OutputGrade,
    PathGrade,
    Reason,
    Resource,
    Root,
    Run,
    Severity,
    Span,
    Step,
    StepEvidence,
    Undecided,
    Verdict,
    Violation,
)


def a_run(*tools: str, number: int = 1, service: str = "desk", agent: str = "clerk") -> Run:
    """A run that calls these tools."""
    return Run(
        trace_id=number.to_bytes(16, "big"),
        key=b"",
        service=service,
        agent=agent,
        session=None,
        root=Root(b"\1" * 8, 0, 0),
        resource=Resource(service),
        steps=[Step(tool) for tool in tools],
        evidence=[StepEvidence(b"\2" * 8, 0, 0) for _ in tools],
        levels=frozenset({Evidence.COMPLETE}),
        reason=Reason.ROOT,
    )


def a_span(trace_id: bytes, span_id: bytes) -> Span:
    """A span of which only the ids matter."""
    return Span(trace_id, span_id, b"", "", 0, 0, 0, "", 0, "", Resource(), {})


def a_verdict(
    *violations: Violation,
    undecided: tuple[str, ...] = (),
    crashed: tuple[str, ...] = (),
    output: OutputGrade = OutputGrade.OK,
    spec: str = "desk",
) -> Verdict:
    """A verdict with these findings."""
    path = PathGrade.OK
    if violations:
        path = PathGrade.VIOLATED
    elif undecided:
        path = PathGrade.INCONCLUSIVE
    return Verdict(
        spec=spec,
        spec_hash="0" * 16,
        path=path,
        output=output,
        output_source="structural",
        violations=violations,
        undecided=tuple(Undecided(check, "task_unknown") for check in undecided),
        crashed=crashed,
    )


def a_violation(
    check: str = "forbidden",
    severity: Severity = Severity.HARD,
    step: int | None = None,
    message: str = "called forbidden tool issue_refund",
) -> Violation:
    """A broken rule."""
    return Violation(check, severity, message, step)
