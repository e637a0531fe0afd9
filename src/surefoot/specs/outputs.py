"""The sources of an output's grade, as a spec file writes them.

Owns `output_ok`: its sections, the words for what is wrong in them, and what they become
for judging. What a source takes for an answer is `evaluate.outputs`'s to say.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    WithJsonSchema,
)

from surefoot.evaluate import outputs
from surefoot.evaluate.outputs import OutputSource
from surefoot.evaluate.predicates import Predicate, number_of
from surefoot.evaluate.schemas import Schema
from surefoot.specs.comparisons import refuse_comparison
from surefoot.specs.impossible import is_impossible
from surefoot.specs.rules.base import PredicateField, operators, possible_text
from surefoot.specs.types import Globs, Model, Name

#: Operators that a score is asked with.
_OF_SCORES = ("eq", "ne", "in", "not_in", "gt", "ge", "lt", "le")
_RIGHT = (
    "write evaluation, {evaluation: {name, pass}}, {attribute: KEY}, {output: ...} or structural"
)
_PASSES = "write labels or scores that pass, [correct, 1], or operators on the score, {ge: 0.5}"


def _passing(value: Any) -> Any:
    """Labels and scores in a list, or operators on the score."""
    if isinstance(value, dict):
        _check_operators(value)
        return value
    refuse_comparison(value)
    listed = value if isinstance(value, list | tuple) else (value,)
    if not all(isinstance(one, str | int | float) for one in listed):
        raise ValueError(f"neither labels nor scores; {_PASSES}")
    if not listed:
        raise ValueError(f"empty, so nothing ever passes; {_PASSES}")
    return tuple(listed)


def _check_operators(told: dict[Any, Any]) -> None:
    if not told:
        raise ValueError(f"empty; {_PASSES}")
    Predicate.of(told)
    for name, operand in told.items():
        if name not in _OF_SCORES:
            raise ValueError(f"{name} is asked of no score; write one of {', '.join(_OF_SCORES)}")
        operands = operand if isinstance(operand, list | tuple) else (operand,)
        if any(isinstance(one, str) or number_of(one) is None for one in operands):
            raise ValueError(f"{name}: a score is a number; write labels as [{_first(operands)}]")
    if is_impossible(told, ("type", "number")):
        raise ValueError(f"no score can be {Predicate.of(told).text}; {_PASSES}")


def _first(operands: Iterable[Any]) -> str:
    return next((one for one in operands if isinstance(one, str)), "correct")


def _evaluation(value: Any) -> Any:
    """A name alone, or a list of names, are the names."""
    return {"name": value} if isinstance(value, str | list | tuple) else value


def _answer(value: Any) -> Any:
    """A section with a schema alone, or a predicate; a plain value is one to equal."""
    if not isinstance(value, dict) or "schema" not in value:
        return possible_text(operators(value))
    if len(value) > 1:
        other = next(str(key) for key in value if key != "schema")
        raise ValueError(f"{other} beside schema; write one of them, or two sources")
    Schema.of(value["schema"])
    return value


_SCALAR: dict[str, Any] = {"type": ["boolean", "number", "string"]}
Passing: TypeAlias = Annotated[
    Any,
    BeforeValidator(_passing),
    WithJsonSchema(
        {
            "anyOf": [
                _SCALAR,
                {"type": "array", "items": _SCALAR, "minItems": 1},
                {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": False,
                    "properties": {
                        name: {"type": "array"} if name in ("in", "not_in") else {"type": "number"}
                        for name in _OF_SCORES
                    },
                },
            ]
        }
    ),
]


class Evaluation(Model):
    """Which evaluations, and what passes."""

    model_config = ConfigDict(populate_by_name=True)

    name: Globs = ()
    """The evaluation's name, a glob, or a list of them; without it, each of the whole run."""
    passing: Passing | None = Field(default=None, alias="pass")
    """Labels or scores that pass, or operators on the score; without it, plain words tell."""


class FromEvaluation(Model):
    """What others said of the output tells whether it was ok: the latest of each name."""

    evaluation: Annotated[
        Evaluation, BeforeValidator(_evaluation, json_schema_input_type=Evaluation | Globs)
    ]
    """Which evaluations, and what passes."""


class FromAttribute(Model):
    """An attribute tells whether the output was ok."""

    attribute: Name
    """The key of a true or false attribute of the run's root span."""


class JsonSchema(Model):
    """A JSON Schema that the answer must fit."""

    schema_: Annotated[Any, WithJsonSchema({"type": ["object", "boolean"]})] = Field(alias="schema")
    """Draft 2020-12, without references to other files; patterns as in RE2."""


class FromOutput(Model):
    """The final answer itself tells whether it was ok."""

    output: Annotated[
        Any, PlainValidator(_answer, json_schema_input_type=PredicateField | JsonSchema)
    ]
    """A predicate on the answer, as text or as its JSON says, or {schema: a JSON Schema}."""


_WORDS = ("structural", "evaluation")
_SECTIONS: dict[str, type[Model]] = {
    "attribute": FromAttribute,
    "evaluation": FromEvaluation,
    "output": FromOutput,
}


def _kind(value: Any) -> str | None:
    """Which source `value` names."""
    if isinstance(value, str):
        return value if value in _WORDS else None
    for key, model in _SECTIONS.items():
        if isinstance(value, model) or (isinstance(value, dict) and key in value):
            return f"{{{key}}}"
    return None


def _one_source(value: Any) -> Any:
    if isinstance(value, dict):
        named = [key for key in value if key in _SECTIONS]
        if len(named) > 1:
            raise ValueError(f"two sources in one, {' and '.join(named)}; write each for itself")
    return value


OutputOk: TypeAlias = Annotated[
    Annotated[Literal["structural"], Tag("structural")]
    | Annotated[Literal["evaluation"], Tag("evaluation")]
    | Annotated[FromEvaluation, Tag("{evaluation}")]
    | Annotated[FromAttribute, Tag("{attribute}")]
    | Annotated[FromOutput, Tag("{output}")],
    Discriminator(
        _kind,
        custom_error_type="output_source",
        custom_error_message=f"no source of an output's grade; {_RIGHT}",
    ),
    BeforeValidator(_one_source),
]


def sources(told: Iterable[OutputOk] | None) -> tuple[OutputSource, ...]:
    """What judging asks, in order; without the key the usual ones."""
    return outputs.DEFAULT_SOURCES if told is None else tuple(map(_source, told))


def _source(told: OutputOk) -> OutputSource:
    if isinstance(told, FromAttribute):
        return outputs.FromAttribute(told.attribute)
    if isinstance(told, FromEvaluation):
        asked = told.evaluation
        passing = None if asked.passing is None else outputs.Passing.of(asked.passing)
        return outputs.FromEvaluation(asked.name, passing)
    if isinstance(told, FromOutput):
        if "schema" in told.output:
            return outputs.FromOutput.of_schema(told.output["schema"])
        return outputs.FromOutput.of_predicate(told.output)
    return outputs.FromEvaluation() if told == "evaluation" else outputs.Structural()
