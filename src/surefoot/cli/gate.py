"""Decide how `surefoot check` exits: a contract that CI jobs rely on.

Owns the exit codes and what gates. 0: nothing gates. 1: something does. 2: nothing was
judged, or a check crashed; 2 beats 1, since a gate that did not run must not look like
one that said no.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from surefoot.model import OutputGrade, Run, Severity, Verdict

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


def gates(judged: Iterable[Judged], fail_on: frozenset[FailOn] = frozenset()) -> list[str]:
    """Say what gates, a sentence each; an empty list is exit code 0.

    Without `fail_on`: a hard violation, or a soft check that is violated in more than
    half of the runs in which it was decided. With it: any of what it names.
    """
    verdicts = [verdict for one in judged for verdict in one.verdicts]
    named = {one.value for one in fail_on or (FailOn.HARD,)}
    reasons = list(_violated(verdicts, [one for one in Severity if one.value in named]))
    if not fail_on:
        reasons += _mostly_violated(verdicts)
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


def faults(judged: Sequence[Judged]) -> list[str]:
    """Say why the judgement cannot be relied on; an empty list if it can."""
    if not judged:
        return ["nothing was judged: there is no run of an agent in the input"]
    if not any(one.verdicts for one in judged):
        seen = sorted({f"{one.run.service}/{one.run.agent}" for one in judged})
        told = ", ".join(seen[:_SEEN_SHOWN]) + (", …" if len(seen) > _SEEN_SHOWN else "")
        return [f"nothing was judged: no run met a spec; service/agent seen: {told}"]
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


def _mostly_violated(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Say which soft checks are violated in more than half of their decided runs."""
    violated = Counter(key for verdict in verdicts for key in _soft(verdict))
    for (spec, check), count in sorted(violated.items()):
        decided = sum(verdict.spec == spec and _decides(verdict, check) for verdict in verdicts)
        if 2 * count > decided:
            of = _count(decided, "decided run")
            yield f"{spec}: {check} (soft) is violated in {count} of {of}"


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
