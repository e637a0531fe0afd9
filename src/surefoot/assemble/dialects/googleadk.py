"""Google's Agent Development Kit through OpenInference, and by itself.

What is peculiar, as seen in the recordings of googleadk and googleadk-native:
- Calls of one turn get one more span, `execute_tool (merged)`, which is no call.
- The model's loop is one span for the whole run; each turn's request overwrites the last.
- Message-side calls have no ids; a failed call's id is `<not specified>`.
- What other agents did is told to an agent as a user's message.
- An event without content, but with an error's code, stands where the answer should.
"""

from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.members import OTHER, TOOL
from surefoot.assemble.values import fields
from surefoot.model import Role, Span, Value

_MERGED = "(merged"
#: Source: google/adk-python, flows/llm_flows/contents.py.
_TRANSCRIPT = "For context:"


class GoogleADK(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.google_adk", "gcp.vertex.agent")
    folds_turns = True

    def role(self, span: Span) -> Role:
        """Take the span that merges others for no work."""
        role = super().role(span)
        return OTHER if role is TOOL and _MERGED in self.tool(span) else role

    def users_words(self, text: str) -> str:
        """Take the transcript of other agents for nobody's words."""
        return "" if text.startswith(_TRANSCRIPT) else text

    def closing(self, value: Value) -> str:
        """Take an error for no answer."""
        return "" if "error_code" in fields(value) else super().closing(value)
