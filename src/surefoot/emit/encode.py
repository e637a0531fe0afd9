"""Plans to OTLP: the verdict and violation spans as the backend gets them.

Owns names, attributes, statuses, links and events of what we emit. Decides nothing: a
`Plan` has said what leaves. Built with the official generated classes.

Attributes are scalars (an array becomes a tree in Jaeger that hides the rest), spans are
1 us long (zero gets a warning, the run's own length would swallow the critical path),
and no span carries a `gen_ai.*` attribute (Jaeger would take it for an agent's): those
stand on the event.
"""

from collections.abc import Sequence

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from surefoot.emit.blocks import Blocks, add
from surefoot.emit.identity import Identity
from surefoot.emit.sent import Out, Plan
from surefoot.emit.texts import Mask, Texts
from surefoot.model import (
    Severity,
    Verdict,
    Violation,
)

SCOPE = "surefoot"
#: How long a span of ours lasts.
LENGTH_NS = 1000
#: A sender's clock may say anything that 64 bits can; ours must end within them, too.
_LATEST_NS = (1 << 64) - 1 - LENGTH_NS
#: Offending steps' spans that a verdict links to; SDKs cap links at 128, and Jaeger's
#: list is unreadable long before.
LINKS = 32
#: What Phoenix files a trace by; it takes the first span's, so ours must agree.
PROJECT = "openinference.project.name"


class Encoder:
    """Makes OTLP requests out of plans. Safe to share between threads.

    Args:
        mask: Takes secrets out of a text.
        identity: Who we are, as backends show it.
        redact_values: Let no argument value leave.
    """

    def __init__(self, mask: Mask, identity: Identity, *, redact_values: bool = False) -> None:
        self._texts = Texts(mask, redact_values=redact_values)
        self._group = _group(identity)
        self._blocks = Blocks(self._texts)

    def encode(self, plans: Sequence[Plan]) -> bytes:
        """One request for what the plans emit; empty if they emit nothing.

        One ResourceSpans a judged project: resource attributes must agree with it.
        """
        request = ExportTraceServiceRequest()
        scopes: dict[str, ScopeSpans] = {}
        for plan in plans:
            if not plan.emit:
                continue
            project = plan.run.resource.attributes.get(PROJECT)
            project = project if isinstance(project, str) else ""
            scope = scopes.get(project)
            if scope is None:
                scope = scopes[project] = self._open(request, project)
            if plan.verdict is not None:
                self._verdict(scope.spans.add(), plan, plan.verdict)
            for violation, out in plan.new_violations:
                self._violation(scope.spans.add(), plan, violation, out)
        return request.SerializeToString()

    def _open(self, request: ExportTraceServiceRequest, project: str) -> ScopeSpans:
        """A new ResourceSpans for one project."""
        group = request.resource_spans.add()
        group.MergeFromString(self._group)
        if project:
            add(group.resource, ((PROJECT, self._texts.name(project)),))
        return group.scope_spans[0]

    def _verdict(self, span: Span, plan: Plan, verdict: Verdict) -> None:
        """Fill in a verdict's span."""
        run, texts, revision = plan.run, self._texts, plan.after.revision
        explanation = texts.explanation(verdict, run)
        name = f"verdict {verdict.outcome.value}: {texts.name(verdict.spec)}"
        if revision:
            name += f" (revision {revision})"
        own_id, root_id = plan.after.verdict_id, run.root.span_id
        _place(span, run.trace_id, own_id, root_id, name, run.start_ns)
        span.MergeFromString(self._blocks.of(plan, verdict, explanation))
        span.events[0].time_unix_nano = min(run.start_ns, _LATEST_NS)
        add(
            span,
            (
                ("input.value", texts.calls(run.steps)),
                ("surefoot.trajectory", texts.trajectory(run.steps)),
                ("surefoot.replaces", plan.replaces.hex() or None),
                ("surefoot.withdrawn", ", ".join([one.hex() for one in plan.withdrawn]) or None),
            ),
        )
        if any(violation.severity is Severity.HARD for violation in verdict.violations):
            _fail(span, explanation)
        if plan.violations or plan.replaces:
            _link(span, plan)

    def _violation(self, span: Span, plan: Plan, violation: Violation, out: Out) -> None:
        """Fill in a violation's span."""
        run, texts = plan.run, self._texts
        kind = "" if violation.severity is Severity.HARD else f"({violation.severity.value}) "
        name = f"violation {kind}{texts.name(violation.check)}"
        trace_id = out.trace_id or run.trace_id
        _place(span, trace_id, out.span_id, out.parent_id, name, out.start_ns)
        message = texts.violation(violation, run)
        observed = texts.quoted(violation.observed)
        step = None if violation.step is None else run.steps[violation.step]
        span.MergeFromString(self._blocks.of_violation(plan.spec, violation, step))
        add(
            span,
            (
                ("input.value", observed or (texts.name(step.tool) if step else "")),
                ("output.value", message),
                ("surefoot.violation.message", message),
                ("surefoot.violation.expected", texts.quoted(violation.expected)),
                ("surefoot.violation.observed", observed),
                ("surefoot.step.index", violation.step),
            ),
        )
        if violation.severity is Severity.HARD:
            _fail(span, message)


def _group(identity: Identity) -> bytes:
    """A ResourceSpans that holds no span yet, as bytes."""
    group = ResourceSpans()
    add(group.resource, identity.attributes().items())
    scope = group.scope_spans.add().scope
    scope.name = SCOPE
    scope.version = identity.version
    return group.SerializeToString()


def _place(
    span: Span, trace_id: bytes, span_id: bytes, parent: bytes, name: str, start_ns: int
) -> None:
    """Who a span is, and where and when it stands."""
    span.trace_id = trace_id
    span.span_id = span_id
    span.parent_span_id = parent
    span.name = name
    span.kind = Span.SPAN_KIND_INTERNAL
    span.start_time_unix_nano = min(start_ns, _LATEST_NS)
    span.end_time_unix_nano = min(start_ns, _LATEST_NS) + LENGTH_NS


def _fail(span: Span, message: str) -> None:
    span.status.code = Status.STATUS_CODE_ERROR
    span.status.message = message


def _link(span: Span, plan: Plan) -> None:
    """Point at the offending steps, and at the verdict that this one replaces.

    Never at the own parent: Jaeger then takes the reference to the parent away.
    """
    run = plan.run
    steps = sorted({one.step for one, _ in plan.violations if one.step is not None})
    known = (run.evidence[step] for step in steps)
    offending = dict.fromkeys((one.trace_id or run.trace_id, one.span_id) for one in known)
    offending.pop((run.trace_id, run.root.span_id), None)
    replaced = (plan.replaces_in or run.trace_id, plan.replaces)
    for trace_id, span_id in (*list(offending)[:LINKS], replaced):
        if span_id:
            span.links.add(trace_id=trace_id, span_id=span_id)
