"""Variables in a configuration."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.config.expand import expand

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def _escaped(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _escaped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    return value.replace("$", "$$") if isinstance(value, str) else value


@given(DOCUMENTS)
def test_what_is_escaped_comes_back_as_it_was(document: Any) -> None:
    assert expand(_escaped(document), {}) == (document, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${env:A}", "1"),
        ("x${env:A}y${env:A}", "x1y1"),
        ("${env:NONE:-z}", "z"),
        ("${env:NONE:-}", ""),
        ("${env:A:-z}", "1"),
        ("${env:EMPTY:-z}", ""),
        ("$${env:A}", "${env:A}"),
        ("$A", "$A"),
        ("cost: 5$", "cost: 5$"),
    ],
)
def test_variables_are_put_in(text: str, expected: str) -> None:
    assert expand([text], {"A": "1", "EMPTY": ""}) == ([expected], {})


def test_what_a_variable_holds_is_not_expanded_again() -> None:
    assert expand("${env:A}", {"A": "${env:A}"}) == ("${env:A}", {})


@pytest.mark.parametrize(
    "text",
    [
        "${env:NONE}",
        "${NONE}",
        "${env:}",
        "${env:1A}",
        "${env:A",
        "${file:x}",
        "${env:A:-${env:B}}",
    ],
)
def test_a_variable_that_cannot_be_had_is_told_by_where_it_stands(text: str) -> None:
    document = {"a": [0, {"b": text}]}

    expanded, problems = expand(document, {"A": "1", "B": "2"} if "B" in text else {})

    assert expanded == document
    assert list(problems) == [("a", 1, "b")]
    assert "; " in problems["a", 1, "b"]


def test_a_missing_variable_is_named() -> None:
    _, problems = expand("${env:TOKEN}", {})

    assert problems[()].startswith("TOKEN is not set;")
