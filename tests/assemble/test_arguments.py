"""A call's arguments out of whatever stands there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.assemble.arguments import Arguments, Candidate, is_schema, read
from surefoot.model import ArgsQuality, Cut, Value

EXACT, RECOVERED = ArgsQuality.EXACT, ArgsQuality.RECOVERED
SCHEMA = '{"type": "object", "properties": {"a": {"type": "string"}}}'


def read_one(value: Value, properties: tuple[str, ...] | None = None) -> Arguments:
    return read([Candidate(value)], lambda: properties)


@pytest.mark.parametrize(
    ("value", "args"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("{'a': True}", {"a": True}),
        ('{"kwargs": {"a": 1}}', {"a": 1}),
        ('{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"a": 1}}', {"a": 1}),
        ('{"input_str": "{\'a\': 1}", "tags": [], "metadata": {}}', {"a": 1}),
        ('{"input_str": "x", "inputs": {"a": 1}, "kwargs": {}}', {"a": 1}),
        ('{"input": {"a": 1}, "options": {}}', {"a": 1}),
        ('{"name": "look", "arguments": "{\\"a\\": 1}"}', {"a": 1}),
        ('{"tool_name": "look", "arguments": {"a": 1}}', {"a": 1}),
        ('{"method": "tools/call", "params": {"name": "look", "arguments": {"a": 1}}}', {"a": 1}),
        ('[{"name": "a", "type": "string", "value": "x"}]', {"a": "x"}),
        ("{}", {}),
    ],
)
def test_arguments_are_unwrapped(value: Value, args: dict[str, object]) -> None:
    assert read_one(value) == Arguments(args, EXACT)


@pytest.mark.parametrize("name", ["kwargs", "args", "input", "arguments", "options"])
def test_an_argument_of_a_wrappers_name_stays(name: str) -> None:
    """A tool may really have one, as its schema says."""
    value = f'{{"{name}": {{"x": 1}}}}'

    assert read_one(value, (name,)).args == {name: {"x": 1}}


def test_positional_arguments_get_the_tools_names() -> None:
    value = '{"args": ["O1", 3], "kwargs": {"c": 1}}'

    assert read_one(value, ("a", "b", "c")) == Arguments({"a": "O1", "b": 3, "c": 1}, RECOVERED)
    assert read_one(value) == Arguments({"args": ["O1", 3], "c": 1}, ArgsQuality.WRAPPED_TEXT)


def test_a_bare_text_is_the_only_arguments_or_wrapped() -> None:
    assert read_one("88213", ("order_id",)) == Arguments({"order_id": "88213"}, RECOVERED)
    assert read_one("88213", ("a", "b")) == Arguments({"input": "88213"}, ArgsQuality.WRAPPED_TEXT)


def test_a_schema_is_no_argument_where_one_may_stand() -> None:
    own = Candidate('{"a": "x"}')

    assert read([Candidate(SCHEMA, or_schema=True), own], lambda: None).args == {"a": "x"}
    assert read([Candidate(SCHEMA)], lambda: None).quality is EXACT


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"type": "object", "properties": {}}, True),
        ({"properties": {"a": {}}, "required": ["a"]}, True),
        ({"a": {"type": "string", "description": "x"}}, True),
        ({"a": "str", "b": "int"}, True),
        ({"type": "object"}, True),
        ({"a": "x"}, False),
        ({"type": "invoice", "properties": "none"}, False),
        ({"a": {"type": "house"}}, False),
        ({}, False),
        ([], False),
    ],
)
def test_what_describes_arguments_is_none(value: object, schema: bool) -> None:  # noqa: FBT001 - a table's column
    assert is_schema(value) is schema


def test_what_is_hidden_stays_hidden() -> None:
    """A leaked copy behind it is not used."""
    found = read([Candidate("__REDACTED__"), Candidate('{"a": 1}')], lambda: None)

    assert found == Arguments({}, ArgsQuality.REDACTED)


def test_a_beginning_gives_its_whole_pairs_and_says_so() -> None:
    assert read_one('{"a": "x", "b": "y') == Arguments({"a": "x"}, ArgsQuality.TRUNCATED)
    assert read_one(Cut('{"a": 1}')).quality is ArgsQuality.TRUNCATED
    assert read_one(Cut("88213"), ("a",)) == Arguments({}, ArgsQuality.TRUNCATED)


def test_injected_objects_are_no_arguments() -> None:
    value = '{"kwargs": {"a": 1, "ctx": "<workflows.Context object at 0x7f3e60>"}}'

    assert read_one(value).args == {"a": 1}


def test_nothing_there_is_missing() -> None:
    assert read([], lambda: None).quality is ArgsQuality.MISSING
    assert read_one("").quality is ArgsQuality.MISSING
    assert read_one(None).quality is ArgsQuality.MISSING


@given(
    st.recursive(
        st.text(max_size=6) | st.integers() | st.none(),
        lambda i: (
            st.lists(i, max_size=2).map(tuple)
            | st.dictionaries(
                st.sampled_from(
                    ["args", "kwargs", "input_str", "tags", "name", "arguments", "params", "a"]
                ),
                i,
                max_size=3,
            )
        ),
    )
)
def test_any_nesting_of_wrappers_is_read(value: Value) -> None:
    assert isinstance(read_one(value, ("a",)).args, dict)
