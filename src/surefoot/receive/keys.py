"""Which attribute keys are wanted, found by the key's bytes.

Owns `Wanted` turned into one table. Knows no value and no wire format.

Theory: a key is looked up as the bytes that came, so an unwanted one is never decoded.
The table starts with the exact keys and learns the rest as it comes: keys under a
prefix, numbered keys, and keys that nobody wants. What is learnt is bounded, since
senders may make keys up; at the bound the table starts anew. Several threads may share
one table: each step is one dict operation.
"""

import enum
import sys
from typing import Final, NamedTuple, TypeAlias

from surefoot.model import Wanted

#: The attribute that marks a span as made by a Surefoot, whatever its scope.
OWN_KEY: Final = b"surefoot.spec.name"
#: Keys learnt before the table starts anew. Recordings of 17 frameworks have 501 keys
#: together, a conversation of 200 messages about 1,000; an entry takes some 300 bytes.
LEARNT_KEYS: Final = 8_192
#: A longer key is wanted by nobody, and is not learnt.
LONGEST_KEY: Final = 255
_MAX_DIGITS = 6  # of an index: no span has a million messages


class Slot(NamedTuple):
    """An entry of an indexed family: what `family.number.` stands for."""

    family: str
    number: int


class Numbered(NamedTuple):
    """A key of an indexed family: `family.number.suffix`."""

    slot: Slot
    suffix: str


class Mark(enum.Enum):
    """What an attribute says of its span without being kept."""

    OWN = enum.auto()  #: a Surefoot made this span
    LOST = enum.auto()  #: an attribute that cannot be read


#: What a key means: a str is kept under that name, None is wanted by nobody.
Meaning: TypeAlias = str | Numbered | Mark | None


class KeyTable(dict[bytes, Meaning]):
    """From a key's bytes to what it means. Ask with `table[key]`: every key is in it."""

    def __init__(self, wanted: Wanted) -> None:
        self._prefixes = tuple(prefix.encode() for prefix in wanted.prefixes)
        self._families = tuple(
            (f"{family}.".encode(), sys.intern(family)) for family in wanted.indexed
        )
        self._exact: dict[bytes, Meaning] = {key.encode(): sys.intern(key) for key in wanted.keys}
        self._exact[OWN_KEY] = Mark.OWN
        self._slots: dict[Slot, Slot] = {}  # so that the keys of one entry share its slot
        super().__init__(self._exact)

    def __missing__(self, key: bytes) -> Meaning:
        """Work out what a new key means, and learn it."""
        if len(key) > LONGEST_KEY:
            return None
        # An exact key is missing while another thread is starting the table anew.
        meaning = self._exact[key] if key in self._exact else self._work_out(key)
        if len(self) >= LEARNT_KEYS:
            self.clear()
            self._slots.clear()
            self.update(self._exact)
        self[key] = meaning
        return meaning

    def _work_out(self, key: bytes) -> Meaning:
        for start, family in self._families:
            if key.startswith(start):
                number, _, suffix = key[len(start) :].partition(b".")
                if number.isdigit() and len(number) <= _MAX_DIGITS:
                    slot = Slot(family, int(number))
                    return Numbered(self._slots.setdefault(slot, slot), _text(suffix))
        return _text(key) if key.startswith(self._prefixes) else None


def _text(key: bytes) -> str:
    return sys.intern(key.decode("utf-8", "replace"))
