"""Claude Agent SDK through OpenInference.

What is peculiar, by openinference-instrumentation-claude-agent-sdk `_wrappers.py`: a
sub-agent's span is named after the tool that started it (`Task`), its real name is that
call's `subagent_type`.
"""

from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.values import fields, text_of
from surefoot.model import Span

_STARTERS = frozenset({"Task", "Agent"})


class ClaudeAgent(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.claude_agent_sdk",)

    def hands_to(self, span: Span) -> str:
        """Give the sub-agent that a Task call starts."""
        if self.tool(span) not in _STARTERS:
            return ""
        return text_of(fields(span.attributes.get("input.value")).get("subagent_type"))

    def agent(self, span: Span) -> str:
        """Take a sub-agent's name, which is the tool's, for none."""
        name = super().agent(span)
        return "" if name in _STARTERS else name
