"""When an open trace closes by time, and for which reason.

Owns the three timers of an open trace and the order among them. Whether a trace is
whole is asked once it is quiet, not at each span, since it costs a walk over all spans.
"""

from typing import TypeVar

from surefoot.buffer.held import Held
from surefoot.buffer.whole import is_whole
from surefoot.model import Reason

V = TypeVar("V")


def next_look_ns(held: Held[V]) -> int:
    """The next time at which an open trace might close."""
    timers = held.timers
    if not held.is_looked_at:
        quiet_ns = min(timers.settle_ns, timers.idle_ns)
    else:
        quiet_ns = timers.settle_ns if held.whole else timers.idle_ns
    return min(held.last_ns + quiet_ns, held.first_ns + timers.max_age_ns)


def look(held: Held[V], now_ns: int) -> tuple[int, Reason]:
    """When `held` closes if nothing else comes, and why: what comes true first."""
    timers = held.timers
    quiet_ns = now_ns - held.last_ns
    if not held.is_looked_at and quiet_ns >= min(timers.settle_ns, timers.idle_ns):
        is_held_whole(held)
    if held.is_looked_at and held.whole:
        due_ns, reason = held.last_ns + timers.settle_ns, Reason.ROOT
    else:
        due_ns, reason = held.last_ns + timers.idle_ns, Reason.IDLE
    aged_ns = held.first_ns + timers.max_age_ns
    return (aged_ns, Reason.MAX_AGE) if aged_ns < due_ns else (due_ns, reason)


def is_held_whole(held: Held[V]) -> bool:
    """Whether all has come that the trace's agent spans hang from.

    Found once, until another span comes: nothing else changes it.
    """
    if not held.is_looked_at:
        held.whole = is_whole(held.spans, anchors=held.anchors, root_agent=held.timers.root_agent)
        held.is_looked_at = True
    return held.whole
