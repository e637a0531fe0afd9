"""What a check is, and what it can decide on partial evidence.

Owns the kinds of checks and the levels of evidence that each kind cannot do without.
Knows no particular check and no spec file. A check reports what it sees; whether a
finding stands on the evidence at hand is decided once, in `settle`, for all of them:

    kind     a violation stands        "nothing found" stands
    final    always                    unless no tool span tells of calls at all
    seen     unless parents_missing    unless parents_missing, or as above
    absent   on whole evidence only    on whole evidence only

A check may do better than its kind in one direction (`required`: what was seen stays
seen) and says so by its own `Needs`.
"""

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from surefoot.model import Evidence, Severity, Undecided, Violation

if TYPE_CHECKING:
    from surefoot.evaluate.view import View


class Kind(enum.StrEnum):
    """What a partial run can decide."""

    FINAL = "final"  #: no further span can undo a violation
    SEEN = "seen"  #: rests on what was seen: counts, budgets, a after b
    ABSENT = "absent"  #: rests on something that is not there
    ACROSS = "across"  #: rests on several runs


@dataclass(frozen=True, slots=True)
class Needs:
    """The evidence levels that undo a finding, one set for each direction."""

    violation: frozenset[Evidence]
    clean: frozenset[Evidence]


#: Some calls may not be here. An absence proves nothing then.
PARTIAL = frozenset(
    {
        Evidence.ROOT_MISSING,
        Evidence.PARENTS_MISSING,
        Evidence.CLOSED_EARLY,
        Evidence.NO_TOOL_SPANS,
        Evidence.ATTRIBUTES_DROPPED,
    }
)
#: Nothing tells whether calls were made: no check may pass for want of calls.
BLIND = frozenset({Evidence.NO_TOOL_SPANS})
#: One call may be here twice.
TWICE = frozenset({Evidence.PARENTS_MISSING})

# Why a value cannot be read, beside the evidence levels.
#: No span tells what the call returned.
RESULTS_MISSING = "results_missing"
#: The spans have the argument's value and lost its name.
ARGS_UNNAMED = "args_unnamed"

NEEDS: dict[Kind, Needs] = {
    Kind.FINAL: Needs(frozenset(), BLIND),
    Kind.SEEN: Needs(TWICE, TWICE | BLIND),
    Kind.ABSENT: Needs(PARTIAL, PARTIAL),
    Kind.ACROSS: Needs(frozenset(), frozenset()),
}

#: What a check says, in the order of steps.
Finding = Violation | Undecided


class Check(Protocol):
    """One rule of a spec, compiled: a frozen dataclass that holds no state."""

    @property
    def kind(self) -> Kind:
        """What the check can decide on a part of a run: most often of the class."""
        ...

    @property
    def needs(self) -> Needs:
        """The levels that it cannot do without; `NEEDS[kind]` unless it does better."""
        ...

    @property
    def id(self) -> str:
        """The stable name that alerts and dashboards hang on."""
        ...

    @property
    def severity(self) -> Severity:
        """How much its violations weigh."""
        ...

    def __call__(self, view: "View") -> Iterator[Finding]:
        """Yield what is wrong, and what cannot be told from hidden or cut values.

        Levels of the whole run that the kind names are not its business: see `settle`.
        """
        ...


def settle(
    check: Check, found: Iterable[Finding], levels: frozenset[Evidence]
) -> tuple[list[Violation], Undecided | None]:
    """Join what a check found with what the run's evidence allows.

    A certain violation outweighs everything that is undecided beside it.

    Returns:
        The violations that stand, or why nothing can be said (never both).
    """
    findings = list(found)
    if not findings and levels.isdisjoint(check.needs.clean):  # most checks of most runs
        return [], None
    violations: list[Violation] = []
    reasons: set[str] = set()
    for finding in findings:
        if isinstance(finding, Violation):
            violations.append(finding)
        else:
            reasons.add(finding.reason)
    undoing = levels & (check.needs.violation if violations else check.needs.clean)
    if violations and not undoing:
        return violations, None
    if undoing or reasons:
        named = {level.value for level in undoing}.union(*map(_split, reasons))
        known = [level.value for level in Evidence if level.value in named]
        return [], Undecided(check.id, ", ".join((*known, *sorted(named.difference(known)))))
    return [], None


def _split(reason: str) -> list[str]:
    return reason.split(", ")
