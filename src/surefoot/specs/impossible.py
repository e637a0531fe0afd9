"""Predicates that no value satisfies.

Owns the question whether a predicate can hold at all; `evaluate.predicates` owns what it
means. The answer is yes only where that is certain: a spec is refused for it. Each
operator leaves some kinds of values over (a bound leaves numbers and texts, `len` leaves
texts, lists and objects), and where few values are left (`eq`, `in`, a boolean) they are
tried one by one.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from surefoot.evaluate.predicates import Predicate, number_of

#: Kinds of JSON's values, numbers told apart by whether they are whole.
_ALL: Final = frozenset({"text", "whole", "broken", "boolean", "array", "object", "null"})
_NUMBERS: Final = frozenset({"whole", "broken"})
_OF_TYPE: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"text"}),
    "number": _NUMBERS,
    "integer": frozenset({"whole"}),
    "boolean": frozenset({"boolean"}),
    "array": frozenset({"array"}),
    "object": frozenset({"object"}),
    "null": frozenset({"null"}),
}
_BOUNDS: Final = ("gt", "ge", "lt", "le")
#: What asks of a text the value that its JSON says.
_OF_VALUE: Final = (*_BOUNDS, "len", "type", "exists")
#: So many values are tried; of more it is not told.
_MOST_TRIED: Final = 1_000

#: An operator and its operand.
Asked = tuple[str, Any]


def is_impossible(told: Mapping[str, Any], *also: Asked) -> bool:
    """Whether it is certain that no value holds what `told` and `also` ask.

    told: operators that `Predicate.of` takes. `{exists: false}` alone is possible, since
    it holds where nothing is.
    """
    asked = [*told.items(), *also]
    if all(pair == ("exists", False) for pair in asked):
        return False
    return _has_none(asked)


def no_text_holds(told: Mapping[str, Any]) -> bool:
    """Whether it is certain that no text holds `told`, read as `evaluate.reading` says.

    Operators may hold of different readings of one text (`3` is 3 and "3"), so those
    alone are put together that ask the same ones.
    """
    of_value = {name: one for name, one in told.items() if name in _OF_VALUE}
    denied = {name: one for name, one in told.items() if name in ("ne", "not_in")}
    given = [{name: told[name]} | denied for name in ("eq", "in") if name in told]
    return any(one and is_impossible(one) for one in (of_value, *given))


def _has_none(asked: list[Asked]) -> bool:
    """Whether no value that is there holds all of `asked`."""
    kinds = _ALL.intersection(*(_kinds(name, operand) for name, operand in asked))
    if not kinds:
        return True
    few = _few(asked, kinds)
    if few is not None:
        tests = [Predicate.of({name: operand}) for name, operand in asked]
        return not any(all(test.holds(value) for test in tests) for value in few)
    lengths = [operand for name, operand in asked if name == "len"]
    is_empty = _Range.of(asked).is_empty(kinds) or _is_empty_range_of_texts(asked)
    return is_empty or any(map(_is_no_length, lengths))


def _kinds(name: str, operand: Any) -> frozenset[str]:
    """The kinds of values of which some may hold."""
    if name == "exists":
        return _ALL if operand else frozenset()
    if name == "type":
        return _OF_TYPE[operand]
    if name in _BOUNDS:
        return _NUMBERS | {"text"} if number_of(operand) is not None else frozenset({"text"})
    if name == "regex":
        return _NUMBERS | {"text", "boolean"}
    return frozenset({"text", "array", "object"}) if name == "len" else _ALL


def _few(asked: list[Asked], kinds: frozenset[str]) -> list[Any] | None:
    """All values that can hold, if they are few and known."""
    for name, operand in asked:
        if name == "eq":
            return list(_alike(operand))
        if name == "in" and len(operand) <= _MOST_TRIED:
            return [value for option in operand for value in _alike(option)]
    if kinds <= {"boolean", "null"}:
        return [True, False, None]
    low, high, *_ = _Range.of(asked)
    return list(_alike(low)) if kinds <= _NUMBERS and low == high else None


def _alike(value: Any) -> Iterator[Any]:
    """The values of JSON that equal `value`: 1 is also 1.0 and, to Python, true."""
    yield value
    if not isinstance(value, int | float) or not math.isfinite(value):
        return
    others: list[Any] = [int(value), bool(value)]
    with suppress(OverflowError):
        others += [float(value), -float(value)]
    yield from (other for other in others if other == value)


def _is_no_length(operand: Any) -> bool:
    inner = operand if isinstance(operand, Mapping) else {"eq": operand}
    return _has_none([*inner.items(), ("type", "integer"), ("ge", 0)])


class _Range(NamedTuple):
    """Between which numbers a value must lie, and which of the ends it may not be."""

    low: float
    high: float
    is_low_open: bool
    is_high_open: bool

    @classmethod
    def of(cls, asked: Iterable[Asked]) -> "_Range":
        bounds = [(name, number_of(told)) for name, told in asked if name in _BOUNDS]
        lows = [(at, name == "gt") for name, at in bounds if name[0] == "g" and at is not None]
        highs = [(at, name == "le") for name, at in bounds if name[0] == "l" and at is not None]
        low, is_low_open = max(lows, default=(-math.inf, False))
        high, is_high_closed = min(highs, default=(math.inf, True))
        return cls(low, high, is_low_open, not is_high_closed)

    def is_empty(self, kinds: frozenset[str]) -> bool:
        """Whether no number of these kinds, nor a text that writes one, lies there."""
        if self.low > self.high or (self.low == self.high and self._is_open()):
            return True
        if kinds != {"whole"} or not (math.isfinite(self.low) and math.isfinite(self.high)):
            return False
        first = math.floor(self.low) + 1 if self.is_low_open else math.ceil(self.low)
        last = math.ceil(self.high) - 1 if self.is_high_open else math.floor(self.high)
        return first > last

    def _is_open(self) -> bool:
        return self.is_low_open or self.is_high_open


def _is_empty_range_of_texts(asked: Iterable[Asked]) -> bool:
    texts = [(name, bound) for name, bound in asked if name in _BOUNDS and number_of(bound) is None]
    lows = [(bound, name == "gt") for name, bound in texts if name in ("gt", "ge")]
    highs = [(bound, name == "lt") for name, bound in texts if name in ("lt", "le")]
    return any(
        low > high or (low == high and (is_low_open or is_high_open))
        for low, is_low_open in lows or [("", False)]
        for high, is_high_open in highs
    )
