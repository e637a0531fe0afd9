"""What can be said of one span, and what is said if its framework does nothing else.

Owns the reading of a span through the conventions' keys: role, tool, arguments, result,
failure, call id, agent, task, answer. Frameworks override what they do otherwise, each in
its own file. Knows nothing of other spans: recovery, merging and ancestors are elsewhere.
"""

import re
from collections.abc import Iterator
from typing import Any, ClassVar, cast

from surefoot.assemble import results, schemas
from surefoot.assemble.arguments import Candidate
from surefoot.assemble.dialects import keys, trim
from surefoot.assemble.members import ERROR, LLM, TOOL
from surefoot.assemble.messages import items_at
from surefoot.assemble.overview import answer_text, task_items
from surefoot.assemble.results import Result
from surefoot.assemble.values import is_hidden, text_of
from surefoot.model import Event, Item, Role, Span, StepKind, Value

#: Control flow that instrumentors record as exceptions, on spans that went well.
#: Source: oi-langchain `_tracer.py`, IGNORED_EXCEPTION_PATTERNS; asyncio; LangGraph.
CONTROL_FLOW = frozenset(
    {
        "GraphInterrupt",
        "NodeInterrupt",
        "Interrupt",
        "ParentCommand",
        "Command",
        "GraphBubbleUp",
        "GeneratorExit",
        "CancelledError",
        "StopIteration",
        "StopAsyncIteration",
    }
)
_PAUSES = frozenset({"GraphInterrupt", "NodeInterrupt", "Interrupt"})
#: What ADK writes where it has no id, and other ways of saying nothing.
_NO_CALL_ID = frozenset({"<not specified>", "None", "null", "undefined"})
_FAILURES = frozenset({"error", "failure", "failed"})
#: Node ids that a framework made: strands, agent-framework, agno.
_MADE_UP = re.compile(
    r"agent_|strands_agent$|[0-9a-f]{16,}$|[0-9a-f]{8}-[0-9a-f]{4}-|(?:cycle|llm|tool)_"
)
#: How tools' spans are named.
_TOOL_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:execute_tool|running tool:?|tools/call|MCP send tools/call|ai\.toolCall) (.+)",
        r"(.+?)\.(?:__call__|acall|tool|tool_call)",
    )
)
#: How agents' spans are named, by agent-spans of the instrumentors that give no attribute.
_SPAN_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:invoke_agent|create_agent|agent_run|invoke_workflow|invocation|agent run) \[?(.+?)\]?",
        r"ClaudeAgentSDK\.(.+)",
        r"(.+?)\.(?:run|arun|kickoff|stream|generate|on_messages|on_messages_stream|workflow|agent)",
        r"(.+?)(?:\..+)?\.(?:_execute_core|execute)",
    )
)
_STATUSES = ("gen_ai.tool.status", "tool.status", "gen_ai.task.status")
_VERDICTS = frozenset((*_STATUSES, "langfuse.observation.level"))


