"""What a value must be."""

import math
import operator
import re
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.evaluate.predicates import (
    OPERATORS,
    Predicate,
    _compares,
    number_of,
    plain,
    shown,
)

DEEP: list[Any] = []
for _ in range(5_000):
    DEEP = [DEEP]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def holds(value: Any, **told: Any) -> bool:
    return Predicate.of({name.rstrip("_"): operand for name, operand in told.items()}).holds(value)


@pytest.mark.parametrize(
    ("told", "yes", "no"),
    [
        ({"eq": 200}, [200, 200.0], ["200", 201, None, [200]]),
        ({"eq": "EUR"}, ["EUR"], ["eur", "EUR ", None]),
        ({"eq": None}, [None], [0, "", False]),
        ({"eq": [1, "a"]}, [[1, "a"]], [["a", 1], [1]]),
        ({"eq": {"a": 1}}, [{"a": 1.0}], [{"a": 1, "b": 2}]),
        ({"ne": 3}, [4, "3", None], [3, 3.0]),
        ({"in": ["a", 2]}, ["a", 2, 2.0], ["b", "2", ["a"]]),
        ({"in": []}, [], ["a", None]),
        ({"not_in": ["a", 2]}, ["b", "2", None], ["a", 2.0]),
        ({"regex": "^ORD-[0-9]+$"}, ["ORD-12"], ["xORD-12", "ORD-", 12, None, ["ORD-12"]]),
        ({"regex": "^12"}, [123, 12.5, "12"], [21, None, {"12": 1}]),
        ({"regex": "true"}, [True, "true"], [False, "True"]),
        ({"regex": "a|None"}, ["a"], [["a"], {"a": "a"}, None]),
        ({"gt": 100}, [101, 100.5, "1,200", "100.01"], [100, "100", "abc", None, True, math.nan]),
        ({"ge": 100}, [100, 100.0, "100"], [99.9, "99", [], math.nan]),
        ({"lt": 0}, [-1, "-0.5"], [0, "0", "x", False]),
        ({"le": 0}, [0, -1, "0.0"], [1, "0.1", None]),
        ({"ge": "2026-01-01"}, ["2026-01-01", "2026-05"], ["2025", 2027, None]),
        ({"gt": "b"}, ["c"], ["a", "b", 3]),
        ({"len": 2}, ["ab", [1, 2], {"a": 1, "b": 2}], ["a", [], 12, None]),
        ({"len": {"le": 2}}, ["", "ab"], ["abc", 1, None]),
        ({"type": "string"}, ["", "1"], [1, None, True]),
        ({"type": "number"}, [1, 1.5], ["1", True, None]),
        ({"type": "integer"}, [1, 1.0], [1.5, "1", True, math.inf, math.nan]),
        ({"type": "boolean"}, [True, False], [0, 1, "true"]),
        ({"type": "array"}, [[], (1,)], [{}, "[]"]),
        ({"type": "object"}, [{}], [[], "{}"]),
        ({"type": "null"}, [None], [0, ""]),
        ({"len": [1]}, [], [[1], "a"]),
        ({"exists": True}, [None, 0, ""], []),
        ({"exists": False}, [], [None, 0, ""]),
        ({"ge": 1, "le": 3}, [1, 2, 3], [0, 4]),
        ({}, [None, 0, "x"], []),
    ],
)
def test_each_operator_holds_for_what_it_says(told: Any, yes: list[Any], no: list[Any]) -> None:
    predicate = Predicate.of(told)

    assert [value for value in yes if not predicate.holds(value)] == []
    assert [value for value in no if predicate.holds(value)] == []


def test_only_a_demand_for_absence_holds_where_nothing_is() -> None:
    assert Predicate.of({"exists": False}).absent
    assert not Predicate.of({"exists": True}).absent
    assert not Predicate.of({"ne": 1}).absent
    assert not Predicate.of({}).absent


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"gte": 3}, "'gte' is no operator; did you mean ge? An object to equal is {eq: ...}"),
        ({"zz": 3}, "'zz' is no operator; known are eq, ne, in, not_in, regex, gt, ge, lt, le, "),
        ({"len": {"zz": 3}}, "len: 'zz' is no operator; known are eq, "),
        ({"in": "a"}, "in: not a list; write [one, two]"),
        ({"not_in": {"a": 1}}, "not_in: not a list; write [one, two]"),
        ({"regex": 3}, "regex: not a pattern; write a text in quotes"),
        ({"regex": "("}, "regex: RE2 refuses the pattern '(': missing ): (; "),
        ({"gt": [1]}, "gt: not a number; write one, or a text to compare texts with"),
        ({"le": True}, "le: not a number; write one, or a text to compare texts with"),
        (
            {"len": {"ge": None}},
            "len: ge: not a number; write one, or a text to compare texts with",
        ),
        (
            {"type": "text"},
            "type: no type of JSON; write one of string, number, integer, boolean, ",
        ),
    ],
)
def test_an_operand_that_does_not_fit_is_refused(told: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}"):
        Predicate.of(told)


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ({"eq": "EUR"}, "'EUR'"),
        ({"eq": 3}, "3"),
        ({"ne": 3}, "not 3"),
        ({"in": ["a", "b"]}, "one of ['a', 'b']"),
        ({"not_in": [1]}, "none of [1]"),
        ({"regex": "^a"}, "regex '^a'"),
        ({"gt": 1, "lt": 5}, "> 1 and < 5"),
        ({"ge": 1, "le": 5}, ">= 1 and <= 5"),
        ({"len": 3}, "length 3"),
        ({"len": {"ge": 1}}, "length >= 1"),
        ({"type": "string"}, "type 'string'"),
        ({"exists": True}, "there"),
        ({"exists": False}, "not there"),
        ({}, "anything"),
    ],
)
def test_a_predicate_says_what_it_asks_for(told: Any, text: str) -> None:
    assert Predicate.of(told).text == text


