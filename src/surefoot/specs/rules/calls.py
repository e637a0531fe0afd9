"""Rules on which calls are made, and how many."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Discriminator, Field, StrictInt, Tag

from surefoot.evaluate.calls import AtMost, Exclusive, Forbidden, MaxSteps, NoAction, Required
from surefoot.evaluate.check import Check
from surefoot.evaluate.compose import AllOf
from surefoot.model import Severity
from surefoot.specs.rules.base import Call, Calls, Problem, RuleModel, matcher, matchers
from surefoot.specs.types import Model, Name

Count = Annotated[StrictInt, Field(ge=0)]


def _each(value: Any) -> Any:
    """One matcher alone is a list of one."""
    return value if isinstance(value, list | tuple) or _is_group(value) else (value,)


def _is_group(value: Any) -> bool:
    return isinstance(value, Group) or (isinstance(value, dict) and "any_of" in value)


class Group(Model):
    """Calls of which one is enough."""

    any_of: Calls
    """The calls, of which one must be made."""


#: A matcher, or a list of them: each is meant.
EachCall = Annotated[
    tuple[Calls, ...],
    Field(min_length=1),
    BeforeValidator(
        _each, json_schema_input_type=Name | Call | list[Name | Call | list[Name | Call]]
    ),
]


class RequiredRule(RuleModel):
    """Each of these calls is made, or of a group `any_of` one."""

    key: ClassVar[str] = "required"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "two-lookups",
        "required": {"tool": "lookup_order", "ok": True},
        "min": 2,
    }

    required: Annotated[
        Annotated[Group, Tag("group")] | Annotated[EachCall, Tag("each")],
        Discriminator(lambda value: "group" if _is_group(value) else "each"),
    ]
    """The calls: a tool, a matcher, a list of them, or {any_of: [...]}."""
    min: Annotated[StrictInt, Field(ge=1)] = 1
    """How often each must be made."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        wanted = (self.required.any_of,) if isinstance(self.required, Group) else self.required
        return Required(matchers(wanted), self.min, severity, check_id)


class ForbiddenRule(RuleModel):
    """None of these calls is made."""

    key: ClassVar[str] = "forbidden"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "no-large-refund",
        "forbidden": {"tool": "issue_refund", "args": {"amount": {"gt": 100}}},
    }

    forbidden: EachCall
    """The calls: a tool, a matcher, or a list of them."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Forbidden(matchers(self.forbidden), severity, check_id)


class MaxStepsRule(RuleModel):
    """No more calls than this are made."""

    key: ClassVar[str] = "max_steps"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {
        "id": "short-when-cheap",
        "max_steps": 3,
        "when": {"step": "escalate_to_human"},
    }

    max_steps: Count
    """How many calls a run may make."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return MaxSteps(self.max_steps, severity, check_id)


class Bounds(Model):
    """How often a call may be made."""

    step: Calls
    """The calls that are counted."""
    min: Count | None = None
    """At least so often."""
    max: Count | None = None
    """At most so often."""


class CallsRule(RuleModel):
    """These calls are made at least `min` and at most `max` times."""

    key: ClassVar[str] = "calls"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "one-escalation",
        "calls": {"step": "escalate_to_human", "min": 1, "max": 1},
    }

    calls: Bounds
    """Which calls, and the bounds."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`. Each bound is decided by its own kind, absent and seen."""
        bounds, step = self.calls, matcher(self.calls.step)
        parts: list[Check] = []
        if bounds.min:
            parts.append(Required((step,), bounds.min, severity, check_id))
        if bounds.max is not None:
            parts.append(AtMost(check_id, step, bounds.max, severity))
        return parts[0] if len(parts) == 1 else AllOf(check_id, tuple(parts), severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        bounds = self.calls
        if not bounds.min and bounds.max is None:
            yield ("calls",), "without bounds it can never fire; write min, max or both"
        elif bounds.max is not None and (bounds.min or 0) > bounds.max:
            yield ("calls", "min"), f"more than max, {bounds.max}, so no run keeps it; lower it"


class ExclusiveRule(RuleModel):
    """At most one of these is called in a run, however often."""

    key: ClassVar[str] = "exclusive"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "refund-or-escalate",
        "exclusive": ["issue_refund", "escalate_to_human"],
    }

    exclusive: Annotated[tuple[Calls, ...], Field(min_length=2)]
    """Two calls or more that exclude each other."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Exclusive(check_id, matchers(self.exclusive), severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        for at, calls in enumerate(self.exclusive):
            if calls in self.exclusive[:at]:
                yield ("exclusive", at), "stands there twice, so it excludes itself; name another"


class NoActionRule(RuleModel):
    """At least one tool is called."""

    key: ClassVar[str] = "no_action"
    example: ClassVar[Mapping[str, Any]] = {"id": "acts", "no_action": True}

    no_action: Literal[True]
    """`true`: a run without a call is a violation."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return NoAction(check_id, severity)

    def only_without_calls(self) -> bool:
        """See `RuleModel`."""
        return True
