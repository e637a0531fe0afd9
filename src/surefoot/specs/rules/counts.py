"""Rules on sums, rates and values that come once."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, StrictInt, WithJsonSchema

from surefoot.evaluate.check import Check
from surefoot.evaluate.counts import Rate, Total, Unique
from surefoot.evaluate.paths import Path
from surefoot.evaluate.same import amount_of
from surefoot.model import Severity
from surefoot.specs.rules.base import Calls, PathField, RuleModel, matcher
from surefoot.specs.types import Duration, Model


def _finite(value: Any) -> Any:
    if isinstance(value, str) or amount_of(value) is None:
        raise ValueError("no finite number; write one such as 200")
    return value


#: Kept as it is written, a whole number of any length as well.
Amount = Annotated[Any, AfterValidator(_finite), WithJsonSchema({"type": "number"})]


class Sum(Model):
    """What is added up, and how far."""

    step: Calls
    """The calls whose amounts are added up."""
    arg: PathField
    """The amount, by path; of `items[*].amount` each item's."""
    max: Amount
    """The largest sum."""


class TotalRule(RuleModel):
    """The amounts of these calls add up to no more than this; what is no number violates."""

    key: ClassVar[str] = "total"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "no-more-than-200-a-run",
        "total": {"step": "issue_refund", "arg": "amount", "max": 200},
    }

    total: Sum
    """Which amounts, and their largest sum."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        told = self.total
        most = amount_of(told.max) or Fraction(0)
        return Total(check_id, matcher(told.step), Path.of(told.arg), most, severity)


class Window(Model):
    """How many calls within how long."""

    step: Calls
    """The calls that are counted."""
    max: Annotated[StrictInt, Field(ge=1)]
    """How many may start within any such time."""
    per: Duration
    """The length of the window, at most 24h."""


class RateRule(RuleModel):
    """No more than `max` of these calls start within any time of the length `per`."""

    key: ClassVar[str] = "rate"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "no-mail-storm",
        "rate": {"step": "send_email", "max": 3, "per": "1m"},
    }

    rate: Window
    """Which calls, and how many within how long."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        told = self.rate
        return Rate(check_id, matcher(told.step), told.max, told.per, severity)


class Once(Model):
    """Which value may come once."""

    step: Calls
    """The calls."""
    arg: PathField
    """The argument, by path."""


class UniqueRule(RuleModel):
    """For each value of an argument at most one of these calls succeeds."""

    key: ClassVar[str] = "unique"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "one-refund-an-order",
        "unique": {"step": "issue_refund", "arg": "order_id"},
    }

    unique: Once
    """Which argument of which calls."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Unique(check_id, matcher(self.unique.step), Path.of(self.unique.arg), severity)
