"""Haystack through OpenInference.

What is peculiar, as seen in spans of Haystack 2.31 and by openinference-instrumentation-
haystack `_wrappers.py`:
- No tool's span, and no agent's: an agent is a chain, in version 3 the only span with the
  pipeline's. Calls and results stand in reprs of messages, in what the agent gave.
- A model's span has requests without ids as items, with ids in a repr; results that it
  was told have no text.
"""

from surefoot.assemble import history
from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.members import CHAIN, LLM
from surefoot.assemble.messages import items_at, read, role_of
from surefoot.assemble.values import fields
from surefoot.model import Item, Span, Value

_CALLS = "ToolCall("


class Haystack(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.haystack",)

    def trim(self, span: Span) -> None:
        """Read calls and results out of reprs before these are let go."""
        attributes = span.attributes
        output = attributes.get("output.value")
        calls = isinstance(output, str) and _CALLS in output
        if calls and span.role is LLM:
            said = history.items_in(fields(output).get("replies") or [], role="assistant")
            if said:
                attributes.pop("llm.output_messages", None)
                attributes[keys.SAID] = said
        if calls and span.role is CHAIN and span.name.startswith("Agent."):
            _keep(attributes, history.items_in(fields(output).get("messages") or []))
        super().trim(span)


def _keep(attributes: dict[str, Value], messages: tuple[Item, ...]) -> None:
    """Keep what was asked for and what was answered."""
    asked = tuple(item for item in messages if read(item).calls)
    told = tuple(item for item in messages if role_of(item) == "tool")
    if asked:
        attributes[keys.ASKED] = asked
    if told:
        attributes[keys.HEARD] = (*items_at(attributes, keys.HEARD), *told)
