"""`luckrate.check`: the lines of Surefoot's violations.

`LUCKRATE_SABOTAGE` makes it find nothing: the control, by which the tests must fail.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import surefoot
from surefoot.model import Severity
from surefoot.specs.plain import MAX_PROVENANCE_STEPS

__all__ = ["MAX_PROVENANCE_STEPS", "check", "hard"]


class Line(str):
    """A violation as luckrate's users see it; its weight is still Surefoot's own."""

    __slots__ = ("severity",)

    severity: Severity

    @classmethod
    def of(cls, violation: surefoot.Violation) -> "Line":
        """Print `violation`."""
        line = cls(violation)
        line.severity = violation.severity
        return line


def check(
    steps: Sequence[surefoot.Step], spec: Mapping[str, Any], task_input: object = ""
) -> list[Line]:
    """Give luckrate's `check()`."""
    if "LUCKRATE_SABOTAGE" in os.environ:
        return []
    return [Line.of(found) for found in surefoot.check(steps, spec, task_input)]


def hard(lines: Iterable[Line]) -> list[Line]:
    """Keep the lines that fail a build on a single occurrence."""
    return [line for line in lines if line.severity is Severity.HARD]
