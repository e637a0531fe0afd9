"""Pydantic AI and Logfire, by themselves and through OpenInference.

What is peculiar, as seen in the recordings of pydanticai and pydanticai-native:
- Version 2 writes `running tool`, `tool_arguments` and `tool_response`; newer ones GenAI.
- The agent's span has the whole conversation in `pydantic_ai.all_messages`.
- Without content the attributes are left out, not masked.
- Structured answers are a call of `final_result` that no tool's span tells of.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import first_text
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.members import AGENT, CHAIN, LLM, NONE, TOOL
from surefoot.model import Role, Span

_TOOL_NAMES = ("running tool", "execute_tool")
_FOLDERS = ("running tools", "running 1 tool", "running output function")


class PydanticAI(OpenInference):
    """See the module."""

    scopes = ("pydantic-ai", "logfire", "logfire.pydantic_ai")
    extra_keys = ("logfire.msg",)

    def role(self, span: Span) -> Role:
        """Know version 2's spans, which have no operation, by their names."""
        attributes = span.attributes
        if keys.KIND in attributes or keys.OPERATION in attributes:
            return super().role(span)
        if span.name.startswith(_FOLDERS):
            return CHAIN
        if "gen_ai.tool.name" in attributes or span.name.startswith(_TOOL_NAMES):
            return TOOL
        if first_text(attributes, ("agent_name", "gen_ai.agent.name")):
            return AGENT
        return LLM if "gen_ai.request.model" in attributes else NONE
