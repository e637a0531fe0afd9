"""The way in: one request, taken whole or not at all.

Owns admission and the order of its steps. A request is acknowledged once its bytes stand
in the forward queue and its spans in the buffer. Whatever could refuse it does so before
the first of its spans is held, so that a sender's retry doubles nothing.
"""

import math
import threading
from collections.abc import Callable

from surefoot.assemble import grades, session_of
from surefoot.clock import Clock
from surefoot.errors import Overloaded
from surefoot.model import Span
from surefoot.pipeline.sessions import Sessions
from surefoot.pipeline.shared import Outlet, SharedBuffer
from surefoot.receive.answer import Answer
from surefoot.receive.decode import Decoded, Decoder
from surefoot.telemetry import Refusing, Telemetry

#: Judging that is behind by more than this admits nothing new: the design's number.
LAG_LIMIT_NS = 5_000_000_000
#: What a refused sender is told to wait; a queue or a judge needs about that to move.
RETRY_AFTER_S = 1.0

#: Above this share of its memory limit the process takes nothing new (the design's number).
SHORT = 0.9

#: What a memory that nobody tells is taken for.
_NONE = -math.inf

# Why there is no room.
MEMORY = "memory is short"
JUDGING = "judging is behind"
QUEUE = "the queue to the backend is full"


class Pressure:
    """Whether the process is short of memory. Any thread asks.

    Memory is looked at now and then, and in between reckoned: as if each request stayed whole.
    So a burst is measured as soon as it might matter, and a quiet time costs no look. A look
    sees no spans of requests that are being decoded just then: the error is at most what is
    made of one request a receiving thread.

    Args:
        limit: What the process may take, in bytes.
        resident: What it takes now; None where the system does not tell, or it is not asked.
    """

    def __init__(self, limit: int = 0, resident: Callable[[], int | None] = lambda: None) -> None:
        self._most = int(limit * SHORT)
        self._resident = resident
        self._lock = threading.Lock()
        self._seen = _NONE
        self._least = math.inf
        self._taken = 0
        self._wanted = 0
        self._look()

    @property
    def is_short(self) -> bool:
        """Whether nothing new may be taken, as of the last look."""
        return self._seen > self._most

    def measure(self) -> bool:
        """Look now; whether something must be let go.

        So it is if nothing new may be taken, or not so much as was refused since the last
        call. What found no room when the process was smallest finds none by that.
        """
        with self._lock:
            self._look()
            wanted, self._wanted = self._wanted, 0
            return self._seen + wanted > self._most

    def admits(self, size: int) -> bool:
        """Whether a request of so many bytes, which are held by now, may be taken."""
        with self._lock:
            if self._seen + self._taken + size > self._most:
                self._look()
            if self._seen + self._taken + size <= self._most:
                self._taken += size
                return True
            if self._least + size <= self._most:
                self._wanted = max(self._wanted, size)
            return False

    def _look(self) -> None:
        resident = self._resident()
        self._taken = 0
        self._seen = _NONE if resident is None else resident
        self._least = min(self._least, self._seen)


class Intake:
    """Takes requests, from any thread."""

    def __init__(  # noqa: PLR0913 - what a request meets on its way in
        self,
        decode: Callable[[bytes], Decoded] | Decoder,
        shared: SharedBuffer,
        forward: Outlet | None,
        clock: Clock,
        *,
        pressure: Pressure,
        telemetry: Telemetry,
        sessions: Sessions | None = None,
        lag_limit_ns: int | None = LAG_LIMIT_NS,
    ) -> None:
        self._decode = decode
        self._shared = shared
        self._forward = forward
        self._clock = clock
        self._pressure = pressure
        self._telemetry = telemetry
        self._sessions = sessions
        self._lag_limit_ns = math.inf if lag_limit_ns is None else lag_limit_ns

    def accept(self, body: bytes, _transport: str) -> Answer:
        """Take one ExportTraceServiceRequest.

        Raises:
            DecodeError: The bytes are no such request.
            Overloaded: There is no room; nothing was taken.
        """
        if not self._pressure.admits(len(body)):
            raise self._refuse(MEMORY)
        decoded = self._decode(body)
        told = [one for span in decoded.spans for one in grades.take(span)]
        buffer = self._shared.buffer
        with self._shared.lock:
            now_ns = self._clock.now_ns()
            if buffer.lag_ns(now_ns) > self._lag_limit_ns:
                raise self._refuse(JUDGING)
            self._pass_on(body, decoded)
            for span in decoded.spans:
                buffer.add(span, now_ns)
            for trace_id, grade in told:
                buffer.grade(trace_id, grade, now_ns)
            if self._sessions is not None:
                self._hear(self._sessions, decoded.spans)
            for reason, trace_id in decoded.rejected:
                buffer.reject(reason, trace_id)
            buffer.ignore_own(decoded.own)
        return _answer(decoded)

    def _hear(self, sessions: Sessions, spans: list[Span]) -> None:
        """Tell which open traces belong to which session."""
        for span in spans:
            named = session_of(span)
            if named and self._shared.buffer.is_open(span.trace_id):
                sessions.hear(named, span.trace_id)

    def problem(self) -> str:
        """Why a request sent now would be refused; empty if it would be taken."""
        with self._shared.lock:
            lag_ns = self._shared.buffer.lag_ns(self._clock.now_ns())
        if self._pressure.is_short:
            return MEMORY
        if lag_ns > self._lag_limit_ns:
            return JUDGING
        return QUEUE if self._forward is not None and not self._forward.has_room(1) else ""

    def _refuse(self, reason: str) -> Overloaded:
        """Why nothing is taken, told to the sender and, once a minute, to the operator."""
        self._telemetry.record(Refusing(reason))
        return Overloaded(reason, RETRY_AFTER_S)

    def _pass_on(self, body: bytes, decoded: Decoded) -> None:
        """Queue the same bytes for the backend; our own spans would come back for ever.

        Room is asked for first: what is refused here is the sender's to send again, and
        not dropped.
        """
        if self._forward is None or decoded.only_own or not body:
            return
        if not (self._forward.has_room(len(body)) and self._forward.offer(body)):
            raise self._refuse(QUEUE)


def _answer(decoded: Decoded) -> Answer:
    if not decoded.rejected:
        return Answer(0, "")
    reasons = [reason for reason, _ in decoded.rejected]
    told = ", ".join(
        f"{reasons.count(reason)} without a valid {reason.replace('_', ' ')}"
        for reason in dict.fromkeys(reasons)
    )
    return Answer(len(reasons), f"spans that cannot be judged: {told}")
