"""The Luck Rate's window: what the last runs of each series were worth.

Owns which runs count and for how long. Knows no clock (`now_ns` comes in), no lock and
no metric: one thread at a time may call it.

A window holds the last `window` *judged* runs of its series, green or not. The
alternative, the last 200 green ones, would let a service whose answers all fail go on
showing the luck of last week; here failures push old luck out, as "the last 200 runs"
says, and `green` tells how many of them the rate rests on. With no green run in the
window there is no rate, and no point.

An amendment replaces its run's entry: in place where the series is the same, so it
neither grows younger nor pushes another out; as the newest of the other series where it
changed (another output source, another agent). An amendment of an entry that has left
its window changes nothing: it is not among the last runs any more.
"""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import NamedTuple

DAY_NS = 24 * 3600 * 10**9


class Series(NamedTuple):
    """Whose rate it is."""

    service: str
    agent: str
    spec: str
    output_source: str


class _Entry(NamedTuple):
    """One judged run."""

    time_ns: int
    green: bool
    lucky: bool


class _Window:
    """The entries of one series, oldest first, and their two counts."""

    __slots__ = ("entries", "green", "lucky", "spec_hash", "touched_ns")

    def __init__(self, spec_hash: str) -> None:
        self.spec_hash = spec_hash
        self.entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self.green = 0
        self.lucky = 0
        self.touched_ns = 0

    def put(self, entry_id: Hashable, entry: _Entry) -> None:
        """Add as the newest, or replace in place."""
        before = self.entries.get(entry_id)
        if before is not None:
            self._count(before, -1)
            entry = entry._replace(time_ns=before.time_ns)
        self.entries[entry_id] = entry
        self._count(entry, 1)

    def drop(self, entry_id: Hashable) -> None:
        """Let one entry go."""
        self._count(self.entries.pop(entry_id), -1)

    def oldest(self) -> tuple[Hashable, _Entry]:
        """The entry that leaves next; there is one."""
        return next(iter(self.entries.items()))

    def _count(self, entry: _Entry, sign: int) -> None:
        self.green += sign * entry.green
        self.lucky += sign * entry.lucky


class LuckWindow:
    """The windows of all series. Every call is O(1) amortised but `rates`.

    Args:
        window: How many judged runs a series holds.
        max_age_ns: An entry older than this leaves.
        max_series: With one more, the series least recently recorded into leaves.
    """

    def __init__(
        self, *, window: int = 200, max_age_ns: int = DAY_NS, max_series: int = 2000
    ) -> None:
        self._size = window
        self._max_age_ns = max_age_ns
        self._max_series = max_series
        self._windows: OrderedDict[Series, _Window] = OrderedDict()
        self._where: dict[Hashable, Series] = {}
        self._in_force: Mapping[str, str] | None = None

    def in_force(self, hashes: Mapping[str, str]) -> None:
        """Say which spec hash is in force for each spec name: at load and reload.

        Windows of other hashes, and of specs that are gone, end. From then on a record
        of another hash is left out: a run that the old spec still judges tells nothing
        of the new one. Without this call the newest record's hash counts.
        """
        self._in_force = dict(hashes)
        for series, window in list(self._windows.items()):
            if hashes.get(series.spec) != window.spec_hash:
                self._end(series)

    def record(  # noqa: PLR0913 - one judged run, told in full
        self,
        series: Series,
        entry_id: Hashable,
        *,
        green: bool,
        lucky: bool,
        now_ns: int,
        spec_hash: str = "",
        amends: bool = False,
    ) -> bool:
        """Count one run's verdict, or replace what was counted for it.

        `entry_id` names run and spec (the first verdict's span id does). `lucky` only
        counts together with `green`. `amends`: the verdict is an amendment, so it has
        a place only where the run still has one.

        Returns:
            Whether it has a place in the window.
        """
        if self._in_force is not None and self._in_force.get(series.spec) != spec_hash:
            return False
        self._forget_old(self._where.get(entry_id), now_ns)
        held = self._where.get(entry_id)
        if held is None and amends:
            return False
        if held is not None and held != series:
            self._drop(held, entry_id)
        window = self._open(series, spec_hash)
        window.touched_ns = now_ns
        window.put(entry_id, _Entry(now_ns, green, green and lucky))
        self._where[entry_id] = series
        self._forget_old(series, now_ns)
        while len(window.entries) > self._size:
            self._drop(series, window.oldest()[0])
        return True

    def rates(self, now_ns: int, *, idle_ns: int | None = None) -> list[tuple[Series, int, int]]:
        """(series, lucky, green) of each series that has a green run. O(series).

        `idle_ns`: leave out the series into which nothing was recorded for so long
        (their entries stay, and count again with the next one).
        """
        for series in list(self._windows):
            self._forget_old(series, now_ns)
        return [
            (series, window.lucky, window.green)
            for series, window in self._windows.items()
            if window.green and (idle_ns is None or now_ns - window.touched_ns < idle_ns)
        ]

    def _open(self, series: Series, spec_hash: str) -> _Window:
        """The series' window, as the one touched last; a new one for a new hash."""
        window = self._windows.get(series)
        if window is not None and window.spec_hash != spec_hash:
            self._end(series)
            window = None
        if window is None:
            if len(self._windows) >= self._max_series:
                self._end(next(iter(self._windows)))
            window = self._windows[series] = _Window(spec_hash)
        self._windows.move_to_end(series)
        return window

    def _forget_old(self, series: Series | None, now_ns: int) -> None:
        """Let the entries go that are older than `max_age_ns`."""
        window = self._windows.get(series) if series is not None else None
        if series is None or window is None:
            return
        while window.entries:
            entry_id, entry = window.oldest()
            if now_ns - entry.time_ns <= self._max_age_ns:
                return
            self._drop(series, entry_id)
        del self._windows[series]

    def _drop(self, series: Series, entry_id: Hashable) -> None:
        self._windows[series].drop(entry_id)
        del self._where[entry_id]

    def _end(self, series: Series) -> None:
        """Let a whole series go. O(its entries), each of which came in once."""
        for entry_id in self._windows.pop(series).entries:
            del self._where[entry_id]
