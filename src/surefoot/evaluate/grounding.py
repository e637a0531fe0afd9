"""Whether values come from anywhere: `ground`, and the seed's cap on it.

Knows no text: `provenance` finds where a value stands.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.view import View
from surefoot.model import Evidence, Severity, Undecided, Violation


@dataclass(frozen=True, slots=True)
class Ground:
    """Every identifier among a call's arguments stands in something the agent was given.

    A value that is found is found, whatever else is missing. One that is not is a
    violation only if every text that the call knew is here in full, the task included.
    """

    severity: Severity = Severity.WARN
    id: str = "ground"
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        trace = view.provenance
        is_unknown = Evidence.TASK_UNKNOWN in view.levels
        task_unknown = Evidence.TASK_UNKNOWN.value if is_unknown else ""
        for index, found in trace.values.items():
            if reason := view.hidden(index):
                yield Undecided(self.id, reason)
            for value in found:
                if value.prose or trace.is_given(index, value.needle):
                    continue
                if reason := task_unknown or trace.given.gap(view, index):
                    yield Undecided(self.id, reason)
                    continue
                yield Violation(
                    self.id,
                    self.severity,
                    f"ungrounded arg {view.steps[index].tool}.{value.path}={value.shown!r}",
                    step=index,
                    expected="a value that the agent was given",
                    observed=f"{value.shown!r}, found in nothing before",
                    subject=str(value.path),
                    arg=str(value.path),
                )


@dataclass(frozen=True, slots=True)
class Cap:
    """The seed's cap: provenance looks at the first calls only, and says so."""

    limit: int
    severity: Severity = Severity.HARD
    id: str = "provenance"
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Violation]:
        """See `Check`."""
        count = len(view.ran)
        if count > self.limit:
            yield Violation(
                self.id,
                self.severity,
                f"provenance checked on first {self.limit} of {count} steps",
                step=self.limit,
                expected=f"at most {self.limit} steps",
                observed=f"{count} steps",
            )
