"""Hugging Face smolagents through OpenInference.

What is peculiar, as seen in the recordings of smolagents and in openinference-
instrumentation-smolagents `_wrappers.py`:
- A tool's span is called after its class; arguments are `{"args", "kwargs"}` with a
  framework's own key beside them. Positional ones get their names from `tool.parameters`.
- The agent's name is in its span's name, `refund_agent.run`.
- Models hear the task with a line before it, results as a user's or a tool's text.
- A managed agent is an agent's span under a step; no tool's span tells of the call.
- A step that failed is an ERROR although the agent goes on.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.model import Item, Span, Value

_FRAME = "New task:\n"
_OBSERVED = ("Observation:", "Error:", "Call id:")


class Smolagents(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.smolagents",)

    def trim(self, span: Span) -> None:
        """Take the frame off the task, and results out of users' mouths."""
        super().trim(span)
        heard = span.attributes.get(keys.HEARD)
        if isinstance(heard, tuple):
            span.attributes[keys.HEARD] = tuple(map(_unframed, heard))


def _unframed(item: Value) -> Value:
    """Give the item itself where there is nothing to take off, so that it stays shared."""
    pairs: Item = item if isinstance(item, tuple) else ()  # type: ignore[assignment] # ours
    role = pairs[0][1] if pairs else ""
    for at, (key, value) in enumerate(pairs):
        if not isinstance(value, str) or not key.endswith((".content", ".text")):
            continue
        if value.startswith(_FRAME):
            return (*pairs[:at], (key, value.removeprefix(_FRAME)), *pairs[at + 1 :])
        if value.startswith(_OBSERVED) and role == "user":
            return (("message.role", "tool"), *pairs[1:])
    return item
