"""What is left of traces that were let go: their ids, the newest with their verdict.

Owns bounded memories, of traces that came and of what is known of those to come. None
holds a span. A late span of an id in here is named
late; without it, it would open a new trace and be judged as a run of its own.
"""

from collections import OrderedDict
from itertools import islice
from typing import Generic, TypeVar

V = TypeVar("V")

#: Grades that wait for one trace. Nobody gives so many; whoever makes them up is bounded.
GRADES = 256


def note(grades: list[object], grade: object) -> int:
    """Add a grade that is not there yet; return how many had to be dropped for want of room."""
    if grade in grades:
        return 0
    if len(grades) >= GRADES:
        return 1
    grades.append(grade)
    return 0


class Remembered(Generic[V]):
    """Ids of judged traces, oldest first; the newest verdicts, by count and bytes, are kept."""

    __slots__ = (
        "_for_ns",
        "_ids",
        "_max_bytes",
        "_max_ids",
        "_max_verdicts",
        "_verdicts",
        "verdict_bytes",
    )

    def __init__(self, *, ids: int, verdicts: int, verdict_bytes: int, for_ns: int) -> None:
        self._max_ids = ids
        self._max_verdicts = verdicts
        self._max_bytes = verdict_bytes
        self._for_ns = for_ns
        self._ids: OrderedDict[bytes, int] = OrderedDict()
        self._verdicts: OrderedDict[bytes, tuple[V, int]] = OrderedDict()
        self.verdict_bytes = 0  #: what the verdicts take, as far as it was told

    def __contains__(self, trace_id: bytes) -> bool:
        return trace_id in self._ids

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, trace_id: bytes, now_ns: int) -> None:
        """Remember `trace_id` for as long as the limits allow."""
        self._ids[trace_id] = now_ns
        if len(self._ids) > self._max_ids:
            oldest, _ = self._ids.popitem(last=False)
            self._drop(oldest)

    def keep(self, trace_id: bytes, verdict: V, size: int) -> None:
        """Keep the verdict of an id that is remembered; it takes `size` bytes."""
        if trace_id not in self._ids:
            return
        self._drop(trace_id)
        self._verdicts[trace_id] = verdict, size
        self.verdict_bytes += size
        while len(self._verdicts) > self._max_verdicts or self.verdict_bytes > self._max_bytes:
            self._drop(next(iter(self._verdicts)))

    def verdict(self, trace_id: bytes) -> V | None:
        """The verdict of a remembered id, if it is among the newest."""
        verdict, _ = self._verdicts.get(trace_id, (None, 0))
        return verdict

    def halve(self) -> None:
        """Memory is short: let the older half of the verdicts go."""
        for trace_id in list(islice(self._verdicts, (len(self._verdicts) + 1) // 2)):
            self._drop(trace_id)

    def expire(self, now_ns: int) -> None:
        """Forget what is older than the limit."""
        while self._ids:
            trace_id, since_ns = next(iter(self._ids.items()))
            if now_ns - since_ns < self._for_ns:
                return
            del self._ids[trace_id]
            self._drop(trace_id)

    def _drop(self, trace_id: bytes) -> None:
        _, size = self._verdicts.pop(trace_id, (None, 0))
        self.verdict_bytes -= size


class Parted:
    """Roots of traces that closed without an AI span, for a while.

    A web request's root often ends before the agent that it started: the agent's
    spans then find their root here.
    """

    __slots__ = ("_for_ns", "_max", "_roots")

    def __init__(self, *, traces: int, for_ns: int) -> None:
        self._max = traces
        self._for_ns = for_ns
        self._roots: OrderedDict[bytes, tuple[int, frozenset[bytes]]] = OrderedDict()

    def __contains__(self, trace_id: bytes) -> bool:
        return trace_id in self._roots

    def __len__(self) -> int:
        return len(self._roots)

    def add(self, trace_id: bytes, roots: frozenset[bytes], now_ns: int) -> None:
        """Remember the `roots` of a trace that had no AI span."""
        self._roots[trace_id] = (now_ns, roots)
        if len(self._roots) > self._max:
            self._roots.popitem(last=False)

    def add_root(self, trace_id: bytes, root: bytes) -> None:
        """Remember one more root of a trace that is in here; it lives no longer for it."""
        since_ns, roots = self._roots[trace_id]
        self._roots[trace_id] = (since_ns, roots | {root})

    def take(self, trace_id: bytes) -> frozenset[bytes]:
        """Forget the trace and give its roots."""
        return self._roots.pop(trace_id)[1]

    def expire(self, now_ns: int) -> None:
        """Forget what is older than the limit."""
        while self._roots:
            trace_id, (since_ns, _) = next(iter(self._roots.items()))
            if now_ns - since_ns < self._for_ns:
                return
            del self._roots[trace_id]


class Lacking:
    """Ids of traces of which something was lost before a span of theirs was held.

    Whoever loses a span may know no time, so ids live in two halves that take turns: one
    lives for `for_ns` at least and for twice that at most, unless there are too many.
    """

    __slots__ = ("_for_ns", "_most", "_new", "_old", "_turned_ns")

    def __init__(self, *, traces: int, for_ns: int) -> None:
        self._most = max(1, traces // 2)
        self._for_ns = for_ns
        self._new: set[bytes] = set()
        self._old: set[bytes] = set()
        self._turned_ns = 0

    def __len__(self) -> int:
        return len(self._new | self._old)

    def add(self, trace_id: bytes) -> None:
        """Remember that something is missing; at too many, the older half is forgotten."""
        if len(self._new) >= self._most:
            self._turn()
        self._new.add(trace_id)

    def take(self, trace_id: bytes) -> bool:
        """Forget a trace that has come; whether something of it is missing."""
        is_lacking = trace_id in self._new or trace_id in self._old
        self._new.discard(trace_id)
        self._old.discard(trace_id)
        return is_lacking

    def expire(self, now_ns: int) -> None:
        """Forget the older half once its time is over."""
        if now_ns - self._turned_ns >= self._for_ns:
            self._turned_ns = now_ns
            self._turn()

    def _turn(self) -> None:
        self._old, self._new = self._new, set()


class Waiting:
    """Grades that came before any span of their trace, for a while."""

    __slots__ = ("_for_ns", "_grades", "_max")

    def __init__(self, *, traces: int, for_ns: int) -> None:
        self._max = traces
        self._for_ns = for_ns
        self._grades: OrderedDict[bytes, tuple[int, list[object]]] = OrderedDict()

    def add(self, trace_id: bytes, grade: object, now_ns: int) -> int:
        """Let `grade` wait; return how many others had to go for it."""
        dropped = note(self._grades.setdefault(trace_id, (now_ns, []))[1], grade)
        if len(self._grades) > self._max:
            dropped += len(self._grades.popitem(last=False)[1][1])
        return dropped

    def take(self, trace_id: bytes) -> list[object]:
        """The grades of a trace that has come."""
        return self._grades.pop(trace_id, (0, []))[1]

    def expire(self, now_ns: int) -> int:
        """Drop what is older than the limit; return how many grades that were."""
        dropped = 0
        while self._grades:
            trace_id, (since_ns, grades) = next(iter(self._grades.items()))
            if now_ns - since_ns < self._for_ns:
                break
            del self._grades[trace_id]
            dropped += len(grades)
        return dropped
