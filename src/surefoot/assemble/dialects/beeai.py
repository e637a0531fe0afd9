"""BeeAI through OpenInference.

What is peculiar, by openinference-instrumentation-beeai `processors/tool.py`: under a
tool's span stand spans of its events (`error`, `retry`) with the kind TOOL and no
`tool.name`; arguments stand in `{"input", "options"}`.
"""

from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.model import Span


class BeeAI(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.beeai", "@arizeai/openinference-instrumentation-beeai")

    def is_step(self, span: Span) -> bool:
        """Leave out the spans of a tool's events."""
        return "tool.name" in span.attributes
