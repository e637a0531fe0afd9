"""OpenLLMetry (Traceloop): a span says what it is in `traceloop.span.kind`.

What is peculiar, as seen in the recordings of langgraph-openllmetry and in
traceloop/openllmetry semantic_conventions_ai:
- Values stand in an envelope with tags and metadata, arguments as a Python repr in JSON,
  and the same text again under GenAI's key.
- Its LangChain package wraps every middleware hook in `execute_task` spans, which hold
  the whole state, and writes a lone `create_agent` trace.
- Control flow (`ParentCommand`) is an ERROR.
- Older versions number messages as `gen_ai.prompt.0.content`.
"""

from surefoot.assemble.dialects import keys, trim
from surefoot.assemble.dialects.dialect import first_text
from surefoot.assemble.dialects.genai import GenAI
from surefoot.assemble.members import AGENT, CHAIN, LLM, OTHER, TASK, TOOL
from surefoot.assemble.values import text_of
from surefoot.model import Role, Span

_ROLES = {
    "tool": TOOL,
    "agent": AGENT,
    "workflow": CHAIN,
    "task": TASK,
    "handoff": TOOL,
}
_MODEL_CALLS = frozenset({"chat", "completion"})
_STATES = frozenset({"traceloop.entity.input", "traceloop.entity.output"})
_AGENT_NAME = "traceloop.association.properties.lc_agent_name"


class Traceloop(GenAI):
    """Any of its packages."""

    extra_keys = (_AGENT_NAME,)

    def role(self, span: Span) -> Role:
        """Read the operation, then the kind, then the model's request."""
        attributes = span.attributes
        if keys.OPERATION in attributes:
            return super().role(span)
        kind = attributes.get(keys.TRACELOOP_KIND)
        if isinstance(kind, str):
            return _ROLES.get(kind, CHAIN)
        request = text_of(attributes.get("llm.request.type"))
        return LLM if request in _MODEL_CALLS else OTHER

    def told_tool(self, span: Span) -> str:
        """Give the entity's name where there is no other."""
        return first_text(span.attributes, (*keys.TOOL, "traceloop.entity.name"))

    def agent(self, span: Span) -> str:
        """Give an agent's name; a workflow's, if it stands for one."""
        names = ("gen_ai.agent.name", "traceloop.entity.name")
        return first_text(span.attributes, names) or super().agent(span)

    def trim(self, span: Span) -> None:
        """Let a task's state go: it is the conversation once more."""
        if span.role is TASK:
            trim.let_go(span.attributes, _STATES, 0)
        super().trim(span)


class TraceloopLangChain(Traceloop):
    """Its LangChain package: each span tells its agent."""

    scopes = ("opentelemetry.instrumentation.langchain",)
    owner_first = True

    def owner(self, span: Span) -> str:
        """Give the agent in the association properties."""
        return first_text(span.attributes, (_AGENT_NAME,)) or super().owner(span)
