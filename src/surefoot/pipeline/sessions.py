"""With `unit: session`: the closed traces of a session, until it is quiet.

Owns which traces make one run and when it is judged: when each of them has closed and
none got a span for `idle_ns` (a trace waits that long for itself, whole or not, so its
close says so), or `max_age_ns` after the first of them closed. A judged session is kept
for `kept_ns`: a later turn, or a late span of an earlier one, amends its verdict.

A trace names its session by any of its spans. One that has not named it yet cannot be
waited for; it joins when it closes. Whoever calls holds the buffer's lock. Bounded: of
more than `MOST` sessions, those judged longest ago are forgotten.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from surefoot.buffer import Closed
from surefoot.buffer.deadlines import Deadlines
from surefoot.model import Run
from surefoot.pipeline.shared import Judgement

#: As many as the buffer holds open traces.
MOST = 50_000


@dataclass(slots=True)
class Group:
    """The traces of one session.

    runs: by trace id, each as its last close told. grades: by trace id, those of closes that
    are not judged yet. pending: closed, and not judged yet.
    open: traces that named the session and may still be open. judgement: None until the
    first verdict.
    """

    key: bytes
    runs: dict[bytes, Run] = field(default_factory=dict)
    grades: dict[bytes, tuple[object, ...]] = field(default_factory=dict)
    pending: list[Closed[Judgement]] = field(default_factory=list)
    open: set[bytes] = field(default_factory=set)
    judgement: Judgement | None = None
    first_ns: int = 0
    last_ns: int = 0


class Sessions:
    """The sessions that are awaited, and those that were judged lately."""

    def __init__(
        self,
        *,
        idle_ns: int,
        max_age_ns: int,
        kept_ns: int,
        is_open: Callable[[bytes], bool],
    ) -> None:
        """`is_open`: whether the buffer holds a trace of this id open."""
        self._idle_ns = idle_ns
        self._max_age_ns = max_age_ns
        self._kept_ns = kept_ns
        self._is_open = is_open
        self._groups: OrderedDict[bytes, Group] = OrderedDict()
        self._due = Deadlines()

    def hear(self, session: str, trace_id: bytes) -> None:
        """A span of an open trace named its session."""
        self._group(session).open.add(trace_id)

    def put(self, run: Run, closed: Closed[Judgement], now_ns: int) -> bool:
        """Take a closed trace of the session that `run` names.

        Returns:
            False for an amendment of a session that is forgotten: it changes nothing.
        """
        key = _key(run.session or "")
        if closed.amends and key not in self._groups:
            return False
        group = self._group(run.session or "")
        if not group.pending:
            group.first_ns = now_ns
        group.runs[closed.trace_id] = run
        if closed.grades:
            group.grades[closed.trace_id] = group.grades.get(closed.trace_id, ()) + closed.grades
        group.pending.append(closed)
        group.last_ns = max(group.last_ns, closed.last_ns)
        self._due.set(key, self._due_ns(group))
        return True

    def next_due_ns(self) -> int | None:
        """When a session may be due next, or None if none is held."""
        return self._due.next_ns()

    def pop_due(self, now_ns: int) -> Group | None:
        """A session to be judged now, or None. It stays known; say `judged` of it."""
        while (key := self._due.pop(now_ns)) is not None:
            group = self._groups.get(key)
            if group is None:
                continue
            if not group.pending:  # judged, and its time to amend is over
                del self._groups[key]
                continue
            group.open = {trace_id for trace_id in group.open if self._is_open(trace_id)}
            if group.open and now_ns < group.first_ns + self._max_age_ns:
                self._due.set(key, min(now_ns + self._idle_ns, group.first_ns + self._max_age_ns))
                continue
            return group
        return None

    def pop_all(self) -> Iterator[Group]:
        """At shutdown: every session that waits to be judged."""
        for group in list(self._groups.values()):
            if group.pending:
                yield group

    def judged(self, group: Group, judgement: Judgement, now_ns: int) -> None:
        """A session was judged: nothing of it is pending, and it is kept for a while."""
        group.judgement = judgement
        group.pending = []
        self._groups.move_to_end(group.key)
        self._due.set(group.key, now_ns + self._kept_ns)

    def _due_ns(self, group: Group) -> int:
        return min(group.last_ns + self._idle_ns, group.first_ns + self._max_age_ns)

    def _group(self, session: str) -> Group:
        key = _key(session)
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= MOST:
                self._forget_one()
            group = self._groups[key] = Group(key)
        return group

    def _forget_one(self) -> None:
        """Let the one go that is idle longest and owes nothing, if there is one."""
        for key, group in self._groups.items():
            if not group.pending:
                del self._groups[key]
                self._due.drop(key)
                return


def _key(session: str) -> bytes:
    return session.encode("utf-8", "surrogatepass")
