"""What a spec file may say of arguments, and what is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from specs.rules.said import said
from surefoot.evaluate.arguments import Args
from surefoot.specs.rules.arguments import ArgsRule


def of(**keys: Any) -> dict[str, Any]:
    return {"id": "a", "args": {"step": "x"} | keys}


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            of(),
            (
                "rules[0].args: asks nothing of the arguments, so it can never fire; write "
                "required, equals, where, values, schema or only"
            ),
        ),
        (
            of(only=["a"], required=["a", "b.c"]),
            "rules[0].args.required[1]: only leaves out 'b'; add b to only, or drop it here",
        ),
        (
            of(only=["a"], equals={"a": 1, "b": 2}),
            "rules[0].args.equals.b: only leaves out 'b'; add b to only, or drop it here",
        ),
        (of(only=False), "rules[0].args.only: not one that is known; write true"),
        (of(only=[1]), "rules[0].args.only[0]: not a text; put it in quotes"),
        (of(required=["a..b"]), "rules[0].args.required[0]: 'a..b' is no path; write order_id, "),
        (of(where={"a": {"gte": 1}}), "rules[0].args.where.a: 'gte' is no operator; did you mean"),
        (of(values={"a": []}), "rules[0].args.values.a: empty; write at least one, or leave the"),
        (
            of(schema={"type": "strin"}),
            'rules[0].args.schema: no JSON Schema at type: "strin" is not valid under any of ',
        ),
        (
            of(schema={"properties": {"a": {"pattern": "(?=x)"}}}),
            (
                'rules[0].args.schema: no JSON Schema at properties.a.pattern: "(?=x)" is not a '
                '"regex"; patterns have no look-around and no back-references, and must not be huge'
            ),
        ),
        (
            of(schema={"$ref": "file:///schema.json"}),
            "rules[0].args.schema: no JSON Schema: Resource 'file:///schema.json' is not present",
        ),
        (
            of(only=True, occurrence=0),
            "rules[0].args.occurrence: too small; write at least 1",
        ),
        (
            of(only=True, occurrence="first"),
            "rules[0].args.occurrence: not one that is known; write last",
        ),
        (of(schemas={}), "rules[0].args.schemas: unknown key; did you mean schema?"),
        (
            {"id": "a", "args_from": {"step": "x", "arg": "y", "from": "output"}},
            (
                "rules[0].args_from.from: no origin; write {step: TOOL, field: PATH}, input, or "
                "{input: PATH}"
            ),
        ),
        (
            {"id": "a", "args_from": {"step": "x", "arg": "y", "from": {"step": "z"}}},
            "rules[0].args_from.from.field: missing; write it",
        ),
    ],
)
def test_each_problem_is_told(rule: dict[str, Any], words: str) -> None:
    (problem,) = said(rule)

    assert problem.startswith(words)


def test_a_name_of_an_origin_is_held_against_the_vocabulary() -> None:
    origin = {"step": "lokup", "field": "id"}
    rule = {"id": "a", "args_from": {"step": "refund", "arg": "id", "from": origin}}

    (problem,) = said(rule, tools=["refund", "lookup"])

    assert problem.startswith("rules[0].args_from.from.step: 'lokup' is not in this spec's tools;")


def test_the_names_that_may_be_given() -> None:
    def only(**keys: Any) -> Any:
        check = ArgsRule.model_validate(of(**keys)).check()
        assert isinstance(check, Args)
        return check.only

    assert only(required=["a"]) is None
    assert only(only=[]) == ()
    assert only(only=["b", "a"]) == ("b", "a")
    assert only(only=["a.b"], required=["a.b"]) == ("a.b",)
    assert only(only=True) == ()
    assert only(only=True, required=["z[0].y", "b"], where={"b": 1}, values={"c[*]": [1]}) == (
        "z",
        "b",
        "c",
    )
    assert only(only=True, schema={"properties": {"d": {}, "c": {}}}) == ("c", "d")


def test_the_last_call_is_the_noughth() -> None:
    def occurrence(**keys: Any) -> Any:
        check = ArgsRule.model_validate(of(only=True, **keys)).check()
        assert isinstance(check, Args)
        return check.occurrence

    assert [occurrence(), occurrence(occurrence=1), occurrence(occurrence="last")] == [None, 1, 0]
    with pytest.raises(ValidationError):
        occurrence(occurrence=-1)
