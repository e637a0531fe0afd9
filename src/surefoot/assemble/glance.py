"""A look at new spans of a trace that is still open: the calls that are sure already.

Owns what is sure. `assemble` waits until a trace is closed because later spans change
what a span means: it may stand for the same call as another, wait for approval, be a
hand-over to an agent of whom nothing has come. Here each tool's span is read by itself,
and what a later span could change is left out or marked as hidden:

- a call that may be a hand-over or the end of the run, or may only wait for approval;
- arguments that are not exact on the span itself, or that its dialect doubts;
- the result of a failed call, which may be tried again, and one that was cut;
- the agent, which the span above tells. It is left empty.

What is found here is then looked up in the trace as far as it has come (`holds`): the
spans that are here may already say otherwise.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from surefoot.assemble import calls as reading
from surefoot.assemble import dialects
from surefoot.assemble.call import Call, kind_of, norm, same_tool
from surefoot.assemble.dialects.mcp import MCP
from surefoot.assemble.members import ABSENT, EXACT, LLM, TOOL, WORK
from surefoot.assemble.tree import Forest
from surefoot.assemble.usage import models
from surefoot.assemble.view import View
from surefoot.model import Evidence, Reason, Root, Run, Source, Span, Step, StepEvidence

#: SpanFlags: has-is-remote and is-remote. Source: opentelemetry-proto trace.proto.
_REMOTE = 0x300
#: A hand-over, if an agent of that name is about.
_HANDS_OVER = re.compile(r"(?:transfer|hand_?off|switch|delegate)_(?:back_)?to_")
_MS = 1_000_000  # nanoseconds


def glance(spans: Iterable[Span]) -> Run | None:
    """What is sure of new spans of one trace and service, as a run of their calls.

    Args:
        spans: Reduced spans; only tools' and models' are read.

    Returns:
        A run with trace id, root (the first of the spans), service, steps, evidence and
        models, and nothing else; None if nothing is sure.
    """
    view = View(Forest(span for span in spans if span.role in (TOOL, LLM)))
    calls = [call for call in reading.from_tools(view) if _is_sure(view, call)]
    used = models(view)
    if not calls and not used:
        return None
    first = view.spans[0]
    return Run(
        trace_id=first.trace_id,
        key=b"",
        service=first.resource.service,
        agent="",
        session=None,
        root=Root(first.span_id, first.start_ns, first.end_ns),
        resource=first.resource,
        steps=[_step(view, call) for call in calls],
        evidence=[_evidence(view, call) for call in calls],
        levels=frozenset({Evidence.COMPLETE}),
        reason=Reason.IDLE,
        start_ns=first.start_ns,
        end_ns=max(span.end_ns for span in view.spans),
        spans=len(view.spans),
        models=used,
    )


def other_way(run: Run) -> Run:
    """The same run, had each call gone the other way: a later try may turn it."""
    return replace(run, steps=[replace(step, ok=not step.ok) for step in run.steps])


def holds(run: Run, index: int, seen: StepEvidence, spans: Mapping[bytes, Span]) -> bool:
    """Whether step `index` of the trace so far is the call that was seen, and surely stays.

    A server's span, and what another process's call started, is mostly a part of the call
    of a framework whose span comes later and may have another name: without a way up to
    the root nothing is sure of it. Nor is it where a name is about that differs by what
    stands in front of it (`desk_lookup`, `lookup`): the two may become one.

    Args:
        run: The trace so far, assembled.
        index: A step of it.
        seen: The evidence of a call that `glance` gave.
        spans: The spans so far, by id.
    """
    known = run.evidence[index]
    if known.source is not Source.SPAN or not known.ran or known.kind is not WORK:
        return False
    if all(place[0] != seen.span_id for place in ((known.span_id, ""), *known.merged)):
        return False
    own = norm(run.steps[index].tool)
    names = {norm(step.tool) for step in run.steps}
    if any(name != own and same_tool(name, own) for name in names):
        return False
    top = spans.get(known.span_id)
    return top is not None and (not _is_anothers(top) or _has_root(top, spans))


def _is_sure(view: View, call: Call) -> bool:
    span, dialect = view.spans[call.at], view.dialects[call.at]
    kind = dialect.kind(span) or kind_of(call.tool, frozenset())
    if kind is not WORK or _HANDS_OVER.match(norm(call.tool)) or dialect.hosts(span):
        return False
    return call.result.known or not dialect.shows_pending


def _step(view: View, call: Call) -> Step:
    return Step(
        tool=call.tool,
        args=call.args if _has_arguments(view, call) else {},
        ok=not call.failed,
        result=call.result.text if _has_result(call) else "",
        t=max(0, call.start_ns - view.spans[0].start_ns) / _MS,
        agent="",
    )


def _evidence(view: View, call: Call) -> StepEvidence:
    return StepEvidence(
        span_id=view.spans[call.at].span_id,
        start_ns=call.start_ns,
        end_ns=call.end_ns,
        call_id=call.call_id,
        args_quality=EXACT if _has_arguments(view, call) else ABSENT,
        attempts=call.attempts,
        result_known=_has_result(call),
    )


def _has_arguments(view: View, call: Call) -> bool:
    return call.quality is EXACT and not view.dialects[call.at].doubts_arguments


def _has_result(call: Call) -> bool:
    return call.result.known and not call.result.capped and not call.failed


def _is_anothers(span: Span) -> bool:
    """Whether somebody else's span is likely to tell of the same call."""
    return span.flags & _REMOTE == _REMOTE or isinstance(dialects.of(span), MCP)


def _has_root(span: Span, spans: Mapping[bytes, Span]) -> bool:
    """Whether all that stands above a span is here."""
    walked: set[bytes] = set()
    here: Span | None = span
    while here is not None and here.parent_id and here.span_id not in walked:
        walked.add(here.span_id)
        here = spans.get(here.parent_id)
    return here is not None and not here.parent_id
