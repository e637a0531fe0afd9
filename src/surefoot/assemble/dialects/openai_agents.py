"""OpenAI Agents SDK, through OpenInference and through OpenTelemetry's own package.

What is peculiar, as seen in the recordings of openaiagents, mcp and openaiagents-v2 and
in openinference-instrumentation-openai-agents `_processor.py`:
- A hand-over is a TOOL span `handoff to X` without `tool.name`; its input and output are
  the two agents' names. The model called `transfer_to_x`.
- An empty input is left out.
- A tool that waits for approval has a span without a result; the call may never be made.
- Hosted tools (web search, remote MCP) have no span; they stand in the model's response.
- OpenTelemetry's package writes a request as the repr of its object, in a text part, and
  "OpenAI Agent" as the agent of every span but the agents' own.
"""

from collections.abc import Iterator

from surefoot.assemble import history, loose
from surefoot.assemble.arguments import Candidate
from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import first_text
from surefoot.assemble.dialects.genai import GenAI
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.members import HANDOFF, LLM, TOOL
from surefoot.assemble.messages import items_at
from surefoot.assemble.values import fields, text_of
from surefoot.model import Item, Role, Span, StepKind, Value

_HANDOFF = "handoff to "
#: What the SDK's hosted tools are called in a response's output.
#: Source: openai-python types/responses/response_output_item.py.
_HOSTED = (
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "computer_call",
    "image_generation_call",
    "mcp_call",
    "shell_call",
    "local_shell_call",
    "apply_patch_call",
)
#: What else in a response has `_call` in it: without these, one look tells that there is none.
_NOT_HOSTED = ("function_call", "tool_call", "_caller")


class OpenAIAgents(OpenInference):
    """Through OpenInference, in Python and JavaScript."""

    scopes = (
        "openinference.instrumentation.openai_agents",
        "@arizeai/openinference-instrumentation-openai-agents",
    )
    omits_empty = True
    shows_pending = True

    def trim(self, span: Span) -> None:
        """Lift hosted tools out of the response before it is let go."""
        hosted = _hosted(span.attributes.get("output.value")) if span.role is LLM else ()
        super().trim(span)
        if hosted:
            span.attributes[keys.SAID] = (*items_at(span.attributes, keys.SAID), *hosted)

    def kind(self, span: Span) -> StepKind | None:
        """Know a hand-over by its span's name."""
        return HANDOFF if span.name.startswith(_HANDOFF) else None

    def tool(self, span: Span) -> str:
        """Name a hand-over as the SDK does by default."""
        if span.name.startswith(_HANDOFF) and "tool.name" not in span.attributes:
            return "transfer_to_" + span.name.removeprefix(_HANDOFF).strip().replace(" ", "_")
        return super().tool(span)

    def hands_to(self, span: Span) -> str:
        """Give the agent that a hand-over's span is named after."""
        return span.name.removeprefix(_HANDOFF).strip() if span.name.startswith(_HANDOFF) else ""

    def agent(self, span: Span) -> str:
        """Take the outermost span, which is named after the trace, for none."""
        return first_text(span.attributes, ("agent.name", "graph.node.id"))

    def candidates(self, span: Span) -> Iterator[Candidate]:
        """Give a hand-over no arguments: its input is the agent that hands over."""
        if not span.name.startswith(_HANDOFF):
            yield from super().candidates(span)


class OpenAIAgentsGenAI(GenAI):
    """Through `opentelemetry-instrumentation-openai-agents-v2`, and OpenLLMetry's."""

    scopes = ("opentelemetry.instrumentation.openai_agents",)
    omits_empty = True
    shows_pending = True

    def role(self, span: Span) -> Role:
        """Know a hand-over as a tool's span."""
        operation = text_of(span.attributes.get(keys.OPERATION))
        if operation in ("agent_handoff", "handoff", "execute_handoff"):
            return TOOL
        return super().role(span)

    def trim(self, span: Span) -> None:
        """Read requests out of reprs."""
        super().trim(span)
        said = items_at(span.attributes, keys.SAID)
        if said:
            span.attributes[keys.SAID] = tuple(map(_request, said))

    def kind(self, span: Span) -> StepKind | None:
        """Know a hand-over by its operation."""
        is_tool = span.attributes.get(keys.OPERATION) == "execute_tool"
        return None if is_tool else HANDOFF

    def told_tool(self, span: Span) -> str:
        """Name a hand-over as the SDK does by default."""
        if self.kind(span) is None:
            return super().told_tool(span)
        target = self.hands_to(span) or first_text(span.attributes, ("gen_ai.agent.name",))
        return "transfer_to_" + target.replace(" ", "_") if target else ""

    def hands_to(self, span: Span) -> str:
        """Give the agent that a hand-over names."""
        return first_text(span.attributes, ("gen_ai.handoff.to_agent",))

    def agent(self, span: Span) -> str:
        """Take the outermost span, which names no agent, for none."""
        return first_text(span.attributes, ("gen_ai.agent.name",))


def _request(item: Item) -> Item:
    """Turn a text that is the repr of a function call into the call."""
    for key, value in item:
        if key == "message.content" and isinstance(value, str):
            calls = [call for line in value.split("\n") for call in _call_repr(line)]
            if calls:
                return history.items_in([{"role": "assistant", "tool_calls": calls}])[0]
    return item


def _call_repr(line: str) -> Iterator[dict[str, object]]:
    if line.startswith("ResponseFunctionToolCall("):
        read = loose.read(line)
        if read and isinstance(read.value, dict) and read.value.get("name"):
            yield {key: read.value.get(key) for key in ("call_id", "name", "arguments")}


def _hosted(output: Value) -> tuple[Item, ...]:
    """Give hosted calls as an assistant's request and the answer to it."""
    if not isinstance(output, str) or "_call" not in output:
        return ()
    rest = output
    for other in _NOT_HOSTED:
        rest = rest.replace(other, "")
    if "_call" not in rest or not any(kind in rest for kind in _HOSTED):
        return ()
    entries = fields(output).get("output")
    calls = [
        {
            "id": entry.get("id"),
            "name": entry.get("name") or text_of(entry["type"]).removesuffix("_call"),
            "arguments": entry.get("arguments") or entry.get("action") or {},
        }
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and entry.get("type") in _HOSTED
    ]
    return history.items_in([{"role": "assistant", "tool_calls": calls}]) if calls else ()
