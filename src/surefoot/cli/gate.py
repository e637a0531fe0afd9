"""Decide how `surefoot check` exits: a contract that CI jobs rely on.

Owns the exit codes and what gates. 0: nothing gates. 1: something does. 2: nothing was
judged, or a check crashed; 2 beats 1, since a gate that did not run must not look like
one that said no.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from surefoot.model import Outcome, OutputGrade, Run, Severity, Undecided, Verdict, Violation

#: Names of unmatched services and agents that a message holds.
_SEEN_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """A run and what each spec that it met said; no verdicts if it met none."""

    run: Run
    verdicts: tuple[Verdict, ...]


class FailOn(StrEnum):
    """What `--fail-on` may name: any of it gates."""

    HARD = "hard"
    SOFT = "soft"
    WARN = "warn"
    OUTPUT = "output"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Gate:
    """What of a single verdict gates: what a report marks as a failure.

    Something of some verdict gates wherever `gates` says that the whole does, the pass
    rate aside. mostly: the (spec, check) of soft checks that are violated in more than
    half of the runs in which they were decided.
    """

    fail_on: frozenset[FailOn] = frozenset()
    mostly: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, judged: Iterable[Judged], fail_on: frozenset[FailOn] = frozenset()) -> "Gate":
        """The gate for these runs."""
        verdicts = [verdict for one in judged for verdict in one.verdicts]
        mostly = () if fail_on else (key for key, _, _ in _mostly_violated(verdicts))
        return cls(fail_on, frozenset(mostly))

    def output(self, verdict: Verdict) -> bool:
        """Whether a verdict gates by its output."""
        return FailOn.OUTPUT in self.fail_on and verdict.output is OutputGrade.FAILED

    def undecided(self, verdict: Verdict) -> tuple[Undecided, ...]:
        """The undecided checks of a verdict that gate."""
        return verdict.undecided if FailOn.INCONCLUSIVE in self.fail_on else ()

    def violation(self, spec: str, violation: Violation) -> bool:
        """Whether a violation of a spec gates."""
        if self.fail_on:
            return violation.severity.value in self.fail_on
        if violation.severity is Severity.SOFT:
            return (spec, violation.check) in self.mostly
        return violation.severity is Severity.HARD


@dataclass(frozen=True, slots=True)
class PassRate:
    """Passes among the verdicts that are not inconclusive."""

    passes: int
    decided: int

    @classmethod
    def of(cls, judged: Iterable[Judged]) -> "PassRate":
        """Count them."""
        outcomes = Counter(verdict.outcome for one in judged for verdict in one.verdicts)
        decided = outcomes.total() - outcomes[Outcome.INCONCLUSIVE]
        return cls(outcomes[Outcome.PASS], decided)

    def reaches(self, least: Fraction) -> bool:
        """Whether it is at least this. With no decided run it is undefined, and reaches nothing."""
        return self.decided > 0 and Fraction(self.passes, self.decided) >= least


def gates(
    judged: Sequence[Judged],
    fail_on: frozenset[FailOn] = frozenset(),
    min_pass_rate: Fraction | None = None,
) -> list[str]:
    """Say what gates, a sentence each; an empty list is exit code 0.

    Without `fail_on`: a hard violation, or a soft check that is violated in more than
    half of the runs in which it was decided. With it: any of what it names. Beside
    either: a pass rate below `min_pass_rate`.
    """
    reasons = _found(judged, fail_on)
    rate = PassRate.of(judged)
    if min_pass_rate is not None and not rate.reaches(min_pass_rate):
        wanted = f"{percent(min_pass_rate)} are asked for"
        if rate.decided:
            told = f"{rate.passes} of {_count(rate.decided, 'decided run')} passed"
            share = percent(Fraction(rate.passes, rate.decided))
            reasons.append(f"{told}, {share}; {wanted}")
        else:
            reasons.append(f"the pass rate is undefined, no run was decided; {wanted}")
    return reasons


def percent(share: Fraction) -> str:
    """A share as people read it, never rounded up to one that was not reached."""
    tenths = share * 1000 // 1
    return f"{tenths // 10}.{tenths % 10} %" if tenths % 10 else f"{tenths // 10} %"


def _found(judged: Iterable[Judged], fail_on: frozenset[FailOn]) -> list[str]:
    verdicts = [verdict for one in judged for verdict in one.verdicts]
    named = {one.value for one in fail_on or (FailOn.HARD,)}
    reasons = list(_violated(verdicts, [one for one in Severity if one.value in named]))
    if not fail_on:
        reasons += [
            f"{spec}: {check} (soft) is violated in {count} of {_count(decided, 'decided run')}"
            for (spec, check), count, decided in _mostly_violated(verdicts)
        ]
    failed = sum(verdict.output is OutputGrade.FAILED for verdict in verdicts)
    if FailOn.OUTPUT in fail_on and failed:
        reasons.append(_count(failed, "failed output"))
    undecided = Counter((v.spec, one.check) for v in verdicts for one in v.undecided)
    if FailOn.INCONCLUSIVE in fail_on:
        reasons += [
            f"{spec}: {check} could not be decided in {_count(runs, 'run')}"
            for (spec, check), runs in sorted(undecided.items())
        ]
    return reasons


def nothing_judged(judged: Sequence[Judged]) -> str:
    """Say why nothing was judged, and what would be right; empty if something was."""
    if not judged:
        return "holds no run of an agent; send its agent, LLM and tool spans, with their trace"
    if any(one.verdicts for one in judged):
        return ""
    seen = sorted({f"{one.run.service}/{one.run.agent}" for one in judged})
    told = ", ".join(seen[:_SEEN_SHOWN]) + (", …" if len(seen) > _SEEN_SHOWN else "")
    return f"no spec meets any of the runs; let `match` fit a service/agent seen: {told}"


def faults(judged: Sequence[Judged]) -> list[str]:
    """Say why the judgement cannot be relied on; an empty list if it can."""
    if nothing := nothing_judged(judged):
        where = "" if judged else "the input "
        return [f"nothing was judged: {where}{nothing}"]
    crashed = Counter(
        (v.spec, check) for one in judged for v in one.verdicts for check in v.crashed
    )
    return [
        f"{spec}: check {check} crashed in {_count(runs, 'run')}"
        for (spec, check), runs in sorted(crashed.items())
    ]


def _violated(verdicts: Iterable[Verdict], severities: Iterable[Severity]) -> Iterator[str]:
    """Say in how many runs each check of these severities is violated."""
    runs = Counter(
        key
        for verdict in verdicts
        for key in {(verdict.spec, one.check, one.severity) for one in verdict.violations}
    )
    for (spec, check, severity), count in sorted(runs.items()):
        if severity in severities:
            yield f"{spec}: {check} ({severity}) is violated in {_count(count, 'run')}"


def _mostly_violated(verdicts: Sequence[Verdict]) -> Iterator[tuple[tuple[str, str], int, int]]:
    """Soft checks violated in more than half of their decided runs: in how many, of how many."""
    violated = Counter(key for verdict in verdicts for key in _soft(verdict))
    for (spec, check), count in sorted(violated.items()):
        decided = sum(verdict.spec == spec and _decides(verdict, check) for verdict in verdicts)
        if 2 * count > decided:
            yield (spec, check), count, decided


def _soft(verdict: Verdict) -> set[tuple[str, str]]:
    soft = (one.check for one in verdict.violations if one.severity is Severity.SOFT)
    return {(verdict.spec, check) for check in soft}


def _decides(verdict: Verdict, check: str) -> bool:
    """Whether a verdict decided a check: it was violated, or nothing stood in its way."""
    if any(one.check == check for one in verdict.violations):
        return True
    return check not in verdict.crashed and all(one.check != check for one in verdict.undecided)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
