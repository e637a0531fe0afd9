"""Google's Agent Development Kit through OpenInference, and by itself.

What is peculiar, as seen in the recordings of googleadk and googleadk-native:
- Calls of one turn get one more span, `execute_tool (merged)`, which is no call.
- The model's loop is one span for the whole run; each turn's request overwrites the last.
- Message-side calls have no ids; a failed call's id is `<not specified>`.
"""

from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.model import Role, Span

_MERGED = "(merged"


class GoogleADK(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.google_adk", "gcp.vertex.agent")

    def role(self, span: Span) -> Role:
        """Take the span that merges others for no work."""
        role = super().role(span)
        return Role.OTHER if role is Role.TOOL and _MERGED in self.tool(span) else role
