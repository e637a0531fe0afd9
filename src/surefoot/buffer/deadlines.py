"""A heap of due times, one an id, with lazy deletion.

Owns the order in which ids come due and nothing else. A key has at most one live entry;
setting it again makes the older entry stale, and stale entries are skipped when they
surface. All operations are O(log n) amortised.
"""

import heapq


class Deadlines:
    """When each id is due next."""

    __slots__ = ("_due", "_heap")

    def __init__(self) -> None:
        self._heap: list[tuple[int, bytes]] = []
        self._due: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._due)

    def set(self, key: bytes, due_ns: int) -> None:
        """Make `key` due at `due_ns`, whatever it was before."""
        if self._due.get(key) == due_ns:
            return
        self._due[key] = due_ns
        heapq.heappush(self._heap, (due_ns, key))
        if len(self._heap) > 2 * len(self._due) + 64:
            self._heap = [(due, k) for k, due in self._due.items()]
            heapq.heapify(self._heap)

    def sooner(self, key: bytes, due_ns: int) -> None:
        """Make `key` due at `due_ns`, unless it is due before that already.

        A timer that is only ever pushed back needs no work until it fires: whoever
        pops it looks again. That keeps the heap out of the path that each span takes.
        """
        held = self._due.get(key)
        if held is None or due_ns < held:
            self.set(key, due_ns)

    def drop(self, key: bytes) -> None:
        """Forget `key`; fine if it is not here."""
        self._due.pop(key, None)

    def next_ns(self) -> int | None:
        """The earliest due time, or None."""
        self._skip_stale()
        return self._heap[0][0] if self._heap else None

    def pop(self, now_ns: int) -> bytes | None:
        """Take out the id that has been due longest, or None if none is due."""
        self._skip_stale()
        if not self._heap or self._heap[0][0] > now_ns:
            return None
        _, key = heapq.heappop(self._heap)
        del self._due[key]
        return key

    def _skip_stale(self) -> None:
        heap, due = self._heap, self._due
        while heap and due.get(heap[0][1]) != heap[0][0]:
            heapq.heappop(heap)
