"""Texts that were meant as comparisons: `amount: "<= 10"`, for `{le: 10}`.

Owns how such a text is known and what is said of it. A plain value is one to equal, so
the text would be compared as it stands, and a rule that was to bound a number would
never hold, in silence. Who means the text says so: `{eq: "<= 10"}`.
"""

import re
from typing import Any, Final

_OPERATORS: Final = {
    "<=": "le", "=<": "le", "≤": "le", ">=": "ge", "=>": "ge", "≥": "ge", "<": "lt", ">": "gt",
    "!=": "ne", "<>": "ne", "≠": "ne", "==": "eq", "=": "eq",
}  # fmt: skip
_COMPARISON: Final = re.compile(
    rf"\s*({'|'.join(map(re.escape, sorted(_OPERATORS, key=len, reverse=True)))})"
    r"\s*([+-]?(?:[0-9][0-9,_]*(?:\.[0-9]+)?|\.[0-9]+))"
)


def refuse_comparison(value: Any) -> None:
    """Refuse a plain value that begins with a comparison and a number.

    Raises:
        ValueError: It does; the message says how it is written.
    """
    found = _COMPARISON.match(value) if isinstance(value, str) else None
    if found:
        operator, number = found.groups()
        right = f"{{{_OPERATORS[operator]}: {_plain(number)}}}"
        raise ValueError(f"{value.strip()!r} is compared as text; write {right}")


def _plain(number: str) -> str:
    """A number as YAML reads it."""
    digits = number.replace(",", "").replace("_", "").removeprefix("+")
    return digits.replace(".", "0.", 1) if digits.lstrip("-").startswith(".") else digits
