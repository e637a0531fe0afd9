"""What is wrong with a spec file, in words, and what would be right.

Owns the translation from pydantic's errors. Decides nothing about specs.
"""

import difflib
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from surefoot.specs.schema import CheckId, File
from surefoot.yamlfile import Place

_WORDS = {
    "missing": "missing; write it",
    "int_type": "not a whole number; write one without quotes",
    "bool_type": "neither true nor false; write one of them",
    "greater_than_equal": "too small; write at least 0",
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
            for inner, words in error["ctx"]["found"]:
                yield at + inner, words
        elif at not in told and not _follows(error, content):
            told.add(at)
            yield at, _words(error, at)


def _in_file(error: ErrorDetails, content: Any) -> Place:
    """The place without what pydantic adds for the branches of a union."""
    kept: list[str | int] = []
    for part in error["loc"]:
        try:
            content = None if isinstance(content, str) else content[part]
        except (KeyError, IndexError, TypeError):
            continue
        if content is not None:
            kept.append(part)
    if error["type"] == "missing":
        kept.append(error["loc"][-1])
    return tuple(kept)


def _follows(error: ErrorDetails, content: Any) -> bool:
    """Whether a list only looks empty since all its items are wrong."""
    if error["type"] != "too_short":
        return False
    for part in error["loc"]:
        content = content[part]
    return bool(content)


def _words(error: ErrorDetails, at: Place) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown("key", str(at[-1]), _keys(File, at[:-1]))
    if error["loc"][-1] == "[key]":
        return _unknown("check", str(at[-1]), list(get_args(CheckId)))
    if kind == "value_error":
        return str(context["error"])
    if kind == "tuple_type" and "before" in at[:-1]:
        return "not a pair; write [first, then]"
    if kind == "literal_error":
        return f"not one that is known; write {context['expected'].replace(chr(39), '')}"
    return _WORDS.get(kind, error["msg"])


def _unknown(noun: str, key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    right = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
    return f"unknown {noun}; {right}"


def _keys(model: type[BaseModel], at: Place) -> list[str]:
    """The keys that may stand in the section at `at`."""
    for part in at:
        for name, info in model.model_fields.items():
            if (info.alias or name) == part and (inner := _section(info.annotation)):
                model = inner
    return [info.alias or name for name, info in model.model_fields.items()]


def _section(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _section(part))), None)
