"""What the rules of a spec file have in common: an id, a severity, a guard, matchers.

Owns how a matcher and a predicate are written, and how they become what judging uses.
Knows no particular check. A rule is a section with one key that names its check, that
check's options beside it, and these three:

    - id: refund-approved
      approval: {step: issue_refund, by: ask_human}
      severity: soft
      when: {args: {currency: EUR}}

The model of a rule says in its docstring, in one sentence, what the check means; that
sentence and `example` are what `surefoot schema` shows.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StrictBool,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import TypeAliasType

from surefoot.evaluate.check import Check
from surefoot.evaluate.compose import Guard, Guarded
from surefoot.evaluate.matcher import Matcher, Pattern
from surefoot.evaluate.names import Names
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import TYPES, Predicate, plain
from surefoot.model import Severity
from surefoot.specs.comparisons import refuse_comparison
from surefoot.specs.impossible import is_impossible, no_text_holds
from surefoot.specs.types import Globs, Level, Model, Name

#: Where in a spec or a rule.
Place: TypeAlias = tuple[str | int, ...]
#: Where, and what is wrong there; what would be right.
Problem: TypeAlias = tuple[Place, str]


def operators(value: Any) -> dict[str, Any]:
    """A predicate as operators; a plain value is one to equal.

    Raises:
        ValueError: It is none; the message says what would be right.
    """
    refuse_comparison(value)
    told: dict[str, Any] = value if isinstance(value, dict) else {"eq": value}
    refuse_comparison(told.get("len"))
    Predicate.of(told)
    if "exists" in told and not isinstance(told["exists"], bool):
        raise ValueError("exists: neither true nor false; write one of them")
    if told.get("exists") is False and len(told) > 1:
        raise ValueError("beside exists: false nothing else counts; write it alone, or drop it")
    return told


def _possible(told: dict[str, Any]) -> dict[str, Any]:
    if is_impossible(told):
        raise ValueError(f"no value can be {Predicate.of(told).text}; write what can be")
    return told


def possible_text(told: dict[str, Any]) -> dict[str, Any]:
    """A predicate on a text that is read as `evaluate.reading` says.

    Raises:
        ValueError: No text holds it; the message says what would be right.
    """
    if no_text_holds(told):
        raise ValueError(f"no text can be {Predicate.of(told).text}; write what can be")
    return told


def _of_text(told: dict[str, Any]) -> dict[str, Any]:
    if told.get("exists") is False:
        raise ValueError("the text is always there, so this never holds; leave exists out")
    return possible_text(told)


def _path(value: str) -> str:
    Path.of(value)
    return value


_BOUND = {"type": ["number", "string"]}
if TYPE_CHECKING:
    _Written: TypeAlias = dict[str, Any]
else:
    #: A value to equal, or operators that must all hold. Read as operators.
    _Written = TypeAliasType(
        "Predicate",
        Annotated[
            Any,
            AfterValidator(operators),
            WithJsonSchema(
                {
                    "description": "What a value must be: a value to equal, or operators.",
                    "anyOf": [
                        {"type": ["boolean", "number", "string", "array", "null"]},
                        {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                "eq": {"description": "Equal to this; numbers by value."},
                                "ne": {"description": "Not equal to this."},
                                "in": {"type": "array", "description": "Equal to one of these."},
                                "not_in": {
                                    "type": "array",
                                    "description": "Equal to none of these.",
                                },
                                "regex": {"type": "string", "description": "RE2, found anywhere."},
                                "gt": _BOUND | {"description": "Greater than this."},
                                "ge": _BOUND | {"description": "At least this."},
                                "lt": _BOUND | {"description": "Less than this."},
                                "le": _BOUND | {"description": "At most this."},
                                "len": {"description": "A number, or operators on the length."},
                                "type": {"enum": list(TYPES), "description": "A type of JSON."},
                                "exists": {
                                    "type": "boolean",
                                    "description": "Whether it is there.",
                                },
                            },
                        },
                    ],
                }
            ),
        ],
    )
#: A predicate on a value.
PredicateField: TypeAlias = Annotated[_Written, AfterValidator(_possible)]
#: A predicate on a text that is always there: a result's, the input's.
TextField: TypeAlias = Annotated[_Written, AfterValidator(_of_text)]
PathField: TypeAlias = Annotated[Name, AfterValidator(_path)]
#: A value to equal.
Plain: TypeAlias = Annotated[Any, AfterValidator(plain)]
Predicates: TypeAlias = dict[PathField, PredicateField]


class Call(Model):
    """Which calls are meant: all that is given must hold."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    tool: Globs = ()
    """The tool's name, a glob, or a list of them."""
    agent: Globs = ()
    """The calling agent's name, a glob, or a list of them."""
    ok: StrictBool | None = None
    """Whether the call succeeded."""
    args: Predicates = Field(default_factory=dict)
    """Predicates on arguments, by path."""
    result: TextField | None = None
    """A predicate on the result: on what its JSON says, or else on its text."""


#: What a call is written like.
_RIGHT = "write a tool's name, or {tool, agent, ok, args, result}"


