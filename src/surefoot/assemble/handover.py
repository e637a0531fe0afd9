"""To whom a hand-over hands over.

Owns the order of belief: the span's own word where its dialect has one, an argument that
names an agent, the tool's name, the result. An agent of the run is given in the run's own
spelling (`transfer_to_refund_agent` is `Refund Agent` there). Prose in a result counts
only if it names an agent of the run: a delegate's answer may say anything.
"""

import re
from collections.abc import Mapping

from surefoot.assemble.call import Call, norm, target
from surefoot.assemble.members import HANDOFF
from surefoot.assemble.values import fields
from surefoot.assemble.view import View
from surefoot.model import Source

#: Arguments, and fields of results, that name an agent, in frameworks' spelling:
#: Google ADK, Strands; LlamaIndex; CrewAI; Agno; Claude; OpenAI's result; others.
_KEYS = (
    "agent_name",
    "to_agent",
    "coworker",
    "member_id",
    "subagent_type",
    "assistant",
    "target_agent",
    "next_agent",
    "agent_id",
    "agent",
)
#: A name is no longer, and says so early in a result.
_NAME_CHARS, _RESULT_CHARS = 200, 400
_SAID = re.compile(
    r"\b(?:transferr(?:ed|ing)|hand(?:ed|ing)[ -]?(?:off|over)|switch(?:ed|ing)|delegat(?:ed|ing))"
    r"\b[^\n.]{0,20}?\bto (?:the )?[\"'`]?([^\n,.:;!?\"'`]+)",
    re.IGNORECASE,
)


def name_targets(view: View, calls: list[Call]) -> None:
    """Say of each hand-over among `calls` to whom it went, after agents are assigned."""
    handed = [call for call in calls if call.kind is HANDOFF]
    if not handed:
        return
    agents: dict[str, str] = {}
    for name in (*view.agent_names().values(), *(call.agent for call in calls)):
        agents.setdefault(norm(name), name)
    agents.pop("", None)
    for call in handed:
        found = _told(view, call, agents)
        call.hands_to = agents.get(norm(found), found)


def _told(view: View, call: Call, agents: Mapping[str, str]) -> str:
    told = ""
    if call.source is Source.SPAN:
        told = view.dialects[call.at].hands_to(view.spans[call.at])
    return (
        told.strip()
        or _named(call.args)
        or (call.name if call.name in agents else target(call.name))
        or _answered(call.result.text[:_RESULT_CHARS], agents)
    )


def _named(values: Mapping[str, object]) -> str:
    """Give the agent that one of these fields names."""
    for key in _KEYS:
        value = values.get(key)
        if isinstance(value, str) and value.strip() and len(value) <= _NAME_CHARS:
            return value.strip()
    return ""


def _answered(text: str, agents: Mapping[str, str]) -> str:
    """Give the agent that a result names."""
    if norm(text) in agents:
        return text
    named = _named(fields(text)) if text.startswith("{") else ""
    found = _SAID.search(text)
    if named or not found:
        return named
    said = norm(found[1]) + "_"
    fitting = [name for name in agents if said.startswith(name + "_")]
    return max(fitting, key=len, default="")
