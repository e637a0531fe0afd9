"""What must come after what: `after`, `next`.

Owns the rules on what must follow. Knows times as the spans tell them, and no clock.
As in `order`, a run is violated only if no order of its calls keeps the rule; `after`
with a limit looks at each a alone, in the order that serves it best.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from surefoot.duration import format_duration
from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher, weigh
from surefoot.evaluate.precedence import Order, Row
from surefoot.evaluate.view import View
from surefoot.model import Severity, Violation


@dataclass(frozen=True, slots=True)
class After:
    """Every a is followed by a b. At each a that is not.

    within_ns: b starts at most so long after the end of a. steps: b is at most so many
    calls after a.
    """

    id: str
    first: Matcher
    then: Matcher
    within_ns: int | None = None
    steps: int | None = None
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        find = partial(self._find, view)
        return weigh(self.id, view, find, guilty=(self.first,), helpful=(self.then,))

    def _find(self, view: View, firsts: Calls, thens: Calls) -> Iterator[Violation]:
        if not firsts:
            return
        first, then = self.first.label, self.then.label
        for step, later in self._unfollowed(view.order, firsts, thens):
            yield Violation(
                self.id,
                self.severity,
                f"{first} is not followed by {then}{self._limits}",
                step=step,
                expected=f"{then} after each {first}{self._limits}",
                observed=f"{first} at step {step}, {self._told(view.order, step, later, then)}",
                subject=f"{first}, {then}",
            )

    @property
    def _limits(self) -> str:
        limits = [] if self.within_ns is None else [format_duration(self.within_ns)]
        limits += [] if self.steps is None else [_steps(self.steps)]
        return f" within {' and '.join(limits)}" if limits else ""

    def _unfollowed(
        self, order: Order, firsts: Calls, thens: Calls
    ) -> list[tuple[int, int | None]]:
        """Each a that no b follows, and the next b, if it comes too late.

        An a alone is followed if a b that starts before it lasts until it, or one that
        starts after it comes in time. All a are if one b that is no a itself comes after
        none of them, so that it may be the last of all.
        """
        due = self._due(order)
        places = sorted(order.place[index] for index in thens)
        found: list[tuple[int, int | None]] = []
        seen = lasts = 0
        for at in sorted(order.place[index] for index in firsts):
            while seen < len(places) and places[seen] < at:
                lasts = max(lasts, order.until[places[seen]])
                seen += 1
            later = seen + (seen < len(places) and places[seen] == at)
            next_one = places[later] if later < len(places) else None
            if lasts <= at and (next_one is None or next_one >= due[at]):
                found.append((at, next_one))
        if not found:
            before_some = order.before_some(firsts)
            ends = set(thens).difference(firsts)
            if all(map(before_some, ends)):
                found.append((order.place[firsts[-1]], None))
        return [
            (order.calls[at], None if late is None else order.calls[late]) for at, late in found
        ]

    def _due(self, order: Order) -> list[int]:
        """By place of an a: before which place a later b must stand."""
        count = len(order.calls)
        due = [count] * count
        if self.within_ns is not None:
            due = [order.started_by(end_ns + self.within_ns) for _, end_ns in order.spans]
        if self.steps is not None:
            bounds = order.within(self.steps)
            due = [min(place, bounds[order.until[at]]) for at, place in enumerate(due)]
        return due

    def _told(self, order: Order, step: int, later: int | None, then: str) -> str:
        if later is None:
            return f"no {then} after it"
        one, two = order.place[step], order.place[later]
        late_ns = order.spans[two][0] - order.spans[one][1]
        away = format_duration(late_ns) if self.within_ns is not None else ""
        away += " and " if away and self.steps is not None else ""
        away += _steps(two - one) if self.steps is not None else ""
        return f"the next {then} at step {later}, {away} later"


@dataclass(frozen=True, slots=True)
class Next:
    """The step after each a is a b, and there is one. At each a whose next step is none.

    A row is made of all calls: those that are neither as soon as they may come, then an
    a and a b right after it, each the one with the most followers; a b without an a only
    if nothing else may come next. What is both goes between an a and its b.
    """

    id: str
    first: Matcher
    then: Matcher
    severity: Severity = Severity.SOFT
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        find = partial(self._find, view)
        return weigh(self.id, view, find, guilty=(self.first,), helpful=(self.then,))

    def _find(self, view: View, firsts: Calls, thens: Calls) -> Iterator[Violation]:
        if not firsts:
            return
        first, then = self.first.label, self.then.label
        for step in sorted(_unlinked(view.order, set(firsts), set(thens))):
            yield Violation(
                self.id,
                self.severity,
                f"{first} is not followed at once by {then}",
                step=step,
                expected=f"{then} as the step after each {first}",
                observed=f"{first} at step {step}, {_told(view, step, set(thens))}",
                subject=f"{first}, {then}",
            )


def _unlinked(order: Order, firsts: set[int], thens: set[int]) -> Iterator[int]:
    """Each a without a b right after it, in the best row there is."""
    neither = [index for index in order.calls if index not in firsts and index not in thens]
    row = Row(order, (neither, firsts - thens, firsts & thens, thens - firsts))
    while row:
        if row.take(0) is not None:
            continue
        link = row.take(1)
        both = row.take(2) if link is None else link
        while both is not None:
            link, both = both, row.take(2)
        if row.take(3) is None and link is not None:
            yield link


def _told(view: View, step: int, thens: set[int]) -> str:
    at = view.order.place[step] + 1
    if at == len(view.order.calls):
        return "the last step"
    other = view.order.calls[at]
    used = ", which follows another" if other in thens else ""
    return f"then {view.steps[other].tool} at step {other}{used}"


def _steps(count: int) -> str:
    return f"{count} step" if count == 1 else f"{count} steps"
