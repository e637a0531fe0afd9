"""Which calls surely came before which, and rows of calls that contradict none of it.

Owns the order of a run's calls for all checks that ask for it. Knows no check.

Calls stand in places, by start. A call surely precedes those that start when it has
ended, unless one model turn asked for both: then only if a third call surely stands
between them. An order of the calls is a row of them in which no call stands before one
that surely precedes it; a run keeps a rule if one of its orders does.

What is asked is of two kinds. Whether a call surely precedes another is exact. Which rows
there are is told by one number for each call, `until`: from that place on, all calls
surely follow it. So the followers of two calls are never at odds, one's are among the
other's, and a row is made without looking ahead: of several calls that may come next and
count the same, take the one with the most followers. This leaves out what only the calls
of two turns, each run one by one while the other went on, would add: more orders then,
in the agent's favour.
"""

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from surefoot.evaluate.matcher import Calls

if TYPE_CHECKING:
    from surefoot.evaluate.view import View

#: Beyond every place.
_NEVER: Final = 1 << 62


class _Least:
    """The least of some numbers: within one turn, and in all other turns. With whose it is."""

    def __init__(self, known: Iterable[tuple[int, int, int]]) -> None:
        self._of: dict[int, tuple[int, int]] = {}
        for turn, number, call in known:
            if turn not in self._of or number < self._of[turn][0]:
                self._of[turn] = number, call
        least = heapq.nsmallest(2, ((told, turn) for turn, told in self._of.items()))
        self._least = [*least, ((_NEVER, -1), None), ((_NEVER, -1), None)]

    def of(self, turn: int) -> tuple[int, int]:
        """The least of a turn."""
        return self._of.get(turn, (_NEVER, -1))

    def but(self, turn: int) -> tuple[int, int]:
        """The least of all other turns."""
        (first, its), (second, _) = self._least[:2]
        return second if its == turn else first


class Order:
    """The order of the calls of a run. Made once a view, O(n log n), linear if sorted."""

    def __init__(self, view: "View") -> None:
        spans, evidence = view.spans, view.evidence
        #: Steps by place.
        self.calls: list[int] = sorted(view.ran, key=lambda index: (spans[index][0], index))
        #: Places by step.
        self.place: dict[int, int] = {index: at for at, index in enumerate(self.calls)}
        #: Start and end, by place.
        self.spans = [spans[index] for index in self.calls]
        self._starts = [start_ns for start_ns, _ in self.spans]
        #: By place; no two calls of which it is unknown have the same.
        self._turns = [
            evidence[index].turn if evidence[index].turn >= 0 else -1 - at
            for at, index in enumerate(self.calls)
        ]
        #: By place: from which place on calls of other turns surely follow.
        self._ends = [
            max(at + 1, bisect_left(self._starts, end_ns))
            for at, (_, end_ns) in enumerate(self.spans)
        ]
        #: By place: from which place on calls of its own turn surely follow.
        self._own = list(self._ends)
        #: By place: from which place on all calls surely follow.
        self.until = list(self._ends)
        self._look_at_turns()

    def is_before(self, first: int, second: int) -> bool:
        """Whether step `first` surely came before step `second`."""
        one, two = self.place[first], self.place[second]
        bounds = self._own if self._turns[one] == self._turns[two] else self._ends
        return bounds[one] <= two

    def after_some(self, calls: Calls) -> Callable[[int], int]:
        """A function that gives one of `calls` that surely precedes a step; -1 if none does."""
        places = [self.place[index] for index in calls]
        ends = _Least((self._turns[at], self._ends[at], self.calls[at]) for at in places)
        own = _Least((self._turns[at], self._own[at], self.calls[at]) for at in places)

        def told(index: int) -> int:
            at = self.place[index]
            turn = self._turns[at]
            bound, call = min(ends.but(turn), own.of(turn))
            return call if bound <= at else -1

        return told

    def before_some(self, calls: Calls) -> Callable[[int], bool]:
        """A function that tells whether a step surely precedes at least one of `calls`."""
        last = _Least((self._turns[at], -at, -1) for at in map(self.place.__getitem__, calls))

        def told(index: int) -> bool:
            at = self.place[index]
            turn = self._turns[at]
            return -last.but(turn)[0] >= self._ends[at] or -last.of(turn)[0] >= self._own[at]

        return told

    def before_all(self, calls: Calls) -> Callable[[int], bool]:
        """A function that tells whether a step that is none of `calls` precedes them all."""
        first = _Least((self._turns[at], at, -1) for at in map(self.place.__getitem__, calls))

        def told(index: int) -> bool:
            at = self.place[index]
            turn = self._turns[at]
            return first.but(turn)[0] >= self._ends[at] and first.of(turn)[0] >= self._own[at]

        return told

    def started_by(self, time_ns: int) -> int:
        """How many calls had started at this time."""
        return bisect_right(self._starts, time_ns)

    def within(self, steps: int) -> list[int]:
        """By place, also the one after the last: of the calls from there on, where so many end.

        A call at that place surely has that many of them before it; one at an earlier
        place may have fewer.
        """
        least: list[int] = []
        bounds = [_NEVER] * (len(self.calls) + 1)
        for at in range(len(self.calls) - 1, -1, -1):
            heapq.heappush(least, -self.until[at])
            if len(least) > steps:
                heapq.heappop(least)
            bounds[at] = -least[0] if len(least) == steps else _NEVER
        return bounds

    def _look_at_turns(self) -> None:
        """Calls of one turn are unordered, but for those that a third surely stands between."""
        if len(set(self._turns)) == len(self._turns):
            return
        count = len(self.calls)
        of_turn: dict[int, list[int]] = {}
        for at, turn in enumerate(self._turns):
            of_turn.setdefault(turn, []).append(at)
        between = self._first_ends()
        for at, turn in enumerate(self._turns):
            (end, its), (other, _) = between[self._ends[at]]
            bound = self._own[at] = min(other if its == turn else end, count)
            mates = of_turn[turn]
            self.until[at] = max(self._ends[at], mates[bisect_left(mates, bound) - 1] + 1)

    def _first_ends(self) -> list[tuple[tuple[int, int | None], tuple[int, int | None]]]:
        """By place: of the calls from there on, the first end, and the first of another turn."""
        first: tuple[int, int | None] = (_NEVER, None)
        second = first
        found = [(first, second)]
        for end, turn in zip(reversed(self._ends), reversed(self._turns), strict=True):
            if turn == first[1]:
                first = min(first, (end, turn), key=lambda told: told[0])
            elif end < first[0]:
                first, second = (end, turn), first
            elif end < second[0]:
                second = end, turn
            found.append((first, second))
        found.reverse()
        return found


