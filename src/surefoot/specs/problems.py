"""What is wrong with a spec file, in words, and what would be right.

Owns the translation from pydantic's errors. Decides nothing about specs.
"""

import difflib
from collections.abc import Container, Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from surefoot.specs.rules import RULES
from surefoot.specs.schema import CheckId, File, Spec
from surefoot.yamlfile import Place

_WORDS = {
    "missing": "missing; write it",
    "int_type": "not a whole number; write one without quotes",
    "bool_type": "neither true nor false; write one of them",
    "string_type": "not a text; put it in quotes",
    "invalid_key": "a key that is no text; put it in quotes",
    "string_too_short": "empty; write a name",
    "model_type": "not a section; write its keys below it",
    "model_attributes_type": "not a section; write its keys below it",
    "dict_type": "not a section; write its keys below it",
    "tuple_type": "not a list; write [one, two]",
    "too_long": "too many; write a pair [first, then]",
    "too_short": "empty; write at least one, or leave the key out",
}


def of_model(failure: ValidationError, content: Any) -> Iterator[tuple[Place, str]]:
    """Yield each place of the file's `content` that is wrong, and the words for it."""
    told: set[Place] = set()
    for error in failure.errors(include_url=False):
        at = _in_file(error, content)
        if error["type"] == "sanity":
            yield from _contradictions(error, content)
        elif at not in told and not _follows(error, at, content):
            told.add(at)
            yield at, _words(error, at, content)


def beneath(failure: ValidationError, content: Any) -> Iterator[tuple[Place, str]]:
    """Yield what else is wrong: contradictions that pydantic does not come to.

    They are looked for where the keys are right: in a copy of each spec in which wrong
    rules and wrong keys are left out. What may rest on a key that was left out is not
    told, since nobody knows what it will say.
    """
    specs = content.get("specs") if isinstance(content, dict) else None
    if not isinstance(specs, list):
        return
    mended = {at: dict(spec) for at, spec in enumerate(specs) if isinstance(spec, dict)}
    unknown: dict[int, set[str]] = {}
    for error in failure.errors(include_url=False):
        at = _in_file(error, content)
        if error["type"] == "sanity" or len(at) <= 2 or _follows(error, at, content):  # noqa: PLR2004
            continue
        _, index, key, *rest = at
        if not isinstance(index, int):
            return
        spec = mended[index]
        if key == "rules" and rest:
            _leave_out_rule(spec, rest[0])
        elif error["type"] == "extra_forbidden" and not rest:
            spec.pop(key, None)
        else:
            spec.pop(key, None)
            unknown.setdefault(index, set()).add(str(key))
    for index in unknown:
        mended[index].setdefault("name", f"specs[{index}]")
    for index, spec in mended.items():
        yield from _senseless(spec, index, unknown.get(index, set()), content)


def _senseless(
    spec: dict[str, Any], index: int, unknown: Container[str], content: Any
) -> Iterator[tuple[Place, str]]:
    try:
        Spec.model_validate(spec, context={"unknown": unknown})
    except ValidationError as failure:
        for error in failure.errors(include_url=False):
            if error["type"] == "sanity":
                yield from _contradictions(error, content, ("specs", index))


def _leave_out_rule(spec: dict[str, Any], index: int | str) -> None:
    """Put a rule in its place that has no problem but, perhaps, its id."""
    rules = spec.get("rules")
    if isinstance(rules, list) and isinstance(index, int):
        told = rules[index].get("id") if isinstance(rules[index], dict) else None
        name = told if isinstance(told, str) and told else f"rules[{index}]"
        stand_in = {"id": name, "completion": True}
        spec["rules"] = [*rules[:index], stand_in, *rules[index + 1 :]]


def _in_file(error: ErrorDetails, content: Any) -> Place:
    """The place without what pydantic adds for the branches of a union."""
    kept = _told(error["loc"], content)
    return (*kept, error["loc"][-1]) if error["type"] == "missing" else kept


def _told(place: Place, content: Any) -> Place:
    """The parts of a place that the file has: a model makes lists of what stands alone."""
    kept: list[str | int] = []
    for part in place:
        if isinstance(content, str):
            continue
        try:
            content = content[part]
        except (KeyError, IndexError, TypeError):
            continue
        kept.append(part)
    return tuple(kept)


def _contradictions(
    error: ErrorDetails, content: Any, within: Place = ()
) -> Iterator[tuple[Place, str]]:
    """What `sanity` found. within: where the spec stands, if it was read by itself."""
    at = within or _in_file(error, content)
    for inner, words in error["ctx"]["found"]:
        kept = _told((*at, *inner), content)
        is_absent = isinstance(inner[-1], str) and inner[-1] != kept[-1]
        yield (*kept, inner[-1]) if is_absent else kept, words


def _follows(error: ErrorDetails, at: Place, content: Any) -> bool:
    """Whether a list or section only looks too short since items of it are wrong."""
    if error["type"] != "too_short":
        return False
    for part in at:
        content = content[part]
    is_one = isinstance(content, list | dict)
    return not is_one or len(content) >= error["ctx"]["min_length"]


def _words(error: ErrorDetails, at: Place, content: Any) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown("key", str(at[-1]), _keys(error["loc"], _section_at(at, content)))
    if error["loc"][-1] == "[key]" and kind == "literal_error":
        return _unknown("check", str(at[-1]), list(get_args(CheckId)))
    words = _WORDS.get(kind, error["msg"])
    if kind == "value_error":
        words = str(context["error"])
    elif kind == "tuple_type" and "before" in at[:-1]:
        words = "not a pair; write [first, then]"
    elif kind == "too_short" and context["min_length"] > 1:
        words = f"too few; write at least {context['min_length']}"
    elif kind == "greater_than_equal":
        words = f"too small; write at least {context['ge']}"
    elif kind == "literal_error":
        known = context["expected"].replace("'", "").replace("True", "true")
        words = f"not one that is known; write {known}"
    return words


def _unknown(noun: str, key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    right = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
    return f"unknown {noun}; {right}"


def _section_at(at: Place, content: Any) -> Mapping[str, Any]:
    """The section of the file that holds the key at `at`."""
    for part in at[:-1]:
        content = content[part]
    return content if isinstance(content, dict) else {}


def _keys(loc: tuple[int | str, ...], section: Mapping[str, Any]) -> list[str]:
    """The keys that may stand in `section`, to which pydantic came by `loc`.

    Where a section may be of several kinds, it is the one that knows most of its keys.
    """
    models: list[type[BaseModel]] = [File]
    for part in loc[:-1]:
        rule = RULES.get(str(part).removeprefix("rule ")) if str(part)[:5] == "rule " else None
        inner = [found for model in models for found in _sections(_annotation(model, part))]
        models = [rule] if rule else inner or models
    known = [[info.alias or name for name, info in model.model_fields.items()] for model in models]
    return max(known, key=lambda keys: len(section.keys() & set(keys)))


def _annotation(model: type[BaseModel], part: int | str) -> Any:
    for name, info in model.model_fields.items():
        if (info.alias or name) == part:
            return info.annotation
    return None


def _sections(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _sections(part)]
