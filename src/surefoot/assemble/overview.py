"""What a run was given and what it gave, out of its topmost spans' input and output.

Owns the shapes in which frameworks write a task (`{"messages": […]}`, `{"task": …}`,
`{"new_message": {"parts": […]}}`, a text) and an answer (the last of a list of messages,
`{"raw": …}`, `{"content": {"parts": […]}}`, a text). Knows no attribute key.
"""

from typing import Any

from surefoot.assemble import history
from surefoot.assemble.messages import read, role_of
from surefoot.assemble.results import unwrap
from surefoot.assemble.values import is_hidden, normal, structure, text_of
from surefoot.model import Item

#: Where a task's text stands, the most telling first.
_TASK_KEYS = (
    "task",
    "user_msg",
    "question",
    "user_message",
    "user_input",
    "message",
    "new_message",
    "query",
    "prompt",
    "input",
    "inputs",
    "input_args",
    "kwargs",
    "text",
    "content",
    "args",
    "ev",
    "data",
)
_ANSWER_KEYS = (
    "raw",
    "final_output",
    "output",
    "outputs",
    "answer",
    "response",
    "result",
    "chat_message",
    "content",
    "data",
    "text",
    "message",
    "return_values",
)
_MAX_NEST = 5


def task_items(value: object) -> tuple[Item, ...]:
    """Give the messages that a run was started with; empty if they are hidden."""
    if is_hidden(value):
        return ()
    found = structure(value)
    if found is None:
        text = text_of(value)
        return (history.item("user", text),) if text.strip() else ()
    if not found.whole:  # the models' messages are better than a piece of JSON
        return ()
    return _task(found.value, 0) or (history.item("user", text_of(value)),)


def _task(value: Any, depth: int) -> tuple[Item, ...]:
    if depth > _MAX_NEST:
        return ()
    if isinstance(value, str):
        nested = structure(value)
        if nested is not None:
            return _task(nested.value, depth + 1)
        return (history.item("user", value),) if value.strip() else ()
    items = history.items_in(value)
    if any(role_of(entry) == "user" for entry in items):
        return items
    inside = _inside(value, _TASK_KEYS) if isinstance(value, dict) else ()
    found = next(filter(None, (_task(inner, depth + 1) for inner in inside)), ())
    return items + found if found else ()


def _inside(value: dict[str, Any], names: tuple[str, ...]) -> list[Any]:
    """Give what stands under `names`; else what one key alone is put around."""
    named = [value[key] for key in names if value.get(key)]
    lone = list(value.values()) if len(value) == 1 and not named else []
    return named or [inner for inner in lone if isinstance(inner, dict)]


def answer_text(value: object) -> str:
    """Give the answer that a run ended with; empty if it is hidden or there is none."""
    if is_hidden(value):
        return ""
    found = structure(value, partial=True)
    if found is None:
        return unwrap(value).text
    answer = _answer(found.value, 0)
    return normal(text_of(value) if answer is None else answer)


def _last_words(value: Any) -> str | None:
    """Give what the last assistant's message says; None if there are no messages.

    The last of a long list is looked at alone, since most lists end with the answer.
    """
    messages = value.get("messages") if isinstance(value, dict) else value
    lists = [messages[-1:], messages] if isinstance(messages, list) else [value]
    found = None
    for part in lists:
        said = [read(entry) for entry in history.items_in(part, role="assistant")]
        texts = [message.text for message in said if message.role == "assistant" and message.text]
        if texts:
            return texts[-1]
        found = "" if said else found
    return found


def _answer(value: Any, depth: int) -> str | None:
    """Give the answer's text; None if the value is an answer of its own shape."""
    if isinstance(value, str):
        return value
    if depth > _MAX_NEST or not value:
        return "" if value in (None, [], {}) else None
    said = _last_words(value)
    if said is not None or not isinstance(value, dict):
        return said
    parts = value.get("parts")
    if isinstance(parts, list):
        return history.texts(parts)
    inside = _inside(value, _ANSWER_KEYS)
    return _answer(inside[0], depth + 1) if inside else None
