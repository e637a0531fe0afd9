"""What the arguments of calls must be: `args`.

Owns which demands there are on one call, and of the nth call. Knows no result. A path
with `[*]` asks of every item. What a demand asks of an argument that is not there:

    required        a violation
    equals, where   a violation, unless null is to be equalled, or `{exists: false}` asked
    values          nothing: an argument that is not given has no other value
    schema, only    what they say

Values are compared as predicates do, as Python does: numbers by value, "200" is not 200,
and true is 1 (`{type: boolean}` tells these two apart).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from surefoot.evaluate.check import ARGS_UNNAMED, NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Matcher
from surefoot.evaluate.nth import may_be_nth
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import Predicate, shown
from surefoot.evaluate.schemas import NOT_THERE, Misfit, Schema, UnreadableError
from surefoot.evaluate.values import text_of
from surefoot.evaluate.view import View
from surefoot.model import ArgsQuality, Severity, Undecided, Violation

#: Why a schema says nothing: the arguments are no JSON, or nested too deep.
ARGS_UNREADABLE = "args_unreadable"
#: As many places of one call are told; a list of thousands tells no more.
MOST = 20


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """What must stand at a path. predicate: None for anything. absent: it may be missing."""

    path: Path
    predicate: Predicate | None = None
    absent: bool = False

    @property
    def text(self) -> str:
        """What is asked for."""
        return "a value" if self.predicate is None else self.predicate.text


class _Looked(NamedTuple):
    """What is wrong with one call, and what may be."""

    faults: list[Misfit]
    doubts: list[str]


@dataclass(frozen=True, slots=True)
class Args:
    """The arguments of every such call, or of the nth, are as they must be.

    only: the names beside which no argument may stand; None for any. occurrence: which
    call in the order of calls, from 1; 0 is the last, None means every one. Of unordered
    calls each may be the nth: a violation only if none that may be is as it must be. A
    call that was never made breaks nothing.
    """

    id: str
    step: Matcher
    demands: tuple[Demand, ...] = ()
    schema: Schema | None = None
    only: tuple[str, ...] | None = None
    occurrence: int | None = None
    severity: Severity = Severity.HARD

    @property
    def kind(self) -> Kind:
        """Final, unless it asks for what later spans tell; which is the nth they do."""
        if self.occurrence is not None:
            return Kind.ABSENT
        return Kind.FINAL if self.step.is_final else Kind.SEEN

    @property
    def needs(self) -> Needs:
        """See `Check`."""
        return NEEDS[self.kind]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. One violation for each argument, at most `MOST` a call."""
        if self.occurrence is not None:
            yield from self._nth(view, self.occurrence)
            return
        matches = view.match(self.step)
        for index in matches.every:
            faults, doubts = self._look(view, index)
            if index not in matches.doubts:
                yield from self._violations(view, index, faults)
            elif faults:
                yield Undecided(self.id, matches.doubts[index])
            for doubt in doubts:
                yield Undecided(self.id, doubt)

    def _nth(self, view: View, occurrence: int) -> Iterator[Finding]:
        matches = view.match(self.step)
        calls = may_be_nth(view, matches, occurrence or None)
        looked = {call: self._look(view, call) for call in calls}
        wrong = [call for call, (faults, _) in looked.items() if faults]
        doubts = [why for faults, doubts in looked.values() if not faults for why in doubts]
        if len(wrong) == len(calls) and len(matches.sure) >= max(1, occurrence):
            call = matches.sure[occurrence - 1]
            yield from self._violations(view, call, looked[call].faults)
            return
        is_fine = any(not faults and not open_ for faults, open_ in looked.values())
        if (wrong or doubts) and (matches.doubts or not is_fine):
            for why in (*doubts, *matches.doubts.values()):
                yield Undecided(self.id, why)

    def _violations(self, view: View, index: int, faults: list[Misfit]) -> Iterator[Violation]:
        tool = view.steps[index].tool
        told = dict.fromkeys(fault.path for fault in faults)
        for path in list(told)[:MOST]:
            _, expected, observed = next(fault for fault in faults if fault.path == path)
            yield Violation(
                self.id,
                self.severity,
                f"{tool}: {path or 'what is given'} is {observed}, expected {expected}",
                step=index,
                expected=expected,
                observed=observed,
                subject=path,
                arg=path,
            )

    def _look(self, view: View, index: int) -> _Looked:
        looked = _Looked([], [])
        for demand in self.demands:
            _ask(view, index, demand, looked)
        if self.only is None and self.schema is None:
            return looked
        if reason := view.hidden(index):
            looked.doubts.append(reason)
            return looked
        whole: list[Misfit] = []
        if self.only is not None:
            # A name may have dots itself: `a.b` is then no path to it, but the name.
            named = {demand.path.text for demand in self.demands}
            whole += [one for one in _extra(view, index, self.only) if one.path not in named]
        if self.schema is not None:
            try:
                whole += self.schema.misfits(view.steps[index].args)
            except UnreadableError:
                looked.doubts.append(ARGS_UNREADABLE)
        if whole and view.evidence[index].args_quality is ArgsQuality.WRAPPED_TEXT:
            looked.doubts.append(ARGS_UNNAMED)
        else:
            looked.faults.extend(whole)
        return looked


def _ask(view: View, index: int, demand: Demand, looked: _Looked) -> None:
    """Note what of one demand is not met, or cannot be told."""
    path, predicate = demand.path, demand.predicate
    found, doubt = view.argument(index, path)
    gaps = path.gaps(view.steps[index].args)
    if doubt:
        is_there = found and not gaps and None not in path.parts
        if predicate is not None or not is_there:
            looked.doubts.append(doubt)
        return
    if predicate is not None:
        for where, value in found:
            if not predicate.holds(value):
                looked.faults.append(Misfit(where, demand.text, shown(value)))
    if not demand.absent:
        looked.faults.extend(Misfit(where, demand.text, NOT_THERE) for where in gaps)


def _extra(view: View, index: int, only: tuple[str, ...]) -> Iterator[Misfit]:
    allowed = f"no argument but {', '.join(only)}" if only else "no argument"
    for key, value in view.steps[index].args.items():
        if key not in only:
            yield Misfit(text_of(key), allowed, shown(value))
