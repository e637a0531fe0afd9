"""How much of a run can be trusted: its evidence levels.

Owns each level's condition, as the README's table of evidence has them. Knows nothing of
what a check does about a level.
"""

from collections.abc import Iterator

from surefoot.assemble.call import Call
from surefoot.assemble.dialects import keys
from surefoot.assemble.told import Hearing
from surefoot.assemble.view import View
from surefoot.model import ArgsQuality, Cut, Evidence, Reason, Role

_BY_QUALITY = {
    ArgsQuality.MISSING: Evidence.ARGS_MISSING,
    ArgsQuality.REDACTED: Evidence.ARGS_REDACTED,
    ArgsQuality.TRUNCATED: Evidence.ARGS_TRUNCATED,
}


def levels(
    view: View,
    calls: list[Call],
    hearing: Hearing,
    reason: Reason,
    *,
    whole: bool,
    dropped: bool,
) -> frozenset[Evidence]:
    """Give every level that limits what can be decided; COMPLETE alone if none does."""
    found = {_BY_QUALITY[call.quality] for call in calls if call.quality in _BY_QUALITY}
    found.update(_of_tree(view, whole=whole))
    if dropped or any(span.dropped and span.role.is_ai for span in view.spans):
        found.add(Evidence.ATTRIBUTES_DROPPED)
    if reason.is_early:
        found.add(Evidence.CLOSED_EARLY)
    if not calls and not _could_ask(view):
        found.add(Evidence.NO_TOOL_SPANS)
    if not hearing.task:
        found.add(Evidence.TASK_UNKNOWN)
    if any(call.result.capped for call in calls) or _has_cut(view):
        found.add(Evidence.TEXT_CAPPED)
    return frozenset(found or {Evidence.COMPLETE})


def _of_tree(view: View, *, whole: bool) -> Iterator[Evidence]:
    forest = view.forest
    tops = forest.topmost()
    runs = [at for at in tops if view.spans[at].role in (Role.AGENT, Role.CHAIN)]
    if len(runs) > 1 and all(forest.rooted[at] for at in runs):
        yield Evidence.MULTI_RUN_TRACE
    if is_fragment(view):
        yield Evidence.ROOT_MISSING
    elif not whole:
        rooted = any(forest.rooted[at] for at in tops)
        yield Evidence.PARENTS_MISSING if rooted else Evidence.ROOT_MISSING


def is_fragment(view: View) -> bool:
    """Whether the trace is one call: its root a tool, or a model in the midst of a loop."""
    forest = view.forest
    roots = [at for at, span in enumerate(view.spans) if forest.parent[at] < 0]
    spans = [view.spans[at] for at in roots if view.spans[at].role.is_ai]
    if not spans or len(spans) < len(roots):
        return False
    if any(span.role not in (Role.TOOL, Role.LLM) for span in spans):
        return False
    return any(span.role is Role.TOOL for span in spans) or any(
        _in_a_loop(view, at) for at in roots
    )


def _in_a_loop(view: View, at: int) -> bool:
    asks = any(message.calls for message in view.said(at))
    return asks or any(message.role == "tool" for message in view.heard(at))


def _could_ask(view: View) -> bool:
    """Whether a call, had there been one, would show in some span."""
    return any(
        span.role is Role.TOOL
        or (span.role is Role.LLM and (keys.SAID in span.attributes or view.dialects[at].broken(span)))
        for at, span in enumerate(view.spans)
    )


def _has_cut(view: View) -> bool:
    return any(
        isinstance(value, Cut) for span in view.spans for value in span.attributes.values()
    ) or any(message.capped for message in view.read_so_far())
