"""When an open trace is looked at for what is new in it.

Owns the rhythm of looks: a trace is due a second after the first new span since the last
look, so at most once a second, and a burst of spans costs one look. One that is whole by
then closes soon by itself, so its look waits, unless what comes next undoes that. Moves
no span and closes nothing.
"""

from collections.abc import Mapping
from typing import Final, TypeVar

from surefoot.buffer import closing
from surefoot.buffer.closed import Fresh
from surefoot.buffer.deadlines import Deadlines
from surefoot.buffer.held import Held
from surefoot.buffer.limits import LOOK_AT_WHOLE_NS, LOOK_NS
from surefoot.model import Role, Span

V = TypeVar("V")

# What a look is for. Plain names: asking the enum costs ten times as much.
_TOOL: Final = Role.TOOL
_LLM: Final = Role.LLM


class Looks:
    """Which open traces have something new, and when they are due to be looked at."""

    __slots__ = ("_due",)

    def __init__(self) -> None:
        self._due = Deadlines()

    def note(self, held: Held[V], span: Span, now_ns: int) -> None:
        """Take note of a span that `held` got."""
        role = span.role
        if role is _TOOL or role is _LLM:
            if not held.fresh:
                held.fresh_ns = now_ns
            held.fresh.append(span)
            self._due.sooner(held.id, now_ns + LOOK_NS)  # a look that waits may be due again

    def drop(self, held: Held[V]) -> None:
        """Forget a trace: it closes."""
        self._due.drop(held.id)
        held.fresh = []

    def clear(self) -> None:
        """Forget all."""
        self._due = Deadlines()

    def next_ns(self) -> int | None:
        """When the next look may be due, or None."""
        return self._due.next_ns()

    def pop(self, traces: Mapping[bytes, Held[V]], now_ns: int) -> Fresh[V] | None:
        """What is new in the one of `traces` whose look has been due longest, or None."""
        while (trace_id := self._due.pop(now_ns)) is not None:
            held = traces[trace_id]
            whole_ns = held.fresh_ns + LOOK_AT_WHOLE_NS
            if now_ns < whole_ns and closing.is_held_whole(held):
                self._due.set(trace_id, whole_ns)
                continue
            fresh, held.fresh = tuple(held.fresh), []
            return Fresh(trace_id, fresh, held.verdict)
        return None
