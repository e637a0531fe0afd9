"""Which calls may be the nth of some, where their order is not whole.

Owns counting what surely comes before and after a call. Knows no check. Calls that
overlap, or that one model turn asked for together, may be read in any order, so several
may be the third; calls that only may match may be left out of the count.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from surefoot.evaluate.matcher import Matches
from surefoot.evaluate.view import View

#: (start or end in nanoseconds, the step's index), sorted.
_Times = list[tuple[int, int]]


class _Order:
    """How many of some calls are surely before or after one. O(log n) each."""

    def __init__(self, view: View, calls: Sequence[int]) -> None:
        self._view = view
        self._starts: dict[int, _Times] = {-1: []}
        self._ends: dict[int, _Times] = {-1: []}
        for call in calls:
            start, end = _span(view, call)
            for turn in {-1, view.evidence[call].turn}:  # -1: calls of every turn
                self._starts.setdefault(turn, []).append((start, call))
                self._ends.setdefault(turn, []).append((end, call))
        for times in (*self._starts.values(), *self._ends.values()):
            times.sort()

    def before(self, call: int) -> int:
        """How many of the calls are surely before `call`: ended, and of another turn."""
        start = (_span(self._view, call)[0], call)
        together = self._together(self._ends, call)
        return bisect_left(self._ends[-1], start) - bisect_left(together, start)

    def after(self, call: int) -> int:
        """How many of the calls are surely after `call`."""
        end = (_span(self._view, call)[1], call)
        together = self._together(self._starts, call)
        later = len(self._starts[-1]) - bisect_right(self._starts[-1], end)
        return later - (len(together) - bisect_right(together, end))

    def _together(self, times: dict[int, _Times], call: int) -> _Times:
        """Those of `times` whose calls were asked for with `call`."""
        turn = self._view.evidence[call].turn
        return times.get(turn, []) if turn >= 0 else []


def may_be_nth(view: View, matches: Matches, number: int | None) -> list[int]:
    """The calls that may be the `number`th match, from 1, or the last for None. O(n log n)."""
    sure, every = _Order(view, matches.sure), _Order(view, matches.every)
    if number is None:
        return [call for call in matches.every if not sure.after(call)]
    earlier = number - 1
    others = len(matches.every) - 1
    return [
        call for call in matches.every if sure.before(call) <= earlier <= others - every.after(call)
    ]


def _span(view: View, call: int) -> tuple[int, int]:
    """A call that ends before it starts, by a clock that was set, takes no time."""
    start, end = view.spans[call]
    return start, max(start, end)
