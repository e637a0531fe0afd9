"""What comes before what: `before`, `precede_each`, `never_after`, `between`.

Owns the rules on what must come earlier, or must not come later; what must come later is
`followed`'s. Knows no clock. What
is surely earlier, and which orders of the calls there are, is `precedence`'s. Calls that
overlap, or that one model turn asked for together, may be read in any order: a run is
violated only if no order of its calls keeps the rule.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher, weigh
from surefoot.evaluate.precedence import Row
from surefoot.evaluate.view import View
from surefoot.model import Severity, Violation


@dataclass(frozen=True, slots=True)
class Pair:
    """`first` comes before `then`."""

    first: Matcher
    then: Matcher


@dataclass(frozen=True, slots=True)
class Before:
    """The first a precedes the first b, and there is no b without an a.

    ended: it is not enough that an order satisfies the pair: an a that succeeded has
    ended before any b starts, and no turn of the model asked for both.
    """

    pairs: tuple[Pair, ...]
    severity: Severity = Severity.HARD
    id: str = "before"
    ended: bool = False
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        for pair in self.pairs:
            find = partial(self._find, view, pair.first.label, pair.then.label)
            yield from weigh(self.id, view, find, guilty=(pair.then,), helpful=(pair.first,))

    def _find(
        self, view: View, first: str, then: str, thens: Calls, firsts: Calls
    ) -> Iterator[Violation]:
        if not thens or (firsts and self._precedes(view, firsts, thens)):
            return
        observed = f"{then} at step {thens[0]}, no {first}"
        message = f"{then} called without {first}"
        if firsts and not self.ended:
            message = f"{first} must come before {then}"
        elif firsts:
            message = f"{first} must have ended well before {then} starts"
        if firsts:
            failed = "" if view.steps[firsts[0]].ok or not self.ended else ", which failed"
            observed = f"{then} at step {thens[0]}, {first} at step {firsts[0]}{failed}"
        yield Violation(
            self.id,
            self.severity,
            message,
            step=thens[0],
            expected=f"{first} ended well before {then}"
            if self.ended
            else f"{first} before {then}",
            observed=observed,
            subject=f"{first}, {then}",
            also=tuple(self._others(view, firsts, thens)),
        )

    def _others(self, view: View, firsts: Calls, thens: Calls) -> Iterator[int]:
        """The b but the first that have no a before them either."""
        if self.ended:
            after_some = view.order.after_some([one for one in firsts if view.steps[one].ok])
            yield from (then for then in thens[1:] if after_some(then) < 0)
        else:
            for then in thens[1:]:
                if not firsts or view.are_ordered(then, firsts[0]):
                    yield then

    def _precedes(self, view: View, firsts: Calls, thens: Calls) -> bool:
        """Whether one of `firsts` is before all `thens` but itself."""
        if self.ended:
            return _ends_before(view, [index for index in firsts if view.steps[index].ok], thens)
        if firsts[0] <= thens[0]:  # most often, and then the order need not be known
            return True
        after_some = view.order.after_some(thens)
        return any(after_some(first) < 0 for first in firsts)


def _ends_before(view: View, firsts: Calls, thens: Calls) -> bool:
    """Whether one of `firsts` has surely ended before all `thens` but itself."""
    order = view.order
    first_then = min(thens, key=order.place.__getitem__)
    before_all = order.before_all(thens)
    before_others = order.before_all([index for index in thens if index != first_then])
    return any(
        before_others(first) if first == first_then else before_all(first) for first in firsts
    )


@dataclass(frozen=True, slots=True)
class PrecedeEach:
    """Every b has an earlier a that no other b has used. At each b that has none.

    A row is made of all a and b. An a is put in it as soon as it may be; a b only if
    nothing else may come next, the one with the most followers: what follows another
    follows it too, so no row has more a before its b.
    """

    id: str
    first: Matcher
    then: Matcher
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        find = partial(self._find, view)
        return weigh(self.id, view, find, guilty=(self.then,), helpful=(self.first,))

    def _find(self, view: View, thens: Calls, firsts: Calls) -> Iterator[Violation]:
        first, then = self.first.label, self.then.label
        for step, earlier in sorted(_lacking(view, firsts, thens)) if thens else ():
            used = f"after {earlier} of {first}, each used" if earlier else f"no {first} before it"
            yield Violation(
                self.id,
                self.severity,
                f"{then} has no {first} of its own before it",
                step=step,
                expected=f"an unused {first} before each {then}",
                observed=f"{then} at step {step}, {used}",
                subject=f"{first}, {then}",
            )


def _lacking(view: View, firsts: Calls, thens: Calls) -> Iterator[tuple[int, int]]:
    """Each of `thens` without an own one of `firsts`, and how many of these are before it."""
    needed, needing = set(firsts), set(thens)
    row = Row(view.order, (needed - needing, needed & needing, needing - needed))
    earlier = unused = 0
    while row:
        if row.take(0) is not None:
            earlier += 1
            unused += 1
        elif (both := row.take(1)) is not None:  # takes one and gives one
            if not unused:
                yield both, earlier
                unused = 1
            earlier += 1
        elif unused:
            row.take_first()
            unused -= 1
        else:
            yield row.take_first(), earlier


@dataclass(frozen=True, slots=True)
class NeverAfter:
    """No a once b happened. At each a that a b surely precedes.

    Of two calls that are both a and b, one is after the other in any order.
    """

    id: str
    unwanted: Matcher
    once: Matcher
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        return weigh(self.id, view, partial(self._find, view), guilty=(self.unwanted, self.once))

    def _find(self, view: View, unwanted: Calls, once: Calls) -> Iterator[Violation]:
        if not unwanted or not once:
            return
        after_some = view.order.after_some(once)
        both = set(unwanted).intersection(once)
        first = min(both, default=-1)
        for index in unwanted:
            earlier = after_some(index)
            if earlier < 0 and index in both and index != first:
                earlier = first
            if earlier >= 0:
                yield Violation(
                    self.id,
                    self.severity,
                    f"{self.unwanted.label} called after {self.once.label}",
                    step=index,
                    expected=f"no {self.unwanted.label} after {self.once.label}",
                    observed=f"{self.unwanted.label} at step {index}, "
                    f"{self.once.label} at step {earlier}",
                    subject=f"{self.unwanted.label}, {self.once.label}",
                )


@dataclass(frozen=True, slots=True)
class Between:
    """None of `absent` after a `start` and before the next `end`. At each that is.

    Without an `end` nothing stands between. A call that is an `end` is not between, and
    if it is a `start` too, it is an end first.
    """

    id: str
    absent: Matcher
    start: Matcher
    end: Matcher
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. An `end` closes what it stands before, and makes it count."""
        guilty = (self.absent, self.start, self.end)
        return weigh(self.id, view, partial(self._find, view), guilty=guilty, helpful=(self.end,))

    def _find(
        self, view: View, absent: Calls, starts: Calls, ends: Calls, closing: Calls
    ) -> Iterator[Violation]:
        if not absent or not starts or not ends:
            return
        names = self.absent.label, self.start.label, self.end.label
        for step, start in sorted(_caught(view, absent, starts, ends, closing)):
            yield Violation(
                self.id,
                self.severity,
                f"{names[0]} between {names[1]} and {names[2]}",
                step=step,
                expected=f"no {names[0]} between {names[1]} and {names[2]}",
                observed=f"{names[0]} at step {step}, {names[1]} at step {start}",
                subject=", ".join(names),
            )


def _caught(
    view: View, absent: Calls, starts: Calls, ends: Calls, closing: Calls
) -> Iterator[tuple[int, int]]:
    """Each of `absent` that is between in the best row there is, and the start before it.

    ends: with one of these to come, what is between counts. closing: after one of these
    nothing is between.

    While nothing is open, what is unwanted does no harm, so it comes as early as it may.
    Once something is open, more may open; then the next closes, as soon as one may.
    """
    opens, closes, counts = set(starts), set(closing), set(ends)
    bad = set(absent) - closes
    row = Row(
        view.order,
        (
            bad - opens,
            bad & opens,
            opens - bad,
            closes - opens,
            counts - bad - opens - closes,
        ),
    )
    left, start = len(counts), -1

    def take(*kinds: int) -> int:
        """The first of these kinds that may come next; -1 if none may."""
        nonlocal left
        found = (row.take(kind) for kind in kinds)
        step = next((one for one in found if one is not None), -1)
        left -= step in counts
        return step

    while row:
        if start < 0:
            if take(0, 4) < 0 and (start := take(1, 2)) < 0:
                take(3)
        elif take(2, 4) < 0:
            if take(3) >= 0:
                start = -1
            elif (step := take(0, 1)) >= 0 and left:
                yield step, start
