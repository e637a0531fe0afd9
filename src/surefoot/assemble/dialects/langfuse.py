"""Langfuse's SDK on OpenTelemetry: a span says what it is in `langfuse.observation.type`.

Source: langfuse/langfuse-python, `_client/attributes.py`. Names are the spans' names.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.genai import GenAI
from surefoot.assemble.values import text_of
from surefoot.model import Role, Span

_ROLES = {
    "tool": Role.TOOL,
    "agent": Role.AGENT,
    "generation": Role.LLM,
    "chain": Role.CHAIN,
    "span": Role.CHAIN,
}


class Langfuse(GenAI):
    """See the module."""

    scopes = ("langfuse-sdk",)

    def role(self, span: Span) -> Role:
        """Read the type; embeddings, retrievers, evaluators are no agent work."""
        kind = text_of(span.attributes.get(keys.LANGFUSE_TYPE)).lower()
        if not kind and keys.OPERATION in span.attributes:
            return super().role(span)
        return _ROLES.get(kind, Role.OTHER)
