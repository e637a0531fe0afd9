"""AutoGen AgentChat through OpenInference, and by itself.

What is peculiar, as seen in the recordings of autogen and autogen-native:
- A failed tool's span is OK; the error is its output, and the native span inside of it is
  an ERROR. The call of an unknown tool says so in its output only.
- What an agent is given is a list of reprs of messages, each with its source.
- The agent's span has a CancelledError in every run.
"""

import re

from surefoot.assemble import history, loose
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.results import Result
from surefoot.assemble.values import fields, text_of
from surefoot.model import Item, Span, Value

#: Source: autogen-agentchat, agents/_assistant_agent.py, `_execute_tool_call`.
_NOT_FOUND = re.compile(r"Error: tool '.*' not found in any workbench", re.DOTALL)


class AutoGen(OpenInference):
    """See the module."""

    scopes = (
        "openinference.instrumentation.autogen_agentchat",
        "autogen-core",
        "autogen-agentchat",
    )

    def result(self, span: Span) -> Result:
        """Know the answer that the framework itself gives for an unknown tool."""
        result = super().result(span)
        return result._replace(failed=True) if _NOT_FOUND.fullmatch(result.text) else result

    def opening(self, value: Value) -> tuple[Item, ...]:
        """Read the user's messages out of reprs."""
        messages = fields(value).get("messages")
        if not isinstance(messages, list):
            return super().opening(value)
        return tuple(item for message in messages for item in _message(message))

    def closing(self, value: Value) -> str:
        """Give the last message that is not the user's."""
        messages = fields(value).get("messages")
        return _last(messages) if isinstance(messages, list) else super().closing(value)


def _last(messages: list[object]) -> str:
    for message in reversed(messages):
        if isinstance(message, dict) and message.get("source") != "user":
            return text_of(message.get("content"))
    return ""


def _message(message: object) -> tuple[Item, ...]:
    read = loose.read(message) if isinstance(message, str) else None
    fields = read.value if read else message
    if not isinstance(fields, dict):
        return ()
    role = "user" if fields.get("source") == "user" else "assistant"
    text = text_of(fields.get("content"))
    return (history.item(role, text),) if text else ()
