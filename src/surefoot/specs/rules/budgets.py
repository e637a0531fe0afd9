"""Rules on what a run may take."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Discriminator, Field, StrictFloat, StrictInt, Tag

from surefoot.evaluate.budgets import Budget, CallTime
from surefoot.evaluate.check import Check
from surefoot.evaluate.names import Names, is_glob
from surefoot.model import Severity
from surefoot.specs.rules.base import Problem, RuleModel
from surefoot.specs.types import Duration, Model, ToolKey

_Count = Annotated[StrictInt, Field(ge=0)]


class Allowance(Model):
    """What a run may take, each at most."""

    duration: Duration | None = None
    """The time from the run's first span to the end of its last."""
    step_duration: (
        Annotated[
            Annotated[dict[ToolKey, Duration], Tag("tools")] | Annotated[Duration, Tag("all")],
            Discriminator(lambda value: "tools" if isinstance(value, dict) else "all"),
        ]
        | None
    ) = None
    """The time of each call: one for all tools, or by tool or glob, exact names first."""
    tokens: _Count | None = None
    """Tokens of all models."""
    llm_calls: _Count | None = None
    """How often a model is asked."""
    cost: Annotated[StrictInt | StrictFloat, Field(ge=0, allow_inf_nan=False)] | None = None
    """What the models cost, in the currency of the spans."""


class BudgetRule(RuleModel):
    """The run takes no more than this; of what the spans tell nothing, a warning says so."""

    key: ClassVar[str] = "budget"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {
        "id": "cheap-enough",
        "budget": {"duration": "2m", "step_duration": {"fetch_page": "10s"}, "tokens": 20000},
    }

    budget: Allowance
    """The bounds."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        told = self.budget
        return Budget(
            check_id,
            severity,
            duration_ns=told.duration,
            step_durations=tuple(_times(told.step_duration)),
            tokens=told.tokens,
            llm_calls=told.llm_calls,
            cost=told.cost,
        )

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        if all(value is None or value == {} for _, value in self.budget):
            known = ", ".join(Allowance.model_fields)
            yield ("budget",), f"without bounds it can never fire; write one of {known}"


def _times(told: dict[str, int] | int | None) -> Iterator[CallTime]:
    """Exact names before globs, else in the order of the file."""
    if told is None:
        return
    by_name = told if isinstance(told, dict) else {"*": told}
    for name in sorted(by_name, key=is_glob):
        label = name if isinstance(told, dict) else "a call"
        yield CallTime(label, Names.of([name]), by_name[name])
