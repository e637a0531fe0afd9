"""n8n: its own agents, and the nodes of its workflows.

What is peculiar, as seen in the recordings of n8n and n8n-langchain (2.41) and in n8n's
`isToolType`:
- Its agents write GenAI and the AI SDK's attributes; each turn is a span of its own with
  the model's call inside. `gen_ai.prompt` is the tools' catalogue, no prompt.
- With LangChain nodes every span is a `node.execute`, all side by side: agent, model and
  tools are told by the node's type, and which agent made a call by time alone. There are
  no arguments, no results, no texts.
- A workflow's span encloses all of it. Most workflows hold no agent.
"""

from surefoot.assemble.dialects.vercel import Vercel
from surefoot.assemble.members import AGENT, CHAIN, LLM, OTHER, TOOL
from surefoot.assemble.values import text_of
from surefoot.model import Role, Span

_NODE, _WORKFLOW = "n8n.node.type", "n8n.workflow.id"
_AGENTS = frozenset({"agent", "messageanagent", "openaiassistant"})


class N8nAgents(Vercel):
    """Its own agents."""

    scopes = ("@n8n/agents",)

    def trim(self, span: Span) -> None:
        """Take the catalogue for what it is."""
        span.attributes.pop("gen_ai.prompt", None)
        super().trim(span)


class N8nNodes(Vercel):
    """Workflows and nodes."""

    scopes = ("n8n-workflow",)
    extra_keys = (_NODE, _WORKFLOW, "n8n.node.name")

    def role(self, span: Span) -> Role:
        """Read the node's type."""
        attributes = span.attributes
        if _NODE not in attributes:
            return CHAIN if _WORKFLOW in attributes else super().role(span)
        last = text_of(attributes[_NODE]).rpartition(".")[2]
        if last.endswith("Tool") or last.startswith("tool"):
            return TOOL
        if last.lower() in _AGENTS:
            return AGENT
        return LLM if last.startswith("lm") else OTHER

    def told_tool(self, span: Span) -> str:
        """Give the node's name."""
        return text_of(span.attributes.get("n8n.node.name"))

    def agent(self, span: Span) -> str:
        """Give the node's name."""
        return text_of(span.attributes.get("n8n.node.name"))

    def hosts(self, span: Span) -> bool:
        """Whether the span is a workflow's, which may hold no agent at all."""
        return _NODE not in span.attributes
