"""Checks made of checks: `all_of`, `any_of`, `not`, and the guard `when`.

Owns three-valued logic. Knows no particular check. Each child is settled by its own needs
first, so it is violated, kept or open; the composite joins these:

    all_of   violated if one is; else open if one is; else kept
    any_of   kept if one is; else open if one is; else violated
    not      violated if the child is kept, kept if it is violated, open if it is
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from surefoot.evaluate.check import NEEDS, Check, Finding, Kind, Needs, settle
from surefoot.evaluate.matcher import Matcher
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import Predicate
from surefoot.evaluate.reading import Reading
from surefoot.evaluate.view import View
from surefoot.model import Cut, Evidence, Severity, Undecided, Violation

#: The children are settled one by one, so nothing is left for the evidence to undo.
_SETTLED = Needs(frozenset(), frozenset())
_STRICTEST = (Kind.ABSENT, Kind.SEEN, Kind.FINAL)


def _kind_of(children: tuple[Check, ...]) -> Kind:
    kinds = {child.kind for child in children}
    return next(kind for kind in _STRICTEST if kind in kinds)


def parts(check: Check) -> Iterator[Check]:
    """`check`, and every check inside it."""
    yield check
    if isinstance(check, AllOf | AnyOf):
        for child in check.children:
            yield from parts(child)
    elif isinstance(check, Not):
        yield from parts(check.child)
    elif isinstance(check, Guarded):
        yield from parts(check.inner)


def _settled(child: Check, view: View) -> tuple[list[Violation], Undecided | None]:
    return settle(child, child(view), view.levels)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every child is kept. Each violation of a child is one of this check."""

    id: str
    children: tuple[Check, ...]
    severity: Severity = Severity.HARD
    needs: ClassVar[Needs] = _SETTLED

    @property
    def kind(self) -> Kind:
        """The children's: the one that needs most."""
        return _kind_of(self.children)

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        for child in self.children:
            violations, question = _settled(child, view)
            for violation in violations:
                yield replace(violation, check=self.id, severity=self.severity)
            if question is not None:
                yield replace(question, check=self.id)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one child is kept. One violation, where the first child's first one is."""

    id: str
    children: tuple[Check, ...]
    severity: Severity = Severity.HARD
    needs: ClassVar[Needs] = _SETTLED

    @property
    def kind(self) -> Kind:
        """The children's: the one that needs most."""
        return _kind_of(self.children)

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        broken: list[Violation] = []
        reasons: list[str] = []
        steps: set[int] = set()
        for child in self.children:
            violations, question = _settled(child, view)
            if not violations and question is None:
                return
            broken += violations[:1]
            for one in violations:
                steps.update(one.also if one.step is None else (one.step, *one.also))
            if question is not None:
                reasons.append(question.reason)
        if reasons:
            yield Undecided(self.id, ", ".join(reasons))
            return
        first = broken[0]
        yield Violation(
            self.id,
            self.severity,
            f"none of {len(self.children)} holds: {'; '.join(one.message for one in broken)}",
            step=first.step,
            expected=" or ".join(one.expected or one.check for one in broken),
            observed="; ".join(one.observed or one.message for one in broken),
            also=tuple(sorted(steps - {first.step})),
        )


@dataclass(frozen=True, slots=True)
class Not:
    """The child is violated. label: what the child says, for the message."""

    id: str
    child: Check
    label: str
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        violations, question = _settled(self.child, view)
        if question is not None:
            yield replace(question, check=self.id)
        elif not violations:
            yield Violation(
                self.id,
                self.severity,
                f"holds and must not: {self.label}",
                expected=f"a run that breaks {self.label}",
                observed=f"a run that keeps {self.label}",
            )


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """When a check counts: all that is given must hold.

    task: of what the run was asked. step: a call that was made, at any time. args: of the
    offending call, its arguments; of what no call offends, those of any call.
    """

    task: Predicate | None = None
    step: Matcher | None = None
    args: tuple[tuple[Path, Predicate], ...] = ()

    def doubt(self, view: View) -> str | None:
        """Why it cannot be told whether the run is meant; empty if it is, None if not."""
        doubts = []
        if self.task is not None:
            if Evidence.TASK_UNKNOWN in view.levels:
                doubts.append(Evidence.TASK_UNKNOWN.value)
            elif isinstance(view.task, Cut) or view.cut_somewhere:
                doubts.append(Evidence.TEXT_CAPPED.value)
            elif not Reading.of(view.task).fits(self.task):
                return None
        if self.step is not None:
            found = view.match(self.step)
            if not found.every:
                return None
            if not found.sure:
                doubts += found.doubts.values()
        return ", ".join(dict.fromkeys(doubts))

    def meant(self, view: View, found: Violation) -> Violation | str | None:
        """`found`, at the calls that are meant by their arguments, if any surely is.

        Else why that cannot be told, or None if none of them is.
        """
        if not self.args:
            return found
        calls = view.ran if found.step is None else (found.step, *found.also)
        told = {index: self._fits(view, index) for index in calls}
        meant = [index for index, fits in told.items() if fits is True]
        if not meant:
            return next((why for why in told.values() if isinstance(why, str)), None)
        if found.step is None:
            return found
        return replace(found, step=meant[0], also=tuple(meant[1:]))

    def _fits(self, view: View, index: int) -> bool | str:
        doubts = []
        for path, predicate in self.args:
            found, hidden = view.argument(index, path)
            holds = any(predicate.holds(value) for _, value in found) if found else predicate.absent
            if hidden:
                doubts.append(hidden)
            elif not holds:
                return False
        return ", ".join(dict.fromkeys(doubts)) or True


@dataclass(frozen=True, slots=True, eq=False)
class Guarded:
    """A check that counts only where its guard holds."""

    inner: Check
    guard: Guard
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    @property
    def id(self) -> str:
        """The guarded check's."""
        return self.inner.id

    @property
    def severity(self) -> Severity:
        """The guarded check's."""
        return self.inner.severity

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. What the inner check's own kind needs is a part of what this needs."""
        doubt = self.guard.doubt(view)
        if doubt is None:
            return
        for finding in self.inner(view):
            if isinstance(finding, Undecided):
                yield finding
                continue
            own = self.guard.meant(view, finding)
            if own is None:
                continue
            reasons = [why for why in (doubt, own) if why and isinstance(why, str)]
            if reasons or isinstance(own, str):
                yield Undecided(self.id, ", ".join(reasons))
            else:
                yield own
