"""Rules on what comes before, after, next to and between what."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import BeforeValidator, Field, StrictBool, StrictInt

from surefoot.evaluate import followed
from surefoot.evaluate import order as checks
from surefoot.evaluate.check import Check
from surefoot.model import Severity
from surefoot.specs.rules.base import Calls, Problem, RuleModel, matcher
from surefoot.specs.types import Duration, Model

_SIDES: Final = 2


def _pair(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) != _SIDES:
        raise ValueError("no pair; write [first, second]")
    return value


#: Two calls, the first and the second.
Pair: TypeAlias = Annotated[tuple[Calls, Calls], BeforeValidator(_pair)]


def _alike(key: str, pair: Pair, why: str) -> Iterator[Problem]:
    if pair[0] == pair[1]:
        yield (key,), f"twice the same call, {why}; name two"


class BeforeRule(RuleModel):
    """The first a comes before the first b, and there is no b without an a."""

    key: ClassVar[str] = "before"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "policy-known",
        "before": ["check_policy", "issue_refund"],
        "ended": True,
    }

    before: Pair
    """The pair [a, b]."""
    ended: StrictBool = False
    """Whether an a must have ended without an error before any b starts."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        first, then = map(matcher, self.before)
        return checks.Before((checks.Pair(first, then),), severity, check_id, self.ended)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        yield from _alike("before", self.before, "so it can never fire")
        if self.ended and all(call.ok is False for call in self.before[0]):
            yield ("before", 0), "ended calls succeeded, so no run keeps it; drop ok: false"


class PrecedeEachRule(RuleModel):
    """Every b has an earlier a that no other b has used."""

    key: ClassVar[str] = "precede_each"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "a-check-a-refund",
        "precede_each": ["check_policy", "issue_refund"],
    }

    precede_each: Pair
    """The pair [a, b]."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        first, second = map(matcher, self.precede_each)
        return checks.PrecedeEach(check_id, first, second, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        yield from _alike("precede_each", self.precede_each, "of which the first has none")


class AfterRule(RuleModel):
    """Every a is followed by a b."""

    key: ClassVar[str] = "after"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "customer-told",
        "after": ["issue_refund", "send_email"],
        "within": "30s",
    }

    after: Pair
    """The pair [a, b]."""
    within: Duration | None = None
    """How long after the end of a the b may start."""
    within_steps: Annotated[StrictInt, Field(ge=1)] | None = None
    """How many calls after a the b may be: 1 is the next one."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        first, then = map(matcher, self.after)
        return followed.After(check_id, first, then, self.within, self.within_steps, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        yield from _alike("after", self.after, "of which the last is followed by none")


class NextRule(RuleModel):
    """The step after each a is a b."""

    key: ClassVar[str] = "next"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {
        "id": "then-policy",
        "next": ["lookup_order", "check_policy"],
    }

    next: Pair
    """The pair [a, b]."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        first, second = map(matcher, self.next)
        return followed.Next(check_id, first, second, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        yield from _alike("next", self.next, "of which the last is followed by none")


class NeverAfterRule(RuleModel):
    """No a is called once b happened."""

    key: ClassVar[str] = "never_after"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "escalated-is-escalated",
        "never_after": ["issue_refund", "escalate_to_human"],
    }

    never_after: Pair
    """The pair [a, b]."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        first, second = map(matcher, self.never_after)
        return checks.NeverAfter(check_id, first, second, severity)


class Span(Model):
    """What must not be called from when to when."""

    absent: Calls
    """The calls that must not be made there."""
    from_: Annotated[Calls, Field(alias="from")]
    """The call after which it begins."""
    to: Calls
    """The call before which it ends; without it, nothing is between."""


class BetweenRule(RuleModel):
    """None of these calls is made after one call and before the next of another."""

    key: ClassVar[str] = "between"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "nothing-foreign-in-a-refund",
        "between": {"absent": "fetch_page", "from": "check_policy", "to": "issue_refund"},
    }

    between: Span
    """What must be absent, and from when to when."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        span = self.between
        absent, start, end = map(matcher, (span.absent, span.from_, span.to))
        return checks.Between(check_id, absent, start, end, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        if self.between.absent == self.between.to:
            yield ("between", "absent"), "what it ends with, so it can never fire; name another"
