"""Hold the spans of unfinished traces; say when each is closed, and why.

One state machine. Owns what state a trace is in, why it leaves it, and where each
received span is counted. Owns no task, timer, lock or socket: callers pass the time in
and take out what became due. One caller at a time.

    unknown ──span──> open ──closes once, for a Reason──> kept ──> remembered ──> unknown
                        │                                  ^ late spans amend
                        └──no AI span──> parted ──AI span──> open, under the same root

A trace that closes is handed out as `Closed`; its spans stay counted as open until the
caller says `judged` or `lost`. A kept trace that got late spans is handed out again, as
an amendment. An open trace may be looked at, at most once a second, for what came since
the last look; that moves no span and closes nothing. What a grade and a verdict are is
the caller's business: they are kept, never looked into.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Generic, TypeVar

from surefoot.buffer import closing
from surefoot.buffer.closed import Closed, Fresh, regraded
from surefoot.buffer.counts import Counts
from surefoot.buffer.deadlines import Deadlines
from surefoot.buffer.held import Held
from surefoot.buffer.limits import Limits, LooksAt, Timers, TimersFor
from surefoot.buffer.looks import Looks
from surefoot.buffer.released import Lacking, Parted, Remembered, Waiting, note
from surefoot.model import Reason, Span

V = TypeVar("V")

#: At most this share of the limit is freed at a time beyond what must be, so that a
#: buffer that stays full sorts its traces once for many new ones.
SPARE = 64


class TraceBuffer(Generic[V]):
    """Spans per trace, from the first span to the last amendment."""

    def __init__(
        self,
        limits: Limits | None = None,
        timers_for: TimersFor | None = None,
        looks_at: LooksAt | None = None,
        size_of: Callable[[V], int] | None = None,
    ) -> None:
        """size_of: what a verdict takes, in bytes; asked anew whenever one is told."""
        self.limits = limits = limits or Limits()
        self.timers_for: TimersFor = timers_for or (lambda _service: Timers())
        self.looks_at: LooksAt = looks_at or (lambda _service: False)
        self.size_of = size_of or (lambda _verdict: 0)
        self.counts = Counts()
        self._open: dict[bytes, Held[V]] = {}
        self._kept: OrderedDict[bytes, Held[V]] = OrderedDict()
        self._leaving: dict[bytes, Held[V]] = {}  # let go, with amendments among `_ready`
        self._remembered: Remembered[V] = Remembered(
            ids=limits.remembered,
            verdicts=limits.verdicts,
            verdict_bytes=limits.verdict_bytes,
            for_ns=limits.remembered_ns,
        )
        self._parted = Parted(traces=limits.remembered, for_ns=limits.kept_ns)
        self._waiting = Waiting(traces=limits.traces, for_ns=limits.kept_ns)
        lacking_ns = max(limits.kept_ns, Timers().max_age_ns)
        self._lacking = Lacking(traces=limits.traces, for_ns=lacking_ns)
        self._deadlines = Deadlines()
        self._looks = Looks()
        self._ready: deque[Closed[V]] = deque()
        self._open_bytes = 0
        self._kept_bytes = 0

    # What comes in. Each span is counted in exactly one place.

    def add(self, span: Span, now_ns: int) -> None:
        """Take one span, in whatever state its trace is."""
        self.counts.received += 1
        trace_id = span.trace_id
        if (held := self._open.get(trace_id)) is not None:
            self._add_open(held, span, now_ns)
        elif (held := self._kept.get(trace_id)) is not None:
            self._add_kept(held, span, now_ns)
        elif trace_id in self._remembered:
            self.counts.late["counted"] += 1
        elif trace_id in self._parted and not span.role.is_ai:
            self.counts.late["counted"] += 1
            if not span.parent_id:
                self._parted.add_root(trace_id, span.span_id)
        else:
            self._add_open(self._new(trace_id, now_ns), span, now_ns)

    def reject(self, reason: str, trace_id: bytes = b"") -> None:
        """Count a span that cannot be held; its trace, if it is told, then lacks something."""
        self.counts.received += 1
        self.counts.rejected[reason] += 1
        self.lack(trace_id)

    def lack(self, trace_id: bytes) -> None:
        """Say that something of a trace was lost, whether or not a span of it has come.

        Its verdict then says so. Counts no span. One that is judged stays as it is, unless
        it is amended.
        """
        held = self._open.get(trace_id) or self._kept.get(trace_id)
        if held is not None:
            held.dropped = True
        elif trace_id and trace_id not in self._remembered:
            self._lacking.add(trace_id)

    def lack_all(self, trace_ids: Iterable[bytes]) -> None:
        """Say that of every open trace, and of these, something may be lost."""
        for held in self._open.values():
            held.dropped = True
        for trace_id in trace_ids:
            self.lack(trace_id)

    def ignore_own(self, spans: int) -> None:
        """Count spans that Surefoot itself made."""
        self.counts.received += spans
        self.counts.ignored["own"] += spans

    def grade(self, trace_id: bytes, grade: object, now_ns: int) -> None:
        """Take a grade of a trace: it waits, amends, or waits for the trace to come."""
        if (held := self._open.get(trace_id)) is not None:
            self.counts.grades_dropped += note(held.grades, grade)
        elif (held := self._kept.get(trace_id)) is not None:
            self.counts.grades_dropped += note(held.grades, grade)
            self._owe_amendment(held, now_ns)
        elif trace_id in self._remembered:
            self._ready.append(regraded(trace_id, grade, now_ns))
        else:
            self.counts.grades_dropped += self._waiting.add(trace_id, grade, now_ns)

    # What goes out.

    def pop_due(self, now_ns: int) -> Closed[V] | None:
        """The trace that has been due longest, or None. Call until it gives None."""
        self._expire(now_ns)
        while not self._ready:
            trace_id = self._deadlines.pop(now_ns)
            if trace_id is None:
                return None
            if (held := self._open.get(trace_id)) is not None:
                self._look_at_open(held, now_ns)
            elif (held := self._kept.get(trace_id)) is not None:
                self._look_at_kept(held, now_ns)
        return self._hand_out()

    def pop_fresh(self, now_ns: int) -> Fresh[V] | None:
        """What is new in the open trace whose look has been due longest, or None."""
        return self._looks.pop(self._open, now_ns)

    def so_far(self, trace_id: bytes) -> tuple[Span, ...]:
        """The spans of an open trace, in order of arrival; none if it is not open."""
        held = self._open.get(trace_id)
        return tuple(held.spans.values()) if held else ()

    def told(self, trace_id: bytes, verdict: V) -> None:
        """Say what was said of a trace while it is open; its close will give it back."""
        if (held := self._open.get(trace_id)) is not None:
            self._open_bytes += held.know(verdict, self.size_of(verdict))
            if self.held_bytes > self.limits.total_bytes:
                self._make_room(held, held.last_ns)
            return
        for at, closed in enumerate(self._ready):  # it closed meanwhile
            if closed.trace_id == trace_id and not closed.amends:
                self._ready[at] = replace(closed, verdict=verdict)

    def judged(self, closed: Closed[V], verdict: V) -> None:
        """Say that a closed trace was judged, and what is to be known of it later."""
        if not closed.amends:
            self.counts.open -= len(closed.spans)
            self.counts.judged += len(closed.spans)
        size = self.size_of(verdict)
        if (held := self._kept.get(closed.trace_id)) is not None:
            self._kept_bytes += held.know(verdict, size)
            self._spare_kept(closed.due_ns)
            return
        if (held := self._leaving.get(closed.trace_id)) is not None:
            held.know(verdict, size)
        self._remembered.keep(closed.trace_id, verdict, size)

    def lost(self, closed: Closed[V], reason: str) -> None:
        """Say that a closed trace could not be judged. Late spans are still counted."""
        if not closed.amends:
            self.counts.open -= len(closed.spans)
            self.counts.lost[reason] += len(closed.spans)
            if closed.verdict is None:
                return
            size = self.size_of(closed.verdict)
            if (held := self._kept.get(closed.trace_id)) is not None:
                self._kept_bytes += held.know(closed.verdict, size)
                self._spare_kept(closed.due_ns)
            elif (held := self._leaving.get(closed.trace_id)) is not None:
                held.know(closed.verdict, size)

    def relieve(self, now_ns: int) -> None:
        """Memory is short: let all kept traces go, or a part of what is held else.

        What a kept trace owes is paid first. Where none is kept, a tenth of what is open
        goes a call, and the older half of the verdicts that are remembered, so that a
        process whose memory is more than was reckoned does not refuse for good.
        """
        if not self._kept:
            self._remembered.halve()
            self._evict(now_ns, goal=self.held_bytes - self.held_bytes // 10)
        self._release_kept(now_ns)

    def _release_kept(self, now_ns: int) -> None:
        for held in list(self._kept.values()):
            self._release(held, now_ns)

    def finish(self, now_ns: int) -> Iterator[Closed[V]]:
        """Close every open trace, since the input has ended: `root` if whole, else `idle`."""
        yield from self._close_all(now_ns, None)

    def hasten(self, now_ns: int) -> None:
        """Close now what is whole, and amend what is owed, without the wait for stragglers."""
        for held in list(self._open.values()):
            if closing.is_held_whole(held):
                self._close(held, Reason.ROOT, now_ns)
        for held in [held for held in self._kept.values() if held.dirty]:
            self._amend(held, now_ns)

    def shut(self, now_ns: int) -> Iterator[Closed[V]]:
        """Close every open trace for `shutdown`, amendments that are owed first.

        Whatever the caller leaves in the iterator must be given to `abandon`.
        """
        self._release_kept(now_ns)
        yield from self._close_all(now_ns, Reason.SHUTDOWN)

    def abandon(self) -> int:
        """Count all that is still open as lost; return how many spans that are."""
        spans = sum(len(held.spans) for held in self._open.values())
        spans += sum(len(closed.spans) for closed in self._ready if not closed.amends)
        self._open.clear()
        self._ready.clear()
        self._looks.clear()
        self._leaving.clear()
        self._open_bytes = 0
        self.counts.open -= spans
        self.counts.lost[Reason.SHUTDOWN.value] += spans
        return spans

    # What can be asked.

    def is_open(self, trace_id: bytes) -> bool:
        """Whether spans of this trace are awaited."""
        return trace_id in self._open

    @property
    def traces_open(self) -> int:
        """How many traces are open."""
        return len(self._open)

    @property
    def held_bytes(self) -> int:
        """The estimated size of all that is held, open and kept."""
        return self._open_bytes + self._kept_bytes

    def next_due_ns(self) -> int | None:
        """When something may be due next, a look too, or None if nothing is held."""
        due_ns, look_ns = self._next_close_ns(), self._looks.next_ns()
        if due_ns is None or look_ns is None:
            return due_ns if look_ns is None else look_ns
        return min(due_ns, look_ns)

    def _next_close_ns(self) -> int | None:
        """The earlier of what is closed, which is in order, and of what may close."""
        due_ns = self._deadlines.next_ns()
        if not self._ready:
            return due_ns
        ready_ns = self._ready[0].due_ns
        return ready_ns if due_ns is None else min(ready_ns, due_ns)

    def is_due(self, now_ns: int) -> bool:
        """Whether `pop_due` may give a trace that was due at `now_ns`. A look is none."""
        due_ns = self._next_close_ns()
        return due_ns is not None and due_ns <= now_ns

    def lag_ns(self, now_ns: int) -> int:
        """For how long the next due trace has been waiting to be judged. Looks may wait."""
        due_ns = self._next_close_ns()
        return max(0, now_ns - due_ns) if due_ns is not None else 0

    # State: open.

    def _new(self, trace_id: bytes, now_ns: int) -> Held[V]:
        if len(self._open) >= self.limits.traces:
            self._evict(now_ns, traces=max(1, self.limits.traces // SPARE))
        held: Held[V] = Held(trace_id, now_ns, Timers(0, 0, 0), self.limits.text_bytes)
        if trace_id in self._parted:
            held.anchors = self._parted.take(trace_id)
        held.grades = self._waiting.take(trace_id)
        held.dropped = self._lacking.take(trace_id)
        self._open[trace_id] = held
        return held

    def _add_open(self, held: Held[V], span: Span, now_ns: int) -> None:
        if span.span_id in held.spans:
            self.counts.duplicate += 1
            return
        self.counts.open += 1
        self._put(held, span)
        held.last_ns = now_ns
        self._deadlines.sooner(held.id, closing.next_look_ns(held))
        if held.looks:
            self._looks.note(held, span, now_ns)
        if len(held.spans) >= self.limits.trace_spans:
            self._close(held, Reason.SPAN_LIMIT, now_ns)
        elif held.bytes >= self.limits.trace_bytes:
            self._close(held, Reason.BYTE_LIMIT, now_ns)
        if self.held_bytes > self.limits.total_bytes:
            self._make_room(held, now_ns)

    def _put(self, held: Held[V], span: Span) -> None:
        service = span.resource.service
        if service not in held.services:
            held.services += (service,)
            held.timers = held.timers.longest(self.timers_for(service))
            held.looks = held.looks or self.looks_at(service)
        added = held.put(span)
        if held.reason is None:
            self._open_bytes += added
        else:
            self._kept_bytes += added

    def _look_at_open(self, held: Held[V], now_ns: int) -> None:
        """Close a trace whose time has come, for whatever came true first."""
        due_ns, reason = closing.look(held, now_ns)
        if now_ns >= due_ns:
            self._close(held, reason, due_ns)
        else:
            self._deadlines.set(held.id, closing.next_look_ns(held))

    def _close(self, held: Held[V], reason: Reason, due_ns: int) -> None:
        """Take a trace out of `open` and hand it out, unless nothing in it is AI's."""
        del self._open[held.id]
        self._deadlines.drop(held.id)
        self._looks.drop(held)
        self._open_bytes -= held.bytes
        self.counts.closed[reason] += 1
        if not any(span.role.is_ai for span in held.spans.values()):
            self.counts.open -= len(held.spans)
            self.counts.ignored["no_run"] += len(held.spans)
            roots = held.anchors | {s.span_id for s in held.spans.values() if not s.parent_id}
            self._parted.add(held.id, roots, due_ns)
            if held.dropped:
                self._lacking.add(held.id)
            for grade in held.grades:
                self.counts.grades_dropped += self._waiting.add(held.id, grade, due_ns)
            return
        held.reason = reason
        held.closed_ns = held.late_ns = due_ns
        self._ready.append(self._closed(held, reason, due_ns, amends=False))
        held.grades = []
        held.know(None, 0)
        if reason in (Reason.ROOT, Reason.IDLE, Reason.MAX_AGE):
            self._kept[held.id] = held
            self._kept_bytes += held.bytes
            self._deadlines.set(held.id, self._release_ns(held))
            self._spare_kept(due_ns)
        else:
            self._remembered.add(held.id, due_ns)

    def _closed(self, held: Held[V], reason: Reason, due_ns: int, *, amends: bool) -> Closed[V]:
        return Closed(
            trace_id=held.id,
            spans=tuple(held.spans.values()),
            reason=reason,
            whole=closing.is_held_whole(held),
            due_ns=due_ns,
            last_ns=held.last_ns,
            attributes_dropped=held.dropped,
            amends=amends,
            verdict=None if amends else held.verdict,  # an amendment gets it on its way out
            grades=tuple(held.grades),
        )

    # State: kept.

    def _add_kept(self, held: Held[V], span: Span, now_ns: int) -> None:
        if span.span_id in held.spans:
            self.counts.duplicate += 1
        elif span.role.is_ai or not span.parent_id:
            self.counts.late["amended"] += 1
            self._put(held, span)
            held.last_ns = held.late_ns = now_ns
            self._owe_amendment(held, now_ns + held.timers.settle_ns)
            too_big = len(held.spans) >= self.limits.trace_spans
            if too_big or held.bytes >= self.limits.trace_bytes:
                self._release(held, now_ns)
            if self.held_bytes > self.limits.total_bytes:
                self._make_room(held, now_ns)
            self._spare_kept(now_ns)
        else:
            self.counts.late["counted"] += 1

    def _owe_amendment(self, held: Held[V], due_ns: int) -> None:
        held.dirty = True
        self._deadlines.set(held.id, due_ns)

    def _release_ns(self, held: Held[V]) -> int:
        return min(held.late_ns + self.limits.kept_ns, held.closed_ns + held.timers.max_age_ns)

    def _look_at_kept(self, held: Held[V], now_ns: int) -> None:
        if held.dirty:
            self._amend(held, now_ns)
        if now_ns >= self._release_ns(held):
            self._release(held, now_ns)
        else:
            self._deadlines.set(held.id, self._release_ns(held))

    def _amend(self, held: Held[V], due_ns: int) -> None:
        held.dirty = False
        held.amendments += 1
        if closing.is_held_whole(held):
            held.reason = Reason.ROOT
        reason = held.reason or Reason.IDLE
        self._ready.append(self._closed(held, reason, due_ns, amends=True))
        held.grades = []

    def _release(self, held: Held[V], now_ns: int) -> None:
        """Let a kept trace go; what it still owes is paid first."""
        if held.dirty:
            self._amend(held, now_ns)
        del self._kept[held.id]
        self._deadlines.drop(held.id)
        self._kept_bytes -= held.bytes
        self._remembered.add(held.id, now_ns)
        if held.verdict is not None:
            self._remembered.keep(held.id, held.verdict, held.verdict_bytes)
        if held.amendments:  # they must know it, however many others are remembered by then
            self._leaving[held.id] = held

    def _spare_kept(self, now_ns: int) -> None:
        """Kept traces may take a quarter of the room, and none that is wanted for open ones.

        The oldest go first.
        """
        most, total = self.limits.total_bytes // 4, self.limits.total_bytes
        while self._kept and (self._kept_bytes > most or self.held_bytes > total):
            self._release(next(iter(self._kept.values())), now_ns)

    # Room.

    def _make_room(self, newest: Held[V], now_ns: int) -> None:
        """Bring the bytes below the limit: kept traces go first, then open ones."""
        self._spare_kept(now_ns)
        if self.held_bytes > self.limits.total_bytes:
            self._evict(now_ns, newest=newest)

    def _evict(
        self,
        now_ns: int,
        *,
        traces: int = 0,
        newest: Held[V] | None = None,
        goal: int | None = None,
    ) -> None:
        """Judge the heaviest x oldest traces as they are, then remember them.

        The measure is Refinery's: what counts is memory held for a long time.
        """
        if goal is None:
            goal = self.limits.total_bytes - self.limits.total_bytes // SPARE
        by_impact = sorted(
            (held for held in self._open.values() if held is not newest),
            key=lambda held: (held.bytes * (now_ns - held.first_ns), held.bytes),
            reverse=True,
        )
        for gone, held in enumerate(by_impact):
            if gone >= traces and self.held_bytes <= goal:
                return
            self._close(held, Reason.EVICTED, now_ns)
        if (
            newest is not None
            and newest.id in self._open
            and self.held_bytes > self.limits.total_bytes
        ):
            self._close(newest, Reason.EVICTED, now_ns)

    # The end, and housekeeping.

    def _close_all(self, now_ns: int, reason: Reason | None) -> Iterator[Closed[V]]:
        for held in list(self._open.values()):
            whole = closing.is_held_whole(held)
            self._close(held, reason or (Reason.ROOT if whole else Reason.IDLE), now_ns)
            while self._ready:
                yield self._hand_out()
        while self._ready:
            yield self._hand_out()

    def _hand_out(self) -> Closed[V]:
        """The next closed trace; an amendment gets the verdict as it stands by now."""
        closed = self._ready.popleft()
        if not closed.amends or closed.verdict is not None:
            return closed
        held = self._kept.get(closed.trace_id) or self._leaving.get(closed.trace_id)
        if held and closed.spans:  # else it is a grade of one that was let go
            held.amendments -= 1
            if held.amendments <= 0:
                self._leaving.pop(closed.trace_id, None)
        verdict = held.verdict if held else self._remembered.verdict(closed.trace_id)
        if verdict is None and not closed.spans:  # too old, or lost
            self.counts.grades_dropped += len(closed.grades)
        return replace(closed, verdict=verdict)

    def _expire(self, now_ns: int) -> None:
        self._remembered.expire(now_ns)
        self._parted.expire(now_ns)
        self._lacking.expire(now_ns)
        self.counts.grades_dropped += self._waiting.expire(now_ns)
