"""When two values are the same, and what amount one is.

Owns comparing by value across frameworks, which turn numbers into texts and back: `200`,
`200.0`, `"200"` are one value, and so are `1200` and `"1,200"`, and texts whatever their
case. Knows no step. Amounts are exact: ten times 0.1 is 1.
"""

from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

from surefoot.evaluate.values import Needle, leaves, needle, text_of

#: Longer texts are compared as they are: what to look for may be their beginning alone.
_LONG = 1_000


def key_of(value: Any) -> Hashable:
    """What two values have in common exactly if they are the same.

    A scalar's is the `Needle` that finds it in a text. Lists and objects are the same if
    their leaves are; empty ones inside them do not count.
    """
    if isinstance(value, dict | list | tuple):
        inner = sorted((path, _needle(leaf)) for path, leaf in leaves({"": value}))
        return (isinstance(value, dict), *inner)
    return _needle(value)


def amount_of(value: Any) -> Fraction | None:
    """The exact number that `value` is or writes; None for what is none, and for infinity."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(repr(value)) if isfinite(value) else None
    if isinstance(value, str):
        found = needle(value.strip())
        if found.number:
            try:
                return Fraction(found.text)
            except ValueError:  # more digits than Python reads
                return None
    return None


def written(amount: Fraction) -> str:
    """An amount in decimal; of endless ones 28 digits."""
    if amount.denominator == 1:
        return text_of(amount.numerator)
    return f"{(Decimal(amount.numerator) / Decimal(amount.denominator)).normalize():f}"


def _needle(value: Any) -> Needle:
    if isinstance(value, float) and isfinite(value):
        text = f"{Decimal(repr(value)):f}"  # without the exponent with which Python writes some
    else:
        text = text_of(value).strip()
    if len(text) > _LONG:
        return Needle(text.casefold())
    found = needle(text)
    return found._replace(text="0") if found.number and found.text == "-0" else found
