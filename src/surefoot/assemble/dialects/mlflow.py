"""MLflow tracing: a span says what it is in `mlflow.spanType`, a JSON-encoded word.

Source: mlflow/mlflow, `mlflow/tracing/constant.py` and `entities/span.py`. Every value is
JSON, the words included; names are the spans' names.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.genai import GenAI
from surefoot.assemble.members import AGENT, CHAIN, LLM, OTHER, TASK, TOOL
from surefoot.assemble.values import text_of
from surefoot.model import Role, Span

_ROLES = {
    "TOOL": TOOL,
    "AGENT": AGENT,
    "CHAT_MODEL": LLM,
    "LLM": LLM,
    "CHAIN": CHAIN,
    "WORKFLOW": CHAIN,
    "TASK": TASK,
    "UNKNOWN": CHAIN,
}
_FUNCTION = "mlflow.spanFunctionName"


class MLflow(GenAI):
    """See the module."""

    scopes = ("mlflow",)
    extra_keys = (_FUNCTION,)

    def role(self, span: Span) -> Role:
        """Read the type; retrievers, parsers, evaluators are no agent work."""
        kind = text_of(span.attributes.get(keys.MLFLOW_TYPE)).strip('"').upper()
        if not kind and keys.OPERATION in span.attributes:
            return super().role(span)
        return _ROLES.get(kind, OTHER)

    def told_tool(self, span: Span) -> str:
        """Believe the span's name where it is the function's, too."""
        function = text_of(span.attributes.get(_FUNCTION)).strip('"')
        return super().told_tool(span) or (function if function == span.name else "")
