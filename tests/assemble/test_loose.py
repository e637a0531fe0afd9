"""Reading what is almost JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.assemble.loose import Loose, read, unescape

scalars = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=8)
trees = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
dicts = st.dictionaries(st.text(min_size=1, max_size=5), trees, max_size=4)


@given(st.text(max_size=60), st.booleans())
def test_no_text_raises(text: str, partial: bool) -> None:  # noqa: FBT001 - hypothesis passes by name
    read(text, partial=partial)


@given(dicts)
def test_a_repr_gives_back_the_value(value: dict[str, Any]) -> None:
    assert read(repr(value)) == Loose(value, whole=True)


@given(dicts)
def test_json_gives_back_the_value(value: dict[str, Any]) -> None:
    assert read(json.dumps(value)) == Loose(value, whole=True)


@given(dicts, st.data())
@settings(max_examples=200)
def test_a_beginning_gives_whole_pairs_alone(value: dict[str, Any], data: st.DataObject) -> None:
    """Wherever it was cut, no value at the top is another than it was."""
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]

    found = read(cut)

    if found is not None and isinstance(found.value, dict):
        assert not found.whole
        scalars_of = {k: v for k, v in found.value.items() if not isinstance(v, dict | list)}
        assert scalars_of.items() <= value.items()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "ToolCall(tool_name='x', tool_kwargs={'a': 1})",
            {"()": "ToolCall", "tool_name": "x", "tool_kwargs": {"a": 1}},
        ),
        ("id='1' source='user' content='hi'", {"id": "1", "source": "user", "content": "hi"}),
        ("{'role': <Role.USER: 'user'>}", {"role": "<Role.USER: 'user'>"}),
        ("{'n': 1.5, 'b': True, 'x': None}", {"n": 1.5, "b": True, "x": None}),
        ("{'a': {1, 2}}", {"a": [1, 2]}),
        ("[{'a': 1}, 'b']", [{"a": 1}, "b"]),
    ],
)
def test_reprs_of_objects_read_as_dicts(text: str, value: object) -> None:
    assert read(text) == Loose(value, whole=True)


@pytest.mark.parametrize("text", ["", "hello", "{name} please", "[a] b", "}", "<x>", "(" * 500])
def test_what_is_no_structure_is_none(text: str) -> None:
    assert read(text) is None


def test_half_a_value_is_kept_only_where_it_is_asked_for() -> None:
    text = '{"order_id": "88213", "reason": "over the li'

    assert read(text) == Loose({"order_id": "88213"}, whole=False)
    assert read(text, partial=True) == Loose(
        {"order_id": "88213", "reason": "over the li"}, whole=False
    )


def test_a_number_at_the_very_end_may_be_the_beginning_of_another() -> None:
    assert read('{"a": 1, "amount": 20') == Loose({"a": 1}, whole=False)


def test_escapes_are_decoded_and_half_a_character_is_replaced() -> None:
    assert unescape(r"caf\u00e9 \ud83d\ude00 \ud83d \n\x41") == "café 😀 \ufffd \nA"
