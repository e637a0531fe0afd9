"""The Model Context Protocol: a span says what it asks in `mcp.method.name`.

A call has a client's and a server's span, `tools/call X`, in one trace where the context
is passed on; under a framework's own tool span they are the same call once more. Other
methods are plumbing.

Source: open-telemetry/semantic-conventions-genai docs/gen-ai/mcp.md; seen in the
recordings of mcp (mcp-python-sdk).
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.genai import GenAI
from surefoot.assemble.members import OTHER, TOOL
from surefoot.model import Role, Span


class MCP(GenAI):
    """Clients and servers."""

    scopes = ("mcp-python-sdk", "mcp")

    def role(self, span: Span) -> Role:
        """Take `tools/call` for a tool's span, whatever else is missing."""
        method = span.attributes.get(keys.MCP_METHOD)
        return TOOL if method == "tools/call" else OTHER
