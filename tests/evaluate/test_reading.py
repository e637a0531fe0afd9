"""How a text that somebody returned is read, in all three places."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, a_view, judged
from surefoot.evaluate.matcher import Matcher, Pattern
from surefoot.evaluate.outputs import FromOutput
from surefoot.evaluate.predicates import Predicate
from surefoot.evaluate.reading import Reading
from surefoot.model import PathGrade

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=2), inner)
)
TEXTS = st.text(max_size=5) | JSON.map(json.dumps)


def fits(text: str, **wanted: Any) -> bool:
    return Reading.of(text).fits(Predicate.of(wanted))


@given(JSON)
def test_json_says_its_value_whatever_kind_it_is(value: Any) -> None:
    read = Reading.of(json.dumps(value))

    assert read.is_json
    assert read.value == value
    assert type(read.value) is type(value)


@pytest.mark.parametrize("text", ["", "hello", "{a: 1}", "1,200", "NaN", "'x'", "3 apples"])
def test_what_is_no_json_is_a_string(text: str) -> None:
    assert Reading.of(text) == Reading(text, (text,), is_json=False)


def test_what_came_as_a_value_is_no_text() -> None:
    read = Reading.of(7)

    assert read == Reading(7, (), is_json=True)
    assert read.fits(Predicate.of({"eq": 7, "regex": "^7$"}))
    assert not read.fits(Predicate.of({"eq": "7"}))
    assert read.says("7")
    assert not read.says("8")


@pytest.mark.parametrize(
    ("text", "wanted", "ok"),
    [
        ("3", {"eq": 3}, True),
        ("3", {"eq": "3"}, True),
        ("3", {"eq": 4}, False),
        ("3", {"ne": 3}, False),
        ("3", {"ne": "3"}, False),
        ("3", {"ne": 4}, True),
        (" 3\n", {"eq": 3}, True),
        ("3", {"in": [2, 3]}, True),
        ("3", {"in": ["3"]}, True),
        ("3", {"in": [2]}, False),
        ("3", {"not_in": [3]}, False),
        ("3", {"not_in": ["3"]}, False),
        ("3", {"not_in": [2]}, True),
        ("3", {"regex": "^3$"}, True),
        ("3", {"type": "integer"}, True),
        ("3", {"type": "string"}, False),
        ("3", {"ge": 3}, True),
        ("3", {"gt": 3}, False),
        ("3", {"lt": 3}, False),
        ("3", {"le": 2}, False),
        ("3", {"len": 1}, False),
        ("1,200", {"ge": 1200}, True),
        ("null", {"eq": None}, True),
        ("null", {"type": "null"}, True),
        ("null", {"exists": True}, True),
        ("nothing", {"eq": None}, False),
        ("true", {"eq": True}, True),
        ('"done"', {"eq": "done"}, True),
        ('"done"', {"eq": '"done"'}, True),
        ('"done"', {"ne": "done"}, False),
        ('"done"', {"regex": "^done$"}, True),
        ('"done"', {"regex": '^"done"$'}, True),
        ('"done"', {"len": 4}, True),
        ('"done"', {"len": 6}, False),
        ('"done"', {"type": "string"}, True),
        ("done", {"len": 4, "type": "string"}, True),
        ("[1, 2]", {"len": 2}, True),
        ("[1, 2]", {"len": 6}, False),
        ("[1, 2]", {"regex": "^.1, 2.$"}, True),
        ('{"a": 1}', {"eq": {"a": 1}}, True),
        ('{"a":1}', {"eq": '{"a":1}'}, True),
        ('{"a": 1}', {"ne": {"a": 1}}, False),
        ('{"a": 1}', {"type": "object", "regex": '"a"', "len": 1}, True),
        ('{"a": 1}', {"type": "string"}, False),
        ('{"a": 1}', {"type": "object", "regex": "b"}, False),
        ("x", {}, True),
    ],
)
def test_each_operator_asks_its_reading_in_all_three_places(
    *, text: str, wanted: dict[str, Any], ok: bool
) -> None:
    assert fits(text, **wanted) is ok

    assert FromOutput.of_predicate(wanted)(a_run(output=text, flaw="")) is ok
    calls = Matcher("a", (Pattern(result=Predicate.of(wanted)),))
    assert list(a_view(a_run(a_call("a", result=text))).match(calls).sure) == [0] * ok
    if wanted.keys() == {"eq"}:
        ended = judged(
            a_run(output=text, flaw=""),
            rules=[{"id": "r", "end_state": {"output": True, "equals": wanted["eq"]}}],
        )
        assert (ended.path is PathGrade.OK) is ok


@given(TEXTS, SCALARS)
def test_a_text_differs_exactly_from_what_it_does_not_equal(text: str, operand: Any) -> None:
    equals = fits(text, eq=operand)

    assert fits(text, ne=operand) is not equals
    assert fits(text, **{"in": [operand]}) is equals
    assert fits(text, not_in=[operand]) is not equals


@given(TEXTS)
def test_a_text_equals_itself_and_what_its_json_says_and_has_one_kind(text: str) -> None:
    kinds = ["string", "number", "boolean", "array", "object", "null"]

    assert fits(text, eq=text)
    assert fits(text, eq=Reading.of(text).value)
    assert sum(fits(text, type=kind) for kind in kinds) == 1
