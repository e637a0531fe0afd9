"""Whether the calls are those that were expected, and in their order: `sequence`.

Owns the five ways to compare. Knows no spec file. What can be expected:

    strict        exactly these calls, in this order
    subsequence   these calls in this order, others between them
    any           each of these at least once
    subset        no call but these, each as often as it is named at most
    superset      these calls, each as often as it is named at least

The first three are gaitcheck's, the last two LangChain agentevals'; so a call that is
named twice counts twice but in `any`. The order of unordered calls is theirs to choose.
Where two expectations mean some calls in common and others not, and such calls are
unordered, it is not tried out which call stands for which: a run is then violated only
if it would be though one call could stand for several.

How near a run came is told as F1 of precision and recall: by the longest common
subsequence of calls and expectations, in the order of the steps; by the largest pairing
of the two where their order does not matter.
"""

import enum
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, NamedTuple

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher, weigh
from surefoot.evaluate.precedence import Order, Row
from surefoot.evaluate.view import View
from surefoot.model import Severity, Violation

#: More names make no message clearer.
_SHOWN: Final = 20


class How(enum.StrEnum):
    """How calls and expectations are compared."""

    STRICT = "strict"
    SUBSEQUENCE = "subsequence"
    ANY = "any"
    SUBSET = "subset"
    SUPERSET = "superset"


class Difference(NamedTuple):
    """What is wrong, and at which step if at one."""

    words: str
    step: int | None = None


#: Which expectations a call meets.
Fits = frozenset[int]


