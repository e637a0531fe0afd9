"""Rules on several agents, and on several calls at a time."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import BeforeValidator, Field, StrictInt

from surefoot.evaluate.agents import AgentTools, Handoff, May, Parallel
from surefoot.evaluate.check import Check
from surefoot.evaluate.names import Names
from surefoot.model import Severity
from surefoot.specs.coverage import is_every
from surefoot.specs.rules.base import Call, Problem, RuleModel
from surefoot.specs.types import Globs, Model, Name

_SIDES: Final = 2


def _pair(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) != _SIDES:
        raise ValueError("no pair; write [from, to], names or globs of agents")
    return value


def _tools(value: Any) -> Any:
    return value if isinstance(value, Call) else {"tool": value}


#: Names and globs of tools; as calls, so that a name outside the vocabulary is found.
Tools: TypeAlias = Annotated[Call, BeforeValidator(_tools, json_schema_input_type=Globs)]


class Most(Model):
    """How many calls may run at once."""

    max: Annotated[StrictInt, Field(ge=1)]
    """At most so many; 1 is one after the other."""


class ParallelRule(RuleModel):
    """No more calls than this run at the same time."""

    key: ClassVar[str] = "parallel"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {"id": "two-at-once", "parallel": {"max": 2}}

    parallel: Most
    """The bound."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Parallel(check_id, self.parallel.max, severity)


class Allowed(Model):
    """Who may hand over to whom."""

    allow: tuple[Annotated[tuple[Name, Name], BeforeValidator(_pair)], ...]
    """Pairs [from, to] of agents' names or globs; of an empty list, nobody to nobody."""


class HandoffRule(RuleModel):
    """An agent hands over only to the agents that it may hand over to."""

    key: ClassVar[str] = "handoff"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "triage-hands-over",
        "handoff": {"allow": [["triage_agent", "refund_*"]]},
    }

    handoff: Allowed
    """The pairs that are allowed."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Handoff(check_id, self.handoff.allow, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        for at, pair in enumerate(self.handoff.allow):
            if all(is_every([one]) for one in pair):
                why = "anybody to anybody, so it can never fire"
                yield ("handoff", "allow", at), f"{why}; name who hands over to whom"


class AgentToolsRule(RuleModel):
    """These agents call only their own tools."""

    key: ClassVar[str] = "agent_tools"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "triage-only-looks",
        "agent_tools": {"triage_agent": ["lookup_order"]},
    }

    agent_tools: Annotated[dict[Name, Tools], Field(min_length=1)]
    """By an agent's name or glob, the tools or globs that it may call; others are free."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        may = (
            May(agents, Names.of(tools.tool), ", ".join(tools.tool))
            for agents, tools in self.agent_tools.items()
        )
        return AgentTools(check_id, tuple(may), severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`. Whom several globs mean may call the tools of each."""
        free = [agent for agent, tools in self.agent_tools.items() if is_every(tools.tool)]
        if len(free) == len(self.agent_tools) or is_every(free):
            at = next((agent for agent in free if is_every([agent])), free[0])
            why = "every tool is allowed, so it can never fire"
            yield ("agent_tools", at), f"{why}; name the tools that {at} may call"
