"""Vercel's AI SDK, by itself and through OpenInference.

What is peculiar, as seen in the recordings of vercel, vercel7, vercel-native and in
openinference-vercel `utils.ts`:
- `ai.operationId` says what a span is; the agent is whatever name the user gave
  (`ai.telemetry.functionId`, `ai.telemetry.metadata.agent`), if any.
- Converted messages lose tools' results; `ai.prompt.messages` has them all.
- From version 7 on it writes GenAI, with the scope `gen_ai`; a step is a chain, though
  the converter takes it for a model's call.
- With version 2 of OpenTelemetry's JavaScript SDK the converter marks every span after a
  failed one as an ERROR with the same message. A true failure has an exception event, or
  no output.
"""

from typing import ClassVar

from surefoot.assemble import history
from surefoot.assemble.dialects import keys, trim
from surefoot.assemble.dialects.dialect import first_text
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.members import AGENT, CHAIN, ERROR, LLM, TOOL
from surefoot.assemble.values import structure
from surefoot.model import Role, Span, Value

_ROLES = {
    "ai.toolCall": TOOL,
    "ai.generateText": AGENT,
    "ai.streamText": AGENT,
    "ai.generateObject": AGENT,
    "ai.streamObject": AGENT,
    "ai.agent": AGENT,
}
_MODEL_CALLS = (".doGenerate", ".doStream")
_MESSAGES = ("ai.prompt.messages", "ai.prompt", "gen_ai.input.messages")


class Vercel(OpenInference):
    """See the module."""

    scopes: ClassVar[tuple[str, ...]] = ("ai", "gen_ai", "@ai-sdk/otel")
    extra_keys = (
        "ai.telemetry.metadata.agent",
        "ai.telemetry.metadata.agentName",
        "metadata.agent",
    )

    def role(self, span: Span) -> Role:
        """Read the operation where no converter wrote a kind."""
        if span.attributes.get(keys.OPERATION) == "agent_step":
            return CHAIN
        operation = span.attributes.get(keys.AI_SDK)
        if keys.KIND in span.attributes or not isinstance(operation, str):
            return super().role(span)
        if operation.endswith(_MODEL_CALLS):
            return LLM
        return _ROLES.get(operation) or super().role(span)

    def trim(self, span: Span) -> None:
        """Prefer the SDK's own messages to converted ones."""
        attributes = span.attributes
        if span.role is LLM:
            heard = trim.from_json(attributes, _MESSAGES, "user")
            if heard:
                attributes.pop("llm.input_messages", None)
                attributes[keys.HEARD] = heard
            _own_words(attributes)
        super().trim(span)

    def agent(self, span: Span) -> str:
        """Give the name that the user gave; the operation is none."""
        names = (*keys.AGENT[:-1], *self.extra_keys, keys.AGENT[-1])
        return first_text(span.attributes, names)

    def broken(self, span: Span) -> bool:
        """Doubt an ERROR that a converter may have copied."""
        if span.status != ERROR or keys.KIND not in span.attributes:
            return super().broken(span)
        answered = any(span.attributes.get(key) not in (None, "") for key in _ANSWERS)
        answered = answered or keys.SAID in span.attributes
        return bool(span.events) or not answered


_ANSWERS = (
    "output.value",
    "ai.toolCall.result",
    "ai.response.text",
    "gen_ai.tool.call.result",
    "gen_ai.output.messages",
)


def _own_words(attributes: dict[str, Value]) -> None:
    """Make one assistant's message of `ai.response.*`."""
    calls = attributes.pop("ai.response.toolCalls", None)
    text = attributes.get("ai.response.text")
    if calls is None and not text:
        return
    found = structure(calls)
    listed = found.value if found and isinstance(found.value, list) else []
    said = history.items_in([{"role": "assistant", "content": text or "", "tool_calls": listed}])
    if said:
        attributes.pop("llm.output_messages", None)
        attributes[keys.SAID] = said