@dataclass(frozen=True, slots=True)
class ToolSequence:
    """The calls are the expected ones. One violation, at the first difference."""

    id: str
    expect: tuple[Matcher, ...]
    how: How = How.STRICT
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. The more calls an expectation means, the less is wrong."""
        return weigh(self.id, view, partial(self._find, view), helpful=self.expect)

    def _find(self, view: View, *found: Calls) -> Iterator[Violation]:
        met: dict[int, set[int]] = {index: set() for index in view.order.calls}
        for at, calls in enumerate(found):
            for index in calls:
                met[index].add(at)
        fits = {index: frozenset(ats) for index, ats in met.items()}
        difference = self._differs(view, fits, found)
        if difference is None:
            return
        labels = ", ".join(one.label for one in self.expect[:_SHOWN])
        tools = ", ".join(view.steps[index].tool for index in view.ran[:_SHOWN])
        yield Violation(
            self.id,
            self.severity,
            difference.words,
            step=difference.step,
            expected=f"{self.how}: {_cut(labels, self.expect) or 'no call'}",
            observed=f"{_cut(tools, view.ran) or 'no call'}; {self._score(view, fits)}",
        )

    def _differs(
        self, view: View, fits: dict[int, Fits], found: Sequence[Calls]
    ) -> Difference | None:
        match self.how:
            case How.STRICT:
                return self._strict(view, fits)
            case How.SUBSEQUENCE:
                return self._subsequence(view.order, fits, found)
            case How.ANY:
                missing = [at for at, calls in enumerate(found) if not calls]
                return self._missing(missing)
            case How.SUBSET:
                return self._spare(view, fits)
            case How.SUPERSET:
                return self._missing(_pair(len(self.expect), Counter(fits.values()))[1])

    def _strict(self, view: View, fits: dict[int, Fits]) -> Difference | None:
        kinds = list(dict.fromkeys(fits.values()))
        row = Row(view.order, _by_kind(fits, kinds))
        for at, one in enumerate(self.expect):
            if not row:
                return Difference(f"only {_calls(at)}, expected {one.label} as call {at + 1}")
            if _take(row, kinds, at) is None:
                if len(fits) == len(self.expect) and _may_stand(view.order, fits, kinds):
                    return None
                step = row.may_be_next()
                tool = view.steps[step].tool
                return Difference(f"call {at + 1} is {tool}, expected {one.label}", step)
        if row:
            step = row.may_be_next()
            extra = f"call {len(self.expect) + 1}, {view.steps[step].tool}, is one too many"
            return Difference(extra, step)
        return None

    def _subsequence(
        self, order: Order, fits: dict[int, Fits], found: Sequence[Calls]
    ) -> Difference | None:
        wanted = {index: ats for index, ats in fits.items() if ats}
        kinds = list(dict.fromkeys(wanted.values()))
        row = Row(order, _by_kind(wanted, kinds))
        for at, one in enumerate(self.expect):
            while _take(row, kinds, at) is None:
                if row:
                    row.take_first()
                    continue
                if not _are_apart(kinds) and _may_follow(order, found):
                    return None
                before = f" after {self.expect[at - 1].label}" if at else ""
                return Difference(f"{one.label} is not called{before}, as number {at + 1}")
        return None

    def _missing(self, ats: Sequence[int]) -> Difference | None:
        labels = ", ".join(self.expect[at].label for at in ats)
        return Difference(f"not called: {labels}") if labels else None

    def _spare(self, view: View, fits: dict[int, Fits]) -> Difference | None:
        room, _ = _pair(len(self.expect), Counter(fits.values()))
        for index in view.ran:
            if not room[fits[index]]:
                more = " more often" if fits[index] else ""
                return Difference(f"{view.steps[index].tool} is not expected{more}", index)
            room[fits[index]] -= 1
        return None

    def _score(self, view: View, fits: dict[int, Fits]) -> str:
        if self.how in (How.STRICT, How.SUBSEQUENCE):
            common = _longest_common([fits[index] for index in view.ran], len(self.expect))
        else:
            common = _pair(len(self.expect), Counter(fits.values()))[0].total()
        precision = common / len(fits) if fits else 0.0
        recall = common / len(self.expect) if self.expect else 0.0
        f1 = 2 * common / (len(fits) + len(self.expect))
        return f"F1 {f1:.2f} (precision {precision:.2f}, recall {recall:.2f})"


def _by_kind(fits: dict[int, Fits], kinds: Sequence[Fits]) -> list[list[int]]:
    calls: dict[Fits, list[int]] = {kind: [] for kind in kinds}
    for index, ats in fits.items():
        calls[ats].append(index)
    return list(calls.values())


def _take(row: Row, kinds: Sequence[Fits], at: int) -> int | None:
    """Put a call that meets expectation `at` in the row, if one may come next."""
    told = (row.take(kind) for kind, ats in enumerate(kinds) if at in ats)
    return next((step for step in told if step is not None), None)


def _are_apart(kinds: Sequence[Fits]) -> bool:
    """Whether any two expectations mean the same calls or none in common.

    Then calls that meet one expectation meet the same ones, and it does not matter which
    of them stands for it: the row of `Row`, which takes the one with the most followers,
    is as good as any.
    """
    return sum(map(len, kinds)) == len(frozenset().union(*kinds))


def _may_stand(order: Order, fits: dict[int, Fits], kinds: Sequence[Fits]) -> bool:
    """Whether each call may stand for an own expectation, not too early and not too late.

    A call has as many before it as surely precede it, and as many after it as follow.
    """
    if _are_apart(kinds):
        return False
    count = len(order.calls)
    ends = sorted(order.until)
    slots: Counter[Fits] = Counter()
    before = 0
    for at, index in enumerate(order.calls):
        while before < count and ends[before] <= at:
            before += 1
        slots[fits[index].intersection(range(before, order.until[at]))] += 1
    return _pair(count, slots)[0].total() == count


def _may_follow(order: Order, found: Sequence[Calls]) -> bool:
    """Whether the expectations are met in order, if unordered calls may stand for several."""
    reached = -1
    for calls in found:
        places = [order.place[index] for index in calls]
        if any(at <= reached < order.until[at] > at + 1 for at in places):
            continue
        reached = min((at for at in places if at > reached), default=-1)
        if reached < 0:
            return False
    return True


def _pair(count: int, kinds: Counter[Fits]) -> tuple[Counter[Fits], list[int]]:
    """Pair as many of `count` expectations as can be, each with a call of its own.

    kinds: how many calls meet the same expectations. Augmenting paths, found breadth
    first: O(count² · kinds).

    Returns:
        How many calls of each kind are paired, and the expectations that are not.
    """
    holders: dict[Fits, list[int]] = {kind: [] for kind in kinds}
    left = []
    for wanted in range(count):
        came: dict[Fits, tuple[int, Fits | None]] = {}
        queue: deque[tuple[int, Fits | None]] = deque([(wanted, None)])
        free = None
        while queue and free is None:
            at, by = queue.popleft()
            for kind, holding in holders.items():
                if at in kind and kind not in came:
                    came[kind] = at, by
                    if len(holding) < kinds[kind]:
                        free = kind
                        break
                    queue.extend((held, kind) for held in holding)
        if free is None:
            left.append(wanted)
        while free is not None:
            at, by = came[free]
            holders[free].append(at)
            if by is not None:
                holders[by].remove(at)
            free = by
    return Counter({kind: len(held) for kind, held in holders.items()}), left


def _longest_common(calls: Sequence[Fits], count: int) -> int:
    """The length of the longest common subsequence. O(calls · count)."""
    best = [0] * (count + 1)
    for ats in calls:
        diagonal = 0
        for at in range(count):
            above = best[at + 1]
            best[at + 1] = diagonal + 1 if at in ats else max(above, best[at])
            diagonal = above
    return best[count]


def _cut(names: str, of: Sequence[object]) -> str:
    return f"{names}, and {len(of) - _SHOWN} more" if len(of) > _SHOWN else names


def _calls(count: int) -> str:
    return f"{count} call" if count == 1 else f"{count} calls"
