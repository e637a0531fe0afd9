"""Strands Agents, by itself and through OpenInference.

What is peculiar, as seen in the recordings of strands and strands-native:
- By itself it writes messages, arguments and results as span events:
  `gen_ai.user.message`, `gen_ai.choice`, on a tool's span `gen_ai.tool.message`; with the
  newest conventions one event `gen_ai.client.inference.operation.details`.
- Converted, a tool's input is the argument named "text" alone, if there is one;
  `tool.parameters` is complete.
- The graph node's id is the same for every agent.
"""

from surefoot.assemble.dialects import events
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.model import Span


class Strands(OpenInference):
    """See the module."""

    scopes = (
        "strands.telemetry.tracer",
        "strands-agents",
        "openinference.instrumentation.strands_agents",
    )
    argument_keys = (
        "gen_ai.tool.call.arguments",
        "tool.parameters",
        *(key for key in OpenInference.argument_keys if key != "tool.parameters"),
    )
    omits_empty = True

    def trim(self, span: Span) -> None:
        """Turn events into attributes."""
        events.lift(span)
        super().trim(span)
