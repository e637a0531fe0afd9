"""What threads share: the buffer and the luck windows, each with its lock; the way out."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from sys import getsizeof
from types import MappingProxyType
from typing import Final, Protocol

from surefoot.assemble import grades
from surefoot.buffer import TraceBuffer
from surefoot.emit.sent import Plan, Sent
from surefoot.emit.series import IDLE_NS
from surefoot.luck import LuckWindow, Series
from surefoot.model import Grade, Run, Verdict
from surefoot.specs import CompiledSpec, SpecSet

#: Most traces get none, and so many are remembered that an empty dict each is felt.
_NO_GRADES: Final[Mapping[bytes, tuple[Grade, ...]]] = MappingProxyType({})

# Bytes that CPython 3.11 takes. With them `Judgement.size_of` is within a tenth of what
# tracemalloc finds: by 1 and by 8 specs, with 0 to 3 violations. (2026-12.)
#: A judgement, and its place among those that are remembered.
JUDGEMENT_BYTES = 310
#: What is out for one run and spec, with its ids, and a key of two.
SENT_BYTES, KEY_BYTES = 165, 56
#: A violation that is out, and each place by which its step is known, without their texts.
OUT_BYTES, PLACE_BYTES = 180, 130
#: A grade.
GRADE_BYTES = 400


class Outlet(Protocol):
    """A bounded queue of requests to a backend."""

    def offer(self, body: bytes) -> bool:
        """Queue `body`; False if there is no room, and it is counted as dropped."""
        ...

    def has_room(self, size: int) -> bool:
        """Whether a request of so many bytes would be queued now."""
        ...

    def waiting(self) -> int:
        """How many requests are queued or under way."""
        ...


@dataclass(slots=True)
class Judgement:
    """What a judged trace keeps for its amendments, and an open one for its close.

    specs: the set in force at the close. sent: by run key and spec name, what is out.
    fired: by name, the specs of which violations left while the trace was open, as they
    were then. early: no verdict has left yet. looks: how often the trace was put together
    while it was open. grades: by trace, what others said of the output so far. packed: by
    run key and spec name, what an amendment by a grade needs once the spans are gone.
    """

    specs: SpecSet
    sent: dict[tuple[bytes, str], Sent] = field(default_factory=dict)
    fired: dict[str, CompiledSpec] = field(default_factory=dict)
    early: bool = False
    looks: int = 0
    grades: Mapping[bytes, tuple[Grade, ...]] = field(default_factory=lambda: _NO_GRADES)
    packed: dict[tuple[bytes, str], bytes] = field(default_factory=dict)

    def hear(self, trace_id: bytes, told: Iterable[object]) -> tuple[Grade, ...]:
        """Take grades of a trace; give all that are known of it."""
        known = self.grades.get(trace_id, ())
        new = [grade for grade in told if isinstance(grade, Grade)]
        if not new:
            return known
        every = grades.merged(known, new)
        self.grades = {**self.grades, trace_id: every}
        return every

    def size_of(self) -> int:
        """What it takes, in bytes, about; the specs are shared. O(what is out)."""
        size = JUDGEMENT_BYTES + getsizeof(self.sent) + getsizeof(self.packed)
        for sent in self.sent.values():
            size += KEY_BYTES + SENT_BYTES
            for one in sent.out:
                size += OUT_BYTES + len(one.subject)
                size += sum(PLACE_BYTES + len(call_id) for _, call_id in one.places)
        size += sum(KEY_BYTES + getsizeof(kept) for kept in self.packed.values())
        return size + sum(GRADE_BYTES * len(told) for told in self.grades.values())

    def closed(self, specs: SpecSet) -> "Judgement":
        """What an open trace's becomes when the trace is judged by the set now in force."""
        return Judgement(specs, self.sent, self.fired)


@dataclass(slots=True)
class SharedBuffer:
    """The buffer, and the lock that whoever touches it must hold."""

    buffer: TraceBuffer[Judgement]
    lock: threading.Lock = field(default_factory=threading.Lock)


def is_session(run: Run) -> bool:
    """Whether a run is a session's: its trace is the latest one, and may change."""
    named = (run.session or "").encode("utf-8", "surrogatepass")
    return bool(named) and run.key == named


class SharedLuck:
    """The luck windows: the judge writes, whoever reads the metrics reads."""

    def __init__(self, window: LuckWindow, specs: SpecSet) -> None:
        self._window = window
        self._lock = threading.Lock()
        self.in_force(specs)

    def in_force(self, specs: SpecSet) -> None:
        """Say by which specs runs are judged; a spec with a new hash starts anew.

        To be said before the first run is judged by them, or that one is not counted.
        """
        hashes = {spec.name: spec.hash for spec in specs.specs}
        with self._lock:
            self._window.in_force(hashes)

    def record(self, plan: Plan, verdict: Verdict, now_ns: int) -> None:
        """Count a run's verdict, or replace what was counted for it."""
        run = plan.run
        with self._lock:
            self._window.record(
                Series(run.service, run.agent, plan.spec, verdict.output_source),
                (b"" if is_session(run) else run.trace_id, run.key, plan.spec),
                green=verdict.is_green,
                lucky=verdict.is_lucky,
                now_ns=now_ns,
                spec_hash=verdict.spec_hash,
                amends=not plan.is_first,
            )

    def rates(self, now_ns: int) -> list[tuple[Series, int, int]]:
        """(series, lucky, green) of those with a green run that are not idle."""
        with self._lock:
            return self._window.rates(now_ns, idle_ns=IDLE_NS)
