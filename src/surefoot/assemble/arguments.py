"""A call's arguments out of whatever stands where arguments should be.

Owns the order of doubt: a hidden value is never data; a schema is no argument; what is
wrapped is unwrapped; positional arguments get their names from the tool's properties;
objects that the framework injected are dropped; a text that was cut gives its complete
pairs and says so. Which attributes to look at, and in which order, the dialects say. A
call whose span tells too little is completed from the model's side in `calls.py`.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from surefoot.assemble.members import ABSENT, EXACT, RECOVERED, REDACTED, TRUNCATED, WRAPPED_TEXT
from surefoot.assemble.values import is_cut, is_hidden, structure, text_of
from surefoot.model import ArgsQuality, Value

#: An object that has no JSON form: a context, a callback manager. It differs from call
#: to call, so that with it no two calls would ever be the same.
_INJECTED = re.compile(r"<.* object at 0x[0-9a-fA-F]+>", re.DOTALL)
_SCHEMA_TYPES = frozenset(
    {"string", "integer", "number", "boolean", "array", "object", "null", "any"}
)
_TYPE_NAMES = _SCHEMA_TYPES | {"str", "int", "float", "bool", "list", "dict", "none", "any"}
_MAX_WRAPS = 4


class Arguments(NamedTuple):
    """Named arguments, and how far to trust them."""

    args: dict[str, Any]
    quality: ArgsQuality


class Candidate(NamedTuple):
    """A value that may hold arguments; `or_schema` if a schema may stand there instead."""

    value: Value
    or_schema: bool = False


MISSING = Arguments({}, ABSENT)


#: A tool's argument names in order, asked for only where they are needed; None where no
#: schema is known.
Properties: TypeAlias = Callable[[], "tuple[str, ...] | None"]


def read(candidates: Iterable[Candidate], properties: Properties) -> Arguments:
    """Give the arguments that the first telling candidate holds.

    Args:
        candidates: The most trusted first.
        properties: The tool's argument names.
    """
    bare = ""
    for value, or_schema in candidates:
        if not value and (value is None or value in ("", b"")):
            continue
        if is_hidden(value):
            return Arguments({}, REDACTED)
        found = structure(value)
        if found is None:
            bare = bare or text_of(value)
            continue
        if or_schema and is_schema(found.value):
            continue
        named = _named(found.value, properties)
        if named is None:
            bare = bare or text_of(value)
            continue
        cut = is_cut(value) or not found.whole
        quality = TRUNCATED if cut else named.quality
        return Arguments(_without_injected(named.args), quality)
    return _from_text(bare, properties) if bare else MISSING


def _from_text(text: str, properties: Properties) -> Arguments:
    if is_cut(text):
        return Arguments({}, TRUNCATED)
    names = properties()
    if names is not None and len(names) == 1:
        return Arguments({names[0]: text}, RECOVERED)
    return Arguments({"input": text}, WRAPPED_TEXT)


def is_schema(value: Any) -> bool:
    """Whether this describes arguments instead of being some.

    A JSON schema, a map of names to descriptions (smolagents), of names to types (AG2).
    """
    if not isinstance(value, dict) or not value:
        return False
    if isinstance(value.get("properties"), dict):
        return value.get("type") == "object" or "required" in value or "title" in value
    if value.get("type") == "object" and _SCHEMA_KEYS.issuperset(value):
        return True
    inner = list(value.values())
    if all(isinstance(entry, dict) and _describes(entry) for entry in inner):
        return True
    return all(isinstance(entry, str) and entry.lower() in _TYPE_NAMES for entry in inner)


_SCHEMA_KEYS = frozenset(
    {"type", "additionalProperties", "title", "$schema", "description", "required"}
)


def _describes(entry: dict[str, Any]) -> bool:
    kind = entry.get("type")
    return (
        (isinstance(kind, str) and kind in _SCHEMA_TYPES)
        or ("anyOf" in entry)
        or ("description" in entry and "title" in entry)
    )


def _named(value: Any, properties: Properties) -> Arguments | None:
    """Unwrap `value` until it is a dict of named arguments."""
    if isinstance(value, dict) and _WRAPPER_KEYS.isdisjoint(value):
        return Arguments(value, EXACT)
    own = frozenset(properties() or ())
    for _ in range(_MAX_WRAPS):
        if isinstance(value, list):
            return _listed(value, properties)
        if not isinstance(value, dict):
            return None
        inner = _unwrapped(value, own)
        if inner is None:
            return _positional(value, properties)
        value = inner.value
        if isinstance(value, str):
            found = structure(value)
            if found is None:
                return _from_text(value, properties)
            value = found.value
    return Arguments(value, EXACT) if isinstance(value, dict) else None


#: Whatever is wrapped has one of these; most arguments have none.
_WRAPPER_KEYS = frozenset({"kwargs", "args", "input_str", "options", "arguments", "params"})


def _unwrapped(value: dict[str, Any], own: frozenset[str]) -> "_Inner | None":
    for wrap in _WRAPS:
        inner = wrap(value, own)
        if inner is not None:
            return inner
    return None


class _Inner(NamedTuple):
    value: Any


def _call_kwargs(value: dict[str, Any], own: frozenset[str]) -> _Inner | None:
    """`{"kwargs": {…}}`, with no positional arguments beside it."""
    kwargs = value.get("kwargs")
    if not isinstance(kwargs, dict) or own & value.keys() or value.get("args"):
        return None
    return _Inner(kwargs) if _CALL_KEYS.issuperset(value) else None


_CALL_KEYS = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})


def _traceloop(value: dict[str, Any], own: frozenset[str]) -> _Inner | None:
    """OpenLLMetry's `{"input_str", "inputs", "tags", "metadata", "kwargs"}`."""
    if (
        "input_str" not in value
        or "input_str" in own
        or not value.keys() & {"tags", "metadata", "kwargs", "inputs"}
    ):
        return None
    inputs = value.get("inputs")
    return _Inner(inputs if isinstance(inputs, dict) and inputs else text_of(value["input_str"]))


