"""Which calls were made, and how many.

Owns `tools`, `required`, `forbidden`, `max_steps`, `calls`, `exclusive`, `no_action`.
Knows no order and no value. Each looks at the calls that ran; `tools` also at those that
the model asked for and nothing ran.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from surefoot.evaluate.check import NEEDS, PARTIAL, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher, weigh
from surefoot.evaluate.names import NameSet
from surefoot.evaluate.view import View
from surefoot.model import Severity, StepKind, Violation


@dataclass(frozen=True, slots=True)
class Tools:
    """Every call is of the vocabulary. One violation for each unknown name.

    Handoffs are not reported: a vocabulary that names none of them lists tools.
    """

    names: NameSet
    severity: Severity = Severity.HARD
    id: str = "tools"
    kind: ClassVar[Kind] = Kind.FINAL
    needs: ClassVar[Needs] = NEEDS[Kind.FINAL]

    def __call__(self, view: View) -> Iterator[Violation]:
        """See `Check`."""
        told: set[str] = set()
        for index in view.asked:
            tool = view.steps[index].tool
            if tool in told or view.evidence[index].kind is StepKind.HANDOFF:
                continue
            told.add(tool)
            if not view.covers(self.names, index):
                ran = view.evidence[index].ran
                yield Violation(
                    self.id,
                    self.severity,
                    f"unknown tool: {tool}",
                    step=index,
                    expected="a tool of the vocabulary",
                    observed=tool if ran else f"{tool}, asked for by the model and not run",
                    subject=tool,
                )


@dataclass(frozen=True, slots=True)
class Required:
    """Each of these was called. What was seen stays seen, so it may pass on a part."""

    wanted: tuple[Matcher, ...]
    least: int = 1
    severity: Severity = Severity.HARD
    id: str = "required"
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = Needs(violation=PARTIAL, clean=frozenset())

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        for one in self.wanted:
            find = partial(self._find, one.label, len(view.ran))
            yield from weigh(self.id, view, find, helpful=(one,))

    def _find(self, label: str, ran: int, calls: Calls) -> Iterator[Violation]:
        if len(calls) >= self.least:
            return
        few = f"{label} called {_times(len(calls))}, required {_times(self.least)}"
        yield Violation(
            self.id,
            self.severity,
            f"missing required tool: {label}" if not calls else few,
            expected=f"a call of {label}" if self.least == 1 else f"{self.least} calls of {label}",
            observed=f"{len(calls) or 'none'} among {ran} calls",
            subject=label,
        )


@dataclass(frozen=True, slots=True)
class Forbidden:
    """None of these was called. One violation for each tool, at its first call."""

    unwanted: tuple[Matcher, ...]
    severity: Severity = Severity.HARD
    id: str = "forbidden"

    @property
    def kind(self) -> Kind:
        """Final, unless it asks for what later spans tell: outcome, result, agent."""
        return Kind.FINAL if all(one.is_final for one in self.unwanted) else Kind.SEEN

    @property
    def needs(self) -> Needs:
        """See `Check`."""
        return NEEDS[self.kind]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. A glob has one violation for each tool that it caught."""
        for one in self.unwanted:
            find = partial(self._find, view, one.label)
            yield from weigh(self.id, view, find, guilty=(one,))

    def _find(self, view: View, label: str, found: Calls) -> Iterator[Violation]:
        calls: dict[str, list[int]] = {}
        for index in found:
            calls.setdefault(view.steps[index].tool, []).append(index)
        for tool, indices in calls.items():
            times = f", {len(indices)} times" if len(indices) > 1 else ""
            yield Violation(
                self.id,
                self.severity,
                f"called forbidden tool: {tool}",
                step=indices[0],
                expected=f"no call of {label}",
                observed=f"{tool} called{times}",
                subject=tool,
                also=tuple(indices[1:]),
            )


@dataclass(frozen=True, slots=True)
class AtMost:
    """No more such calls than this. The violation is at the first call over it."""

    id: str
    step: Matcher
    most: int
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        return weigh(self.id, view, self._find, guilty=(self.step,))

    def _find(self, calls: Calls) -> Iterator[Violation]:
        if len(calls) > self.most:
            yield Violation(
                self.id,
                self.severity,
                f"{self.step.label} called {_times(len(calls))}, at most {self.most} allowed",
                step=calls[self.most],
                expected=f"at most {_times(self.most)}",
                observed=_times(len(calls)),
                subject=self.step.label,
                also=tuple(calls[self.most + 1 :]),
            )


@dataclass(frozen=True, slots=True)
class Exclusive:
    """At most one of these was called, however often. At the first call of the second."""

    id: str
    sides: tuple[Matcher, ...]
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        return weigh(self.id, view, self._find, guilty=self.sides)

    def _find(self, *found: Calls) -> Iterator[Violation]:
        first = sorted((calls[0], side) for side, calls in enumerate(found) if calls)
        labels = [one.label for one in self.sides]
        for step, side in first[1:2]:
            earlier, other = first[0][0], labels[first[0][1]]
            yield Violation(
                self.id,
                self.severity,
                f"{labels[side]} and {other} exclude each other",
                step=step,
                expected=f"only one of {', '.join(labels)}",
                observed=f"{other} at step {earlier}, {labels[side]} at step {step}",
                also=_others(found, step),
            )


@dataclass(frozen=True, slots=True)
class NoAction:
    """At least one call was made."""

    id: str = "no_action"
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = Needs(violation=PARTIAL, clean=frozenset())

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        if not view.ran:
            asked = len(view.asked)
            yield Violation(
                self.id,
                self.severity,
                "no tool was called",
                expected="at least one call",
                observed=f"none ran of {asked} that the model asked for" if asked else "no call",
            )


@dataclass(frozen=True, slots=True)
class MaxSteps:
    """No more calls than the budget. The violation is at the first call over it."""

    limit: float
    severity: Severity = Severity.SOFT
    id: str = "max_steps"
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Violation]:
        """See `Check`."""
        count = len(view.ran)
        if count > self.limit:
            yield Violation(
                self.id,
                self.severity,
                f"{count} steps > max {self.limit}",
                # A budget below zero, which Python may set, is passed by no call at all.
                step=view.ran[max(0, int(self.limit))] if count else None,
                expected=f"at most {self.limit} steps",
                observed=f"{count} steps",
                also=tuple(view.ran[max(0, int(self.limit)) + 1 :]),
            )


def _others(found: Sequence[Calls], step: int) -> tuple[int, ...]:
    """All calls of some sides but `step`: which of them is one too many is for nobody to say."""
    return tuple(sorted({index for calls in found for index in calls} - {step}))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
