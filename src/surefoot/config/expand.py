"""Put the environment's variables where a configuration names them.

Owns the spelling `${env:NAME}`, `${env:NAME:-default}` and `$$` (a literal `$`), as the
Collector has it. Knows no keys. Unlike the Collector's, a variable that is not set and
has no default is a fault: an empty password or endpoint is worse than no start. A
default stands in only for a variable that is not set, not for an empty one.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from surefoot.yamlfile import Place

_MARK: Final = re.compile(r"\$\$|\$\{([^{}$]*)(\})?")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RIGHT: Final = "write ${env:NAME} or ${env:NAME:-default}, and $$ for a plain $"


def expand(value: Any, environ: Mapping[str, str]) -> tuple[Any, dict[Place, str]]:
    """Return `value` with its texts expanded, and what is wrong by where it stands.

    Keys are left as they are. What an expanded text holds is not expanded again.
    """
    problems: dict[Place, str] = {}
    return _walk(value, (), environ, problems), problems


def _walk(value: Any, at: Place, environ: Mapping[str, str], problems: dict[Place, str]) -> Any:
    if isinstance(value, dict):
        return {key: _walk(item, (*at, key), environ, problems) for key, item in value.items()}
    if isinstance(value, list):
        return [_walk(item, (*at, n), environ, problems) for n, item in enumerate(value)]
    if isinstance(value, str) and "$" in value:
        try:
            return _MARK.sub(lambda match: _one(match, environ), value)
        except ValueError as problem:
            problems[at] = str(problem)
    return value


def _one(match: re.Match[str], environ: Mapping[str, str]) -> str:
    if match[0] == "$$":
        return "$"
    inside, closed = match.groups()
    if not closed:
        raise ValueError(f"{match[0]!r} is never closed or holds another variable; {_RIGHT}")
    name, has_default, default = inside.removeprefix("env:").partition(":-")
    if not inside.startswith("env:") or not _NAME.fullmatch(name):
        raise ValueError(f"{match[0]!r} names no environment variable; {_RIGHT}")
    if name in environ:
        return environ[name]
    if has_default:
        return default
    raise ValueError(f"{name} is not set; set it, or write ${{env:{name}:-default}}")
