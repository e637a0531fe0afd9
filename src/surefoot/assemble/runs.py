"""The spans of one closed trace to its runs.

Owns the order of the work and what a run is: by default the whole trace under its topmost
AI span; with unit `agent` each topmost agent's part of it; with unit `session` the runs
of several traces joined. Each step of the work is a file beside this one.

Deterministic: the same spans in any order give the same runs. Never raises on any span's
content. Linear in the spans and their text, but for sorting.
"""

from collections.abc import Iterable
from dataclasses import replace

from surefoot.assemble import calls as reading
from surefoot.assemble import dialects, leftover, levels
from surefoot.assemble.agents import Agents
from surefoot.assemble.call import Call, kind_of, norm
from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import first_text
from surefoot.assemble.handover import name_targets
from surefoot.assemble.join import join
from surefoot.assemble.match import match
from surefoot.assemble.members import AGENT, OTHER
from surefoot.assemble.merge import merge
from surefoot.assemble.outcome import conclude
from surefoot.assemble.skew import skewed
from surefoot.assemble.told import hear
from surefoot.assemble.tree import Forest
from surefoot.assemble.usage import models, spent
from surefoot.assemble.view import View
from surefoot.model import (
    Reason,
    Root,
    Run,
    Span,
    Step,
    StepEvidence,
)

_SESSIONS = frozenset(keys.SESSION)
_MS = 1_000_000  # nanoseconds
#: Of the spans above a run's root so many are named: gateways and web servers.
_MOST_ABOVE = 64


def assemble(
    spans: Iterable[Span],
    *,
    reason: Reason,
    whole: bool,
    unit: str = "trace",
    attributes_dropped: bool = False,
) -> list[Run]:
    """Put the spans of a trace back together as the runs that made them.

    Args:
        spans: Reduced spans (see `reduce`), in any order. Those of several traces give
            the runs of each, in order of start; with unit `session` these are joined.
        reason: Why the trace was closed.
        whole: Whether the buffer found the trace whole.
        unit: `trace`, `agent` or `session`.
        attributes_dropped: Whether spans of the trace were refused at the door.

    Returns:
        No run if there is no AI span.
    """
    traces: dict[bytes, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id, []).append(span)
    found = [
        run
        for held in traces.values()
        for run in _of_trace(held, reason, unit, whole=whole, dropped=attributes_dropped)
    ]
    found.sort(key=lambda run: (run.start_ns, run.trace_id, run.root.start_ns, run.key))
    return [join(found)] if unit == "session" and found else found


def _of_trace(
    spans: list[Span], reason: Reason, unit: str, *, whole: bool, dropped: bool
) -> list[Run]:
    forest = Forest(spans)
    tops = forest.topmost()
    if not tops or _is_host_alone(forest):
        return []
    agents = _topmost_agents(forest) if unit == "agent" else []
    if not agents:
        run = _run(View(forest), tops[0], b"", reason, whole=whole, dropped=dropped)
        return [_placed(run, forest, tops[0])]
    parts = _parts(forest, agents)
    runs = []
    for at in agents:
        part = Forest(parts[at])
        root = next(i for i, span in enumerate(part.spans) if span is forest.spans[at])
        key = forest.spans[at].span_id
        run = _run(View(part), root, key, reason, whole=whole, dropped=dropped)
        runs.append(_placed(run, forest, at))
    return runs


def _placed(run: Run, forest: Forest, at: int) -> Run:
    """Say which spans stand above the run's root."""
    above: list[bytes] = []
    while at >= 0 and len(above) < _MOST_ABOVE:
        if forest.spans[at].parent_id:
            above.append(forest.spans[at].parent_id)
        at = forest.parent[at]
    if above:
        run.root = replace(run.root, above=tuple(above))
    return run


def _is_host_alone(forest: Forest) -> bool:
    """Whether all AI spans only might have held an agent, and show that they did not."""
    if OTHER not in {span.role for span in forest.spans}:
        return False
    return all(dialects.of(span).hosts(span) for span in forest.spans if span.role.is_ai)


def _topmost_agents(forest: Forest) -> list[int]:
    above = forest.agent
    return [at for at, span in enumerate(forest.spans) if span.role is AGENT and above[at] < 0]


