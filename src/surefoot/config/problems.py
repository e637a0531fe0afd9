"""Say what is wrong with a configuration in words, and what would be right.

Owns the translation from pydantic's errors. Values are shown only where a
reader of `values` chose to: a configuration holds secrets.
"""

import difflib
from collections.abc import Collection, Iterator
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from surefoot.buffer.limits import HOUR_NS
from surefoot.yamlfile import Place

#: What people bring along from a Collector's file.
_KNOWN_ELSEWHERE: Final = {
    "pipelines": "there is one pipeline here; leave it out",
    "extensions": "there are none here; leave it out, health is service.health",
    "connectors": "there are none here; leave it out",
    "batch": "requests are forwarded as they came; leave it out",
    "memory_limiter": "write processors.surefoot.memory_limit_mib",
    "num_consumers": "not a choice here; leave it out",
    "ca_file": "not supported yet; leave it out to use the system's certificates",
    "cert_file": "not supported yet; leave it out",
    "key_file": "not supported yet; leave it out",
}
_WORDS: Final = {
    "missing": "missing; write it",
    "int_type": "not a whole number; write one without quotes",
    "int_parsing": "not a whole number; write one such as 200",
    "int_from_float": "not a whole number; leave the fraction out",
    "bool_type": "neither true nor false; write one of them",
    "bool_parsing": "neither true nor false; write one of them",
    "string_type": "not a text; put it in quotes",
    "invalid_key": "a key that is no text; put it in quotes",
    "model_type": "not a section; write its keys below it",
    "dict_type": "not a section; write its keys below it",
    "tuple_type": "not a list; write [one, two]",
}


def of_model(
    failure: ValidationError, top: type[BaseModel], besides: Collection[Place]
) -> Iterator[tuple[Place, str]]:
    """Yield where and `what is wrong; what would be right`, without what `besides` names."""
    for error in failure.errors(include_url=False):
        if error["loc"] not in besides:
            yield error["loc"], _words(error, top)


def _words(error: ErrorDetails, top: type[BaseModel]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown(str(error["loc"][-1]), _keys(top, error["loc"][:-1]))
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        return f"not one that is known; write {context['expected'].replace(chr(39), '')}"
    if kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal"):
        return _out_of_range(kind, context)
    return _WORDS.get(kind, error["msg"])


def _out_of_range(kind: str, context: dict[str, Any]) -> str:
    relation = {
        "greater_than": ("too small", "more than", "gt"),
        "greater_than_equal": ("too small", "at least", "ge"),
        "less_than": ("too large", "less than", "lt"),
        "less_than_equal": ("too large", "at most", "le"),
    }
    wrong, right, key = relation[kind]
    bound = context[key]
    if bound and bound % HOUR_NS == 0:
        bound = f"{bound // HOUR_NS}h"
    return f"{wrong}; write {right} {bound}"


def _unknown(key: str, known: list[str]) -> str:
    if key in _KNOWN_ELSEWHERE:
        return f"unknown key; {_KNOWN_ELSEWHERE[key]}"
    near = difflib.get_close_matches(key, known, n=1)
    if near:
        return f"unknown key; did you mean {near[0]}?"
    return f"unknown key; known here: {', '.join(known)}"


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
