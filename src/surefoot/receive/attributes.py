"""Read the attributes of a span that somebody wants. The hot loop of the receiver.

Owns how one raw KeyValue becomes a key and a value, and how numbered keys
(`llm.input_messages.3.message.role`) are put together. Knows no span.

Theory: an attribute up to 128 bytes is looked up whole among those read before (kinds,
roles, names and model names come again and again, and a hit gives key and value at
once, and one shared object). A longer one is asked for its key first, and if that is
wanted its value is read in place where it is written the way every encoder writes it:
key, then one value. Anything else goes through `fields`, slower and robust.

Of equal keys the last wins; numbered pairs are all kept, in order of arrival.

Why: see `decode`, which has the measurements.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from surefoot.model import Item, Value, Wanted
from surefoot.receive.fields import Malformed, any_value, key_value
from surefoot.receive.keys import KeyTable, Mark, Meaning, Numbered, Slot

#: An attribute up to this many bytes is remembered whole. Of the recorded ones that
#: are wanted and no longer, 19 of 20 came before.
_SHORT: Final = 128
#: How many are remembered before the memory starts anew: some 3 MB at most.
_REMEMBERED: Final = 8_192
# Tags (number << 3 | wire type) by common.proto, and the bit of a length that goes on.
_KEY, _VALUE, _STRING, _MORE = 0x0A, 0x12, 0x0A, 0x80
#: Where a key ends at most whose length has one byte, and what two bytes can't count.
_LAST_END, _TWO_BYTES = 2 + 0x7F, 1 << 14

#: What one attribute comes to: where it belongs, and its value (for a slot, the numbered
#: pair; for a mark or nothing, None). Any, since a type for each would be checked a span.
_Pair: TypeAlias = tuple[str | Slot | Mark | None, Any]
_UNWANTED: Final[_Pair] = (None, None)
_LOST: Final[_Pair] = (Mark.LOST, None)


class AttributeReader:
    """Reads attributes; several threads may share one.

    `text_limit` is in bytes, for each text.
    """

    def __init__(self, wanted: Wanted, text_limit: int) -> None:
        self._keys = KeyTable(wanted)
        self._limit = text_limit
        self._seen: dict[bytes, _Pair] = {}

    def __call__(self, raw: Iterable[bytes]) -> tuple[dict[str, Value], list[Mark]]:
        """The wanted ones by key, and a mark for each that says something else."""
        attributes: dict[str, Value] = {}
        marks: list[Mark] = []
        slots: dict[Slot, list[tuple[str, Value]]] = {}
        items: list[tuple[str, Value]] = []
        slot = None
        seen, unseen, keys, limit = self._seen.get, self._unseen, self._keys, self._limit
        for one in raw:
            if len(one) <= _SHORT:
                meaning, value = seen(one) or unseen(one)
            else:
                end = one[1] + 2  # of the key
                of_key = keys[one[2:end]]
                if of_key is None and end <= _LAST_END and one[0] == _KEY:
                    continue
                meaning, value = _long_text(one, end, of_key, limit) or unseen(one)
            if meaning is None:
                continue
            kind = type(meaning)
            if kind is str:
                attributes[meaning] = value  # type: ignore[index] # it is a str
            elif meaning is slot:  # most often that of the attribute before
                items.append(value)
            elif kind is Mark:
                marks.append(meaning)  # type: ignore[arg-type] # it is a Mark
            else:
                slot = meaning
                items = slots.setdefault(slot, [])  # type: ignore[arg-type] # it is a Slot
                items.append(value)
        if slots:
            _join(slots, attributes)
        return attributes, marks

    def _unseen(self, raw: bytes) -> _Pair:
        """Read one attribute, and remember it if it is short."""
        pair = self._plainly(raw) or self._slowly(raw)
        if len(raw) <= _SHORT:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            self._seen[raw] = pair
        return pair

    def _plainly(self, raw: bytes) -> _Pair | None:
        """Read one short attribute if it is a text written the plain way, else None.

        That is: tag, length, key, tag, length, tag, length, text and no more, each length
        in one byte. So where the text begins follows from the attribute's length, and one
        of its own lengths proves it.
        """
        try:
            end = raw[1] + 2  # of the key
            if raw[0] != _KEY or end > _LAST_END or end > len(raw):
                return None
            meaning = self._keys[raw[2:end]]
            if meaning is None:
                return _UNWANTED
            left = len(raw) - end
            is_plain = (
                raw[end] == _VALUE and raw[end + 2] == _STRING and raw[end + 3] == left - 4 < _MORE
            )
        except IndexError:
            return None
        if not is_plain or left > self._limit or isinstance(meaning, Mark):
            return None
        return _meant(meaning, raw[end + 4 :].decode("utf-8", "replace"))

    def _slowly(self, raw: bytes) -> _Pair:
        """Read one attribute field by field, whatever it is."""
        try:
            key, at, until = key_value(raw)
            meaning = self._keys[key]
            if meaning is None or isinstance(meaning, Mark):
                return meaning, None
            value = any_value(raw, at, until, self._limit)
        except Malformed:
            return _LOST
        return _meant(meaning, value)


def _long_text(raw: bytes, end: int, meaning: Meaning, limit: int) -> _Pair | None:
    """As `_plainly`, of a long attribute with two bytes a length, whose key is looked up."""
    left = len(raw) - end
    if (
        _MORE <= left < _TWO_BYTES
        and left <= limit
        and raw[end] == _VALUE
        and raw[end + 3] == _STRING
        and raw[end + 4] & 0x7F | raw[end + 5] << 7 == left - 6
        and raw[0] == _KEY
        and end <= _LAST_END
        and meaning is not None
        and not isinstance(meaning, Mark)
    ):
        return _meant(meaning, raw[end + 6 :].decode("utf-8", "replace"))
    return None


def _meant(meaning: str | Numbered, value: Value) -> _Pair:
    if isinstance(meaning, str):
        return meaning, value
    return meaning.slot, (meaning.suffix, value)


def _join(slots: dict[Slot, list[tuple[str, Value]]], attributes: dict[str, Value]) -> None:
    """Put the entries of each indexed family under its name, in index order."""
    families: dict[str, list[Item]] = {}
    for slot in sorted(slots) if len(slots) > 1 else slots:
        families.setdefault(slot.family, []).append(tuple(slots[slot]))
    for family, entries in families.items():
        attributes[family] = tuple(entries)
