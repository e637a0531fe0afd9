"""Remember what bytes were read as, so that equal bytes are read once.

Owns a bounded memory from bytes to what was made of them. Knows no wire format.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Memo(dict[bytes, T]):
    """`memo[raw]` is `read(raw)`, and the same object for equal bytes, mostly.

    Keeps `entries` results at most, then starts anew: what is common comes back soon, and
    finding what is not costs more than it saves. Bytes longer than `longest` are read
    each time. Several threads may share one: each step is one dict operation.
    """

    def __init__(self, read: Callable[[bytes], T], entries: int, longest: int) -> None:
        super().__init__()
        self._read = read
        self._entries = entries
        self._longest = longest

    def __missing__(self, raw: bytes) -> T:
        """Read new bytes."""
        value = self._read(raw)
        if len(raw) <= self._longest:
            if len(self) >= self._entries:
                self.clear()
            self[raw] = value
        return value
