"""A tool's own result out of its envelopes."""

import json

import pytest

from surefoot.assemble.results import UNKNOWN, unwrap
from surefoot.model import Cut, Value

LC = {"content": "found", "name": "look", "tool_call_id": "c1", "status": "success"}


@pytest.mark.parametrize(
    "value",
    [
        "found",
        '"found"',
        json.dumps({"type": "tool", "data": LC}),
        json.dumps(
            {"output": {"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": LC}}
        ),
        json.dumps({"output": {"lc": 1, "kwargs": LC}, "kwargs": {"tags": []}}),
        json.dumps({"graph": None, "update": {"messages": [{"type": "tool", "data": LC}]}}),
        "content='found' name='look' tool_call_id='c1'",
        json.dumps({"content": [{"type": "text", "text": "found"}], "isError": False}),
        json.dumps({"id": "x", "name": "look", "response": {"result": "found"}}),
        json.dumps(
            {
                "blocks": [{"text": "found"}],
                "raw_input": {"a": 1},
                "raw_output": "found",
                "is_error": False,
            }
        ),
        json.dumps({"type": "text", "text": "found"}),
        json.dumps({"type": "text", "value": "found"}),
        json.dumps([{"type": "text", "text": "found"}]),
        json.dumps([{"text": "found"}]),
        json.dumps([True, {"name": "look", "role": "tool", "content": "found"}]),
        json.dumps({"status": "success", "data": [{"json": {"data": "found"}, "pairedItem": 0}]}),
        ({"type": "text", "text": "found"},),
    ],
)
def test_every_envelope_gives_the_tools_text(value: Value) -> None:
    result = unwrap(value)

    assert (result.text, result.known, result.capped) == ("found", True, False)


@pytest.mark.parametrize(
    "value",
    [
        json.dumps({"type": "tool", "data": {**LC, "status": "error"}}),
        json.dumps({"content": [{"type": "text", "text": "x"}], "isError": True}),
        json.dumps({"raw_output": "x", "is_error": True}),
        json.dumps([False, {"content": "x"}]),
        json.dumps({"type": "error-text", "value": "x"}),
    ],
)
def test_an_envelope_tells_of_failure(value: Value) -> None:
    assert unwrap(value).failed is True


@pytest.mark.parametrize(
    "text",
    [
        '{"order_id": "1"}',
        '{"content": "a page", "url": "https://example.com"}',
        '{"data": [1, 2]}',
        '{"status": "error", "data": "none"}',
        '{"text": "hi", "lang": "en"}',
        '{"response": "yes", "score": 1}',
        "[1, 2]",
        '[{"text": "a", "score": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}]',
        "[link](https://example.com) it's",
    ],
)
def test_a_plain_result_stays_as_it_is(text: str) -> None:
    result = unwrap(text)

    assert (result.text, result.failed, result.capped) == (text, None, False)


def test_the_call_is_named_by_its_envelope() -> None:
    result = unwrap(json.dumps({"type": "tool", "data": LC}))

    assert (result.call_id, result.tool) == ("c1", "look")


def test_arguments_that_are_echoed_are_no_result() -> None:
    """Else an invented id would vouch for itself."""
    value = {"blocks": [], "raw_input": {"id": "made-up"}, "raw_output": "none", "is_error": False}

    assert unwrap(json.dumps(value)).text == "none"


def test_a_hidden_result_is_not_known() -> None:
    assert unwrap("__REDACTED__") == UNKNOWN
    assert unwrap(None) == UNKNOWN


def test_a_beginning_is_marked() -> None:
    assert unwrap(Cut("foun")).capped
    cut = unwrap('{"type": "tool", "data": {"content": "order 88213: bro')
    assert (cut.text, cut.capped) == ("order 88213: bro", True)


def test_escapes_in_a_result_are_decoded() -> None:
    assert unwrap('{"name": "Jos\\u00e9"}').text == '{"name": "José"}'


def test_envelopes_without_end_are_opened_to_a_depth() -> None:
    value: object = "found"
    for _ in range(20):
        value = {"output": value, "kwargs": {}}

    assert "found" in unwrap(json.dumps(value)).text
