"""The runs of one session's traces to one run.

Owns what a joined run is: the steps of all in their order; the latest's root, agent and
answer, since the verdict is told there; the first's task, and every user's word. A result
that one trace has no span for and a later one tells of is filled in. What limits one of
them limits all, but for a task or a tool's span that another has; and a call whose span
stands in a trace of its own (a thread without context) has found its agent here.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from surefoot.assemble.call import norm
from surefoot.model import Evidence, Reason, Run, Step, StepEvidence, Told

_MS = 1_000_000  # nanoseconds
#: Levels that hold for a session only if they hold for each of its runs.
_ONLY_IF_ALL = frozenset({Evidence.TASK_UNKNOWN, Evidence.NO_TOOL_SPANS})


def join(runs: Sequence[Run]) -> Run:
    """Join runs into one.

    Args:
        runs: At least one, the runs of one session in any order.
    """
    ordered = sorted(runs, key=lambda run: (run.start_ns, run.trace_id, run.key))
    first = ordered[0]
    last = ([run for run in ordered if not _is_fragment(run)] or ordered)[-1]
    session = next((run.session for run in ordered if run.session), None)
    steps = [step for run in ordered for step in _steps(run, first.start_ns)]
    evidence = [known for run in _turned(ordered) for known in run]
    # Traces of one session may overlap; order is by start in a session, too.
    places = sorted(range(len(steps)), key=lambda at: evidence[at].start_ns)
    steps, evidence = [steps[at] for at in places], [evidence[at] for at in places]
    history = _told_later(ordered, steps, evidence)
    tokens = [run.tokens for run in ordered if run.tokens is not None]
    costs = [run.cost for run in ordered if run.cost is not None]
    early = next((run.reason for run in ordered if run.reason.is_early), last.reason)
    task = next((run.task for run in ordered if run.task), "")
    users = [run.told.user for run in ordered]
    return replace(
        last,
        key=(session or "").encode("utf-8", "surrogatepass"),
        session=session,
        steps=steps,
        evidence=evidence,
        levels=_levels(ordered),
        reason=early,
        task=task,
        told=Told(
            user=_distinct(((task,) if task else (), *users)),
            system=_distinct(run.told.system for run in ordered),
            history=history,
        ),
        start_ns=first.start_ns,
        end_ns=max(run.end_ns for run in ordered),
        spans=sum(run.spans for run in ordered),
        tokens=sum(tokens) if tokens else None,
        models=_distinct(run.models for run in ordered),
        llm_calls=sum(run.llm_calls for run in ordered),
        cost=sum(costs) if costs else None,
        skewed=sum(run.skewed for run in ordered),
    )


def _steps(run: Run, start_ns: int) -> Iterable[Step]:
    """Count each step's time from the session's start."""
    for step, known in zip(run.steps, run.evidence, strict=True):
        yield replace(step, t=max(0, known.start_ns - start_ns) / _MS)


def _turned(runs: Sequence[Run]) -> Iterable[list[StepEvidence]]:
    """Number turns through, and say in which trace each step stands."""
    base = 0
    for run in runs:
        yield [
            replace(
                known,
                turn=known.turn + base if known.turn >= 0 else known.turn,
                trace_id=known.trace_id or run.trace_id,
            )
            for known in run.evidence
        ]
        base += 1 + max((known.turn for known in run.evidence), default=-1)


def _told_later(
    runs: Sequence[Run], steps: list[Step], evidence: list[StepEvidence]
) -> tuple[tuple[str, str], ...]:
    """Fill in results that a later run was told; give what is left of the history."""
    waiting: dict[str, deque[int]] = {}
    own = set()
    for at, (step, known) in enumerate(zip(steps, evidence, strict=True)):
        own.add((norm(step.tool), step.result))
        if not known.result_known:
            waiting.setdefault(norm(step.tool), deque()).append(at)
    left: dict[tuple[str, str], None] = {}
    for tool, text in _distinct_pairs(runs):
        name = norm(tool)
        if (name, text) in own:
            continue
        if waiting.get(name):
            at = waiting[name].popleft()
            steps[at] = replace(steps[at], result=text)
            evidence[at] = replace(evidence[at], result_known=True)
        else:
            left.setdefault((tool, text))
    return tuple(left)


def _distinct_pairs(runs: Sequence[Run]) -> Iterable[tuple[str, str]]:
    return dict.fromkeys(pair for run in runs for pair in run.told.history)


def _distinct(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for group in groups for text in group))


def _is_fragment(run: Run) -> bool:
    """Whether a run is one call's trace: whole, and yet without the agent that made it."""
    return run.reason is Reason.ROOT and Evidence.ROOT_MISSING in run.levels


def _levels(runs: Sequence[Run]) -> frozenset[Evidence]:
    found = frozenset().union(*(run.levels for run in runs)) - {Evidence.COMPLETE}
    fragments = [run for run in runs if _is_fragment(run)]
    if len(fragments) < len(runs):  # their agent is in another trace of the session
        missing = any(Evidence.ROOT_MISSING in run.levels for run in runs if run not in fragments)
        found -= set() if missing else {Evidence.ROOT_MISSING}
    for level in _ONLY_IF_ALL:
        if not all(level in run.levels for run in runs):
            found -= {level}
    return found or frozenset({Evidence.COMPLETE})
