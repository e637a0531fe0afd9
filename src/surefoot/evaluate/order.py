"""What comes before what: `before`.

Owns the order checks. Knows the partial order of `View.are_ordered` and no clock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher, weigh
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

    Calls that overlap, or that one model turn asked for together, may be read in any
    order: it is a violation only if none of these orders satisfies the pair.
    """

    pairs: tuple[Pair, ...]
    severity: Severity = Severity.HARD
    id: str = "before"
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
        if not thens or (firsts and _may_precede(view, firsts, thens)):
            return
        if firsts:
            message = f"{first} must come before {then}"
            observed = f"{then} at step {thens[0]}, {first} at step {firsts[0]}"
        else:
            message = f"{then} called without {first}"
            observed = f"{then} at step {thens[0]}, no {first}"
        yield Violation(
            self.id,
            self.severity,
            message,
            step=thens[0],
            expected=f"{first} before {then}",
            observed=observed,
            subject=f"{first}, {then}",
        )


def _may_precede(view: View, firsts: Sequence[int], thens: Sequence[int]) -> bool:
    """Whether, in some order of the unordered calls, one of `firsts` is before all `thens`.

    That is so for a call which none of `thens` surely precedes. Only those that had
    ended by its start can, so of `thens`, sorted by end, few are looked at.
    """
    if firsts[0] <= thens[0]:
        return True
    by_end = sorted(thens, key=lambda index: view.spans[index][1])
    return any(not _comes_after_any(view, first, by_end) for first in firsts)


def _comes_after_any(view: View, call: int, by_end: Sequence[int]) -> bool:
    start_ns = view.spans[call][0]
    for then in by_end:
        if view.spans[then][1] > start_ns:
            return False
        if view.are_ordered(then, call):
            return True
    return False
