"""A message of a model's conversation, and how an indexed attribute spells it.

Owns `Message` and the reading of `Item`s: OpenInference's (`message.role`,
`message.contents.0.message_content.text`, `message.tool_calls.0.tool_call.id`) and, with
the same words less a prefix, old OpenLLMetry's (`role`, `tool_calls.0.name`). Messages
that came as JSON were made into the same items at the door (`history.py`), so there is
one form from here on, and a history that every turn repeats is one object a message.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, cast

from surefoot.assemble.results import Result, unwrap
from surefoot.assemble.values import structure, text_of
from surefoot.model import Cut, Item, Value

#: One spelling a role.
ROLES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
    "tool-response": "tool",
    "tool-call": "assistant",
    "ipython": "tool",
}


_ROLES = frozenset({"user", "assistant", "system", "tool"})
_LEGACY_CALL = "function_call_name"
#: A message's own fields, under OpenInference's keys and OpenLLMetry's.
_FIELDS = {
    prefix + name: name
    for prefix in ("message.", "")
    for name in (
        "role",
        "content",
        "name",
        "status",
        "tool_call_id",
        "finish_reason",
        _LEGACY_CALL,
        "function_call_arguments_json",
    )
}


class Asked(NamedTuple):
    """A call that a message asks for; `arguments` as they stood there."""

    call_id: str
    tool: str
    arguments: Value


class Message(NamedTuple):
    """One message. `call_id` and `tool` name the call that a tool's message answers.

    finish: why the model stopped, where the message says so. capped: a text of it is only
    a beginning.
    """

    role: str
    text: str = ""
    calls: tuple[Asked, ...] = ()
    call_id: str = ""
    tool: str = ""
    failed: bool = False
    finish: str = ""
    capped: bool = False


def items_at(attributes: Mapping[str, Value], key: str) -> tuple[Item, ...]:
    """Give the items under one of our own keys."""
    items = attributes.get(key)
    return cast("tuple[Item, ...]", items) if isinstance(items, tuple) else ()


def role_of(item: Item) -> str:
    """Give a message's role without reading the rest of it."""
    for key, value in item:
        if key in ("message.role", "role"):
            role = value if isinstance(value, str) else text_of(value)
            return role if role in _ROLES else ROLES.get(role.lower(), role.lower())
    return ""


def is_nameless(item: Item) -> bool:
    """Whether a tool's message says neither which call nor which tool it is from."""
    for key, _ in item:  # noqa: SIM110 - a generator costs twice as much
        if key.endswith(("tool_call_id", "message.name")):
            return False
    return True


def read(item: Item) -> Message:
    """Read one entry of an indexed attribute."""
    if len(item) == len(("role", "content")):
        spoken = _spoken(item)
        if spoken is not None:
            return spoken
    plain: dict[str, Value] = {}
    parts: list[str] = []
    calls: dict[str, dict[str, Value]] = {}
    capped = False
    for key, value in item:
        field = _FIELDS.get(key)
        if field is not None:
            plain[field] = value
        elif "tool_call" in key:
            place, field = _place(key)
            calls.setdefault(place, {})[field] = value
        elif key.endswith(".message_content.text") and isinstance(value, str):
            parts.append(value)
        if value.__class__ is Cut:
            capped = True
    get = plain.get
    role = text_of(get("role"))
    return Message(
        role if role in _ROLES else ROLES.get(role.lower(), role.lower()),
        (_content(plain["content"]) if "content" in plain else "") or "\n".join(parts),
        _calls(calls, plain) if calls or _LEGACY_CALL in plain else (),
        text_of(plain["tool_call_id"]) if "tool_call_id" in plain else "",
        text_of(plain["name"]) if "name" in plain else "",
        get("status") == "error",
        text_of(plain["finish_reason"]) if "finish_reason" in plain else "",
        capped,
    )


def _spoken(item: Item) -> Message | None:
    """Read the commonest form, a role and a plain text; None if it is another."""
    (key, role), (other, text) = item
    if key != "message.role" or other != "message.content":
        return None
    if role.__class__ is not str or text.__class__ is not str or role not in _ROLES:
        return None
    return None if text.startswith('[{"') else Message(role, text)


@lru_cache(maxsize=2048)
def _place(key: str) -> tuple[str, str]:
    """Split `message.tool_calls.0.tool_call.function.name` into the call and its field."""
    group, _, field = key.removeprefix("message.").rpartition(".")
    if group.startswith("contents."):
        group = group.partition(".tool_call")[0]
    return group.removesuffix(".function").removesuffix(".tool_call"), field


def answer(message: Message) -> Result:
    """Give the tool result that a message with role `tool` tells."""
    result = unwrap(message.text)
    return Result(
        result.text,
        result.known,
        result.capped,
        True if message.failed else result.failed,
        message.call_id or result.call_id,
        message.tool or result.tool,
    )


def _content(value: Value) -> str:
    """Give a content's text; old conventions write a list of blocks as JSON."""
    if value is None:
        return ""
    if isinstance(value, str) and not value.startswith('[{"'):
        return value
    found = structure(value)
    if found is None or not isinstance(found.value, list):
        return text_of(value)
    texts = [
        part["text"]
        for part in found.value
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
    return "\n".join(texts) if texts else text_of(value)


def _calls(calls: dict[str, dict[str, Value]], plain: dict[str, Value]) -> tuple[Asked, ...]:
    asked = []
    seen: set[str] = set()
    for call in calls.values():
        name, call_id = call.get("name"), text_of(call.get("id"))
        if name and (not call_id or call_id not in seen):
            seen.add(call_id)  # `contents.K.tool_call` tells `tool_calls.M` again
            asked.append(Asked(call_id, text_of(name), call.get("arguments", call.get("input"))))
    if plain.get(_LEGACY_CALL):
        name = text_of(plain[_LEGACY_CALL])
        asked.append(Asked("", name, plain.get("function_call_arguments_json")))
    return tuple(asked)
