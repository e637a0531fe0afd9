"""One verdict for one run by one spec.

Owns the two grades: of the path, from the checks, and of the output, from the first
source that answers (`outputs`). Knows no particular check. A check that crashes is undecided and
named in the verdict; the others still run.
"""

from dataclasses import dataclass, field

from surefoot.evaluate.check import Check, settle
from surefoot.evaluate.outputs import DEFAULT_SOURCES, OutputSource, grade_output
from surefoot.evaluate.view import Scope, View
from surefoot.model import (
    PathGrade,
    Run,
    Undecided,
    Verdict,
    Violation,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A compiled spec: what judging needs of it."""

    name: str
    hash: str
    scope: Scope = field(default_factory=Scope)
    checks: tuple[Check, ...] = ()
    output_ok: tuple[OutputSource, ...] = DEFAULT_SOURCES


def judge(run: Run, spec: Rules) -> Verdict:
    """Judge `run` by `spec`.

    Returns:
        Violations in the order of checks, then steps; each check is in at most one of
        violations and undecided.
    """
    view = View(run, spec.scope)
    violations: list[Violation] = []
    undecided: list[Undecided] = []
    crashed: list[str] = []
    for check in spec.checks:
        try:
            found, open_question = settle(check, check(view), run.levels)
        except Exception:  # noqa: BLE001 - a check is isolated, whatever it trips over
            crashed.append(check.id)
            undecided.append(Undecided(check.id, "check_failed"))
            continue
        violations += found
        if open_question:
            undecided.append(open_question)
    output, source = grade_output(run, spec.output_ok)
    return Verdict(
        spec=spec.name,
        spec_hash=spec.hash,
        path=_grade_path(violations, undecided),
        output=output,
        output_source=source,
        violations=tuple(violations),
        undecided=tuple(undecided),
        crashed=tuple(crashed),
    )


def _grade_path(violations: list[Violation], undecided: list[Undecided]) -> PathGrade:
    if violations:
        return PathGrade.VIOLATED
    return PathGrade.INCONCLUSIVE if undecided else PathGrade.OK
