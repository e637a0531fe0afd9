"""Langfuse's SDK on OpenTelemetry: a span says what it is in `langfuse.observation.type`.

Source: langfuse/langfuse-python, `_client/attributes.py`. Names are the spans' names.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.genai import GenAI
from surefoot.assemble.members import AGENT, CHAIN, LLM, OTHER, TOOL
from surefoot.assemble.values import text_of
from surefoot.model import Role, Span

_ROLES = {
    "tool": TOOL,
    "agent": AGENT,
    "generation": LLM,
    "chain": CHAIN,
    "span": CHAIN,
}


class Langfuse(GenAI):
    """See the module."""

    scopes = ("langfuse-sdk",)

    def role(self, span: Span) -> Role:
        """Read the type; embeddings, retrievers, evaluators are no agent work."""
        kind = text_of(span.attributes.get(keys.LANGFUSE_TYPE)).lower()
        if not kind and keys.OPERATION in span.attributes:
            return super().role(span)
        return _ROLES.get(kind, OTHER)