def _options(value: dict[str, Any], own: frozenset[str]) -> _Inner | None:
    """BeeAI's `{"input": {…}, "options": {…}}`."""
    if value.keys() != {"input", "options"} or own & value.keys():
        return None
    return _Inner(value["input"])


def _function_call(value: dict[str, Any], own: frozenset[str]) -> _Inner | None:
    """`{"name", "arguments"}` and its kin: a whole call where arguments should be."""
    for name, key in (("name", "arguments"), ("tool_name", "arguments"), ("name", "args")):
        is_call = name in value and isinstance(value.get(key), dict | str)
        if is_call and _CALL_FIELDS.issuperset(value) and not {name, key} <= own:
            return _Inner(value[key])
    params = value.get("params")
    if isinstance(params, dict) and "arguments" in params and "params" not in own:
        return _Inner(params["arguments"] or {})
    lone = value.keys() == {"arguments"} and "arguments" not in own
    return _Inner(value["arguments"]) if lone and isinstance(value["arguments"], dict) else None


_CALL_FIELDS = frozenset({"name", "tool_name", "arguments", "args", "id", "type", "call_id"})


def _positional(value: dict[str, Any], properties: Properties) -> Arguments:
    """Join `{"args": […], "kwargs": {…}}`; anything else is arguments already."""
    positions, kwargs = value.get("args"), value.get("kwargs", {})
    wrapped = isinstance(positions, list) and isinstance(kwargs, dict)
    if not wrapped or not _CALL_KEYS.issuperset(value) or "args" in (properties() or ()):
        return Arguments(value, EXACT)
    given: list[Any] = positions or []
    if len(given) == 1 and isinstance(given[0], dict) and not kwargs:
        return Arguments(given[0], RECOVERED)
    if not given:
        return Arguments(kwargs, EXACT)
    names = [name for name in properties() or () if name not in kwargs]
    if len(names) < len(given):
        return Arguments({"args": given, **kwargs}, WRAPPED_TEXT)
    named = dict(zip(names, given, strict=False))
    return Arguments({**named, **kwargs}, RECOVERED)


def _listed(value: list[Any], properties: Properties) -> Arguments | None:
    """Fold Bedrock's `[{"name", "type", "value"}]`; None for any other list."""
    if value and all(
        isinstance(entry, dict) and {"name", "value"} <= entry.keys() for entry in value
    ):
        return Arguments({text_of(e["name"]): e["value"] for e in value}, EXACT)
    if len(value) == 1 and isinstance(value[0], dict):
        return _named(value[0], properties)
    return None


def _without_injected(args: dict[str, Any]) -> dict[str, Any]:
    injected = {
        key
        for key, value in args.items()
        if value.__class__ is str and value[:1] == "<" and _INJECTED.fullmatch(value)
    }
    return {key: args[key] for key in args if key not in injected} if injected else args


_WRAPS: tuple[Callable[[dict[str, Any], frozenset[str]], _Inner | None], ...] = (
    _call_kwargs,
    _traceloop,
    _options,
    _function_call,
)
