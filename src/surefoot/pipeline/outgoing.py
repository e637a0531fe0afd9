"""Verdicts on their way into the queue: many traces a request, and no request too large.

Owns how plans are packed. Most verdicts are small and many traces close together, so
they share a request; one trace may have thousands of violations, so it may take several.
A verdict that cannot be encoded loses itself and nothing else, and one that finds no
room is told: neither is dropped in silence.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from surefoot.clock import Clock
from surefoot.emit import instruments
from surefoot.emit.encode import Encoder
from surefoot.emit.metrics import Metrics
from surefoot.emit.sent import Plan
from surefoot.pipeline.shared import Outlet
from surefoot.telemetry import RequestDropped, Telemetry, VerdictFailed

NS = 1e9
#: Spans a request: what an SDK's batch processor sends at once.
SPANS = 512
#: Bytes a request: below the 4 MiB that gRPC servers, the Collector's among them, take
#: unless told otherwise.
BYTES = 3 * 1024 * 1024
#: What must be free in the queue before more is judged: the largest request.
ROOM = BYTES
#: With so many requests waiting, the backend is behind or away: small ones wait for
#: company then, or a queue of a thousand would be full within half a minute.
BEHIND = 8
BACKEND = "the backend"
VERDICTS = "verdicts"


class Outgoing:
    """Collects plans, and queues them as requests. One thread calls it."""

    def __init__(
        self,
        encoder: Encoder,
        outlet: Outlet | None,
        metrics: Metrics,
        telemetry: Telemetry,
        clock: Clock,
    ) -> None:
        self._encoder = encoder
        self._outlet = outlet
        self._metrics = metrics
        self._telemetry = telemetry
        self._clock = clock
        self._waiting: list[Plan] = []
        self._spans = 0
        self._due: list[tuple[Plan, int]] = []

    @property
    def has_room(self) -> bool:
        """Whether a verdict made now would find room in the queue."""
        return self._outlet is None or self._outlet.has_room(ROOM)

    def add(self, plans: Iterable[Plan], due_ns: int) -> None:
        """Take what leaves of `plans`, whose trace was due at `due_ns`."""
        for plan in plans:
            if plan.emit:
                if plan.verdict is not None:  # an early violation is late for nothing
                    self._due.append((plan, due_ns))
                for piece in _pieces(plan):
                    self._waiting.append(piece)
                    self._spans += len(piece.new) + (piece.verdict is not None)
                    if self._spans >= SPANS:
                        self.flush()

    def flush(self, *, last: bool = False) -> None:
        """Queue what has been collected; a little may wait while the backend is behind.

        last: it may not, since nothing comes after it.
        """
        behind = self._outlet is not None and self._outlet.waiting() >= BEHIND
        if behind and self._spans < SPANS and not last:
            return
        waiting, self._waiting, self._spans = self._waiting, [], 0
        if self._outlet is not None and waiting:
            for body in self._bodies(waiting):
                if not self._outlet.offer(body):
                    self._telemetry.record(RequestDropped(BACKEND, VERDICTS, "queue_full"))
        due, self._due = self._due, []
        now_ns = self._clock.now_ns()
        for plan, due_ns in due:
            owners = (plan.run.service, plan.run.agent, plan.spec)
            late_s = max(0, now_ns - due_ns) / NS
            self._metrics.add(instruments.VERDICT_LATENCY, owners, late_s)

    def _bodies(self, plans: Sequence[Plan]) -> Iterator[bytes]:
        """Requests for `plans`, each small enough; what cannot be encoded is told."""
        try:
            body = self._encoder.encode(plans)
        except Exception as error:  # noqa: BLE001 - one verdict's fault is not its neighbours'
            if len(plans) == 1:
                run = plans[0].run
                event = VerdictFailed(plans[0].spec, run.trace_id.hex(), type(error).__name__)
                self._telemetry.record(event, error)
                return
            body = b""
        if body and (len(body) <= BYTES or len(plans) == 1):
            yield body
            return
        half = len(plans) // 2
        yield from self._bodies(plans[:half])
        yield from self._bodies(plans[half:])


def _pieces(plan: Plan) -> Iterator[Plan]:
    """The plan in parts of at most `SPANS` violations; the verdict leaves with the first."""
    if len(plan.new) <= SPANS:
        yield plan
        return
    for at in range(0, len(plan.new), SPANS):
        verdict = plan.verdict if at == 0 else None
        yield replace(plan, verdict=verdict, new=plan.new[at : at + SPANS])
