"""What a spec file may say.

Owns the keys, their types and one sentence on each, which `surefoot schema` prints.
Knows no file and no run. Whether a spec makes sense is `sanity`'s question, and what it
becomes is `build`'s: a new check is its key here, a line there, and a dataclass in
`surefoot.evaluate`.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    StrictBool,
    StrictInt,
    ValidationInfo,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from surefoot.specs.outputs import OutputOk
from surefoot.specs.rules import Rule
from surefoot.specs.sanity import problems
from surefoot.specs.types import Duration, Globs, Level, Model, Name, Names, Scalars

CheckId: TypeAlias = Literal[
    "tools",
    "required",
    "forbidden",
    "before",
    "max_steps",
    "no_repeat",
    "taint",
    "ground",
    "secrets",
]


def _pairs(value: Any) -> Any:
    """One pair alone is likely meant as a list of one, and must be written as such."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        first, then = (*value, "b")[:2]
        raise ValueError(f"names, not pairs of names; write [[{first}, {then}]]")
    return value


class Match(Model):
    """Which runs a spec judges: all that is given must hold; a value or a list, globs."""

    service: Globs = ()
    """The `service.name` of the run's root."""
    agent: Globs = ()
    """The agent's name: of the run, or of any of its steps; only such steps are judged."""
    attributes: dict[Name, Scalars] = Field(default_factory=dict)
    """Attributes of the resource or of the run's root span, by key."""


class _Identified:
    """The JSON Schema's word for what `sanity` says: a rule of a spec has an id."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"allOf": [handler(core_schema)], "required": ["id"]}


class Spec(Model):
    """Constraints on the path of a run: what must, must not and may happen."""

    name: Name
    """The spec's name, unique among all that are loaded; dashboards hang on it."""
    match: Match = Match()
    """Which runs this spec judges; without it, every run."""
    tools: Names = ()
    """The agent's vocabulary, globs allowed: a call of any other tool is a violation."""
    required: Names = ()
    """Tools that each must be called."""
    forbidden: Names = ()
    """Tools that must not be called."""
    before: Annotated[tuple[tuple[Name, Name], ...], BeforeValidator(_pairs)] = ()
    """Pairs [a, b]: the first a comes before the first b, and there is no b without a."""
    max_steps: Annotated[StrictInt, Field(ge=0)] | None = None
    """How many calls a run may make."""
    no_repeat: StrictBool = False
    """Whether an identical call after one that succeeded is a violation."""
    ground: StrictBool = True
    """Whether each identifier in arguments must stand in something the agent was given."""
    untrusted: Names = ()
    """Tools whose results anyone may have written: web pages, mail, files."""
    privileged: Names = ()
    """Tools whose arguments must not come from an untrusted tool's result alone."""
    secrets: StrictBool = True
    """Whether a vendor's credential in arguments, results or output is a violation."""
    severity: dict[CheckId, Level] = Field(default_factory=dict)
    """How much a check's violations weigh, or `off` to leave the check out."""
    rules: tuple[Annotated[Rule, _Identified], ...] = ()
    """Further checks, each with an id of its own."""
    output_ok: tuple[OutputOk, ...] | None = Field(default=None, min_length=1)
    """What tells whether the output was ok: the first source that answers."""
    provenance: Literal["boundary", "substring"] = "boundary"
    """How values are found in texts: between non-alphanumerics, or anywhere."""
    system_prompt: StrictBool = True
    """Whether the system prompt counts as something the agent was given."""
    scope: Literal["agent", "run"] = "agent"
    """With match.agent: judge only that agent's steps, or the whole run's."""
    early: StrictBool = True
    """Whether final checks fire while the run is open."""
    root: Literal["agent"] | None = None
    """`agent`: an agent span whose parent has not come is a root."""
    settle: Duration | None = None
    """How long a whole trace waits for late spans, at most 24h."""
    idle_timeout: Duration | None = None
    """After how long without a span a trace that is not whole is judged, at most 24h."""
    max_age: Duration | None = None
    """How old a trace gets before it is judged as it is, at most 24h."""

    @model_validator(mode="after")
    def _makes_sense(self, info: ValidationInfo) -> "Spec":
        """The context's `unknown` are the keys that were left out since they are wrong."""
        unknown = (info.context or {}).get("unknown", ())
        if found := list(problems(self, unknown)):
            raise PydanticCustomError("sanity", "the spec contradicts itself", {"found": found})
        return self


class File(Model):
    """A spec file."""

    specs: tuple[Spec, ...] = Field(min_length=1)
    """The specs, in any order; each that matches a run judges it."""


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a spec file, for editors."""
    return File.model_json_schema(by_alias=True)
