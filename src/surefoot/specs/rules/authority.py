"""Rules on what an agent may do, with whose leave, and with which models."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from surefoot.evaluate.authority import BY_NAME, Approval, Effects, Models
from surefoot.evaluate.check import Check
from surefoot.evaluate.paths import Path
from surefoot.model import Severity
from surefoot.specs.coverage import all_among, is_every
from surefoot.specs.rules.base import (
    Call,
    Calls,
    PathField,
    Predicates,
    Problem,
    RuleModel,
    matcher,
    predicates,
)
from surefoot.specs.types import Duration, Globs, Model


class SideEffects(Model):
    """Which tools have side effects, and which calls of them are authorised."""

    tools: Calls | None = None
    """The tools that have side effects; without it, those whose names say so: transfer,
    send, write, delete, remove, execute, run, publish, email, pay, withdraw, refund."""
    authorised: Calls | None = None
    """Calls that may be made all the same."""


class EffectsRule(RuleModel):
    """No tool with side effects is called, unless that call is authorised."""

    key: ClassVar[str] = "effects"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "only-small-refunds",
        "effects": {
            "authorised": [{"tool": "issue_refund", "args": {"amount": {"le": 100}}}, "send_email"]
        },
    }

    effects: SideEffects
    """Which tools, and which calls are authorised; `{}` for the usual names."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        told = self.effects
        return Effects(
            check_id,
            BY_NAME if told.tools is None else matcher(told.tools),
            None if told.authorised is None else matcher(told.authorised),
            severity,
        )

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        told = self.effects
        tools = (Call(tool=("*",)),) if told.tools is None else told.tools
        if told.authorised is not None and all_among(tools, told.authorised):
            why = "every call that is meant is authorised, so it can never fire"
            yield ("effects", "authorised"), f"{why}; name fewer"


def _paths(value: Any) -> Any:
    """A path alone is a list of one."""
    return (value,) if isinstance(value, str) else value


class Approved(Model):
    """Which calls need which approval."""

    step: Calls
    """The calls that need one."""
    by: Calls
    """The calls that give it; they must have ended well before."""
    same: Annotated[
        tuple[PathField, ...],
        BeforeValidator(_paths, json_schema_input_type=PathField | tuple[PathField, ...]),
    ] = ()
    """Arguments that must have the same values in both, by path."""
    max_age: Duration | None = None
    """How long an approval holds, from its end to the call's start, at most 24h."""
    granted: Predicates = Field(default_factory=dict)
    """What must stand in the approval's result, a JSON object, by path."""


class ApprovalRule(RuleModel):
    """Each of these calls has an earlier approval that ended well, for the same values."""

    key: ClassVar[str] = "approval"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "refund-approved",
        "approval": {
            "step": "issue_refund",
            "by": "ask_human",
            "same": ["order_id"],
            "max_age": "10m",
            "granted": {"approved": True},
        },
    }

    approval: Approved
    """Which calls, and what approves them."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        told = self.approval
        return Approval(
            check_id,
            matcher(told.step),
            matcher(told.by),
            tuple(map(Path.of, told.same)),
            told.max_age,
            predicates(told.granted),
            severity,
        )

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        if self.approval.step == self.approval.by:
            yield ("approval", "by"), "nothing approves itself, so no run keeps it; name another"
        for index, call in enumerate(self.approval.by):
            if call.ok is False:
                why = "a call that failed approves nothing"
                yield ("approval", "by", index, "ok"), f"{why}; leave ok out"


class ModelsRule(RuleModel):
    """Only these models are asked."""

    key: ClassVar[str] = "models"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {
        "id": "models-that-we-know",
        "models": ["gpt-4o*", "claude-*"],
    }

    models: Annotated[Globs, Field(min_length=1)]
    """Names of models, globs allowed."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Models(check_id, self.models, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        if is_every(self.models):
            yield ("models",), "every model is among these, so it can never fire; name them"
