"""How many bytes of requests may be on their way in at once.

Owns that one bound. A body is held whole before it can be decoded, so ten senders of
the largest request would take ten times the largest request. Not thread-safe: the event
loop that reads the bodies owns it.
"""

from types import TracebackType
from typing import Final, Self

from surefoot.errors import Overloaded

#: Two of the largest requests.
IN_FLIGHT_BYTES: Final = 128 * 1024 * 1024
_RETRY_AFTER_S: Final = 1.0


class Room:
    """The bytes of all bodies that are not answered yet."""

    def __init__(self, limit: int = IN_FLIGHT_BYTES) -> None:
        self._limit = limit
        self._held = 0

    def share(self) -> "Share":
        """One body's share; entered, it is given back at the end."""
        return Share(self)

    def take(self, more: int) -> None:
        """Hold `more` bytes, or give back as many as it is below zero.

        Raises:
            Overloaded: There is no room for them.
        """
        if more > 0 and self._held + more > self._limit:
            raise Overloaded("too many requests are on their way in", _RETRY_AFTER_S)
        self._held += more


class Share:
    """What one body holds of a `Room`."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._bytes = 0

    def __enter__(self) -> Self:
        """Begin with nothing."""
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _at: TracebackType | None,
    ) -> None:
        """Give all back."""
        self._room.take(-self._bytes)
        self._bytes = 0

    def grow_to(self, size: int) -> None:
        """Hold `size` bytes from now on.

        Raises:
            Overloaded: There is no room for them; what was held still is.
        """
        self._room.take(size - self._bytes)
        self._bytes = size
