"""Rules made of rules: `all_of`, `any_of`, `not`.

The children are rules themselves, without ids of their own: what they find goes by the
id and the severity of the rule around them.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from surefoot.evaluate.check import Check
from surefoot.evaluate.compose import AllOf, AnyOf, Not
from surefoot.model import Severity
from surefoot.specs.rules.base import Problem, RuleModel

if TYPE_CHECKING:
    from surefoot.specs.rules import Rule


def _in_children(key: str, children: "tuple[Rule, ...]") -> Iterator[Problem]:
    for index, child in enumerate(children):
        if child.id is not None:
            why = "goes by the id of the rule around it, so this has no effect"
            yield (key, index, "id"), f"{why}; leave id out"
        yield from (((key, index, *at), words) for at, words in _of_child(child))


def _of_child(child: RuleModel) -> Iterator[Problem]:
    if child.severity == "off":
        yield ("severity",), "a rule inside another cannot be off; leave it out"
    elif child.severity is not None:
        why = "weighs what the rule around it weighs, so this has no effect"
        yield ("severity",), f"{why}; write it there"
    yield from child.faults()


class AllOfRule(RuleModel):
    """Every one of these rules is kept."""

    key: ClassVar[str] = "all_of"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "looked-up-and-checked",
        "all_of": [{"required": "lookup_order"}, {"required": "check_policy"}],
    }

    all_of: Annotated[tuple["Rule", ...], Field(min_length=1)]
    """The rules, none of which needs an id."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        children = tuple(child.check(check_id, severity) for child in self.all_of)
        return AllOf(check_id, children, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        return _in_children("all_of", self.all_of)

    def only_without_calls(self) -> bool:
        """See `RuleModel`."""
        return all(child.only_without_calls() for child in self.all_of)


class AnyOfRule(RuleModel):
    """At least one of these rules is kept."""

    key: ClassVar[str] = "any_of"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "some-source",
        "any_of": [{"required": "lookup_order"}, {"required": "fetch_page"}],
    }

    any_of: Annotated[tuple["Rule", ...], Field(min_length=1)]
    """The rules, none of which needs an id."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        children = tuple(child.check(check_id, severity) for child in self.any_of)
        return AnyOf(check_id, children, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        return _in_children("any_of", self.any_of)

    def only_without_calls(self) -> bool:
        """See `RuleModel`."""
        return all(child.only_without_calls() for child in self.any_of)


class NotRule(RuleModel):
    """This rule is broken."""

    key: ClassVar[str] = "not"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "asks-somebody",
        "not": {"forbidden": ["ask_human", "escalate_to_human"]},
    }

    not_: Annotated["Rule", Field(alias="not")]
    """The rule that must be broken; it needs no id."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Not(check_id, self.not_.check(check_id, severity), self.not_.label(), severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        return ((("not", *at), words) for at, words in _of_child(self.not_))
