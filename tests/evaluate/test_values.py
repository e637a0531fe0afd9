from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.evaluate.values import leaves, needle, readable, seed_values, stands_in, values


def found(value: object, text: str) -> bool:
    return stands_in(needle(str(value)), readable(text))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("88213", "order 88213, please"),
        ("88213", "order_88213"),
        ("ORD-7", "see (ord-7)."),
        ("ord-7", '{"id":"ORD-7"}'),
        ("dana@example.com", "mail <Dana@Example.com>"),
        (200, "total 200.00"),
        (200.0, "total 200"),
        (1200, "1,200 EUR"),
        (1200.5, "1,200.50"),
        ("1200.50", "it is 1200.5"),
        (-5.25, "down -5.250"),
        ("ord-7", r'"line\nord-7"'),
        ("ord-7", r"\\nord-7"),
        ("café9", r"caf\u00e99"),
        ("STRASSE-1", "Straße-1"),
        ("88213", "订单88213的退款"),
        ("王小明", "客户王小明来电"),
        ("88213", "88213"),
    ],
)
def test_a_value_is_found_between_non_alphanumerics(value: object, text: str) -> None:
    assert found(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("8821", "order 88213"),
        ("8213", "order 88213"),
        ("ord-7", "ord-71"),
        ("ord-7", "word-7"),
        (1200, "12000"),
        (1200.5, "1200.57"),
        ("007", "7"),
        ("1,200", "1.200"),
        ("ab-1", "a b-1"),
    ],
)
def test_a_part_of_something_longer_is_no_value(value: object, text: str) -> None:
    assert not found(value, text)


def paths(args: Mapping[str, object], *, prose: bool = False) -> list[tuple[str, str]]:
    return [(value.path, value.shown) for value in values(args, prose=prose)]


def test_the_leaves_of_nested_arguments_are_values_with_a_path() -> None:
    args = {"items": [{"id": "A-100"}, {"id": 200, "tags": ("new", "ok")}], "to": {"a.b": "x_1"}}

    assert paths(args) == [
        ("items[0].id", "A-100"),
        ("items[1].id", "200"),
        ("items[1].tags[0]", "new"),
        ("to.a.b", "x_1"),
    ]


@pytest.mark.parametrize("value", [True, None, "None", "yes", "NaN", "ab", "---", "two words", ""])
def test_literals_and_prose_are_no_identifiers(value: object) -> None:
    assert paths({"v": value}) == []


@pytest.mark.parametrize(
    "value", ["x" * 41, "https://a.example/p?q=1", "https://a.example/" + "p" * 50, " 88213 "]
)
def test_long_tokens_and_addresses_are_identifiers(value: str) -> None:
    assert paths({"v": value}) == [("v", value.strip())]


def test_long_prose_without_blanks_is_no_identifier() -> None:
    assert paths({"v": "商品收到时已经损坏" * 6}) == []
    assert paths({"v": '{"a":1,"b":[1,2,3],"c":"a compact text"}'.replace(" ", "")}) == []


def test_identifiers_inside_prose_count_where_asked_for() -> None:
    text = "Well-known: 1,200.00 for #99999 to dana@example.com, see https://a.example/p?q=1."

    assert paths({"v": text}) == []
    assert [shown for _, shown in paths({"v": text}, prose=True)] == [
        "1,200.00",
        "99999",
        "dana@example.com",
        "https://a.example/p?q=1",
    ]


def test_the_seed_looks_at_top_level_values_alone() -> None:
    args = {"a": "88213", "b": ["88213"], "c": "x" * 41, "d": "ok\n", "e": "abc\n"}

    assert [(value.path, value.shown) for value in seed_values(args)] == [
        ("a", "88213"),
        ("e", "abc\n"),
    ]


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), nested, max_size=4))
def test_every_identifier_stands_in_the_text_of_its_arguments(args: dict[str, object]) -> None:
    text = readable("\n".join(str(leaf) for _, leaf in leaves(args)))

    for value in values(args, prose=True):
        assert stands_in(value.needle, text)


@given(st.integers(1, 10**12), st.integers(0, 999))
def test_a_number_is_found_however_it_is_written(whole: int, thousandths: int) -> None:
    value = f"{whole}.{thousandths:03}"

    for text in (value, f"{whole:,}.{thousandths:03}00", f"({value.rstrip('0').rstrip('.')})"):
        assert found(value, text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("about 1,200, or so", ["1,200"]),
        ("1,234,567x", ["234", "567x"]),
        ("a1=1,200.00", ["a1=1", "200.00"]),
        ("1,234,23", ["234"]),
        ("no identifier, at all.", []),
    ],
)
def test_commas_part_what_is_no_number(text: str, tokens: list[str]) -> None:
    assert [shown for _, shown in paths({"v": f"see {text}"}, prose=True)] == tokens


def test_a_path_does_not_grow_without_end() -> None:
    """A long key above many leaves would make more path than argument."""
    args = {"a": {"k" * 10_000: list(range(1_000, 1_500))}}
    deep: Any = "88213"
    for _ in range(400):
        deep = {"key": deep}

    assert sum(len(path) for path, _ in leaves(args)) < 500 * 520
    ((path, _),) = leaves({"a": deep})
    assert len(path) < 520


class Counting(str):
    """A text that counts how often it is searched."""

    __slots__ = ("finds",)
    finds: int

    def find(self, *args: Any) -> int:
        self.finds = getattr(self, "finds", 0) + 1
        return super().find(*args)


@pytest.mark.parametrize("part", ["xid88y", "aid88", "aaaaid88"])
def test_a_row_of_alphanumerics_is_searched_once_however_often_a_value_is_in_it(part: str) -> None:
    text = Counting(part * 200)

    assert not stands_in(needle("id88"), text)
    assert text.finds == 1
    ending = Counting(part * 200 + " id88")
    assert stands_in(needle("id88"), ending)
    assert ending.finds == 2