class Dialect:
    """How spans are read. One instance a framework, without state."""

    #: Instrumentation scopes of spans that speak it.
    scopes: ClassVar[tuple[str, ...]] = ()
    #: Attribute keys that it reads beyond those of `keys`.
    extra_keys: ClassVar[tuple[str, ...]] = ()
    argument_keys: ClassVar[tuple[str, ...]] = keys.ARGUMENTS
    result_keys: ClassVar[tuple[str, ...]] = keys.RESULT
    #: Whether a span's own word on its agent beats the agent's span above it.
    owner_first: ClassVar[bool] = False
    #: Whether the arguments on a tool's span may look like others than they are, so that
    #: the model's request is to be believed instead.
    doubts_arguments: ClassVar[bool] = False
    #: Whether a call without arguments leaves them out, instead of writing `{}`.
    omits_empty: ClassVar[bool] = False
    #: Whether a tool's span is made when the call is only waiting for approval.
    shows_pending: ClassVar[bool] = False
    #: Whether a model's span sums up several turns, so that it says and asks at once.
    folds_turns: ClassVar[bool] = False

    # At the door

    def role(self, span: Span) -> Role:
        """Say what the span is."""
        raise NotImplementedError

    def trim(self, span: Span) -> None:
        """Let go of what judging has no use for; see `trim`."""
        if span.role is LLM:
            trim.trim_model(span.attributes)
        elif span.role is TOOL:
            trim.trim_tool(span.attributes)
            self._keep_result(span)
        else:
            trim.trim_overview(span)
            self._keep_words(span)
        if span.events:
            trim.trim_events(span)
        trim.compact(span)

    def _keep_result(self, span: Span) -> None:
        """Take a result out of its envelope, so that it is the text that a model hears."""
        attributes = span.attributes
        if trim.is_long(attributes, trim.RESULTS):
            result = self.result(span)
            if result.known:
                trim.mark_cut(attributes, trim.RESULTS)
                attributes[keys.OUTCOME] = tuple(result)
                trim.let_go(attributes, trim.RESULTS)

    def _keep_words(self, span: Span) -> None:
        """Keep of what a run was given and gave the words alone."""
        attributes = span.attributes
        if trim.is_long(attributes, trim.TASKS):
            attributes[keys.OPENING] = self.task(span)
            trim.mark_cut(attributes, trim.TASKS)
            trim.let_go(attributes, trim.TASKS)
        if trim.is_long(attributes, trim.ANSWERS):
            attributes[keys.CLOSING] = self.answer(span)
            trim.mark_cut(attributes, trim.ANSWERS)
            trim.let_go(attributes, trim.ANSWERS)

    # A tool's span

    def is_step(self, _span: Span) -> bool:
        """Whether this tool's span stands for a call at all."""
        return True

    def told_tool(self, span: Span) -> str:
        """Give the tool's name that an attribute tells; empty if none does."""
        return first_text(span.attributes, keys.TOOL)

    def tool(self, span: Span) -> str:
        """Give the name that the model called; if need be out of the span's own name."""
        return self.told_tool(span) or called(span.name)

    def kind(self, _span: Span) -> StepKind | None:
        """Say what a call is, where the span tells and its name may not."""
        return None

    def candidates(self, span: Span) -> Iterator[Candidate]:
        """Give what may hold the arguments, the most trusted first.

        `tool.parameters` is the arguments in half of the frameworks and their schema in
        the other; a switch of OpenInference copies it into `gen_ai.tool.call.arguments`.
        """
        attributes = span.attributes
        copied = "tool.parameters" in attributes
        for key in self.argument_keys:
            if key in attributes:
                doubt = key == "tool.parameters" or (copied and key.startswith("gen_ai."))
                yield Candidate(attributes[key], doubt)

    def properties(self, span: Span) -> tuple[str, ...] | None:
        """Give the tool's argument names, where the span has their schema."""
        for key in ("tool.json_schema", "gen_ai.tool.json_schema", "tool.parameters"):
            if key in span.attributes:
                names = schemas.properties(span.attributes[key])
                if names is not None:
                    return names
        return None

    def result(self, span: Span) -> Result:
        """Give the tool's own result."""
        kept = span.attributes.get(keys.OUTCOME)
        if isinstance(kept, tuple):
            return Result(*cast("tuple[Any, ...]", kept))
        attributes = span.attributes
        for key in self.result_keys:
            if key in attributes and attributes[key] is not None:
                return results.unwrap(attributes[key])
        return results.UNKNOWN

    def hides_result(self, span: Span) -> bool:
        """Whether the sender hid the result, as against there being none."""
        return any(is_hidden(span.attributes.get(key)) for key in self.result_keys)

    def complaint(self, span: Span) -> str:
        """Give the error's own text, where a failed call has no result."""
        for event in span.events:
            if is_failure(event):
                return text_of(event.attributes.get("exception.message"))
        return span.message

    def call_id(self, span: Span) -> str:
        """Give the model's id of the call; empty if the span does not tell."""
        found = first_text(span.attributes, keys.CALL_ID)
        return "" if found in _NO_CALL_ID else found

    def failed(self, span: Span) -> bool:
        """Whether a tool's span tells of a failure, whatever its status says."""
        attributes = span.attributes
        if self.broken(span) or (span.events and any(map(is_failure, span.events))):
            return True
        if _VERDICTS.isdisjoint(attributes):
            return False
        told = [attributes.get(key) for key in _STATUSES]
        return not _FAILURES.isdisjoint(map(text_of, told)) or (
            attributes.get("langfuse.observation.level") == "ERROR"
        )

    def attempts(self, span: Span) -> int:
        """Give the number of this try of one request, from 1."""
        tries = span.attributes.get("tool.run_attempts")
        return tries if isinstance(tries, int) and tries > 0 else 1

    def hands_to(self, _span: Span) -> str:
        """Give the agent that a hand-over goes to, or that works under it, if the span says so."""
        return ""

    # Any span

    def hosts(self, _span: Span) -> bool:
        """Whether the span may hold agents, but is no sign of one by itself."""
        return False

    def agent(self, span: Span) -> str:
        """Give the name of the agent whose span this is; empty if it has none."""
        attributes = span.attributes
        return first_text(attributes, keys.AGENT) or node_name(attributes) or spoken(span.name)

    def owner(self, span: Span) -> str:
        """Give the agent that the span says it belongs to."""
        return first_text(span.attributes, keys.OWNERS)

    def broken(self, span: Span) -> bool:
        """Whether a span ended in an error that is no control flow."""
        attributes = span.attributes
        kind = attributes["error.type"] if "error.type" in attributes else None  # noqa: SIM401 - quicker
        if not kind and span.status != ERROR:
            return False
        if kind and _last_name(kind) in CONTROL_FLOW:
            return False
        thrown = [event for event in span.events if event.name == "exception"]
        return not thrown or any(map(is_failure, thrown))

    def users_words(self, text: str) -> str:
        """Give what is the user's in a user message that a model heard."""
        return text

    def task(self, span: Span) -> tuple[Item, ...]:
        """Give the messages that an agent's or a chain's span was started with."""
        if keys.OPENING in span.attributes:
            return items_at(span.attributes, keys.OPENING)
        for key in keys.TASK:
            value = span.attributes.get(key)
            if value not in (None, ""):
                found = self.opening(value)
                if found:
                    return found
        return items_at(span.attributes, keys.HEARD)

    def opening(self, value: Value) -> tuple[Item, ...]:
        """Read the messages in what a run was given."""
        return task_items(value)

    def answer(self, span: Span) -> str:
        """Give the final answer that an agent's or a chain's span tells; may be empty."""
        if keys.CLOSING in span.attributes:
            return text_of(span.attributes[keys.CLOSING])
        for key in keys.ANSWER:
            value = span.attributes.get(key)
            if value not in (None, ""):
                found = self.closing(value)
                if found:
                    return found
        return ""

    def closing(self, value: Value) -> str:
        """Read the answer in what a run gave."""
        return answer_text(value)


