"""OpenInference: a span says what it is in `openinference.span.kind`.

Source: Arize-ai/openinference, spec/semantic_conventions.md; kinds seen in the
recordings of langgraph, openaiagents, crewai, smolagents, vercel and others.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.genai import GenAI
from surefoot.assemble.members import AGENT, CHAIN, LLM, OTHER, TASK, TOOL
from surefoot.model import Role, Span

_ROLES = {"TOOL": TOOL, "AGENT": AGENT, "LLM": LLM, "CHAIN": CHAIN}


class OpenInference(GenAI):
    """Any instrumentor of OpenInference, also where it only converts some of the spans.

    The kind's case varies. The bridge from OpenLLMetry writes TOOL on tasks that are no
    tools. A span that a converter left out may still speak GenAI.
    """

    def role(self, span: Span) -> Role:
        """Read the kind; where there is none, the operation."""
        kind = span.attributes.get(keys.KIND)
        if not isinstance(kind, str):
            return super().role(span)
        role = _ROLES.get(kind) or _ROLES.get(kind.upper(), OTHER)
        if role is TOOL and span.attributes.get(keys.TRACELOOP_KIND, "tool") != "tool":
            return TASK
        return role
