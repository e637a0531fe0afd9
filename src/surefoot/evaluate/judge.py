"""One verdict for one run by one spec.

Owns the two grades: of the path, from the checks, and of the output, from the first
source that answers. Knows no particular check. A check that crashes is undecided and
named in the verdict; the others still run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from surefoot.evaluate.check import Check, settle
from surefoot.evaluate.values import text_of
from surefoot.evaluate.view import Scope, View
from surefoot.model import (
    OutputGrade,
    PathGrade,
    Run,
    Undecided,
    Value,
    Verdict,
    Violation,
)

#: The attribute of the run's root by which an application says how its answer was.
OUTPUT_OK = "surefoot.output_ok"
#: Where nothing tells how the output was.
NO_SOURCE = "none"

_WORDS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class OutputSource:
    """One place that may tell whether the output was ok.

    kind: `attribute`, `structural`, or one that nothing answers yet (`evaluation`,
    `output`). key: the attribute's.
    """

    kind: str
    key: str = ""


DEFAULT_SOURCES = (
    OutputSource("evaluation"),
    OutputSource("attribute", OUTPUT_OK),
    OutputSource("structural"),
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


def grade_output(run: Run, sources: Sequence[OutputSource]) -> tuple[OutputGrade, str]:
    """The output's grade and the kind of source that told it."""
    for source in sources:
        told = _ask(run, source)
        if told is not None:
            return (OutputGrade.OK if told else OutputGrade.FAILED), source.kind
    return OutputGrade.UNKNOWN, NO_SOURCE


def _ask(run: Run, source: OutputSource) -> bool | None:
    if source.kind == "attribute":
        return _truth(run.root.attributes.get(source.key))
    if source.kind == "structural" and run.flaw is not None:
        return not run.flaw
    return None


def _truth(value: Value) -> bool | None:
    """What an attribute says: a boolean, or one written as text or number."""
    if isinstance(value, bool | int | float | str):
        return _WORDS.get(text_of(value).strip().casefold())
    return None


def _grade_path(violations: list[Violation], undecided: list[Undecided]) -> PathGrade:
    if violations:
        return PathGrade.VIOLATED
    return PathGrade.INCONCLUSIVE if undecided else PathGrade.OK
