"""How a text that somebody returned is read: as JSON where it is JSON, else as it is.

Owns the one rule for the final answer (`output_ok`), a call's result (`result` of a
matcher), the end state and what a run was asked (`input` of a guard). Knows no step and
no evidence: who asks has made sure that the text is there as a whole. The rule:

- A text that is JSON, of whatever kind, says that value and nothing else: `3` is a
  number, `null` is null, `"done"` in quotes says done. Any other text is a string.
- `regex` looks into the text: as it is written, and what a JSON string says.
- `eq`, `ne`, `in` and `not_in` compare the value, and a text also the text as it is
  written: `3` equals 3 and "3". So `ne` holds exactly where `eq` does not.
- All else (`gt`, `ge`, `lt`, `le`, `len`, `type`, `exists`) asks the value.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from surefoot.evaluate.predicates import Predicate
from surefoot.evaluate.values import json_value, text_of

#: Of which readings an operator asks, and of how many it must hold.
_IN_TEXTS = frozenset({"regex"})
_OF_ANY = frozenset({"eq", "in"})
_OF_ALL = frozenset({"ne", "not_in"})
_NO_JSON = object()


class Reading(NamedTuple):
    """What was returned.

    value: what its JSON says; the text itself if it is none. texts: as written, and what
    a JSON string says; none of what came as a value. is_json: whether it is JSON.
    """

    value: Any
    texts: tuple[str, ...]
    is_json: bool

    @classmethod
    def of(cls, told: Any) -> "Reading":
        """Read what was returned: a text, or a value that needs no reading. Linear."""
        if not isinstance(told, str):
            return cls(told, (), is_json=True)
        value = json_value(told, _NO_JSON)
        if value is _NO_JSON:
            return cls(told, (told,), is_json=False)
        return cls(value, (told, value) if isinstance(value, str) else (told,), is_json=True)

    def fits(self, wanted: Predicate) -> bool:
        """Whether every operator holds of the reading that it asks."""
        return all(self._holds(name, test) for name, test in wanted.tests)

    def says(self, words: str) -> bool:
        """Whether words stand in the text."""
        return any(words in text for text in self.texts or (text_of(self.value),))

    def _holds(self, name: str, test: Callable[[Any], bool]) -> bool:
        if name in _IN_TEXTS and self.texts:
            return any(map(test, self.texts))
        if name in _OF_ANY:
            return any(map(test, (self.value, *self.texts)))
        if name in _OF_ALL:
            return all(map(test, (self.value, *self.texts)))
        return test(self.value)
