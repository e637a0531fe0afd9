"""What a value must be: `{ge: 1, le: 100}`, `{regex: "^ORD-"}`, or a value to equal.

Owns the operators. Knows no step and no evidence. All operators of one predicate must
hold. Numbers count by value: `200` equals `200.0`, and a text that writes a number
(`"1,200"`) compares with `gt`, `ge`, `lt`, `le` as that number, since frameworks turn the
one into the other. `eq`, `ne`, `in` and `not_in` compare as Python does, so that "200"
is not 200.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.evaluate.patterns import Regex
from surefoot.evaluate.values import needle, text_of

Test = Callable[[Any], bool]

#: JSON's names of types, and what they are here. A bool is no number.
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
    "null": (type(None),),
}
TYPES = tuple(_TYPES)
#: Longest value that a text shows.
_SHOWN = 80


@dataclass(frozen=True, slots=True, eq=False)
class Predicate:
    """Tests that must all hold, each with its operator's name.

    text: as a message says it. absent: holds where nothing is.
    """

    text: str
    tests: tuple[tuple[str, Test], ...]
    absent: bool = False

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Predicate":
        """Compile operators and their operands; `{}` holds for everything that is there.

        Raises:
            ValueError: An operator is none, or its operand does not fit; the message says
                what would be right.
        """
        tests = tuple((name, _test(name, operand)) for name, operand in told.items())
        text = " and ".join(_words(name, operand) for name, operand in told.items())
        return cls(text or "anything", tests, absent=told.get("exists") is False)

    def holds(self, value: Any) -> bool:
        """Whether `value`, which is there, is what it must be."""
        return all(test(value) for _, test in self.tests)


def plain(value: Any) -> Any:
    """`value`, if JSON can hold it: nothing else is ever equal to an argument.

    Raises:
        ValueError: It cannot, as a date that YAML makes of a text without quotes.
    """
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, Mapping):
            left += [*one, *one.values()]
        elif isinstance(one, list | tuple):
            left += one
        elif not (one is None or isinstance(one, str | int | float)):
            raise ValueError(f"{one} is no value of JSON; put it in quotes")
    return value


def number_of(value: Any) -> float | int | None:
    """The number that `value` is or writes (`"1,200"`); None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value if value == value else None  # noqa: PLR0124 - NaN is no number
    if isinstance(value, str):
        found = needle(value.strip())
        if found.number:
            try:
                return float(found.text) if "." in found.text else int(found.text)
            except ValueError:  # more digits than Python reads
                return None
    return None


def shown(value: Any) -> str:
    """A value as a message shows it, as a list where it is one, cut where it is long."""
    text = repr(value) if isinstance(value, str) else text_of(_listed(value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _listed(value: Any) -> Any:
    """`value` with lists for tuples, which are lists to whoever wrote them."""
    try:
        return _without_tuples(value)
    except RecursionError:  # nested too deep: shown as it is
        return value


def _without_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_tuples(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_tuples(one) for one in value]
    return value


#: What other languages call an operator.
_MEANT = {
    "lte": "le",
    "gte": "ge",
    "max": "le",
    "min": "ge",
    "neq": "ne",
    "equals": "eq",
    "pattern": "regex",
    "matches": "regex",
    "one_of": "in",
    "length": "len",
}


def _test(name: str, operand: Any) -> Test:
    if name not in _OPERATORS:
        near = (
            [_MEANT[name]]
            if name in _MEANT
            else difflib.get_close_matches(str(name), OPERATORS, n=1)
        )
        right = f"did you mean {near[0]}?" if near else f"known are {', '.join(OPERATORS)}."
        raise ValueError(f"{name!r} is no operator; {right} An object to equal is {{eq: ...}}")
    try:
        return _OPERATORS[name](operand)
    except ValueError as problem:
        raise ValueError(f"{name}: {problem}") from problem


def _equals(operand: Any) -> Test:
    plain(operand)
    return lambda value: bool(value == operand)


def _differs(operand: Any) -> Test:
    plain(operand)
    return lambda value: bool(value != operand)


def _is_one_of(operand: Any) -> Test:
    options = _options(operand)
    return lambda value: any(value == option for option in options)


def _is_none_of(operand: Any) -> Test:
    options = _options(operand)
    return lambda value: all(value != option for option in options)


def _options(operand: Any) -> tuple[Any, ...]:
    if not isinstance(operand, list | tuple):
        raise ValueError("not a list; write [one, two]")  # noqa: TRY004 - told to a spec's author
    return tuple(plain(operand))


def _regex(operand: Any) -> Test:
    if not isinstance(operand, str):
        raise ValueError("not a pattern; write a text in quotes")  # noqa: TRY004 - as above
    pattern = Regex.of(operand)

    def test(value: Any) -> bool:
        is_plain = value is not None and not isinstance(value, list | tuple | Mapping)
        return is_plain and pattern.is_in(_plain_text(value))

    return test


def _plain_text(value: Any) -> str:
    """A scalar as JSON writes it."""
    return text_of(value).lower() if isinstance(value, bool) else text_of(value)


def _compares(holds: Callable[[Any, Any], bool]) -> Callable[[Any], Test]:
    def make(operand: Any) -> Test:
        bound = number_of(operand)
        if bound is None and not isinstance(operand, str):
            raise ValueError("not a number; write one, or a text to compare texts with")
        if bound is None and _is_scientific(operand):
            raise ValueError(f"{operand} is a text to YAML; write the number in full")

        def test(value: Any) -> bool:
            if bound is not None:
                number = number_of(value)
                return number is not None and bool(holds(number, bound))
            return isinstance(value, str) and bool(holds(value, operand))

        return test

    return make


def _is_scientific(text: str) -> bool:
    """Whether a text is a number to everybody but YAML: `1e3`, which it reads as a text."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _length(operand: Any) -> Test:
    inner = Predicate.of(operand if isinstance(operand, Mapping) else {"eq": operand})
    return lambda value: isinstance(value, str | list | tuple | Mapping) and inner.holds(len(value))


def _type(operand: Any) -> Test:
    if not isinstance(operand, str) or operand not in _TYPES:
        raise ValueError(f"no type of JSON; write one of {', '.join(_TYPES)}")
    kinds = _TYPES[operand]

    def test(value: Any) -> bool:
        if isinstance(value, bool):
            return bool(operand == "boolean")
        if operand == "integer" and isinstance(value, float):
            return bool(value.is_integer())
        return isinstance(value, kinds)

    return test


def _exists(operand: Any) -> Test:
    return lambda _value: bool(operand)


_OPERATORS: dict[str, Callable[[Any], Test]] = {
    "eq": _equals,
    "ne": _differs,
    "in": _is_one_of,
    "not_in": _is_none_of,
    "regex": _regex,
    "gt": _compares(lambda value, bound: value > bound),
    "ge": _compares(lambda value, bound: value >= bound),
    "lt": _compares(lambda value, bound: value < bound),
    "le": _compares(lambda value, bound: value <= bound),
    "len": _length,
    "type": _type,
    "exists": _exists,
}
OPERATORS = tuple(_OPERATORS)

_WORDS = {"eq": "", "ne": "not ", "in": "one of ", "not_in": "none of ", "gt": "> ", "ge": ">= "}
_WORDS |= {"lt": "< ", "le": "<= "}


def _words(name: str, operand: Any) -> str:
    if name == "exists":
        return "there" if operand else "not there"
    if name == "len" and isinstance(operand, Mapping):
        return f"length {Predicate.of(operand).text}"
    if name == "len":
        name = "length"
    return f"{_WORDS.get(name, name + ' ')}{shown(operand)}"
