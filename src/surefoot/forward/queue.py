"""Requests that wait or are under way, within bounds, and what became of each.

Owns the bounds and the counts. Knows no backend. One lock; nothing here waits but `take`.

Theory: a request is held from `offer` until `end`, so the bounds hold for those under
way and those waiting for another attempt too. Each ends in exactly one count: sent,
failed (the backend refused it for good, or the retries are spent) or dropped (no room,
a signal that the backend does not know, the shutdown).
"""

import enum
import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

#: Why a request is dropped.
FULL: Final = "queue_full"
SHUTDOWN: Final = "shutdown"
UNSUPPORTED: Final = "unsupported"


class End(enum.Enum):
    """How a request ends."""

    SENT = enum.auto()
    FAILED = enum.auto()
    DROPPED = enum.auto()


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of requests since the start.

    queued, queued_bytes: held now. failed: by gRPC code. dropped: by reason.
    rejected: items that the backend rejected out of requests that it took.
    """

    queued: int
    queued_bytes: int
    sent: int
    failed: Mapping[str, int]
    dropped: Mapping[str, int]
    rejected: int


class RequestQueue:
    """Holds at most `size` requests of `size_bytes` bytes together."""

    def __init__(self, size: int, size_bytes: int) -> None:
        self._size = size
        self._size_bytes = size_bytes
        self._waiting: deque[bytes] = deque()
        self._held = self._held_bytes = 0
        self._sent = self._rejected = 0
        self._failed: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()
        self._closed_for = ""
        self._changed = threading.Condition()

    def offer(self, body: bytes) -> bool:
        """Queue `body`; False, and it is counted as dropped, if there is no room."""
        with self._changed:
            reason = self._closed_for or ("" if self._fits(len(body)) else FULL)
            if reason:
                self._dropped[reason] += 1
                return False
            self._held += 1
            self._held_bytes += len(body)
            self._waiting.append(body)
            self._changed.notify()
            return True

    def has_room(self, size: int) -> bool:
        """Whether a request of so many bytes would be taken now."""
        with self._changed:
            return not self._closed_for and self._fits(size)

    def take(self) -> bytes | None:
        """The oldest request that waits; waits for one. None: closed, and none waits."""
        with self._changed:
            while not self._waiting:
                if self._closed_for:
                    return None
                self._changed.wait()
            return self._waiting.popleft()

    def end(self, body: bytes, end: End, reason: str = "", *, rejected: int = 0) -> None:
        """A request that was taken has come to its end."""
        with self._changed:
            self._count(end, reason)
            self._rejected += rejected
            self._release(body)

    def close(self, reason: str) -> bool:
        """Take no more; offers are counted as dropped for `reason`. What waits stays.

        False if it was closed before; then that reason goes on holding.
        """
        with self._changed:
            is_first = not self._closed_for
            self._closed_for = self._closed_for or reason
            self._changed.notify_all()
            return is_first

    def drop_waiting(self) -> int:
        """Drop what waits, for the reason of the close; return how many."""
        with self._changed:
            count = len(self._waiting)
            while self._waiting:
                self._count(End.DROPPED, self._closed_for)
                self._release(self._waiting.popleft())
            return count

    def stats(self) -> Stats:
        """The counts of this moment."""
        with self._changed:
            return Stats(
                self._held,
                self._held_bytes,
                self._sent,
                dict(self._failed),
                dict(self._dropped),
                self._rejected,
            )

    def _fits(self, size: int) -> bool:
        return self._held < self._size and self._held_bytes + size <= self._size_bytes

    def _count(self, end: End, reason: str) -> None:
        if end is End.SENT:
            self._sent += 1
        elif end is End.FAILED:
            self._failed[reason] += 1
        else:
            self._dropped[reason] += 1

    def _release(self, body: bytes) -> None:
        self._held -= 1
        self._held_bytes -= len(body)
