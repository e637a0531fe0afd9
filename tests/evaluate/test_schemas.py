"""Users' JSON Schemas: what is refused at load, and what is told of arguments."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from surefoot.evaluate.schemas import DEEPEST, Misfit, Schema, UnreadableError, for_texts

TREE = {
    "$defs": {"tree": {"type": ["array", "integer"], "items": {"$ref": "#/$defs/tree"}}},
    "properties": {"d": {"$ref": "#/$defs/tree"}},
}


def nested(levels: int, leaf: Any = 1) -> Any:
    for _ in range(levels):
        leaf = [leaf]
    return leaf


def refusal(told: Any) -> str:
    with pytest.raises(ValueError, match=r".") as refused:
        Schema.of(told)
    return str(refused.value)


def test_what_fits_has_no_misfits() -> None:
    schema = Schema.of({"required": ["a"], "properties": {"a": {"type": "integer"}}})

    assert schema.misfits({"a": 1, "b": 2}) == []
    assert schema.misfits({"a": 2.0}) == []
    assert schema.misfits({"a": 10**400}) == []


def test_each_misfit_tells_its_place_the_keyword_and_what_stands_there() -> None:
    schema = Schema.of(
        {
            "required": ["a"],
            "dependentRequired": {"items": ["c"]},
            "properties": {
                "n": {"type": "integer"},
                "s": {"pattern": "^ORD-"},
                "items": {"items": {"required": ["id"], "properties": {"q": {"minimum": 1}}}},
                "o": {"unevaluatedProperties": False, "properties": {"k": {"const": 1}}},
                "x": False,
                "r": {"$ref": "#/$defs/small"},
            },
            "additionalProperties": False,
            "maxProperties": 3,
            "$defs": {"small": {"maximum": 9}},
        }
    )

    found = schema.misfits(
        {
            "n": "1",
            "s": "X",
            "items": [{"id": 1, "q": 0}, {}],
            "o": {"k": 2, "z": [1]},
            "more": "m",
            "x": 1,
            "r": 10,
        }
    )

    assert sorted(found) == sorted(
        [
            Misfit("a", "a value", "not there"),
            Misfit("c", "a value", "not there"),
            Misfit("n", "type 'integer'", "'1'"),
            Misfit("s", "pattern '^ORD-'", "'X'"),
            Misfit("items[0].q", "minimum 1", "0"),
            Misfit("items[1].id", "a value", "not there"),
            Misfit("o.k", "const 1", "2"),
            Misfit("o.z", "not there", "[1]"),
            Misfit("more", "not there", "'m'"),
            Misfit("x", "x False", "1"),
            Misfit("r", "maximum 9", "10"),
            next(one for one in found if one.expected == "maxProperties 3"),
        ]
    )


def test_formats_are_asked_for() -> None:
    schema = Schema.of({"properties": {"to": {"format": "email"}}})

    assert schema.misfits({"to": "a@b.example"}) == []
    assert schema.misfits({"to": "nobody"}) == [Misfit("to", "format 'email'", "'nobody'")]


def test_the_names_of_the_top_level_are_known() -> None:
    assert Schema.of({"properties": {"a": {}}, "required": ["b"]}).names == {"a", "b"}
    assert Schema.of({}).names == frozenset()


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (3, "no JSON Schema; write a section such as {type: object}"),
        ([], "no JSON Schema; write a section such as {type: object}"),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#"},
            (
                "$schema 'http://json-schema.org/draft-07/schema#' is another draft;"
                " write https://json-schema.org/draft/2020-12/schema, or leave it out"
            ),
        ),
        (
            {"properties": {"a": {"type": "strin"}}},
            (
                'no JSON Schema at properties.a.type: "strin" is not valid under any of the'
                " schemas listed in the 'anyOf' keyword; write what draft 2020-12 has there"
            ),
        ),
        (
            {"pattern": "(a)\\1"},
            (
                'no JSON Schema at pattern: "(a)\\\\1" is not a "regex"; patterns have no'
                " look-around and no back-references, and must not be huge"
            ),
        ),
        (
            {"patternProperties": {"(?=a)": {}}},
            (
                'no JSON Schema at patternProperties.(?=a): "(?=a)" is not a "regex"; patterns'
                " have no look-around and no back-references, and must not be huge"
            ),
        ),
        (
            {"$ref": "#/$defs/a"},
            (
                "no JSON Schema: Pointer '/$defs/a' does not exist; refer to what stands in it,"
                " such as #/$defs/NAME"
            ),
        ),
        (
            {"format": "emial"},
            (
                "no JSON Schema at format: Unknown format: 'emial'. Adjust configuration to"
                " ignore unrecognized formats; write what draft 2020-12 has there"
            ),
        ),
        (
            {1: 2},
            (
                "no JSON Schema: Dict key must be str or str enum. Got 'int'; it holds"
                " what JSON has not"
            ),
        ),
    ],
)
def test_what_is_no_schema_is_refused_in_words(told: Any, words: str) -> None:
    assert refusal(told) == words


def test_a_pattern_that_is_too_big_is_refused() -> None:
    assert "must not be huge" in refusal({"pattern": "((a{900}){900}){900}"})


def test_patterns_that_nothing_refers_to_yet_are_refused_where_they_are_used() -> None:
    told = {"$defs": {"a": {"pattern": "(?!x)"}}, "properties": {"b": {"$ref": "#/$defs/a"}}}

    assert "look-around" in refusal(told)


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A server on this machine that has a schema for everybody, and who asked for it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}", asked
        listening.shutdown()
        thread.join()


def test_no_reference_reaches_the_network(server: tuple[str, list[str]]) -> None:
    url, asked = server
    for told in ({"$ref": f"{url}/a"}, {"$id": f"{url}/b", "$ref": "c"}):
        assert "is outside of the schema; refer to what stands in it" in refusal(told)

    assert asked == []


def test_no_reference_reaches_a_file(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    file.write_text("{}")

    assert f"{file.as_uri()} is outside of the schema" in refusal({"$ref": file.as_uri()})
    assert "refer to what stands in it" in refusal({"$dynamicRef": file.as_uri()})


def test_arguments_that_are_no_json_neither_fit_nor_do_not() -> None:
    schema = Schema.of({"properties": {"a": {"minLength": 1, "items": {"type": "string"}}}})
    unreadable: list[Any] = [{"a": b"x"}, {"a": {1, 2}}, {1: 2}, {"\ud800": 1}]

    for args in unreadable:
        with pytest.raises(UnreadableError, match="no JSON"):
            schema.misfits(args)


def test_arguments_nested_deeper_than_anybodys_are_not_followed() -> None:
    schema = Schema.of(TREE)

    assert schema.misfits({"d": nested(DEEPEST - 1)}) == []
    assert [len(one.path) for one in schema.misfits({"d": nested(DEEPEST - 1, "x")})] == [
        1 + 3 * (DEEPEST - 1)
    ]
    for levels in (DEEPEST, 50_000):
        with pytest.raises(UnreadableError, match="nested too deep"):
            schema.misfits({"d": nested(levels)})


def test_what_does_not_fit_and_cannot_be_told_is_told_at_the_top() -> None:
    schema = Schema.of({"properties": {"a": {"const": "x"}}})
    args: dict[str, Any] = {"a": {1: 2}}

    assert schema.misfits(args) == [Misfit("", "what the schema allows", "{'a': {1: 2}}")]


def test_a_schema_that_allows_nothing() -> None:
    nothing: Any = False

    assert Schema.of(nothing).misfits({"a": 1}) == [Misfit("", "nothing", "{'a': 1}")]


def test_the_draft_may_be_named() -> None:
    draft = "https://json-schema.org/draft/2020-12/schema"

    assert Schema.of({"$schema": draft, "maxProperties": 1}).misfits({"a": 1}) == []
    assert Schema.of({"$schema": f"{draft}#", "maxProperties": 1}).misfits({"a": 1}) == []


def test_a_keyword_that_stands_elsewhere_is_told_by_its_name() -> None:
    """The draft's own schema is known, and the only one outside."""
    schema = Schema.of({"$ref": "https://json-schema.org/draft/2020-12/schema"})

    assert Misfit("title", "type", "1") in schema.misfits({"title": 1})


