"""A spec written in Python: a dict of the keys that a spec file has.

Owns what differs from a file: no file and no line in what is said of a mistake, a spec
may stand alone without `specs:`, and one without a name gets one. Decides nothing about
specs.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import ValidationError

from surefoot.errors import SpecError
from surefoot.specs.problems import beneath, of_model
from surefoot.specs.schema import File, Spec
from surefoot.yamlfile import dotted

#: What a dict without a name is called.
UNNAMED: Final = "spec"


def parse(written: Mapping[str, Any]) -> tuple[Spec, ...]:
    """Read one spec's keys, or `{"specs": [...]}` as a file has it.

    Raises:
        SpecError: With a line for each problem, each with the key's path.
    """
    content = _as_in_a_file(written)
    try:
        return File.model_validate(content).specs
    except ValidationError as failure:
        wrong = dict.fromkeys((*of_model(failure, content), *beneath(failure, content)))
        told: Iterable[str] = (f"{dotted(at)}: {words}" for at, words in wrong)
        raise SpecError("\n".join(told)) from failure


def _as_in_a_file(written: Mapping[str, Any]) -> dict[str, Any]:
    """The same in the types that YAML has: a tuple is a list there."""
    try:
        plain: dict[str, Any] = json.loads(json.dumps(dict(written)))
    except (TypeError, ValueError) as problem:
        right = "write texts, numbers, booleans, lists and dicts"
        raise SpecError(f"no spec: {problem}; {right}") from problem
    if "specs" in plain:
        return plain
    return {"specs": [{"name": UNNAMED} | plain]}
