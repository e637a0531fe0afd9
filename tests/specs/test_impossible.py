from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.evaluate.predicates import Predicate
from surefoot.evaluate.reading import Reading
from surefoot.specs.impossible import is_impossible, no_text_holds

IMPOSSIBLE: list[dict[str, Any]] = [
    {"in": []},
    {"gt": 5, "lt": 3},
    {"ge": 5, "lt": 5},
    {"gt": 5, "le": 5},
    {"ge": "b", "lt": "a"},
    {"gt": "a", "le": "a"},
    {"lt": ""},
    {"gt": float("inf")},
    {"gt": 4, "lt": 5, "type": "integer"},
    {"ge": 5, "le": 5, "ne": 5, "type": "number"},
    {"eq": "a", "ne": "a"},
    {"eq": 1, "not_in": [1.0]},
    {"eq": 3, "in": [1, 2]},
    {"eq": 3, "gt": 3},
    {"eq": "a", "regex": "b"},
    {"eq": "a", "type": "integer"},
    {"eq": 1.5, "type": "integer"},
    {"in": [1, 2], "gt": 2},
    {"type": "boolean", "not_in": [True, False]},
    {"type": "null", "ne": None},
    {"type": "null", "regex": "."},
    {"type": "object", "gt": 3},
    {"type": "number", "gt": "a"},
    {"type": "number", "len": 3},
    {"len": -1},
    {"len": 1.5},
    {"len": {"lt": 0}},
    {"len": {"gt": 1, "lt": 2}},
    {"len": "a"},
    {"exists": False, "eq": 1},
]
POSSIBLE: list[dict[str, Any]] = [
    {},
    {"in": [None]},
    {"gt": 3, "lt": 5},
    {"ge": 5, "le": 5},
    {"ge": "a", "le": "a"},
    {"le": ""},
    {"ge": float("-inf")},
    {"gt": 4, "lt": 6, "type": "integer"},
    {"ge": 5, "le": 5, "type": "integer"},
    {"gt": 4, "lt": 5, "type": "number"},
    {"gt": 4, "lt": 5},
    {"ge": 5, "le": 5, "ne": 5},  # "5.0"
    {"eq": "a", "ne": "b"},
    {"eq": 1, "type": "boolean"},  # to Python true is 1
    {"eq": 1.0, "regex": "^1$"},
    {"eq": "5", "gt": 4, "type": "string"},
    {"in": [1, 2], "gt": 1},
    {"type": "boolean", "ne": True},
    {"type": "string", "gt": 3},
    {"type": "boolean", "regex": "true"},
    {"len": 0},
    {"len": {"lt": 1}},
    {"len": {"gt": 1, "lt": 3}},
    {"exists": True, "eq": 1},
    {"exists": False},
    {"in": list(range(2_000)), "not_in": list(range(2_000))},  # not looked at
]


@pytest.mark.parametrize("told", IMPOSSIBLE, ids=str)
def test_a_predicate_that_nothing_satisfies_is_known(told: dict[str, Any]) -> None:
    assert is_impossible(told)


@pytest.mark.parametrize("told", POSSIBLE, ids=lambda told: str(told)[:40])
def test_one_that_something_satisfies_is_let_be(told: dict[str, Any]) -> None:
    assert not is_impossible(told)


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 4), st.sampled_from([0.5, 1.0, -0.0]),
    st.sampled_from(["", "1", "2.0", "a", "b", "true", '"a"']),
)  # fmt: skip
VALUES = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(SCALARS.map(str), SCALARS)
)
BOUNDS = st.sampled_from([-1, 0, 0.5, 1, 2, 3, "a", "b", "1"])
PREDICATES = st.fixed_dictionaries(
    {},
    optional={
        "eq": SCALARS,
        "ne": SCALARS,
        "in": st.lists(SCALARS, max_size=2),
        "not_in": st.lists(SCALARS, max_size=3),
        "regex": st.sampled_from(["a", "1", "^$", "true", "."]),
        "gt": BOUNDS,
        "ge": BOUNDS,
        "lt": BOUNDS,
        "le": BOUNDS,
        "len": st.one_of(st.integers(-1, 3), st.just({"gt": 0, "lt": 2})),
        "type": st.sampled_from(["string", "number", "integer", "boolean", "array", "null"]),
        "exists": st.booleans(),
    },
)


@given(PREDICATES, VALUES)
def test_what_is_impossible_holds_of_no_value(told: dict[str, Any], value: Any) -> None:
    assert not (Predicate.of(told).holds(value) and is_impossible(told))


@given(PREDICATES, SCALARS)
def test_what_no_text_holds_no_text_holds(told: dict[str, Any], value: Any) -> None:
    reading = Reading.of(value if isinstance(value, str) else str(value))

    assert not (reading.fits(Predicate.of(told)) and no_text_holds(told))


@pytest.mark.parametrize(
    ("told", "never"),
    [
        ({"in": []}, True),
        ({"eq": 3, "ne": 3}, True),
        ({"in": ["a"], "not_in": ["a", "b"]}, True),
        ({"gt": 5, "lt": 3}, True),
        ({"type": "object", "gt": 3}, True),
        ({"eq": "3", "type": "number"}, False),  # the text is "3", and its JSON says 3
        ({"eq": "3", "in": [3]}, False),
        ({"eq": 3, "regex": "^ "}, False),
        ({"exists": False}, False),
        ({}, False),
    ],
)
def test_a_text_has_two_readings(told: dict[str, Any], *, never: bool) -> None:
    assert no_text_holds(told) is never
