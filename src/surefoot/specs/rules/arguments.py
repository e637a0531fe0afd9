"""Rules on the arguments of calls: what they must be, and where they must come from."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, Discriminator, Field, StrictInt, Tag, WithJsonSchema

from surefoot.evaluate.arguments import Args, Demand
from surefoot.evaluate.check import Check
from surefoot.evaluate.origin import ArgsFrom, FromInput, FromResult
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import Predicate
from surefoot.evaluate.schemas import Schema
from surefoot.model import Severity
from surefoot.specs.impossible import is_impossible
from surefoot.specs.rules.base import (
    Calls,
    PathField,
    Plain,
    Predicates,
    Problem,
    RuleModel,
    matcher,
)
from surefoot.specs.types import Model, Name


def _schema(value: Any) -> Any:
    Schema.of(value)
    return value


#: A JSON Schema. Kept as it is written, since that is what the spec's hash is made of.
SchemaField = Annotated[
    Any, AfterValidator(_schema), WithJsonSchema({"type": ["object", "boolean"]})
]


def _kind_of_only(value: Any) -> str:
    return "flag" if isinstance(value, bool) else "names"


def _kind_of_occurrence(value: Any) -> str:
    return "word" if isinstance(value, str) else "number"


Only: TypeAlias = Annotated[
    Annotated[Literal[True], Tag("flag")] | Annotated[tuple[Name, ...], Tag("names")],
    Discriminator(_kind_of_only),
]
Occurrence: TypeAlias = Annotated[
    Annotated[Literal["last"], Tag("word")] | Annotated[StrictInt, Field(ge=1), Tag("number")],
    Discriminator(_kind_of_occurrence),
]


class Arguments(Model):
    """What the arguments of some calls must be."""

    step: Calls
    """The calls."""
    required: tuple[PathField, ...] = ()
    """Arguments that must be there, by path; of `items[*].id` each item's."""
    equals: dict[PathField, Plain] = Field(default_factory=dict)
    """Arguments that must have exactly this value, by path."""
    where: Predicates = Field(default_factory=dict)
    """Predicates that must hold of arguments that are there, by path."""
    values: dict[PathField, Annotated[tuple[Plain, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    """Values of which one must be given, if the argument is, by path."""
    schema_: SchemaField = Field(default=None, alias="schema")
    """A JSON Schema, draft 2020-12, for the arguments as a whole."""
    only: Only | None = None
    """The only arguments that may be given; `true`: those that are named beside it."""
    occurrence: Occurrence | None = None
    """Which call is meant, from 1, or `last`; without it, every one."""

    def demands(self) -> Iterator[Demand]:
        """What is asked of single arguments."""
        for path in self.required:
            yield Demand(Path.of(path))
        for path, value in self.equals.items():
            yield Demand(Path.of(path), Predicate.of({"eq": value}), absent=value is None)
        for path, told in self.where.items():
            predicate = Predicate.of(told)
            yield Demand(Path.of(path), predicate, absent=predicate.absent)
        for path, options in self.values.items():
            yield Demand(Path.of(path), Predicate.of({"in": options}), absent=True)

    def schema_compiled(self) -> Schema | None:
        """The schema, ready to validate with."""
        return None if self.schema_ is None else Schema.of(self.schema_)

    def names(self) -> tuple[str, ...] | None:
        """The only arguments that may be given."""
        if self.only is not True:
            return self.only
        schema = self.schema_compiled()
        return tuple(dict.fromkeys((*self._named(), *sorted(schema.names if schema else ()))))

    def _named(self) -> Iterator[str]:
        for path in (*self.required, *self.equals, *self.where, *self.values):
            yield str(Path.of(path).parts[0])


class ArgsRule(RuleModel):
    """The arguments of these calls, or of the nth of them, are as they must be."""

    key: ClassVar[str] = "args"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "small-amounts",
        "args": {
            "step": "issue_refund",
            "required": ["order_id"],
            "where": {"amount": {"gt": 0, "le": 100}},
            "values": {"currency": ["EUR", "USD"]},
            "only": True,
        },
    }

    args: Arguments
    """Which calls, and what their arguments must be."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        told = self.args
        return Args(
            check_id,
            matcher(told.step),
            tuple(told.demands()),
            told.schema_compiled(),
            told.names(),
            0 if told.occurrence == "last" else told.occurrence,
            severity,
        )

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        told = self.args
        if told.schema_ is None and told.only is None and not any(told.demands()):
            right = "write required, equals, where, values, schema or only"
            yield ("args",), f"asks nothing of the arguments, so it can never fire; {right}"
        if isinstance(told.only, tuple):
            for key in ("required", "equals"):
                for at, path in enumerate(getattr(told, key)):
                    name = Path.of(path).parts[0]
                    if name not in told.only and path not in told.only:
                        where = at if key == "required" else path
                        right = f"add {name} to only, or drop it here"
                        yield ("args", key, where), f"only leaves out {name!r}; {right}"
        yield from self._never_kept()

    def _never_kept(self) -> Iterator[Problem]:
        """What is asked of one argument in several places, and no value can be all of it."""
        told = self.args
        for path, operators in told.where.items():
            others: list[tuple[str, tuple[str, Any]]] = []
            if path in told.required:
                others.append(("required", ("exists", True)))
            if path in told.equals:
                others.append(("equals", ("eq", told.equals[path])))
            if path in told.values:
                others.append(("values", ("in", told.values[path])))
            for key, also in others:
                if is_impossible(operators, also):
                    words = f"no value is that and what {key} asks, so no run keeps it; drop one"
                    yield ("args", "where", path), words
                    break
        for path in told.equals.keys() & told.values.keys():
            if not any(told.equals[path] == option for option in told.values[path]):
                yield ("args", "equals", path), "not one of its values; write one, or drop values"


class ResultField(Model):
    """A field of what an earlier call returned."""

    step: Calls
    """The calls whose results count."""
    field: PathField
    """Where the value stands in a result that is JSON; a plain text may have it anywhere."""


class InputField(Model):
    """A field of what the user said."""

    input: PathField
    """Where the value stands in an input that is JSON; a plain text may have it anywhere."""


def _kind(value: Any) -> str | None:
    """Which origin `value` names."""
    if isinstance(value, str):
        return "text" if value == "input" else None
    if isinstance(value, InputField) or (isinstance(value, dict) and "input" in value):
        return "input"
    return "result" if isinstance(value, dict | ResultField) else None


Origin: TypeAlias = Annotated[
    Annotated[Literal["input"], Tag("text")]
    | Annotated[InputField, Tag("input")]
    | Annotated[ResultField, Tag("result")],
    Discriminator(
        _kind,
        custom_error_type="origin",
        custom_error_message="no origin; write {step: TOOL, field: PATH}, input, or {input: PATH}",
    ),
]


class Link(Model):
    """An argument, and where its value must come from."""

    step: Calls
    """The calls that have the argument."""
    arg: PathField
    """The argument, by path."""
    from_: Origin = Field(alias="from")
    """`{step, field}`: an earlier result; `input` or `{input: path}`: what the user said."""


class ArgsFromRule(RuleModel):
    """An argument equals a field of an earlier result, or of the input."""

    key: ClassVar[str] = "args_from"
    example: ClassVar[Mapping[str, Any]] = {
        "id": "refunds-what-was-looked-up",
        "args_from": {
            "step": "issue_refund",
            "arg": "order_id",
            "from": {"step": "lookup_order", "field": "order.id"},
        },
    }

    args_from: Link
    """Which argument of which calls, and its origin."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        told, origin = self.args_from, self.args_from.from_
        made: FromResult | FromInput
        if isinstance(origin, ResultField):
            made = FromResult(matcher(origin.step), Path.of(origin.field))
        else:
            made = FromInput(None if origin == "input" else Path.of(origin.input))
        return ArgsFrom(check_id, matcher(told.step), Path.of(told.arg), made, severity)
