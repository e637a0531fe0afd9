"""Users' JSON Schemas (draft 2020-12) over agents' arguments.

Owns how a schema is compiled and what is told of what does not fit. Whoever writes the
arguments must not decide how long this takes, nor what is read: patterns run on an engine
that never backtracks (so without look-around and back-references), references lead
nowhere outside the schema, and arguments that are nested deeper than anybody's are not
looked at, since a schema that refers to itself follows them down the stack.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import jsonschema_rs

from surefoot.evaluate.predicates import shown

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
#: Deeper arguments are not validated.
DEEPEST = 256
#: Keywords that hold of every text.
_OF_OTHERS = frozenset(
    {"required", "properties", "patternProperties", "additionalProperties", "propertyNames"}
    | {"unevaluatedProperties", "minProperties", "maxProperties", "dependentRequired"}
    | {"dependentSchemas", "items", "prefixItems", "unevaluatedItems", "contains", "minContains"}
    | {"maxContains", "minItems", "maxItems", "uniqueItems", "minimum", "maximum"}
    | {"exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
#: Keywords that tell of a string whether it fits.
_OF_TEXTS = frozenset(["type", "enum", "const", "minLength", "maxLength", "pattern", "format"])
#: Where schemas stand that are asked of the same value, and those that are referred to.
_LISTS = frozenset({"allOf", "anyOf", "oneOf"})
_BRANCHES = frozenset({"then", "else"})
_TESTS = frozenset({"not", "if"})
_NAMED = frozenset({"$defs", "definitions"})
_OTHERS = ["object", "array", "number", "boolean", "null"]
#: How an argument that is missing is told.
NOT_THERE = "not there"


class Misfit(NamedTuple):
    """One place that does not fit. path: empty for the arguments as a whole."""

    path: str
    expected: str
    observed: str


class UnreadableError(ValueError):
    """What is no JSON, or nested too deep, and so neither fits nor does not."""


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """A schema, ready to validate with. names: the properties that its top level names."""

    told: Any
    compiled: Any
    names: frozenset[str]

    @classmethod
    def of(cls, told: Any) -> "Schema":
        """Compile a schema.

        Raises:
            ValueError: It is none, or reaches outside itself; the message says what would
                be right.
        """
        if not isinstance(told, dict | bool):
            raise ValueError("no JSON Schema; write a section such as {type: object}")  # noqa: TRY004 - told to a spec's author
        draft = told.get("$schema", _DRAFT) if isinstance(told, dict) else _DRAFT
        if str(draft).rstrip("#") != _DRAFT:
            raise ValueError(f"$schema {draft!r} is another draft; write {_DRAFT}, or leave it out")
        try:
            compiled = jsonschema_rs.Draft202012Validator(
                told,
                validate_formats=True,
                ignore_unknown_formats=False,
                retriever=_refuse,
                pattern_options=jsonschema_rs.RegexOptions(),
            )
        except jsonschema_rs.ValidationError as problem:
            raise ValueError(f"no JSON Schema{_why(problem)}") from problem
        except (ValueError, TypeError, RecursionError) as problem:
            raise ValueError(f"no JSON Schema: {problem}; it holds what JSON has not") from problem
        return cls(told, compiled, frozenset(_names(told)))

    def misfits(self, args: Any) -> list[Misfit]:
        """What of `args` does not fit, in the schema's order. Linear in their size.

        Raises:
            UnreadableError: They are no JSON, or nested too deep.
        """
        if not _is_shallow(args):
            raise UnreadableError("nested too deep")
        try:
            if self.compiled.is_valid(args):
                return []
        except (ValueError, TypeError) as problem:
            raise UnreadableError("no JSON") from problem
        try:
            return [one for error in self.compiled.iter_errors(args) for one in self._of(error)]
        except ValueError:  # they do not fit, and hold what the reasons cannot show
            return [Misfit("", "what the schema allows", shown(args))]

    def _of(self, error: jsonschema_rs.ValidationError) -> Iterator[Misfit]:
        where, kind = _path(error.instance_path), error.kind
        value: Any = error.instance
        keyword = self._keyword(error.schema_path)
        if isinstance(kind, jsonschema_rs.ValidationErrorKind.Required):
            yield Misfit(_below(where, kind.property), "a value", NOT_THERE)
        elif isinstance(
            kind,
            jsonschema_rs.ValidationErrorKind.AdditionalProperties
            | jsonschema_rs.ValidationErrorKind.UnevaluatedProperties,
        ):
            for key in kind.unexpected:
                yield Misfit(_below(where, key), NOT_THERE, shown(value[key]))
        else:
            yield Misfit(where, keyword, shown(value))

    def _keyword(self, path: Sequence[str | int]) -> str:
        """The keyword that asks for more, with what it says: `maximum 10`."""
        told: Any = self.told
        for part in path:
            try:
                told = told[part]
            except (KeyError, IndexError, TypeError):  # behind a reference
                return str(path[-1])
        return f"{path[-1]} {shown(told)}" if path else "nothing"


def for_texts(told: Any) -> Any:
    """The schema `told`, as one to ask of a text that is no JSON, and of nothing else.

    JSON Schema has every text fit a keyword of objects, arrays or numbers. Here none does,
    unless the schema also tells texts apart (`type`, `enum`, `pattern` and the like),
    itself or in what it is made of (`anyOf`, `if` and the like, each judged alone too).
    A schema that asks for nothing still fits.
    """
    if not isinstance(told, dict):
        return told
    made = dict(told)
    for key in _BRANCHES.intersection(told):
        made[key] = for_texts(told[key])
    for key in _LISTS.intersection(told):
        made[key] = [for_texts(one) for one in told[key]]
    for key in _NAMED.intersection(told):
        made[key] = {name: for_texts(one) for name, one in told[key].items()}
    asked = _keywords(told)
    if not _OF_OTHERS.isdisjoint(asked) and _OF_TEXTS.isdisjoint(asked):
        made["type"] = _OTHERS
    return made


def _keywords(told: Any) -> set[str]:
    """What a schema asks of a value, itself or in what it is made of."""
    if not isinstance(told, dict):
        return set()
    inner = [told[key] for key in (_BRANCHES | _TESTS).intersection(told)]
    inner += [one for key in _LISTS.intersection(told) for one in told[key]]
    return set(told).union(*map(_keywords, inner))


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is outside of the schema")


def _why(problem: jsonschema_rs.ValidationError) -> str:
    where = _path(problem.instance_path)
    if isinstance(problem.kind, jsonschema_rs.ValidationErrorKind.Referencing):
        return f": {problem.message}; refer to what stands in it, such as #/$defs/NAME"
    right = "; write what draft 2020-12 has there"
    if isinstance(problem.kind, jsonschema_rs.ValidationErrorKind.Format):
        right = "; patterns have no look-around and no back-references, and must not be huge"
    return f"{' at ' if where else ''}{where}: {problem.message}{right}"


def _names(told: Any) -> Iterator[str]:
    if isinstance(told, dict):
        yield from told.get("properties", ())
        yield from told.get("required", ())


def _path(parts: Sequence[str | int]) -> str:
    where = ""
    for part in parts:
        where = f"{where}[{part}]" if isinstance(part, int) else _below(where, part)
    return where


def _below(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _is_shallow(value: Any) -> bool:
    """Whether no leaf is deeper than `DEEPEST`, level by level."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return True
    return False


def _inner(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | list | tuple):
        yield from (one for one in inner if isinstance(one, Mapping | list | tuple))
