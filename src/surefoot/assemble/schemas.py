"""What tools a model was offered: their names and their arguments' names, no more.

Owns the shapes of tool definitions. The same definitions come with every model call of
every run, kilobytes each time; they are read once a distinct text in the life of the
process and held as one small shared object. The memory of that cache is bounded by its
size and by the length of what enters it.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeGuard

from surefoot.assemble.values import structure, text_of
from surefoot.model import Item, Value

#: (tool, its argument names in order); None where the definition does not name them.
Offer = tuple[str, tuple[str, ...] | None]

#: A definition longer than this is read each time, so that the cache stays small.
_CACHED_CHARS = 16_384


def offers(value: Value) -> tuple[Offer, ...]:
    """Give the tools in `value`: an indexed attribute, a JSON text, or a list of either."""
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, tuple):
        return tuple(offer for entry in value for offer in _entry(entry))
    return tuple(_of(value))


def _entry(entry: Value) -> Iterable[Offer]:
    if isinstance(entry, str):
        return offers(entry)
    if not isinstance(entry, tuple):
        return _of(entry)
    pairs: dict[str, Any] = {pair[0]: pair[1] for pair in entry if _is_pair(pair)}
    for key in ("tool.json_schema", "json_schema", "function"):
        if isinstance(pairs.get(key), str):
            return offers(pairs[key])
    name = text_of(pairs.get("tool.name") or pairs.get("name"))
    schema = pairs.get("tool.parameters") or pairs.get("parameters") or pairs.get("input_schema")
    return ((name, properties(schema)),) if name else ()


def _is_pair(pair: object) -> TypeGuard[tuple[str, Value]]:
    return (
        isinstance(pair, tuple) and len(pair) == len(("key", "value")) and isinstance(pair[0], str)
    )


def _of_text(text: str) -> tuple[Offer, ...]:
    found = structure(text)
    return tuple(_of(found.value)) if found else ()


def _of(value: Any) -> Iterable[Offer]:
    """Read OpenAI's, Anthropic's, Gemini's and plain forms."""
    if isinstance(value, list):
        for entry in value:
            if isinstance(entry, dict):
                yield from _of(entry)
        return
    if not isinstance(value, dict):
        return
    for key in ("tools", "function_declarations", "functionDeclarations"):
        if isinstance(value.get(key), list):
            for entry in value[key]:
                if isinstance(entry, dict) and key not in entry:
                    yield from _of(entry)
            return
    inner = value.get("function") or value.get("toolSpec")
    body = inner if isinstance(inner, dict) else value
    name = body.get("name") or body.get("title")
    if isinstance(name, str) and name:
        yield name, _schema_of(body)


def _schema_of(body: dict[str, Any]) -> tuple[str, ...] | None:
    for key in ("parameters", "input_schema", "inputSchema", "parameters_json_schema"):
        if body.get(key) is not None:
            schema = body[key]
            inner = schema.get("json") if isinstance(schema, dict) else None
            return properties(inner if isinstance(inner, dict) else schema)
    return properties(body) if "properties" in body else None


def properties(schema: Any) -> tuple[str, ...] | None:
    """Give the argument names of a JSON schema, or of a map of names to descriptions."""
    if schema.__class__ is str and len(schema) <= _CACHED_CHARS:
        return _properties_of_text(schema)
    return _properties(schema)


@lru_cache(maxsize=512)
def _properties_of_text(schema: str) -> tuple[str, ...] | None:
    return _properties(schema)


def _properties(schema: Any) -> tuple[str, ...] | None:
    found = structure(schema)
    if found is None or not isinstance(found.value, dict) or not found.whole:
        return None
    inner = found.value.get("properties")
    if isinstance(inner, dict):
        return tuple(inner)
    if found.value.get("type") == "object":
        return ()
    described = all(isinstance(entry, dict) for entry in found.value.values())
    return tuple(found.value) if described and found.value else None


def held(value: Value) -> tuple[Item, ...]:
    """Give the tools in `value` as an attribute's value, one object for equal texts."""
    if not isinstance(value, str | tuple):
        return _as_items(offers(value))
    try:
        known = _HELD.get(value)
    except TypeError:  # a structure that cannot be hashed
        return _as_items(offers(value))
    if known is None:
        known = _as_items(offers(value))
        if _length(value) <= _CACHED_CHARS:
            if len(_HELD) >= _CACHED:
                _HELD.clear()
            _HELD[value] = known
    return known


#: No `lru_cache`: what is known needs no second look at its length.
_HELD: dict[str | tuple[Value, ...], tuple[Item, ...]] = {}
_CACHED = 1024


def _length(value: Value) -> int:
    """Count the characters in what the conventions write: texts, or pairs in items."""
    if not isinstance(value, tuple):
        return len(value) if isinstance(value, str) else 1
    return sum(
        len(entry) if isinstance(entry, str) else sum(_size(pair) for pair in _entries(entry))
        for entry in value
    )


def _size(pair: Value) -> int:
    last = pair[-1] if isinstance(pair, tuple) and pair else None
    return len(last) if isinstance(last, str) else _CACHED_CHARS


def _as_items(found: tuple[Offer, ...]) -> tuple[Item, ...]:
    return tuple((("name", name), ("properties", names)) for name, names in found)


def from_items(items: tuple[Item, ...]) -> Iterable[Offer]:
    """Give the offers that `held` wrote."""
    for (_, name), (_, names) in items:
        yield text_of(name), None if names is None else tuple(map(text_of, _entries(names)))


def _entries(value: Value) -> tuple[Value, ...]:
    return value if isinstance(value, tuple) else ()
