"""One call that several spans tell of becomes one call.

Owns three cases, in this order. Nested: a framework's span, the client's and the server's
inside of it. Told twice: two instrumentations side by side, with one call id. Tried
again: one request, run until it worked. The call that stays names the others in
`merged`; a failure anywhere inside counts, unless a later try went well.
"""

from collections.abc import Callable, Iterable

from surefoot.assemble.call import Call, same_tool
from surefoot.assemble.dialects import keys
from surefoot.assemble.members import EXACT, REDACTED
from surefoot.assemble.view import View


def merge(view: View, calls: list[Call]) -> list[Call]:
    """Give each call once, in order of start."""
    tools = view.forest.tool
    if any(tools[call.at] >= 0 for call in calls):
        calls = _nested(view, calls)
    else:
        calls.sort(key=_by_start)
    if _are_told_twice(calls):
        calls = _grouped(view, calls, _by_id)
        calls = _grouped(view, calls, lambda call: (call.name, call.key))
    if any(call.attempts > 1 for call in calls):
        calls = _tried_again(view, calls)
    return calls


def _are_told_twice(calls: list[Call]) -> bool:
    """Whether two might be one at all: two instrumentations, or one id of two calls."""
    named = [call.call_id for call in calls if call.call_id]
    return len(set(named)) < len(named) or len({call.scope for call in calls}) > 1


def _nested(view: View, calls: list[Call]) -> list[Call]:
    """Fold a tool's span under another of the same tool into it."""
    by_span = {call.at: call for call in calls}
    outermost: dict[int, Call] = {}
    kept = []
    inner: dict[int, list[Call]] = {}
    for at in view.forest.order:
        call = by_span.get(at)
        if call is None:
            continue
        outer = _outer(view, call, by_span, outermost)
        if outer is None:
            outermost[at] = call
            kept.append(call)
        else:
            outermost[at] = outer
            inner.setdefault(outer.at, []).append(call)
    for call in kept:
        folded = inner.get(call.at)
        if folded:
            _fold(view, call, sorted(folded, key=_by_start))
    return sorted(kept, key=_by_start)


def _outer(
    view: View, call: Call, by_span: dict[int, Call], outermost: dict[int, Call]
) -> Call | None:
    above = view.forest.tool[call.at]
    while above >= 0 and above not in by_span:
        above = view.forest.tool[above]
    if above < 0:
        return None
    near, outer = by_span[above], outermost[above]
    for other in (near, outer):
        if same_tool(call.name, other.name) and _may_be_one(call, other):
            return outer
    return None


def _may_be_one(one: Call, other: Call) -> bool:
    """Whether arguments or ids speak for one call, or at least not against it."""
    if one.call_id and one.call_id == other.call_id:
        return True
    exact = EXACT
    return one.key == other.key or one.quality is not exact or other.quality is not exact


def _fold(view: View, outer: Call, inner: Iterable[Call]) -> None:
    """Complete `outer` by the calls inside of it; the last of them tells how it went."""
    last = outer
    for call in inner:
        _absorb(view, outer, call)
        last = call
    outer.failed = outer.failed or last.failed


def _absorb(view: View, call: Call, other: Call) -> None:
    call.merged = call.merged or []
    call.merged.append((view.spans[other.at].span_id, other.call_id))
    call.merged += other.merged or ()
    call.call_id = call.call_id or other.call_id
    call.named = call.named or other.named
    if not call.result.known and other.result.known:
        call.result = other.result
    trusted = (EXACT, REDACTED)
    if call.quality not in trusted and other.quality is EXACT:
        call.give(other.args, other.quality)


def _grouped(
    view: View, calls: list[Call], key: Callable[[Call], tuple[str, str] | None]
) -> list[Call]:
    """Merge calls with one key that were told twice, or tried again under one id."""
    kept: list[Call] = []
    last: dict[tuple[str, str], int] = {}  # where in `kept`
    for call in calls:
        group = key(call)
        place = last.get(group, -1) if group else -1
        if place < 0 or not _one_call(call, kept[place]):
            if group:
                last[group] = len(kept)
            kept.append(call)
        elif _overlap(call, kept[place]):
            kept[place] = _best_of(view, kept[place], call)
        else:
            _again(view, kept[place], call)
    return kept


def _by_id(call: Call) -> tuple[str, str] | None:
    return (call.call_id, call.name) if call.call_id else None


def _best_of(view: View, known: Call, call: Call) -> Call:
    """Fold the call that says less into the other."""
    best, other = sorted((known, call), key=lambda each: (_trust(view, each), each.at))
    _absorb(view, best, other)
    best.failed = best.failed or other.failed
    return best


def _one_call(call: Call, known: Call) -> bool:
    if call.call_id and call.call_id == known.call_id:
        return _may_be_one(call, known)
    both = call.call_id and known.call_id
    return not both and call.scope != known.scope and _overlap(call, known)


def _overlap(one: Call, other: Call) -> bool:
    return one.start_ns <= other.end_ns and other.start_ns <= one.end_ns


def _trust(view: View, call: Call) -> int:
    """OpenInference before GenAI before OpenLLMetry: the less wrapped first."""
    attributes = view.spans[call.at].attributes
    return 0 if keys.KIND in attributes else 2 if keys.TRACELOOP_KIND in attributes else 1


def _tried_again(view: View, calls: list[Call]) -> list[Call]:
    """Join tries that their framework numbers: 2 and 3 belong to the 1 before them."""
    kept: list[Call] = []
    last: dict[tuple[int, str], Call] = {}
    for call in calls:
        place = (view.forest.parent[call.at], call.name)
        first = last.get(place)
        if call.attempts > 1 and first and first.attempts < call.attempts and first.key == call.key:
            _again(view, first, call)
        else:
            kept.append(call)
            last[place] = call
    return kept


def _again(view: View, first: Call, call: Call) -> None:
    """Let a later try say how the call went."""
    result, failed = call.result, call.failed
    _absorb(view, first, call)
    first.result = result if result.known else first.result
    first.failed = failed
    first.attempts = max(first.attempts + 1, call.attempts)
    first.end_ns = max(first.end_ns, call.end_ns)


def _by_start(call: Call) -> tuple[int, int, int]:
    return call.start_ns, call.end_ns, call.at
