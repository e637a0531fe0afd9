"""Messages: as items, and from JSON to items."""

import json
from typing import Any

import pytest

from assemble.runs_of import asks, words
from surefoot.assemble.history import items_of
from surefoot.assemble.messages import Asked, Message, read
from surefoot.model import Item

CALL = Asked("c1", "look", '{"a":1}')


def of(value: object) -> list[Message]:
    return [read(item) for item in items_of(value)]


def test_an_item_is_read() -> None:
    item: Item = (
        ("message.role", "ai"),
        ("message.contents.0.message_content.type", "text"),
        ("message.contents.0.message_content.text", "one"),
        ("message.contents.1.message_content.text", "two"),
        ("message.tool_calls.0.tool_call.id", "c1"),
        ("message.tool_calls.0.tool_call.function.name", "look"),
        ("message.tool_calls.0.tool_call.function.arguments", '{"a":1}'),
        ("message.finish_reason", "tool_use"),
    )

    assert read(item) == Message("assistant", "one\ntwo", (CALL,), finish="tool_use")


def test_a_call_told_in_the_contents_too_is_one() -> None:
    item = (
        *asks(("c1", "look", {"a": 1})),
        ("message.contents.1.tool_call.id", "c1"),
        ("message.contents.1.tool_call.function.name", "look"),
    )

    assert len(read(item).calls) == 1


def test_older_keys_have_no_prefix() -> None:
    item: Item = (
        ("role", "assistant"),
        ("content", '[{"type": "text", "text": "hi"}]'),
        ("tool_calls.0.id", "c1"),
        ("tool_calls.0.name", "look"),
        ("tool_calls.0.arguments", '{"a":1}'),
    )

    assert read(item) == Message("assistant", "hi", (CALL,))


def test_a_call_without_a_name_is_none() -> None:
    """The AI SDK's converter writes empty ones."""
    stem = "message.tool_calls.0.tool_call."
    item: Item = (("message.role", "user"), (stem + "id", None), (stem + "function.name", None))

    assert read(item).calls == ()


CONVERSATIONS: dict[str, Any] = {
    "openai chat": [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "look", "arguments": '{"a":1}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ],
    "openai responses": [
        {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "look",
            "arguments": '{"a":1}',
            "id": "fc",
        },
        {"type": "function_call_output", "call_id": "c1", "output": "found"},
    ],
    "genai": [
        {"role": "user", "parts": [{"type": "text", "content": "hi"}]},
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {"a": 1}}],
        },
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "c1", "response": "found"}],
        },
    ],
    "ai sdk": {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {"a": 1}}
                ],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c1",
                        "toolName": "look",
                        "output": {"type": "text", "value": "found"},
                    }
                ],
            },
        ]
    },
    "anthropic": [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {"a": 1}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "found"}],
        },
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "hi"}]},
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "c1", "name": "look", "input": {"a": 1}}}],
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "found"}]}}],
        },
    ],
    "gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": "hi"}]},
            {
                "role": "model",
                "parts": [{"function_call": {"id": "c1", "name": "look", "args": {"a": 1}}}],
            },
            {
                "role": "user",
                "parts": [
                    {
                        "function_response": {
                            "id": "c1",
                            "name": "look",
                            "response": {"result": "found"},
                        }
                    }
                ],
            },
        ]
    },
    "langchain": {
        "messages": [
            ["user", "hi"],
            {
                "type": "ai",
                "data": {
                    "content": "",
                    "tool_calls": [{"name": "look", "args": {"a": 1}, "id": "c1"}],
                },
            },
            {
                "lc": 1,
                "id": ["x", "ToolMessage"],
                "kwargs": {"content": "found", "tool_call_id": "c1"},
            },
        ]
    },
    "reprs": {
        "messages": [
            "ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='hi')])",
            "ChatMessage(_role=<ChatRole.ASSISTANT: 'assistant'>, _content=[ToolCall(tool_name='look', arguments={'a': 1}, id='c1')])",  # noqa: E501 - a shape as it is sent
            "ChatMessage(_role=<ChatRole.TOOL: 'tool'>, _content=[ToolCallResult(result='found', origin=ToolCall(tool_name='look', arguments={'a': 1}, id='c1'), error=False)])",  # noqa: E501 - a shape as it is sent
        ]
    },
}


@pytest.mark.parametrize("form", CONVERSATIONS)
def test_every_form_of_a_conversation_is_read(form: str) -> None:
    user, request, told = of(json.dumps(CONVERSATIONS[form]))

    assert (user.role, user.text) == ("user", "hi")
    assert [(call.call_id, call.tool) for call in request.calls] == [("c1", "look")]
    assert json.loads(str(request.calls[0].arguments)) == {"a": 1}
    assert (told.role, told.text, told.call_id) == ("tool", "found", "c1")


def test_a_result_says_that_it_failed() -> None:
    parts = [
        {"type": "tool-result", "toolCallId": "c", "output": {"type": "error-text", "value": "x"}}
    ]

    assert of([{"role": "tool", "content": parts}])[0].failed


def test_thoughts_are_not_words() -> None:
    parts = [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": "yes"}]

    assert of([{"role": "assistant", "parts": parts}]) == [Message("assistant", "yes")]


def test_system_and_prompt_stand_beside_each_other() -> None:
    assert of('{"system": "be kind", "prompt": "hi"}') == [
        Message("system", "be kind"),
        Message("user", "hi"),
    ]


@pytest.mark.parametrize("value", ["hi", "[]", "{}", "7", None, '{"a": 1}', '{"messages": 3}'])
def test_what_holds_no_message_gives_none(value: object) -> None:
    assert of(value) == []


def test_the_same_history_is_the_same_items() -> None:
    """So that what every turn repeats is held once."""
    first, second = (items_of(json.dumps(CONVERSATIONS["genai"])) for _ in range(2))

    assert all(one is other for one, other in zip(first, second, strict=True))


def test_words_and_items_agree() -> None:
    assert read(words("user", "hi")) == of([{"role": "user", "content": "hi"}])[0]
