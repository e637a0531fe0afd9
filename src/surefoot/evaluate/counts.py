"""Sums, rates and values that come once: `total`, `rate`, `unique`.

Owns what is added up over several calls. Knows no order but that of starts. The order in
which unordered calls are read changes neither a sum nor a rate, and of two successes for
one value either is the second.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, NamedTuple

from surefoot.duration import format_duration
from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher, weigh
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import shown
from surefoot.evaluate.same import amount_of, key_of, written
from surefoot.evaluate.schemas import NOT_THERE
from surefoot.evaluate.view import View
from surefoot.model import Severity, Undecided, Violation

#: Longest amount that a text shows.
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Total:
    """The amounts of all these calls, failed ones too, add up to no more than this.

    An amount that is no finite number, or not there, violates: what nobody can add up
    nobody has bounded. Sums are exact. The violation is at the call that passes the limit.
    """

    id: str
    step: Matcher
    arg: Path
    most: Fraction
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. A hidden amount is open, unless the others pass the limit."""
        matches = view.match(self.step)
        sums: list[tuple[int, Fraction]] = []
        total = more = less = Fraction(0)  # for sure, and by calls that only may match
        for index in matches.every:
            amounts, doubt = self._amounts(view, index)
            if doubt:
                yield Undecided(self.id, doubt)
                continue
            for where, value, amount in amounts:
                if amount is None:
                    yield self._unreadable(view, index, where, value, matches.doubts)
                elif index in matches.doubts:
                    more += max(amount, Fraction(0))
                    less += min(amount, Fraction(0))
                else:
                    total += amount
            sums.append((index, total))
        over = [index for index, reached in sums if reached > self.most]
        if total + less > self.most:
            yield Violation(
                self.id,
                self.severity,
                f"{self.arg.text} of {self.step.label}: {_short(total)} in all,"
                f" at most {_short(self.most)} allowed",
                step=over[0],
                expected=f"at most {_short(self.most)} in all",
                observed=_short(total),
                subject=self.arg.text,
                arg=self.arg.text,
                also=tuple(over[1:]),
            )
        if total + more > self.most:
            for why in matches.doubts.values():
                yield Undecided(self.id, why)

    def _amounts(self, view: View, index: int) -> tuple[list[tuple[str, Any, Any]], str]:
        """(where, as shown, the amount or None) of each of a call, or why they are open."""
        found, doubt = view.argument(index, self.arg)
        if doubt:
            return [], doubt
        amounts: list[tuple[str, Any, Any]] = [
            (where, shown(value), amount_of(value)) for where, value in found
        ]
        gaps = self.arg.gaps(view.steps[index].args)
        return amounts + [(where, NOT_THERE, None) for where in gaps], ""

    def _unreadable(
        self, view: View, index: int, where: str, observed: str, doubts: dict[int, str]
    ) -> Finding:
        if index in doubts:
            return Undecided(self.id, doubts[index])
        return Violation(
            self.id,
            self.severity,
            f"{view.steps[index].tool}: {where} is {observed}, no amount to add up",
            step=index,
            expected="a number",
            observed=observed,
            subject=where,
            arg=where,
        )


@dataclass(frozen=True, slots=True)
class Rate:
    """In no window of `per_ns` nanoseconds do more than `most` of these calls start.

    Two calls exactly `per_ns` apart are not in one window. At the first call too many.
    """

    id: str
    step: Matcher
    most: int
    per_ns: int
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        return weigh(self.id, view, partial(self._find, view), guilty=(self.step,))

    def _find(self, view: View, calls: Calls) -> Iterator[Violation]:
        starts = sorted((view.spans[index][0], index) for index in calls)
        over = [
            (first_ns, index)
            for (first_ns, _), (last_ns, index) in zip(starts, starts[self.most :], strict=False)
            if last_ns - first_ns < self.per_ns
        ]
        for first_ns, index in over[:1]:
            count = sum(first_ns <= start < first_ns + self.per_ns for start, _ in starts)
            per = format_duration(self.per_ns)
            yield Violation(
                self.id,
                self.severity,
                f"{self.step.label} called {count} times within {per}, at most {self.most} allowed",
                step=index,
                expected=f"at most {self.most} calls within {per}",
                observed=f"{count} calls",
                subject=self.step.label,
                also=tuple(other for _, other in over[1:]),
            )


class _Success(NamedTuple):
    step: int
    where: str
    value: Any


@dataclass(frozen=True, slots=True)
class Unique:
    """At most one of these calls succeeds for a value of an argument.

    A call that failed may be tried again, and one call that names a value twice is one
    success. Values are the same by value; null and a missing argument are none.
    """

    id: str
    step: Matcher
    arg: Path
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. One violation for each value, at its second success.

        A hidden value may be that of any other success.
        """
        matches = view.match(self.step)
        hidden: list[str] = []
        groups = self._groups(view, matches.every, hidden)
        if len(hidden) > 1 or (hidden and groups):
            for doubt in hidden:
                yield Undecided(self.id, doubt)
        repeated: list[list[_Success]] = []
        for group in groups:
            sure = [one for one in group if one.step not in matches.doubts]
            if len(sure) > 1:
                repeated.append(sure)
            elif len(group) > 1:
                for one in group:
                    if one.step in matches.doubts:
                        yield Undecided(self.id, matches.doubts[one.step])
        for sure in sorted(repeated, key=lambda group: group[1].step):
            yield self._violation(sure)

    def _groups(self, view: View, calls: Calls, hidden: list[str]) -> list[list[_Success]]:
        """The successes among `calls` by value. hidden: takes why those are in none."""
        groups: dict[Hashable, dict[int, _Success]] = {}
        for index in calls:
            if not view.steps[index].ok:
                continue
            found, doubt = view.argument(index, self.arg)
            if doubt:
                hidden.append(doubt)
                continue
            for where, value in found:
                if value is not None:
                    group = groups.setdefault(key_of(value), {})
                    group.setdefault(index, _Success(index, where, value))
        return [list(group.values()) for group in groups.values()]

    def _violation(self, group: list[_Success]) -> Violation:
        first, second = group[:2]
        return Violation(
            self.id,
            self.severity,
            f"{self.step.label} succeeded {len(group)} times for"
            f" {second.where} {shown(second.value)}",
            step=second.step,
            expected=f"at most one success for a value of {self.arg.text}",
            observed=f"{len(group)} successes, the first at step {first.step}",
            subject=second.where,
            arg=second.where,
            also=tuple(one.step for one in group[2:]),
        )


def _short(amount: Fraction) -> str:
    """An amount as messages show it."""
    text = written(amount)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
