"""LangChain and LangGraph through OpenInference, in Python and JavaScript.

What is peculiar, as seen in the recordings of langgraph and langchainjs and in
openinference-instrumentation-langchain `_tracer.py`:
- A tool whose name contains "agent" is an AGENT span with `tool.name`.
- A tool with one text argument has the bare text as its input, the argument's name lost;
  if that text is JSON, it looks like other arguments. Without arguments there is no input.
- Every span tells its agent in `metadata`; AGENT spans above it are often only nodes.
- The node that runs tools is a chain whose input is the calls, with ids and arguments.
- Chains repeat the whole state, which grows with every turn.
"""

from surefoot.assemble import history
from surefoot.assemble.dialects import keys, trim
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.assemble.members import AGENT, CHAIN, TOOL
from surefoot.assemble.values import fields, structure, text_of
from surefoot.model import Item, Role, Span, Value

_AGENT_NAME = '"lc_agent_name": "'
_CALL_MARKS = ('[{"name"', '{"__type": "tool_call_with_context"', '{"__type":"tool_call_with')
_RESUME = '"resume": '
#: An input of a node that is longer than this is the graph's state.
_STATE_CHARS = 1024
_STATES = frozenset({"input.value", "output.value"})


class LangChain(OpenInference):
    """See the module."""

    scopes = (
        "openinference.instrumentation.langchain",
        "@arizeai/openinference-instrumentation-langchain",
        "@arizeai/openinference-instrumentation-langchain-v0",
    )
    owner_first = True
    doubts_arguments = True
    omits_empty = True

    def role(self, span: Span) -> Role:
        """Tell tools from agents by `tool.name`."""
        role = super().role(span)
        return TOOL if role is AGENT and "tool.name" in span.attributes else role

    def trim(self, span: Span) -> None:
        """Keep the agent's name of the metadata, and of a node's state only calls."""
        attributes = span.attributes
        name = _agent_name(attributes.get("metadata"))
        if name:
            attributes[keys.OWNER] = name
        if span.parent_id:
            attributes.pop("metadata", None)
            if span.role in (CHAIN, AGENT):
                _keep_calls(attributes)
        super().trim(span)

    def opening(self, value: Value) -> tuple[Item, ...]:
        """Take the answer to a pause for no task."""
        return () if isinstance(value, str) and _RESUME in value[:200] else super().opening(value)

    def agent(self, span: Span) -> str:
        """Give the metadata's name first: a span's own name may be its node's."""
        own = span.attributes.get(keys.OWNER)
        return own if isinstance(own, str) else super().agent(span)


def _agent_name(metadata: Value) -> str:
    """Find the name without parsing the rest, unless it is spelt otherwise."""
    if not isinstance(metadata, str) or "lc_agent_name" not in metadata:
        return ""
    start = metadata.find(_AGENT_NAME) + len(_AGENT_NAME)
    end = metadata.find('"', start)
    if start > len(_AGENT_NAME) - 1 and end > start and "\\" not in metadata[start:end]:
        return metadata[start:end]
    return text_of(fields(metadata).get("lc_agent_name"))


def _keep_calls(attributes: dict[str, Value]) -> None:
    given = attributes.get("input.value")
    if isinstance(given, str) and given.startswith(_CALL_MARKS):
        calls = _calls(given)
        if calls:
            attributes[keys.ASKED] = calls
            del attributes["input.value"]
    trim.let_go(attributes, _STATES, _STATE_CHARS)


def _calls(text: str) -> tuple[Item, ...]:
    found = structure(text)
    value = found.value if found and found.whole else None
    if isinstance(value, dict):
        value = [value.get("tool_call")]
    calls = [call for call in value or () if isinstance(call, dict) and "args" in call]
    return history.items_in([{"role": "assistant", "tool_calls": calls}]) if calls else ()
