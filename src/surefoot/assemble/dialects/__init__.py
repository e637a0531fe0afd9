"""Every dialect that Surefoot knows, and which of them a span speaks.

The instrumentation scope tells first; a span of a scope that no dialect names speaks the
convention whose mark it bears. To add a framework: one file here, its line in `DIALECTS`,
one recording.
"""

from collections.abc import Iterable

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.autogen import AutoGen
from surefoot.assemble.dialects.bedrock import Bedrock
from surefoot.assemble.dialects.beeai import BeeAI
from surefoot.assemble.dialects.claude_agent import ClaudeAgent
from surefoot.assemble.dialects.crewai import CrewAI
from surefoot.assemble.dialects.dialect import Dialect
from surefoot.assemble.dialects.dspy import DSPy
from surefoot.assemble.dialects.genai import GenAI
from surefoot.assemble.dialects.googleadk import GoogleADK
from surefoot.assemble.dialects.haystack import Haystack
from surefoot.assemble.dialects.langchain import LangChain
from surefoot.assemble.dialects.langfuse import Langfuse
from surefoot.assemble.dialects.llamaindex import LlamaIndex
from surefoot.assemble.dialects.mcp import MCP
from surefoot.assemble.dialects.mlflow import MLflow
from surefoot.assemble.dialects.n8n import N8nAgents, N8nNodes
from surefoot.assemble.dialects.openai_agents import OpenAIAgents, OpenAIAgentsGenAI
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.dialects.pydantic_ai import PydanticAI
from surefoot.assemble.dialects.smolagents import Smolagents
from surefoot.assemble.dialects.strands import Strands
from surefoot.assemble.dialects.traceloop import Traceloop, TraceloopLangChain
from surefoot.assemble.dialects.vercel import Vercel
from surefoot.model import Span, Wanted

_OPENINFERENCE = OpenInference()
#: Each convention by its mark, the most telling first.
_BY_MARK: tuple[tuple[str, Dialect], ...] = (
    (keys.KIND, _OPENINFERENCE),
    (keys.AI_SDK, Vercel()),
    (keys.TRACELOOP_KIND, Traceloop()),
    (keys.MCP_METHOD, MCP()),
    (keys.OPERATION, GenAI()),
    (keys.LANGFUSE_TYPE, Langfuse()),
    (keys.MLFLOW_TYPE, MLflow()),
    ("llm.request.type", Traceloop()),
)

DIALECTS: tuple[Dialect, ...] = (
    *(dialect for _, dialect in _BY_MARK),
    AutoGen(),
    Bedrock(),
    BeeAI(),
    ClaudeAgent(),
    CrewAI(),
    DSPy(),
    GoogleADK(),
    Haystack(),
    LangChain(),
    LlamaIndex(),
    N8nAgents(),
    N8nNodes(),
    OpenAIAgents(),
    OpenAIAgentsGenAI(),
    PydanticAI(),
    Smolagents(),
    Strands(),
    TraceloopLangChain(),
)

_BY_SCOPE = {scope: dialect for dialect in DIALECTS for scope in dialect.scopes}

WANTED = Wanted(
    keys=keys.KEYS | {key for dialect in DIALECTS for key in dialect.extra_keys},
    indexed=keys.INDEXED,
    event_keys=keys.EVENT_KEYS,
)


def find(span: Span) -> Dialect | None:
    """Give the dialect of a span; None if no AI convention knows it."""
    dialect = _BY_SCOPE.get(span.scope)
    if dialect is not None:
        return dialect
    attributes = span.attributes
    for key, dialect in _BY_MARK:
        if key in attributes:
            return dialect
    return None


def of_all(spans: Iterable[Span]) -> list[Dialect]:
    """Give the dialect of each of many reduced spans."""
    by_scope = _BY_SCOPE.get
    return [by_scope(span.scope) or of(span) for span in spans]


def of(span: Span) -> Dialect:
    """Give the dialect of a reduced span; one without a mark is read by the first."""
    return find(span) or _OPENINFERENCE
