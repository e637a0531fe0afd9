"""The kinds of values that a spec file holds: names, globs, scalars, levels, durations.

Owns their reading and the words for what is no such value. Knows no key.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    WithJsonSchema,
)

from surefoot.duration import HOUR_NS, PATTERN, parse_duration

_DAY_NS = 24 * HOUR_NS

Name: TypeAlias = Annotated[StrictStr, Field(min_length=1)]
Names: TypeAlias = tuple[Name, ...]
Scalar: TypeAlias = StrictBool | StrictInt | StrictFloat | StrictStr


def _list(value: Any) -> Any:
    """A value alone is a list of one."""
    return (value,) if isinstance(value, str | int | float) else value


def _scalars(value: Any) -> Any:
    listed = _list(value)
    plain = isinstance(listed, list | tuple)
    if not plain or not all(isinstance(one, str | int | float) for one in listed):
        raise ValueError("no plain value; write a text, a number, true, false, or a list of them")
    return listed


def _off(value: Any) -> Any:
    """YAML reads a bare `off` as false."""
    return "off" if value is False else value


def _duration(value: Any) -> int:
    if not isinstance(value, str):
        raise ValueError("no duration; write 500ms, 6s, 30m or 1h30m")  # noqa: TRY004 - pydantic's
    duration_ns = parse_duration(value)
    if not 0 < duration_ns <= _DAY_NS:
        raise ValueError(f"{value} is out of range; write more than 0s and at most 24h")
    return duration_ns


_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_SCALAR: dict[str, Any] = {"type": ["boolean", "number", "string"]}

Globs: TypeAlias = Annotated[
    Names,
    BeforeValidator(_list),
    WithJsonSchema({"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}),
]
Scalars: TypeAlias = Annotated[
    tuple[Scalar, ...],
    BeforeValidator(_scalars),
    WithJsonSchema({"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]}),
]
Level: TypeAlias = Annotated[
    Literal["hard", "soft", "warn", "off"],
    BeforeValidator(_off, json_schema_input_type=Literal["hard", "soft", "warn", "off", False]),
]
Duration: TypeAlias = Annotated[
    StrictInt,
    BeforeValidator(_duration),
    WithJsonSchema({"type": "string", "pattern": PATTERN}),
]


class Tool(str):
    """A tool's name that stands as a key: told apart from keys that name none."""

    __slots__ = ()


ToolKey: TypeAlias = Annotated[Name, AfterValidator(Tool)]


class Model(BaseModel):
    """A section of a spec file: unknown keys are refused, nobody changes one."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
