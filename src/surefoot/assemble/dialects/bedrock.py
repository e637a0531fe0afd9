"""Amazon Bedrock Agents through OpenInference.

What is peculiar, by openinference-instrumentation-bedrock `_attribute_extractor.py`:
arguments are `[{"name", "type", "value"}]` in `tool.parameters`, the input is the model's
text; a tool's span is named after the kind of invocation; a collaborator's span has its
name in brackets, `agent_collaborator_invocation[Name]`.
"""

import re

from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.model import Span

_COLLABORATOR = re.compile(r"agent_collaborator_invocation\[(.+)\]")


class Bedrock(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.bedrock",)
    argument_keys = (
        "tool.parameters",
        *(key for key in OpenInference.argument_keys if key != "tool.parameters"),
    )

    def agent(self, span: Span) -> str:
        """Give a collaborator's name."""
        found = _COLLABORATOR.fullmatch(span.name)
        return found[1] if found else super().agent(span)
