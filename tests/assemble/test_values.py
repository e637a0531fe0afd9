"""What an attribute's value says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.assemble import values
from surefoot.assemble.loose import MAX_DEPTH
from surefoot.assemble.values import Structure, normal, same_key, structure
from surefoot.model import Cut


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@given(st.text(max_size=40) | st.binary(max_size=4) | st.none() | st.integers() | st.floats())
def test_no_value_raises(value: object) -> None:
    structure(value)
    same_key(values.plain(value))
    normal(values.text_of(value))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a": 1}', Structure({"a": 1}, whole=True)),
        (' [1, "x"]', Structure([1, "x"], whole=True)),
        ('"{\\"a\\": 1}"', Structure({"a": 1}, whole=True)),
        ("{'a': 'b'}", Structure({"a": "b"}, whole=True)),
        ('{"a": 1, "b": "c', Structure({"a": 1}, whole=False)),
        (({"a": (1, b"x")},), Structure([{"a": [1, "x"]}], whole=True)),
        ("88213", None),
        ("true", None),
        ('"text"', None),
        ("hello {you}", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_the_structure_in_a_value(value: object, expected: Structure | None) -> None:
    assert structure(value) == expected


@pytest.mark.parametrize("nest", [MAX_DEPTH, MAX_DEPTH + 1, 900, 5000])
def test_nothing_comes_out_deeper_than_the_limit(nest: int) -> None:
    """So that whoever reads it may recurse."""
    text = '{"a":' * nest + "1" + "}" * nest

    found = structure(text)

    assert found is None or depth_of(found.value) <= MAX_DEPTH


def test_a_deep_structure_of_the_wire_is_flattened() -> None:
    value: object = "leaf"
    for _ in range(3 * MAX_DEPTH):
        value = {"a": value}

    assert depth_of(values.plain(value)) <= MAX_DEPTH


def test_equal_arguments_have_equal_keys() -> None:
    assert same_key({"a": 200, "b": [1.0]}) == same_key({"b": [1], "a": 200.0})
    assert same_key({"a": "200"}) != same_key({"a": 200})
    assert same_key({"a": True}) != same_key({"a": 1})


def test_a_hidden_value_is_known_wherever_the_mark_stands() -> None:
    assert values.is_hidden("__REDACTED__")
    assert values.is_hidden('{"a": "__REDACTED__"}')
    assert values.is_hidden({"a": ("x", "__REDACTED__")})
    assert not values.is_hidden("redacted")


def test_our_own_limit_is_seen() -> None:
    assert values.is_cut(Cut("abc"))
    assert not values.is_cut("abc")


def test_text_is_in_normal_form() -> None:
    assert normal("Jose\u0301") == "José"
    assert normal(json.dumps("José 😀")) == '"José 😀"'
