"""OpenTelemetry GenAI: a span says what it does in `gen_ai.operation.name`.

Source: open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md and
gen-ai-agent-spans.md; seen in the recordings of openaiagents-v2, pydanticai-native.
Messages and arguments may be missing altogether, since they are opt-in.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import Dialect
from surefoot.assemble.members import AGENT, CHAIN, LLM, OTHER, TASK, TOOL
from surefoot.model import Role, Span

#: Operations that are agent work. Any other that is no bookkeeping is a chain's link.
_ROLES = {
    "execute_tool": TOOL,
    "invoke_agent": AGENT,
    "chat": LLM,
    "text_completion": LLM,
    "generate_content": LLM,
    "response": LLM,
    "execute_task": TASK,
    "create_agent": OTHER,
    "embeddings": OTHER,
    "embedding": OTHER,
    "retrieval": OTHER,
    "rerank": OTHER,
    "guardrail": OTHER,
    "guardrail_check": OTHER,
    "evaluate": OTHER,
    "speech_generation": OTHER,
    "transcription": OTHER,
    "image_generation": OTHER,
}
#: What agents do with their memory is no step of theirs.
_BOOKKEEPING = ("memory",)


class GenAI(Dialect):
    """Any instrumentation that keeps to the GenAI conventions."""

    def role(self, span: Span) -> Role:
        """Read the operation; a span with a method of MCP alone is plumbing."""
        operation = span.attributes.get(keys.OPERATION)
        if not isinstance(operation, str):
            return OTHER
        role = _ROLES.get(operation)
        if role is not None:
            return role
        return OTHER if any(word in operation for word in _BOOKKEEPING) else CHAIN
