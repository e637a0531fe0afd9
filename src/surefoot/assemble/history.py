"""Messages that came as JSON (or as reprs) to the items that OpenInference would write.

Owns the shapes in which a conversation is serialised: OpenAI's chat and responses forms,
GenAI parts, the AI SDK's, Anthropic's, Bedrock's and Gemini's blocks, LangChain's dumps,
and Python reprs of message objects. Knows no attribute key. It runs at the door, so that
a history of a hundred messages, sent again with every turn, is held once.

One message may become several items: a GenAI message that answers three calls is three
items with the role `tool`.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from surefoot.assemble import loose
from surefoot.assemble.messages import ROLES
from surefoot.assemble.results import unwrap
from surefoot.assemble.values import structure, text_of
from surefoot.model import Item

#: Lists of messages stand under one of these, where the text is a dict. In order of trust.
_LISTS = ("messages", "contents", "input", "chat_history", "history", "prompts")
_CALL_TYPES = frozenset({"tool_call", "function_call", "tool-call", "tool_use", "server_tool_call"})
_ANSWER_TYPES = frozenset(
    {
        "tool_call_response",
        "function_call_output",
        "tool-result",
        "tool_result",
        "server_tool_call_response",
        "tool_return",
    }
)
_QUIET_TYPES = frozenset({"reasoning", "thinking", "redacted_thinking", "refusal"})
#: Each turn sends the whole history again: a message up to this size is read once. With
#: 4096 of them, that is 32 MiB at the very most.
_REMEMBERED_BYTES = 4096
#: A list in a list (LangChain's batches), a message in a choice: no deeper.
_MAX_NEST = 4


class _Call(NamedTuple):
    call_id: str
    tool: str
    arguments: str | None


def items_of(value: object, *, role: str = "user") -> tuple[Item, ...]:
    """Give the messages in `value`; empty if it holds none.

    Args:
        value: A JSON text, a repr, or the structure itself.
        role: Whose words a bare text in the list is.
    """
    found = structure(value)
    return items_in(found.value, role=role) if found else ()


def items_in(value: Any, *, role: str = "user") -> tuple[Item, ...]:
    """Give the messages in a plain structure, such as `structure` gives."""
    return tuple(_walk(value, role, 0))


def item(
    role: str,
    text: str = "",
    calls: tuple[_Call, ...] = (),
    **rest: str,
) -> Item:
    """Write one message down as OpenInference does."""
    pairs = [("message.role", role)]
    if text:
        pairs.append(("message.content", text))
    pairs.extend((f"message.{key}", told) for key, told in rest.items() if told)
    for at, call in enumerate(calls):
        stem = f"message.tool_calls.{at}.tool_call."
        if call.call_id:
            pairs.append((stem + "id", call.call_id))
        pairs.append((stem + "function.name", call.tool))
        if call.arguments is not None:
            pairs.append((stem + "function.arguments", call.arguments))
    return tuple(pairs)


def _walk(value: Any, role: str, depth: int) -> Iterator[Item]:
    if depth > _MAX_NEST:
        return
    if isinstance(value, dict):
        yield from _dict(value, role, depth)
    elif isinstance(value, list):
        if _is_pair(value):
            yield item(_role(value[0]), value[1])
            return
        for entry in value:
            yield from _entry(entry, role, depth + 1)
    elif isinstance(value, str) and value:
        read = loose.read(value) if "(" in value[:40] else None
        if read and isinstance(read.value, dict) and "role" in str(read.value)[:80]:
            yield from _dict(read.value, role, depth)
        else:
            yield item(role, value)


def _entry(entry: Any, role: str, depth: int) -> Iterable[Item]:
    """Read one message; one that was read before, in this history or another, is known."""
    if isinstance(entry, dict):
        try:
            text = orjson.dumps(entry)
        except (TypeError, ValueError):  # what JSON cannot hold
            return _walk(entry, role, depth)
        if len(text) <= _REMEMBERED_BYTES:
            return _remembered(text, role, depth)
    return _walk(entry, role, depth)


@lru_cache(maxsize=4096)
def _remembered(text: bytes, role: str, depth: int) -> tuple[Item, ...]:
    return tuple(_walk(orjson.loads(text), role, depth))


def _is_pair(value: list[Any]) -> bool:
    """`["user", "text"]`: the short form that LangChain takes."""
    return (
        len(value) == len(("role", "text"))
        and all(isinstance(part, str) for part in value)
        and _role(value[0]) in ("user", "assistant", "system", "tool")
    )


def _dict(value: dict[str, Any], role: str, depth: int) -> Iterator[Item]:
    body = _body(value)
    if body is not None:
        yield from _message(body)
        return
    if "system" in value:
        yield from _system(value["system"])
    for key in _LISTS:
        if isinstance(value.get(key), list):
            yield from _walk(value[key], role, depth + 1)
            return
    if isinstance(value.get("prompt"), str | list):
        yield from _walk(value["prompt"], role, depth + 1)


def _system(value: Any) -> Iterator[Item]:
    text = value if isinstance(value, str) else texts(_content(value) or value)
    if text:
        yield item("system", text)


def _body(value: dict[str, Any]) -> dict[str, Any] | None:
    """Give the message's fields with `role` among them; None if `value` is no message."""
    wrapped = _langchain(value)
    if wrapped is not None:
        return wrapped
    kind = value.get("type")
    if kind in _CALL_TYPES and ("name" in value or "call_id" in value):
        return {"role": "assistant", "parts": [value]}
    if kind in _ANSWER_TYPES:
        return {"role": "tool", "parts": [value]}
    return value if "role" in value or "_role" in value else None


