"""Paths into arguments."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.evaluate.paths import Path

ORDER = {"items": [{"id": "1", "tags": ["a", "b"]}, {"id": "2"}], "a.b": 7, "n": {"m": None}}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("items[0].id", [("items[0].id", "1")]),
        ("items[*].id", [("items[0].id", "1"), ("items[1].id", "2")]),
        ("items[*].tags[*]", [("items[0].tags[0]", "a"), ("items[0].tags[1]", "b")]),
        ("items[1].tags", []),
        ("items[2].id", []),
        ("items.id", []),
        ("items[0][0]", []),
        ("a.b", [("a.b", 7)]),
        ("n.m", [("n.m", None)]),
        ("n.m.o", []),
        ("n[0]", []),
        ("none", []),
    ],
)
def test_a_path_finds_what_stands_there(path: str, found: list[tuple[str, Any]]) -> None:
    assert Path.of(path).follow(ORDER) == found


def test_a_path_into_a_list_at_the_top() -> None:
    assert Path.of("[1].id").follow([{"id": 1}, {"id": 2}]) == [("[1].id", 2)]
    assert Path.of("[*]").follow(["x"]) == [("[0]", "x")]


@pytest.mark.parametrize(
    "path",
    ["", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[-1]", "[0]a", "a[0]b", "a]", "a.[0]"],
)
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"is no path; write order_id, items\[0\]\.order_id or"):
        Path.of(path)


def test_a_path_of_many_parts_is_refused() -> None:
    assert Path.of(".".join("a" * 64)).parts == ("a",) * 64
    with pytest.raises(ValueError, match="is no path"):
        Path.of(".".join("a" * 65))


@given(st.text(max_size=20))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    try:
        path = Path.of(text)
    except ValueError:
        return

    assert path.text == text
    assert path.follow({}) == []