def _parts(forest: Forest, agents: list[int]) -> dict[int, list[Span]]:
    """Give the spans at and below each topmost agent."""
    part = [-1] * len(forest.spans)
    found: dict[int, list[Span]] = {at: [] for at in agents}
    for at in forest.order:
        above = forest.parent[at]
        part[at] = at if at in found else part[above] if above >= 0 else -1
        if part[at] >= 0:
            found[part[at]].append(forest.spans[at])
    return found


def _run(view: View, root: int, key: bytes, reason: Reason, *, whole: bool, dropped: bool) -> Run:
    calls, told = _calls(view)
    agents = Agents(view)
    agents.assign(calls)
    hearing = hear(view, root, calls, told)
    if hearing.hidden:
        leftover.hide(calls)
    name_targets(view, calls)
    fragment = levels.is_fragment(view)
    outcome = conclude(view, root, calls, ended=whole and not fragment)
    top = view.spans[root]
    start_ns = view.spans[view.ai[0]].start_ns
    usage = spent(view)
    return Run(
        trace_id=top.trace_id,
        key=key,
        service=top.resource.service,
        agent=agents.of_run(root),
        session=_session(view, root),
        root=Root(top.span_id, top.start_ns, top.end_ns, top.attributes),
        resource=top.resource,
        steps=[_step(call, start_ns) for call in calls],
        evidence=[_evidence(view, call) for call in calls],
        levels=levels.levels(
            view,
            calls,
            levels.Known(
                reason=reason,
                whole=whole,
                dropped=dropped,
                fragment=fragment,
                unfinished=outcome.unfinished,
                task=bool(hearing.task),
            ),
        ),
        reason=reason,
        task=hearing.task,
        told=hearing.told,
        output=outcome.output,
        flaw=outcome.flaw,
        start_ns=start_ns,
        end_ns=max([view.spans[at].end_ns for at in view.ai]),
        spans=len(view.spans),
        tokens=usage.tokens,
        models=models(view),
        llm_calls=usage.calls,
        cost=usage.cost,
        skewed=skewed(view),
    )


def _calls(view: View) -> tuple[list[Call], leftover.Told]:
    """Give the run's calls in order, with what its models were told of results."""
    ran = merge(view, reading.from_tools(view))
    requests = reading.from_models(view)
    agents = frozenset(map(norm, view.agent_names().values()))
    for call in ran:
        call.kind = view.dialects[call.at].kind(view.spans[call.at]) or kind_of(call.tool, agents)
    for request in requests:
        request.kind = kind_of(request.tool, agents)
    left = match(view, ran, requests)
    told = leftover.Told(view)
    calls = leftover.without_pending(view, ran)
    leftover.fill(view, calls, told)
    calls += leftover.settle(view, ran, requests, left, told)
    calls.sort(key=lambda call: (call.start_ns, call.turn, call.place, call.end_ns, call.at))
    return calls, told


def _step(call: Call, start_ns: int) -> Step:
    return Step(
        tool=call.tool,
        args=call.args,
        ok=not call.failed,
        result=call.result.text,
        t=max(0, call.start_ns - start_ns) / _MS,
        agent=call.agent,
    )


def _evidence(view: View, call: Call) -> StepEvidence:
    return StepEvidence(
        span_id=view.spans[call.at].span_id,
        start_ns=call.start_ns,
        end_ns=call.end_ns,
        call_id=call.call_id,
        args_quality=call.quality,
        source=call.source,
        attempts=call.attempts,
        kind=call.kind,
        ran=call.ran,
        turn=call.turn,
        result_capped=call.result.capped,
        result_known=call.result.known,
        merged=tuple(call.merged or ()),
        named=call.named,
        hands_to=call.hands_to,
    )


def session_of(span: Span) -> str:
    """The session that a span names; empty if it names none."""
    if _SESSIONS.isdisjoint(span.attributes):
        return ""
    return first_text(span.attributes, keys.SESSION)


def _session(view: View, root: int) -> str | None:
    """Give the session that the root names, else the first span that names one."""
    own = first_text(view.spans[root].attributes, keys.SESSION)
    if own:
        return own
    return next((named for span in view.spans if (named := session_of(span))), None)