@given(value=JSON, operand=JSON)
def test_no_value_makes_a_predicate_fail(value: Any, operand: Any) -> None:
    for name in OPERATORS:
        try:
            predicate = Predicate.of({name: operand})
        except ValueError:
            continue
        assert predicate.holds(value) in (True, False)


def test_a_value_nested_deep_and_a_long_number_are_just_values() -> None:
    assert not holds(DEEP, regex="a")
    assert holds(10**5000, gt=1)
    assert holds("9" * 5000, regex="^9+$")
    assert not holds("9" * 5000, gt=1)  # more digits than Python reads


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3),
        (2.5, 2.5),
        ("3", 3),
        (" 1,200.50 ", 1200.5),
        ("-4", -4),
        ("+4", 4),
        (math.inf, math.inf),
        ("", None),
        ("3 EUR", None),
        ("12,34", None),
        (True, None),
        (math.nan, None),
        (None, None),
        ([3], None),
    ],
)
def test_a_number_is_read_as_people_and_frameworks_write_it(value: Any, number: Any) -> None:
    found = number_of(value)

    assert found == number
    assert type(found) is type(number)


def test_a_long_value_is_shown_cut() -> None:
    assert shown("a" * 78) == repr("a" * 78)
    assert shown("a" * 79) == "'" + "a" * 79 + "..."
    assert shown({"a": 1}) == "{'a': 1}"


def test_a_list_is_shown_as_one_whatever_holds_it() -> None:
    assert shown(("EUR", "USD")) == shown(["EUR", "USD"]) == "['EUR', 'USD']"
    assert shown({"a": ((1,), [2])}) == "{'a': [[1], [2]]}"
    assert Predicate.of({"in": ("a",)}).text == Predicate.of({"in": ["a"]}).text == "one of ['a']"
    deep: Any = ()
    for _ in range(9_999):
        deep = (deep,)
    assert len(shown(deep)) < 100


@pytest.mark.parametrize("compare", [operator.gt, operator.ge, operator.lt, operator.le])
@pytest.mark.parametrize("bound", [100, "100", "1,200.50", 0.5, "2026-01-01", "b"])
def test_numbers_compare_with_numbers_and_texts_with_texts(
    compare: Callable[[Any, Any], bool], bound: Any
) -> None:
    test = _compares(compare)(bound)
    number = number_of(bound)
    told: Any
    for told in (99, 100, 101.5, "100", "1,200.5", "1,300", "a", "b", "c", "2026-01-01"):
        if number is None:
            expected = isinstance(told, str) and compare(told, bound)
        else:
            read = number_of(told)
            expected = read is not None and compare(read, number)
        assert test(told) is expected
    nothing: list[Any] = [None, True, [101], {}, math.nan]
    assert [test(one) for one in nothing] == [False] * 5


@pytest.mark.parametrize("operand", [None, True, [1], {"a": 1}, math.nan])
def test_what_is_no_number_and_no_text_is_no_bound(operand: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^not a number; write one, or a text to compare texts with$"
    ):
        _compares(operator.gt)(operand)


@pytest.mark.parametrize("operand", ["1e3", "1E-3", ".5e1", "inf"])
def test_a_number_that_yaml_reads_as_a_text_is_no_bound(operand: str) -> None:
    words = f"{operand} is a text to YAML; write the number in full"
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        _compares(operator.gt)(operand)


DATE = date(2026, 1, 2)


@pytest.mark.parametrize("name", ["eq", "ne", "in", "not_in"])
@pytest.mark.parametrize(
    "where", [[1, DATE], [[DATE, 1]], [{"a": (DATE, 2)}], [{DATE: 1}], [DATE, {"a": 1}]], ids=str
)
def test_a_date_that_yaml_made_of_a_text_equals_nothing(name: str, where: Any) -> None:
    words = f"{name}: 2026-01-02 is no value of JSON; put it in quotes"
    with pytest.raises(ValueError, match=f"^{words}$"):
        Predicate.of({name: where})


@given(JSON)
def test_what_json_can_hold_is_taken_as_it_is(value: Any) -> None:
    assert plain(value) is value


@pytest.mark.parametrize(
    ("name", "near"), [("eqal", "eq"), ("notin", "not_in"), ("regexp", "regex"), ("lenght", "len")]
)
def test_the_nearest_operator_is_named(name: str, near: str) -> None:
    with pytest.raises(
        ValueError, match=f"^{name!r} is no operator; did you mean {near}[?] An obj"
    ):
        Predicate.of({name: 1})


def test_where_no_operator_is_near_all_are_named() -> None:
    known = (
        "'zz' is no operator; known are eq, ne, in, not_in, regex, gt, ge, lt, le, len, type, "
        "exists. An object to equal is {eq: ...}"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(known)}$"):
        Predicate.of({"zz": 1})
