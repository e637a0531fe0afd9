"""Builders of spans as senders write them, and what `assemble` makes of them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from surefoot import assemble
from surefoot.model import Event, Item, Reason, Resource, Run, Span, Status, Value

TRACE = bytes(range(16))
MS = 1_000_000
OPENINFERENCE = "openinference.span.kind"
_SHOP = Resource("shop", {"service.name": "shop"})


def a_span(  # noqa: PLR0913 - a builder names what a test may vary
    n: int,
    parent: int | None = None,
    attributes: Mapping[str, Value] | None = None,
    *,
    name: str = "",
    scope: str = "test",
    start: float | None = None,
    end: float | None = None,
    error: bool = False,
    message: str = "",
    raised: str = "",
    flags: int = 0,
    dropped: int = 0,
    trace: bytes = TRACE,
) -> Span:
    """The n-th span of a trace, below span `parent`; times in milliseconds."""
    begun = float(n) if start is None else start
    ended = begun + 0.5 if end is None else end
    thrown = {"exception.type": raised, "exception.message": message}
    return Span(
        trace_id=trace,
        span_id=n.to_bytes(8, "big"),
        parent_id=b"" if parent is None else parent.to_bytes(8, "big"),
        name=name or f"span {n}",
        start_ns=int(begun * MS),
        end_ns=int(ended * MS),
        status=Status.ERROR if error else Status.UNSET,
        message=message,
        flags=flags,
        scope=scope,
        resource=_SHOP,
        attributes=dict(attributes or {}),
        events=(Event("exception", int(ended * MS), dict(thrown)),) if raised else (),
        dropped=dropped,
    )


def an_agent(n: int, parent: int | None = None, name: str = "desk", **rest: Any) -> Span:
    """An agent's span."""
    attributes = {OPENINFERENCE: "AGENT", "agent.name": name, **rest.pop("attributes", {})}
    return a_span(n, parent, attributes, **rest)


def a_chain(n: int, parent: int | None = None, **rest: Any) -> Span:
    """A chain's span."""
    return a_span(n, parent, {OPENINFERENCE: "CHAIN", **rest.pop("attributes", {})}, **rest)


def a_tool(
    n: int,
    parent: int | None = None,
    tool: str = "look",
    args: object = None,
    result: object = "found",
    call_id: str = "",
    **rest: Any,
) -> Span:
    """A tool's span; `args` None leaves the input out."""
    attributes: dict[str, Value] = {OPENINFERENCE: "TOOL", "tool.name": tool}
    if args is not None:
        attributes["input.value"] = args if isinstance(args, str) else json.dumps(args)
    if result is not None:
        attributes["output.value"] = result if isinstance(result, str) else json.dumps(result)
    if call_id:
        attributes["tool_call.id"] = call_id
    attributes |= rest.pop("attributes", {})
    return a_span(n, parent, attributes, **rest)


def a_model(
    n: int,
    parent: int | None = None,
    heard: Iterable[Item] = (),
    said: Iterable[Item] = (),
    **rest: Any,
) -> Span:
    """A model's span with its messages."""
    attributes: dict[str, Value] = {OPENINFERENCE: "LLM", **rest.pop("attributes", {})}
    if heard:
        attributes["llm.input_messages"] = tuple(heard)
    if said:
        attributes["llm.output_messages"] = tuple(said)
    return a_span(n, parent, attributes, **rest)


def words(role: str, text: str = "", **rest: str) -> Item:
    """A message without calls; `rest` as `tool_call_id`, `name`."""
    named = tuple((f"message.{key}", value) for key, value in rest.items())
    return (("message.role", role), ("message.content", text), *named)


def asks(*calls: tuple[str, str, object]) -> Item:
    """An assistant's message that asks for calls: (id, tool, arguments)."""
    pairs: list[tuple[str, Value]] = [("message.role", "assistant")]
    for at, (call_id, tool, args) in enumerate(calls):
        stem = f"message.tool_calls.{at}.tool_call."
        if call_id:
            pairs.append((stem + "id", call_id))
        pairs.append((stem + "function.name", tool))
        if args is not None:
            pairs.append((stem + "function.arguments", json.dumps(args)))
    return tuple(pairs)


def runs_of(
    *spans: Span, reason: Reason = Reason.ROOT, whole: bool = True, unit: str = "trace"
) -> list[Run]:
    """Reduce the spans as the door does, and assemble them."""
    for span in spans:
        assemble.reduce(span)
    return assemble.assemble(spans, reason=reason, whole=whole, unit=unit)


def run_of(*spans: Span, **rest: Any) -> Run:
    """The one run of the spans."""
    (run,) = runs_of(*spans, **rest)
    return run


def steps_of(*spans: Span, **rest: Any) -> list[tuple[str, dict[str, Any], bool, str]]:
    """(tool, args, ok, result) of the one run's steps."""
    return [(s.tool, s.args, s.ok, s.result) for s in run_of(*spans, **rest).steps]
