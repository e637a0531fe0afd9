"""The rule on all calls as one sequence."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from surefoot.evaluate.check import Check
from surefoot.evaluate.sequence import How, ToolSequence
from surefoot.model import Severity
from surefoot.specs.rules.base import Calls, Problem, RuleModel, matchers
from surefoot.specs.types import Model


class Expected(Model):
    """Which calls are expected, and how they are compared."""

    expect: tuple[Calls, ...]
    """The calls in order, each a matcher."""
    order: Literal["strict", "subsequence", "any", "subset", "superset"] = "strict"
    """strict: these and no others; subsequence: in this order, others between them; any: each
    at least once; subset: none but these; superset: these at least. A call that is named
    twice is expected twice, but in any."""


class SequenceRule(RuleModel):
    """The calls of the run are the expected ones, in their order."""

    key: ClassVar[str] = "sequence"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "by-the-book",
        "sequence": {
            "expect": ["lookup_order", "check_policy", "escalate_to_human"],
            "order": "subsequence",
        },
    }

    sequence: Expected
    """What is expected, and how it is compared."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        expected = matchers(self.sequence.expect)
        return ToolSequence(check_id, expected, How(self.sequence.order), severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        how = self.sequence.order
        if not self.sequence.expect and how not in ("strict", "subset"):
            yield ("sequence", "expect"), f"empty, so {how} can never fire; name a call"
