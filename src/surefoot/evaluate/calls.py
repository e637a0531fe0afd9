"""Which calls were made, and how many: `tools`, `required`, `forbidden`, `max_steps`.

Owns these four checks. Knows no order and no value. Each looks at the calls that ran;
`tools` also at those that the model asked for and nothing ran.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from surefoot.evaluate.check import NEEDS, PARTIAL, Kind, Needs
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

    tools: tuple[tuple[str, NameSet], ...]
    severity: Severity = Severity.HARD
    id: str = "required"
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = Needs(violation=PARTIAL, clean=frozenset())

    def __call__(self, view: View) -> Iterator[Violation]:
        """See `Check`."""
        for name, names in self.tools:
            if not any(view.covers(names, index) for index in view.ran):
                yield Violation(
                    self.id,
                    self.severity,
                    f"missing required tool: {name}",
                    expected=f"a call of {name}",
                    observed=f"none among {len(view.ran)} calls",
                    subject=name,
                )


@dataclass(frozen=True, slots=True)
class Forbidden:
    """None of these was called. One violation for each name, at its first call."""

    tools: tuple[tuple[str, NameSet], ...]
    severity: Severity = Severity.HARD
    id: str = "forbidden"
    kind: ClassVar[Kind] = Kind.FINAL
    needs: ClassVar[Needs] = NEEDS[Kind.FINAL]

    def __call__(self, view: View) -> Iterator[Violation]:
        """See `Check`. A glob has one violation for each tool that it caught."""
        for name, names in self.tools:
            calls: dict[str, list[int]] = {}
            for index in view.ran:
                if view.covers(names, index):
                    calls.setdefault(view.steps[index].tool, []).append(index)
            for tool, indices in calls.items():
                times = f", {len(indices)} times" if len(indices) > 1 else ""
                yield Violation(
                    self.id,
                    self.severity,
                    f"called forbidden tool: {tool}",
                    step=indices[0],
                    expected=f"no call of {name}",
                    observed=f"{tool} called{times}",
                    subject=tool,
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
            )
