"""Rules on calls that fail, or return nothing."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Tag

from surefoot.evaluate.check import Check
from surefoot.evaluate.failures import EmptyResult, HandledErrors, MustSucceed
from surefoot.evaluate.matcher import Matcher, Pattern
from surefoot.model import Severity
from surefoot.specs.rules.base import Call, Calls, Problem, RuleModel, matcher
from surefoot.specs.types import Model

_ANY = Matcher("a call", (Pattern(),))


def _with_outcome(key: tuple[str, ...], calls: tuple[Call, ...], *, ok: bool) -> Iterator[Problem]:
    """Matchers that ask for the outcome that the rule does not look at."""
    for index, call in enumerate(calls):
        if call.ok is ok:
            told = str(ok).lower()
            yield (*key, index, "ok"), f"of calls with ok: {told} it can never fire; leave ok out"


class Handling(Model):
    """Which failures are meant, and what else may be made of them."""

    fallback: Calls | None = None
    """Calls that make up for a failure if they succeed after it."""
    step: Calls | None = None
    """Calls whose failures are meant; without it, all."""


class HandledErrorsRule(RuleModel):
    """After a call failed, its tool is called again with success, or a fallback is."""

    key: ClassVar[str] = "handled_errors"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "errors-are-handled",
        "handled_errors": {"fallback": "escalate_to_human"},
    }

    handled_errors: Annotated[
        Annotated[Handling, Tag("section")] | Annotated[Literal[True], Tag("all")],
        Discriminator(lambda value: "section" if isinstance(value, dict | Handling) else "all"),
    ]
    """`true`, or the fallbacks that are allowed and the calls that are meant."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        told = self.handled_errors if isinstance(self.handled_errors, Handling) else Handling()
        step = _ANY if told.step is None else matcher(told.step)
        fallback = None if told.fallback is None else matcher(told.fallback)
        return HandledErrors(check_id, step, fallback, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        if isinstance(self.handled_errors, Handling):
            at = "handled_errors"
            yield from _with_outcome((at, "fallback"), self.handled_errors.fallback or (), ok=False)
            yield from _with_outcome((at, "step"), self.handled_errors.step or (), ok=True)


class MustSucceedRule(RuleModel):
    """None of these calls fails."""

    key: ClassVar[str] = "must_succeed"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {"id": "escalates", "must_succeed": "escalate_to_human"}

    must_succeed: Calls
    """The calls: a tool, a matcher, or a list of them."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return MustSucceed(check_id, matcher(self.must_succeed), severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        return _with_outcome(("must_succeed",), self.must_succeed, ok=True)


class EmptyResultRule(RuleModel):
    """None of these calls succeeds with nothing usable as its result."""

    key: ClassVar[str] = "empty_result"
    usual: ClassVar[Severity] = Severity.WARN
    example: ClassVar[Mapping[str, Any]] = {
        "id": "finds-something",
        "empty_result": ["lookup_order", "fetch_page"],
    }

    empty_result: Calls
    """The calls: a tool, a matcher, or a list of them."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return EmptyResult(check_id, matcher(self.empty_result), severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        return _with_outcome(("empty_result",), self.empty_result, ok=False)
