"""Which request of a model belongs to which call that ran.

Owns the pairing: by the model's id, else by tool and arguments in order, else by tool in
order, else a hand-over to the request beside it. A paired request completes its call: id,
turn, the arguments that the span has not. What is left over, `leftover` judges.
"""

from collections import Counter, deque
from collections.abc import Callable, Hashable
from typing import TypeAlias

from surefoot.assemble.call import Call
from surefoot.assemble.members import ABSENT, EXACT, HANDOFF, RECOVERED, TRUNCATED, WRAPPED_TEXT
from surefoot.assemble.view import View

_Way: TypeAlias = Callable[[Call], Hashable]

#: Qualities that a request may better. What was hidden stays hidden.
_POOR = frozenset({ABSENT, WRAPPED_TEXT, TRUNCATED})


def match(view: View, calls: list[Call], requests: list[Call]) -> list[Call]:
    """Pair requests with calls; give the requests that are left."""
    if not requests:
        return []
    named = [call for call in calls if call.call_id]
    left, free = _pair(view, requests, named, lambda call: (call.call_id, call.name), ids=False)
    if not left:
        return left
    #: Where no id of the two sides meets, they are of two makers and mean nothing.
    ids = len(left) < len(requests)
    free += [call for call in calls if not call.call_id]
    free.sort(key=lambda call: (call.start_ns, call.end_ns, call.at))
    many = _names_of_many(left) | _names_of_many(free)
    ways: tuple[_Way, ...] = (
        lambda call: (call.name, call.key) if call.name in many else None,
        lambda call: call.name,
        lambda call: view.forest.above[call.at] if call.kind is HANDOFF else None,
    )
    for way in ways:
        if not left or not free:
            break
        left, free = _pair(view, left, free, way, ids=ids)
    return left


def _names_of_many(calls: list[Call]) -> set[str]:
    """Give the tools of several calls: one and one need no arguments to be a pair."""
    counts = Counter([call.name for call in calls])
    return {name for name, count in counts.items() if count > 1}


def _pair(
    view: View, requests: list[Call], calls: list[Call], way: _Way, *, ids: bool
) -> tuple[list[Call], list[Call]]:
    """Pair in order what is equal by `way`; give what is left of both.

    Args:
        view: The run.
        requests: In order of asking.
        calls: In order of start.
        way: What must be equal; None pairs with nothing.
        ids: Whether two different ids speak against a pair.
    """
    waiting: dict[Hashable, deque[Call]] = {}
    for call in calls:
        key = (way(call), bool(ids and call.call_id))
        if key in waiting:
            waiting[key].append(call)
        else:
            waiting[key] = deque((call,))
    left = []
    taken = set()
    for request in requests:
        sought = way(request)
        queue = waiting.get((sought, False))
        other = waiting.get((sought, True)) if ids and not request.call_id else None
        if not queue or (other and other[0].start_ns < queue[0].start_ns):
            queue = other
        if sought is None or not queue:
            left.append(request)
            continue
        call = queue.popleft()
        taken.add(call.at)
        _complete(view, call, request)
    return left, [call for call in calls if call.at not in taken]


def _complete(view: View, call: Call, request: Call) -> None:
    if call.kind is HANDOFF and request.kind is HANDOFF:
        call.tool = request.tool
    call.call_id = call.call_id or request.call_id
    call.named = True  # whoever asked for it has named it
    call.turn, call.place = request.turn, request.place
    request.start_ns, request.end_ns = call.start_ns, call.end_ns
    quality = call.quality
    doubt = quality is EXACT and view.dialects[call.at].doubts_arguments
    if not (doubt or quality in _POOR) or request.quality is not EXACT:
        return
    if not doubt or call.key != request.key:
        call.give(request.args, RECOVERED)