def _calls(value: Any) -> Any:
    """A name alone, or one matcher alone, is a list of one."""
    listed = value if isinstance(value, list | tuple) else (value,)
    if not all(isinstance(one, str | dict | Call) for one in listed):
        raise ValueError(f"no call; {_RIGHT}")
    return tuple({"tool": one} if isinstance(one, str) else one for one in listed)


def _not_empty(value: tuple[Call, ...]) -> tuple[Call, ...]:
    if not value or any(not _says_something(call) for call in value):
        raise ValueError(f"names no call; {_RIGHT}")
    return value


def _says_something(call: Call) -> bool:
    """Whether all that is given says something: an empty list would mean any call at all."""
    told = {key: getattr(call, key) for key in call.model_fields_set}
    is_open = told.get("tool") == () or told.get("agent") == ()
    return not is_open and any(value is not None and value != {} for value in told.values())


#: A tool, a glob, `{tool, agent, ok, args, result}`, or a list of these: any of them.
Calls: TypeAlias = Annotated[
    tuple[Call, ...],
    BeforeValidator(_calls, json_schema_input_type=Name | Call | list[Name | Call]),
    AfterValidator(_not_empty),
]


class When(Model):
    """When a rule counts: all that is given must hold."""

    input: TextField | None = None
    """A predicate on the text of what the run was asked."""
    step: Calls | None = None
    """A call that was made in the run, before or after."""
    args: Predicates = Field(default_factory=dict)
    """Predicates on the offending call's arguments, by path."""


class RuleModel(Model):
    """One rule. Subclasses add the key that names the check, and its options."""

    #: The key that names the check.
    key: ClassVar[str]
    #: What its violations weigh unless the rule says so.
    usual: ClassVar[Severity] = Severity.HARD
    #: A rule as a spec file has it, for the schema and the checks' page.
    example: ClassVar[Mapping[str, Any]]

    id: Name | None = None
    """A stable name: dashboards and alerts hang on it."""
    severity: Level | None = None
    """How much violations weigh, or `off` to leave the rule out."""
    when: When | None = None
    """When the rule counts; without it, always."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The rule's schema, with its example."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        schema["examples"] = [dict(cls.example)]
        return schema

    @abstractmethod
    def make(self, check_id: str, severity: Severity) -> Check:
        """The check of this rule, as it is without a guard."""

    def problems(self) -> Iterator[Problem]:
        """Why the rule can never fire, or never be kept. By default nothing is wrong."""
        yield from ()

    def only_without_calls(self) -> bool:
        """Whether only runs without a call can break the rule."""
        return False

    def faults(self) -> Iterator[Problem]:
        """All problems of the rule by itself, those of its guard among them."""
        yield from self.problems()
        if self.when is not None and self.only_without_calls():
            for key in ("step", "args"):
                if getattr(self.when, key):
                    why = "only a run without calls breaks the rule, so it can never fire"
                    yield ("when", key), f"{why}; guard it by input, or drop the guard"

    def label(self) -> str:
        """What the rule is called where it has no id."""
        return self.id or self.key

    def check(self, parent: str = "", severity: Severity | None = None) -> Check:
        """Compile the rule. parent, severity: of the composite that it is a child of."""
        level = Severity(self.severity) if self.severity in tuple(Severity) else None
        made = self.make(parent or self.label(), level or severity or self.usual)
        return made if self.when is None else Guarded(made, _guard(self.when))


def matcher(calls: Iterable[Call]) -> Matcher:
    """Compile a matcher."""
    listed = tuple(calls)
    return Matcher(label(listed), tuple(map(_pattern, listed)))


def label(calls: Iterable[Call]) -> str:
    """A matcher as messages name it."""
    return " or ".join(map(_label, calls))


def matchers(calls: Iterable[tuple[Call, ...]]) -> tuple[Matcher, ...]:
    """Compile several matchers."""
    return tuple(map(matcher, calls))


def predicate(told: Mapping[str, Any]) -> Predicate:
    """Compile a predicate that the file's model has accepted."""
    return Predicate.of(told)


def predicates(told: Mapping[str, Mapping[str, Any]]) -> tuple[tuple[Path, Predicate], ...]:
    """Compile predicates by path."""
    return tuple((Path.of(path), Predicate.of(one)) for path, one in told.items())


def _guard(when: When) -> Guard:
    return Guard(
        task=None if when.input is None else Predicate.of(when.input),
        step=None if when.step is None else matcher(when.step),
        args=predicates(when.args),
    )


def _pattern(call: Call) -> Pattern:
    return Pattern(
        names=Names.of(call.tool) if call.tool else None,
        agents=call.agent,
        ok=call.ok,
        args=predicates(call.args),
        result=None if call.result is None else Predicate.of(call.result),
    )


def _label(call: Call) -> str:
    """A matcher as a message names it."""
    parts = [f"agent {' or '.join(call.agent)}"] if call.agent else []
    if call.ok is not None:
        parts.append("succeeded" if call.ok else "failed")
    parts += [f"{path} {Predicate.of(one).text}" for path, one in call.args.items()]
    if call.result is not None:
        parts.append(f"result {Predicate.of(call.result).text}")
    tool = " or ".join(call.tool) or "a call"
    return f"{tool} ({', '.join(parts)})" if parts else tool
