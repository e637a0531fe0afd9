"""Rules on how a run ends."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from surefoot.evaluate.check import Check
from surefoot.evaluate.ends import Clause, Completion, EndState
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import Predicate
from surefoot.model import Severity
from surefoot.specs.rules.base import Calls, Plain, Predicates, Problem, RuleModel, matcher
from surefoot.specs.types import Globs, Model, Name


class CompletionRule(RuleModel):
    """The run ends without an error, and with an answer."""

    key: ClassVar[str] = "completion"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {"id": "completes", "completion": True}

    completion: Literal[True]
    """`true`: a run that ends in an error or without an answer is a violation."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Completion(check_id, severity)


class End(Model):
    """Where the end state is told, and what must be true of it."""

    output: Literal[True] | None = None
    """`true`: the final output tells it."""
    last: Calls | None = None
    """The result of the last such call that succeeded tells it."""
    attribute: Name | None = None
    """An attribute of the run's root span tells it, by key."""
    equals: Plain = None
    """Exact values by path; what is no section is what the state as a whole must equal."""
    contains: Globs = ()
    """Keys that must be there, by path; of a text that is no JSON, words that stand in it."""
    where: Predicates = Field(default_factory=dict)
    """Predicates by path."""


class EndStateRule(RuleModel):
    """The world at the end, as output, result or attribute tell it, is as it must be."""

    key: ClassVar[str] = "end_state"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "order-is-closed",
        "end_state": {
            "last": "lookup_order",
            "equals": {"order.status": "refunded"},
            "where": {"order.total": {"le": 100}},
        },
    }

    end_state: End
    """One of output, last and attribute, and what must be true."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        told = self.end_state
        return EndState(
            check_id,
            tuple(_clauses(told)),
            None if told.last is None else matcher(told.last),
            told.attribute or "",
            severity,
        )

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        told = self.end_state
        places = [told.output, told.last, told.attribute]
        if sum(place is not None for place in places) != 1:
            yield ("end_state",), "not one place; write one of output: true, last, attribute"
        if not any(True for _ in _clauses(told)):
            yield ("end_state",), "without conditions it can never fire; add equals or contains"
        for path in told.equals if isinstance(told.equals, dict) else ():
            if _path(path) is None:
                yield ("end_state", "equals", path), "no path; write status, or items[0].status"
        for index, call in enumerate(told.last or ()):
            if call.ok is False:
                at = ("end_state", "last", index, "ok")
                yield at, "a call that failed tells no state; leave ok out"


def _clauses(told: End) -> Iterator[Clause]:
    for text in told.contains:
        yield Clause(text, _path(text))
    if isinstance(told.equals, dict):
        for text, value in told.equals.items():
            yield Clause(text, _path(text), Predicate.of({"eq": value}))
    elif "equals" in told.model_fields_set:
        yield Clause("", None, Predicate.of({"eq": told.equals}))
    for text, operators in told.where.items():
        yield Clause(text, _path(text), Predicate.of(operators))


def _path(text: Any) -> Path | None:
    try:
        return Path.of(text) if isinstance(text, str) else None
    except ValueError:
        return None
