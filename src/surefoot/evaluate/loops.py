"""An agent that goes in circles: `loop`.

Owns what going in circles is. Knows what an identical call is from `repeats`. Two ways:

    the same call n times within a window of steps, whatever else was done between
    a cycle of calls n times in a row, each cycle no longer than the window

Calls that failed are left out, since to try again is no loop; so a call that succeeds at
last counts once. An identical call that returned something new (polling) is another call.

Where calls are unordered, a loop must stand in every order: the first way asks how far
apart the calls can be at most, the second for calls that have one place alone. All is done
in one pass, O(calls * window) at worst; a call that loops is told once and left out from
there on, which keeps the worst away.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.repeats import alike, episodes, identities
from surefoot.evaluate.view import View
from surefoot.model import Severity, Undecided, Violation

#: So many tools of a cycle a message names.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Loop:
    """No call is made so often within a window, and no cycle of calls repeated so often."""

    id: str
    window: int
    times: int
    severity: Severity = Severity.SOFT
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. A call that cannot be read may be any other of its tool."""
        calls = [index for index in view.ran if view.steps[index].ok]
        tools = Counter(view.steps[index].tool for index in calls)
        if max(tools.values(), default=0) < self.times:
            return
        often = [index for index in calls if tools[view.steps[index].tool] >= self.times]
        certain = False
        for violation in self._find(view, calls, _symbols(view, often)):
            certain = True
            yield violation
        doubts = [view.hidden(index) or view.result_hidden(index) for index in often]
        if not any(doubts):
            return
        if certain or any(self._find(view, calls, _doubtful(view, often))):
            yield Undecided(self.id, ", ".join(dict.fromkeys(filter(None, doubts))))

    def _find(
        self, view: View, calls: Sequence[int], symbols: "dict[int, Symbol]"
    ) -> Iterator[Violation]:
        if max(Counter(symbols.values()).values(), default=0) < self.times:
            return
        places = _Places.of(view)
        seen: dict[Symbol, _Seen] = {}
        told: set[Symbol] = set()
        chain = [symbols.get(index, (index,)) for index in calls]
        begin, matched = 0, dict[int, int]()
        for at, (index, symbol) in enumerate(zip(calls, chain, strict=True)):
            known = seen.setdefault(symbol, _Seen())
            known.add(places, index, at)
            if symbol not in told and self._is_often(known, places):
                told.add(symbol)
                yield self._same(view, known.calls[-self.times :])
            if symbol in told or not places.is_fixed(index):
                begin, matched = at + 1, {}
                continue
            matched = self._matched(known.at, begin, matched)
            cycle = next((p for p, n in matched.items() if n >= (self.times - 1) * p), 0)
            if cycle:
                told.update(chain[at + 1 - cycle : at + 1])
                yield self._cycle(view, calls[at + 1 - cycle * self.times : at + 1], cycle)
                begin, matched = at + 1, {}

    def _is_often(self, known: "_Seen", places: "_Places") -> bool:
        """Whether some window holds enough of these calls, in every order."""
        last = known.calls[-self.times :]
        if len(last) < self.times:
            return False
        if self._is_full(len(known.calls) - known.together, known.first, known.last):
            return True
        if places.rank[last[-1]] - places.rank[last[0]] >= self.window:
            return False
        return self._is_full(
            self.times, min(map(places.earliest, last)), max(map(places.latest, last))
        )

    def _is_full(self, count: int, first: int, last: int) -> bool:
        """Whether so many calls from place to place leave no window without enough."""
        windows = -(-(last - first + 1) // self.window)
        return count > (self.times - 1) * windows

    def _matched(self, found: list[int], begin: int, before: dict[int, int]) -> dict[int, int]:
        """By distance, how many calls up to this one equal the call so far back."""
        at = found[-1]
        matched = {}
        for place in range(len(found) - 2, -1, -1):
            distance = at - found[place]
            if found[place] < begin or distance > self.window:
                break
            matched[distance] = before.get(distance, 0) + 1
        return matched

    def _same(self, view: View, calls: Sequence[int]) -> Violation:
        tool = view.steps[calls[-1]].tool
        return Violation(
            self.id,
            self.severity,
            f"loop: {tool} called {self.times} times within {self.window} steps",
            step=calls[-1],
            expected=f"an identical call less than {self.times} times within {self.window} steps",
            observed=f"identical calls from step {calls[0]} to {calls[-1]}",
            subject=tool,
        )

    def _cycle(self, view: View, calls: Sequence[int], length: int) -> Violation:
        tools = [view.steps[index].tool for index in calls[:length]]
        more = f" and {length - _NAMED} more" if length > _NAMED else ""
        named = ", ".join(tools[:_NAMED]) + more
        return Violation(
            self.id,
            self.severity,
            f"loop: {named} repeated {self.times} times",
            step=calls[-1],
            expected=f"a cycle of calls less than {self.times} times in a row",
            observed=f"the same calls from step {calls[0]} to {calls[-1]}",
            subject=named,
            also=tuple(calls[:-1]),
        )


#: What two calls have in common if one repeats the other.
Symbol = tuple[object, ...]


def _symbols(view: View, calls: Sequence[int]) -> dict[int, Symbol]:
    """What can be read of each call; without those whose arguments are hidden."""
    found: dict[int, Symbol] = {}
    keys = identities(view, calls)
    for group in alike(keys):
        for index, episode in zip(group, episodes(view, group), strict=True):
            found[index] = (*keys[index], episode)
    return found


def _doubtful(view: View, calls: Sequence[int]) -> dict[int, Symbol]:
    """The same, with all that cannot be read taken for a repeat."""
    masked = {view.steps[index].tool for index in calls if view.hidden(index)}
    keys = identities(view, calls)
    unread = {keys[index] for index in keys if view.result_hidden(index)}
    found = _symbols(view, calls)
    found |= {index: key for index, key in keys.items() if key in unread}
    tools = {index: view.steps[index].tool for index in calls}
    return found | {index: (tool,) for index, tool in tools.items() if tool in masked}


@dataclass(slots=True)
class _Seen:
    """Where one call was made.

    at: among the calls that count. together: from which of them on each is unordered with
    the one before it; first, last: the places that these may have.
    """

    calls: list[int] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    together: int = 0
    first: int = 0
    last: int = 0

    def add(self, places: "_Places", index: int, at: int) -> None:
        """One more."""
        first, last = places.earliest(index), places.latest(index)
        if not self.calls or places.view.are_ordered(self.calls[-1], index):
            self.together, self.first, self.last = len(self.calls), first, last
        self.first, self.last = min(self.first, first), max(self.last, last)
        self.calls.append(index)
        self.at.append(at)


@dataclass(frozen=True, slots=True)
class _Times:
    """Sorted starts and ends."""

    starts: list[int]
    ends: list[int]

    def before(self, start_ns: int) -> int:
        """How many have ended by then."""
        return bisect_right(self.ends, start_ns)

    def after(self, end_ns: int) -> int:
        """How many start then or later."""
        return len(self.starts) - bisect_left(self.starts, end_ns)


@dataclass(frozen=True, slots=True)
class _Places:
    """At which places of the run a call may stand, over all orders of the unordered."""

    view: View
    rank: dict[int, int]
    all: _Times
    turns: dict[int, _Times]

    @classmethod
    def of(cls, view: View) -> "_Places":
        """Sort once, O(calls log calls)."""
        turns: dict[int, list[int]] = {}
        for index in view.ran:
            turns.setdefault(view.evidence[index].turn, []).append(index)
        turns.pop(-1, None)
        rank = {index: place for place, index in enumerate(view.ran)}
        by_turn = {turn: cls._times(view, calls) for turn, calls in turns.items()}
        return cls(view, rank, cls._times(view, view.ran), by_turn)

    @staticmethod
    def _times(view: View, calls: Sequence[int]) -> _Times:
        spans = [view.spans[index] for index in calls]
        return _Times(sorted(start for start, _ in spans), sorted(end for _, end in spans))

    def earliest(self, index: int) -> int:
        """How many calls surely stand before it."""
        start, end = self.view.spans[index]
        turn = self.turns.get(self.view.evidence[index].turn)
        own = turn.before(start) if turn else end <= start
        return min(self.rank[index], self.all.before(start) - own)

    def latest(self, index: int) -> int:
        """The last place that it may have."""
        start, end = self.view.spans[index]
        turn = self.turns.get(self.view.evidence[index].turn)
        own = turn.after(end) if turn else end <= start
        last = len(self.rank) - 1
        return max(self.rank[index], last - (self.all.after(end) - own))

    def is_fixed(self, index: int) -> bool:
        """Whether it has one place in every order."""
        return self.earliest(index) == self.latest(index)
