"""OpenTelemetry GenAI: a span says what it does in `gen_ai.operation.name`.

Source: open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md and
gen-ai-agent-spans.md; seen in the recordings of openaiagents-v2, pydanticai-native.
Messages and arguments may be missing altogether, since they are opt-in.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import Dialect
from surefoot.model import Role, Span

#: Operations that are agent work. Any other that is no bookkeeping is a chain's link.
_ROLES = {
    "execute_tool": Role.TOOL,
    "invoke_agent": Role.AGENT,
    "chat": Role.LLM,
    "text_completion": Role.LLM,
    "generate_content": Role.LLM,
    "response": Role.LLM,
    "execute_task": Role.TASK,
    "create_agent": Role.OTHER,
    "embeddings": Role.OTHER,
    "embedding": Role.OTHER,
    "retrieval": Role.OTHER,
    "rerank": Role.OTHER,
    "guardrail": Role.OTHER,
    "guardrail_check": Role.OTHER,
    "evaluate": Role.OTHER,
    "speech_generation": Role.OTHER,
    "transcription": Role.OTHER,
    "image_generation": Role.OTHER,
}
#: What agents do with their memory is no step of theirs.
_BOOKKEEPING = ("memory",)


class GenAI(Dialect):
    """Any instrumentation that keeps to the GenAI conventions."""

    def role(self, span: Span) -> Role:
        """Read the operation; a span with a method of MCP alone is plumbing."""
        operation = span.attributes.get(keys.OPERATION)
        if not isinstance(operation, str):
            return Role.OTHER
        role = _ROLES.get(operation)
        if role is not None:
            return role
        return Role.OTHER if any(word in operation for word in _BOOKKEEPING) else Role.CHAIN