@pytest.mark.parametrize(
    ("schema", "fits"),
    [
        (True, True),
        (False, False),
        ({}, True),
        ({"title": "x"}, True),
        ({"required": ["b"]}, False),
        ({"properties": {"b": {"type": "string"}}}, False),
        ({"properties": {"required": {"pattern": "x"}}}, False),
        ({"items": {"type": "string"}}, False),
        ({"minimum": 1}, False),
        ({"required": ["b"], "minLength": 3}, True),
        ({"required": ["b"], "type": ["object", "string"]}, True),
        ({"required": ["b"], "type": "object"}, False),
        ({"pattern": "^hel"}, True),
        ({"pattern": "^x"}, False),
        ({"enum": ["hello"]}, True),
        ({"const": {"required": ["b"]}}, False),
        ({"format": "date"}, False),
        ({"allOf": [{"required": ["b"]}]}, False),
        ({"anyOf": [{"required": ["b"]}, {"type": "number"}]}, False),
        ({"anyOf": [{"required": ["b"]}, {"type": "string"}]}, True),
        ({"oneOf": [{"required": ["b"]}, {"type": "string"}]}, True),
        ({"required": ["b"], "anyOf": [{"type": "object"}, {"type": "string"}]}, True),
        ({"not": {"required": ["b"]}}, False),
        ({"not": {"type": "object"}}, True),
        ({"if": {"required": ["b"]}, "else": {"required": ["c"]}}, False),
        ({"if": {"type": "object"}, "then": {"required": ["c"]}}, True),
        ({"if": {"type": "object"}, "else": {"required": ["c"]}}, False),
        ({"if": {"type": "string"}, "then": {"required": ["c"]}}, False),
        ({"$ref": "#/$defs/b", "$defs": {"b": {"required": ["b"]}}}, False),
        ({"$ref": "#/$defs/b", "$defs": {"b": {"type": "string"}}}, True),
        ({"$ref": "#/definitions/b", "definitions": {"b": {"required": ["b"]}}}, False),
    ],
)
def test_for_texts_no_text_fits_what_speaks_only_of_other_kinds(*, schema: Any, fits: bool) -> None:
    before = repr(schema)

    misfits = Schema.of(for_texts(schema)).misfits("hello")

    assert (misfits == []) is fits
    assert repr(schema) == before
