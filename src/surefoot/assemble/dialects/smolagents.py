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

from surefoot.assemble.dialects.openinference import OpenInference

_FRAME = "New task:\n"
_OBSERVED = ("Observation:", "Error:", "Call id:")


class Smolagents(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.smolagents",)

    def users_words(self, text: str) -> str:
        """Take the frame off the task, and results out of the user's mouth."""
        return "" if text.startswith(_OBSERVED) else text.removeprefix(_FRAME)