def first_text(attributes: dict[str, Value], names: tuple[str, ...]) -> str:
    """Give the first of the named attributes that is a text with something in it."""
    for key in names:
        if key in attributes:
            value = attributes[key]
            text = text_of(value).strip() if value else ""
            if text:
                return text
    return ""


def called(name: str) -> str:
    """Give the tool's name in a span's name: `execute_tool X`, `X.__call__`, `X.tool`."""
    for pattern in _TOOL_NAMES:
        found = pattern.fullmatch(name)
        if found:
            return found[1]
    return name


def node_name(attributes: dict[str, Value]) -> str:
    """Give the graph node's id where it is a name that somebody chose."""
    node = text_of(attributes.get("graph.node.id"))
    return "" if _MADE_UP.match(node) else node


def spoken(name: str) -> str:
    """Give the agent's name in a span's name: `invoke_agent X`, `agent_run [X]`, `X.run`."""
    for pattern in _SPAN_NAMES:
        found = pattern.fullmatch(name)
        if found:
            return found[1]
    return name.strip()


def is_failure(event: Event) -> bool:
    """Whether this event is an exception that is no control flow."""
    if event.name != "exception":
        return False
    return _last_name(event.attributes.get("exception.type")) not in CONTROL_FLOW


def is_pause(event: Event) -> bool:
    """Whether this event says that the run waits for somebody."""
    return (
        event.name == "exception" and _last_name(event.attributes.get("exception.type")) in _PAUSES
    )


def _last_name(kind: Value) -> str:
    return text_of(kind).rpartition(".")[2]
