"""Messages, arguments and results that came as span events.

Owns the event names of the older GenAI conventions, which some SDKs still write, and of
the one event that holds everything in the newest. What is lifted becomes the attributes
that the newest conventions have, so that nothing else needs to know.

Source: open-telemetry/semantic-conventions v1.36, docs/gen-ai/gen-ai-events.md; seen in
the recordings of strands-native.
"""

from collections.abc import Callable, Iterable
from typing import Any

from surefoot.assemble import history
from surefoot.assemble.dialects import keys
from surefoot.assemble.members import TOOL
from surefoot.assemble.values import structure
from surefoot.model import Event, Item, Span, Value

_HEARD = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.content.prompt": "user",
}
_SAID = frozenset({"gen_ai.choice", "gen_ai.content.completion"})
_DETAILS = "gen_ai.client.inference.operation.details"
_CARRIED = (
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
)
_CONTENTS = ("gen_ai.event.content", "content", "message", "gen_ai.prompt", "gen_ai.completion")


def lift(span: Span) -> None:
    """Turn a span's message events into attributes, where it has none of these."""
    if not span.events:
        return
    attributes = span.attributes
    for event in span.events:
        if event.name == _DETAILS:
            for key in _CARRIED:
                if event.attributes.get(key) is not None:
                    attributes.setdefault(key, event.attributes[key])
    if span.role is TOOL:
        _lift_call(span)
        return
    _lift_messages(span, keys.HEARD, lambda event: event.name in _HEARD)
    _lift_messages(span, keys.SAID, lambda event: event.name in _SAID)


def _lift_call(span: Span) -> None:
    attributes = span.attributes
    for event in span.events:
        content = _content(event)
        if content is None:
            continue
        if event.name == "gen_ai.tool.message":
            attributes.setdefault("gen_ai.tool.call.arguments", content)
        elif event.name in _SAID:
            attributes.setdefault("gen_ai.tool.call.result", content)


def _lift_messages(span: Span, key: str, fits: Callable[[Event], bool]) -> None:
    known = (
        ("llm.input_messages", "gen_ai.input.messages")
        if key == keys.HEARD
        else (
            "llm.output_messages",
            "gen_ai.output.messages",
        )
    )
    if any(name in span.attributes for name in known):
        return
    items = tuple(item for event in span.events if fits(event) for item in _items(event))
    if items:
        span.attributes[key] = items


def _items(event: Event) -> Iterable[Item]:
    role = _HEARD.get(event.name, "assistant")
    content = _content(event)
    found = structure(content)
    body: Any = found.value if found else content
    if isinstance(body, dict) and ("role" in body or "message" in body):
        return history.items_in([body])
    message: dict[str, Any] = {"role": event.attributes.get("role") or role, "content": body}
    for key, name in (("id", "tool_call_id"), ("tool_calls", "tool_calls")):
        value = event.attributes.get(key)
        inner = structure(value)
        if value is not None:
            message[name] = inner.value if inner else value
    message["finish_reason"] = event.attributes.get("finish_reason")
    return history.items_in([message])


def _content(event: Event) -> Value:
    for key in _CONTENTS:
        if event.attributes.get(key) is not None:
            return event.attributes[key]
    return None
