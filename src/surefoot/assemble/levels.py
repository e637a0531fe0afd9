"""How much of a run can be trusted: its evidence levels.

Owns each level's condition. Knows nothing of what a check does about a level. A run
whose end is not among its spans (it waits for somebody, or the spans were lost) is
`closed_early` too: what has not happened in it may still.
"""

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from surefoot.assemble.call import Call
from surefoot.assemble.dialects import keys
from surefoot.assemble.members import ABSENT, AGENT, CHAIN, LLM, REDACTED, TOOL, TRUNCATED
from surefoot.assemble.messages import items_at, role_of
from surefoot.assemble.view import View
from surefoot.model import Evidence, Reason

_CAPPED = attrgetter("capped")
_BY_QUALITY = {
    ABSENT: Evidence.ARGS_MISSING,
    REDACTED: Evidence.ARGS_REDACTED,
    TRUNCATED: Evidence.ARGS_TRUNCATED,
}


class Known(NamedTuple):
    """What the other files found.

    fragment: see `is_fragment`. unfinished: the run's end is not among its spans. task:
    whether it is known.
    """

    reason: Reason
    whole: bool
    dropped: bool
    fragment: bool
    unfinished: bool
    task: bool


def levels(view: View, calls: list[Call], known: Known) -> frozenset[Evidence]:
    """Give every level that limits what can be decided; COMPLETE alone if none does."""
    qualities = {call.quality for call in calls}
    found = {level for quality, level in _BY_QUALITY.items() if quality in qualities}
    found.update(_of_tree(view, known))
    if known.dropped or any([view.spans[at].dropped for at in view.ai]):  # noqa: C419 - twice as fast
        found.add(Evidence.ATTRIBUTES_DROPPED)
    if known.reason.is_early or known.unfinished:
        found.add(Evidence.CLOSED_EARLY)
    if not calls and not _could_ask(view):
        found.add(Evidence.NO_TOOL_SPANS)
    if not known.task:
        found.add(Evidence.TASK_UNKNOWN)
    if view.limit or any(call.result.capped for call in calls) or _has_cut(view):
        found.add(Evidence.TEXT_CAPPED)
    return frozenset(found or {Evidence.COMPLETE})


def _of_tree(view: View, known: Known) -> Iterator[Evidence]:
    forest = view.forest
    tops = forest.topmost()
    runs = [at for at in tops if view.spans[at].role in (AGENT, CHAIN)]
    if len(runs) > 1 and all(forest.rooted[at] for at in runs):
        yield Evidence.MULTI_RUN_TRACE
    if known.fragment:
        yield Evidence.ROOT_MISSING
    elif not known.whole:
        rooted = any(forest.rooted[at] for at in tops)
        yield Evidence.PARENTS_MISSING if rooted else Evidence.ROOT_MISSING


def is_fragment(view: View) -> bool:
    """Whether the trace is one call: its root a tool, or a model in the midst of a loop."""
    forest = view.forest
    roots = [at for at, span in enumerate(view.spans) if forest.parent[at] < 0]
    spans = [view.spans[at] for at in roots if view.spans[at].role.is_ai]
    if not spans or len(spans) < len(roots):
        return False
    if any(span.role not in (TOOL, LLM) for span in spans):
        return False
    return any(span.role is TOOL for span in spans) or any(_in_a_loop(view, at) for at in roots)


def _in_a_loop(view: View, at: int) -> bool:
    asks = any(message.calls for message in view.said(at))
    heard = items_at(view.spans[at].attributes, keys.HEARD)
    return asks or any(role_of(item) == "tool" for item in heard)


def _could_ask(view: View) -> bool:
    """Whether a call, had there been one, would show in some span."""
    for at, span in enumerate(view.spans):
        if span.role is TOOL:
            return True
        if span.role is not LLM:
            continue
        said = view.said(at)
        if any(_asks_in_words(message.text) for message in said):
            return False
        if said or view.dialects[at].broken(span):
            return True
    return False


def _asks_in_words(text: str) -> bool:
    """Whether a model asks in prose (ReAct): the loop reads it, no attribute says it."""
    return "Action:" in text and "Action Input:" in text


def _has_cut(view: View) -> bool:
    return view.capped or any(map(_CAPPED, view.read_so_far()))