def _langchain(value: dict[str, Any]) -> dict[str, Any] | None:
    """Open LangChain's dumps of a message, and OpenAI's choice."""
    kind, inner = value.get("type"), value.get("message")
    if isinstance(value.get("data"), dict) and isinstance(kind, str):
        return {**value["data"], "role": kind}
    if isinstance(value.get("kwargs"), dict) and ("lc" in value or "id" in value):
        path = value.get("id")
        last = str(path[-1]) if isinstance(path, list) and path else ""
        named = value["kwargs"].get("type") or last.removesuffix("Chunk").removesuffix("Message")
        return {**value["kwargs"], "role": str(named).lower()}
    if isinstance(inner, dict) and "role" in inner:
        return {"finish_reason": value.get("finish_reason"), **inner}
    if kind in ("human", "ai", "system", "tool") and "content" in value:
        return {**value, "role": kind}
    return None


def _message(body: dict[str, Any]) -> Iterator[Item]:
    role = _role(body.get("role", body.get("_role")))
    content = _content(body)
    parts = content if isinstance(content, list) else [content]
    calls = [*_listed_calls(body)]
    for part in parts:
        if isinstance(part, dict):
            answer = _answer(part)
            if answer is not None:
                yield answer
            call = _call(part)
            if call is not None and call not in calls:
                calls.append(call)
    text = texts(content)
    finish = text_of(body.get("finish_reason"))
    if role == "tool" and (text or "tool_call_id" in body):
        result = unwrap(body.get("content"))
        yield item(
            "tool",
            result.text or text,
            tool_call_id=text_of(body.get("tool_call_id")),
            name=text_of(body.get("name")),
            status="error" if body.get("status") == "error" or result.failed else "",
        )
    elif text or calls or finish:
        yield item(role, text, tuple(calls), finish_reason=finish)


def _content(body: Any) -> Any:
    """Give a message's content: a text, or a list of parts."""
    if not isinstance(body, dict):
        return None
    for key in ("content", "parts", "_content", "blocks", "text"):
        if body.get(key):
            return body[key]
    return None


def texts(content: Any) -> str:
    """Give the text in a message's content: a text, or parts with texts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    return "\n".join(filter(None, map(_part_text, content)))


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("type") in _QUIET_TYPES or part.get("thought"):
        return ""
    if part.get("type") in _CALL_TYPES or part.get("type") in _ANSWER_TYPES:
        return ""
    text = part.get("text")
    if text is None and part.get("type") in ("text", "input_text", "output_text"):
        text = part.get("content")
    return text if isinstance(text, str) else ""


def _listed_calls(body: dict[str, Any]) -> Iterator[_Call]:
    for entry in _list(body.get("tool_calls")):
        if isinstance(entry, dict):
            inner = entry.get("function")
            source = inner if isinstance(inner, dict) else entry
            call = _named(source, entry)
            if call is not None:
                yield call


def _call(part: dict[str, Any]) -> _Call | None:
    """Read a part that asks for a call."""
    for key in ("toolUse", "function_call", "functionCall"):
        if isinstance(part.get(key), dict):
            return _named(part[key], part[key])
    if part.get("()") == "ToolCall":
        return _named(part, part)
    return _named(part, part) if part.get("type") in _CALL_TYPES else None


def _named(source: dict[str, Any], ids: dict[str, Any]) -> _Call | None:
    name = _first(source, ("name", "toolName", "tool_name"))
    if not isinstance(name, str) or not name:
        return None
    arguments = _first(source, ("arguments", "args", "input"))
    call_id = _first(ids, ("call_id", "id", "tool_call_id", "toolCallId", "toolUseId"))
    return _Call(text_of(call_id), name, None if arguments is None else text_of(arguments))


def _answer(part: dict[str, Any]) -> "Item | None":
    """Read a part that tells a call's result."""
    source: dict[str, Any] | None = None
    for key in ("toolResult", "function_response", "functionResponse"):
        if isinstance(part.get(key), dict):
            source = part[key]
    if source is None and (part.get("type") in _ANSWER_TYPES or part.get("()") == "ToolCallResult"):
        source = part
    if source is None:
        return None
    if isinstance(source.get("origin"), dict):  # Haystack's result has its call in it
        source = {**source["origin"], **source, "id": source["origin"].get("id")}
    told = _first(source, ("response", "output", "result", "content"))
    if isinstance(told, dict) and set(told) == {"result"}:
        told = told["result"]
    result = unwrap(told)
    failed = result.failed or source.get("status") == "error" or source.get("is_error") is True
    ids = ("call_id", "tool_call_id", "tool_use_id", "toolCallId", "toolUseId", "id")
    return item(
        "tool",
        result.text,
        tool_call_id=text_of(_first(source, ids)),
        name=text_of(_first(source, ("name", "toolName", "tool_name"))),
        status="error" if failed or source.get("error") is True else "",
    )


def _role(value: Any) -> str:
    """Give a role's one spelling, out of a repr (`<ChatRole.USER: 'user'>`) too."""
    text = str(value or "").lower()
    if text.startswith("<") and "'" in text:
        text = text.split("'")[1]
    return ROLES.get(text, text)


def _first(source: dict[str, Any], keys: tuple[str, ...]) -> Any:
    for key in keys:
        if source.get(key) is not None:
            return source[key]
    return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