class Row:
    """Puts calls in a row, one by one, each when all that surely precede it are in it.

    kinds: the calls that count the same, each call in one of them. All takes together
    cost O(n log n).
    """

    def __init__(self, order: Order, kinds: Sequence[Iterable[int]]) -> None:
        self._order = order
        self._kind = {
            order.place[index]: kind for kind, calls in enumerate(kinds) for index in calls
        }
        self._by_place = sorted(self._kind)
        self._by_end = sorted(self._by_place, key=order.until.__getitem__)
        self._released = self._first = 0
        self._taken: set[int] = set()
        self._ready: list[list[tuple[int, int]]] = [[] for _ in kinds]

    def __bool__(self) -> bool:
        """Whether calls are left."""
        return len(self._taken) < len(self._by_place)

    def take(self, kind: int) -> int | None:
        """Put a call of this kind in the row, if one may come next: the step, or None."""
        at = self._next(kind)
        return None if at is None else self._take(at)

    def take_first(self) -> int:
        """Put the call with the most followers in the row. There must be one."""
        self._release()
        return self._take(self._by_end[self._first])

    def may_be_next(self) -> int:
        """The first step that may come next. There must be one."""
        told = (self._next(kind) for kind in range(len(self._ready)))
        return self._order.calls[min(at for at in told if at is not None)]

    def _take(self, at: int) -> int:
        self._taken.add(at)
        return self._order.calls[at]

    def _next(self, kind: int) -> int | None:
        self._release()
        ready = self._ready[kind]
        while ready and ready[0][1] in self._taken:
            heapq.heappop(ready)
        return ready[0][1] if ready else None

    def _release(self) -> None:
        """A call may come next if none that is left has ended by its place."""
        until = self._order.until
        while self._first < len(self._by_end) and self._by_end[self._first] in self._taken:
            self._first += 1
        left = self._first < len(self._by_end)
        bound = until[self._by_end[self._first]] if left else _NEVER
        while self._released < len(self._by_place) and self._by_place[self._released] < bound:
            at = self._by_place[self._released]
            heapq.heappush(self._ready[self._kind[at]], (until[at], at))
            self._released += 1
