"""One tool call while it is being put together.

Owns `Call`: what one span, or a model's output, tells of a call, in one mutable record
that merging and matching complete. Beside it the names: when two spellings are one tool,
and which calls are a hand-over or the end of the run. Everything else about a call is in
the file that decides it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from surefoot.assemble.arguments import MISSING, Arguments
from surefoot.assemble.members import FINAL, HANDOFF, WORK
from surefoot.assemble.results import UNKNOWN, Result
from surefoot.assemble.values import same_key
from surefoot.model import ArgsQuality, Source, StepKind

_OTHER = re.compile(r"[^a-z0-9]+")
#: What clients put in front of a tool's name.
_PREFIX = re.compile(r"^(?:functions?[._]|default_api[._]|mcp__.+?__)")
_FINAL = frozenset({"final_answer", "final_result", "finish", "submit_final_answer"})
_HANDOFF = frozenset(
    {
        "handoff",
        "handoff_to_agent",
        "transfer_to_agent",
        "transfer_to_agents",
        "delegate_task_to_member",
        "delegate_task_to_members",
        "delegate_work_to_coworker",
        "ask_question_to_coworker",
    }
)
#: `transfer_to_refund_agent` hands over; `transfer_to_savings_account` is work, unless
#: an agent of that name is about.
_HANDOFF_TO = re.compile(r"(?:transfer|handoff|hand_off|switch|delegate)_(?:back_)?to_(.+)")
_AGENT_LIKE = re.compile(r"(?:^|_)(?:agent|assistant|supervisor)(?:_|$)")


class Unread(Protocol):
    """Arguments that nobody has asked for yet."""

    def read(self) -> Arguments:
        """Give the arguments."""


@dataclass(slots=True)
class Call:
    """One call. `at` is the index of the span that tells of it; `place` its place in a turn.

    The rest is as in `StepEvidence`. `arguments` gives the arguments when somebody asks:
    those of a request are mostly those of the call that it is paired with.
    """

    at: int
    tool: str
    start_ns: int
    end_ns: int
    arguments: "Unread | Arguments" = MISSING
    result: Result = UNKNOWN
    failed: bool = False
    call_id: str = ""
    kind: StepKind = WORK
    source: Source = Source.SPAN
    ran: bool = True
    agent: str = ""
    named: bool = True
    hands_to: str = ""
    attempts: int = 1
    turn: int = -1
    place: int = 0
    scope: str = ""
    merged: list[tuple[bytes, str]] | None = None
    _key: str | None = None

    def _read(self) -> Arguments:
        known = self.arguments
        if not isinstance(known, Arguments):
            known = self.arguments = known.read()
        return known

    @property
    def args(self) -> dict[str, Any]:
        """The arguments by name."""
        return self._read().args

    @property
    def quality(self) -> ArgsQuality:
        """How far to trust them."""
        return self._read().quality

    @property
    def name(self) -> str:
        """The tool's name in the one spelling that compares."""
        return norm(self.tool)

    @property
    def key(self) -> str:
        """A text that is equal for equal arguments."""
        if self._key is None:
            self._key = same_key(self.args)
        return self._key

    def give(self, args: dict[str, Any], quality: ArgsQuality) -> None:
        """Replace the arguments by better ones."""
        self.arguments, self._key = Arguments(args, quality), None


@lru_cache(maxsize=4096)
def norm(tool: str) -> str:
    """Give a tool's name as it compares: `Get Order` is `get_order`."""
    return _OTHER.sub("_", _PREFIX.sub("", tool).casefold()).strip("_")


def same_tool(one: str, other: str) -> bool:
    """Whether two norms are one tool; servers put their name in front (`desk_lookup`)."""
    return one == other or one.endswith("_" + other) or other.endswith("_" + one)


def kind_of(tool: str, agents: frozenset[str]) -> StepKind:
    """Say what a call is to the agent. `agents` are the norms of the run's agents."""
    name = norm(tool)
    if name in _FINAL:
        return FINAL
    if name in _HANDOFF:
        return HANDOFF
    whom, agent_like = _target(name)
    return HANDOFF if agent_like or (whom and whom in agents) else WORK


def target(name: str) -> str:
    """Give whom a tool hands over to, by its norm; empty if the name does not tell."""
    return "" if name in _HANDOFF else _target(name)[0]


@lru_cache(maxsize=4096)
def _target(name: str) -> tuple[str, bool]:
    """Give whom a norm hands over to, if anybody, and whether that sounds like an agent."""
    found = _HANDOFF_TO.fullmatch(name)
    return (found[1], bool(_AGENT_LIKE.search(found[1]))) if found else ("", False)
