"""A whole pipeline without a socket: real parts, a clock that tests move."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from clocks import FrozenClock
from surefoot.assemble import WANTED, reduce
from surefoot.buffer import Limits, Timers, TraceBuffer
from surefoot.emit.encode import Encoder
from surefoot.emit.identity import Identity
from surefoot.emit.metrics import Metrics
from surefoot.emit.sent import Plan
from surefoot.evaluate import mask
from surefoot.luck import LuckWindow
from surefoot.pipeline import Intake, Judge, Ledger, Outgoing, Pressure, SharedBuffer, SharedLuck
from surefoot.pipeline.sessions import Sessions
from surefoot.pipeline.shared import Judgement
from surefoot.receive.decode import Decoder
from surefoot.specs import SpecSet
from surefoot.telemetry import Telemetry

IDLE_NS = Timers().idle_ns
FIXTURES = Path(__file__).parents[1] / "proto_fixtures"
SPEC = Path(__file__).parents[1] / "examples" / "refund-desk.yaml"


def requests(recording: str) -> list[bytes]:
    """A recording's requests, in the order in which they came."""
    return [file.read_bytes() for file in sorted((FIXTURES / recording).glob("*.binpb"))]


def split(body: bytes) -> list[bytes]:
    """The same spans, one a request."""
    parts = []
    request = ExportTraceServiceRequest.FromString(body)
    for of_resource in request.resource_spans:
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                part = ExportTraceServiceRequest()
                group = part.resource_spans.add()
                group.resource.CopyFrom(of_resource.resource)
                scope = group.scope_spans.add()
                scope.scope.CopyFrom(of_scope.scope)
                scope.spans.add().CopyFrom(span)
                parts.append(part.SerializeToString())
    return parts


def renamed(body: bytes, service: str) -> bytes:
    """The same request, of another service."""
    request = ExportTraceServiceRequest.FromString(body)
    for group in request.resource_spans:
        for attribute in group.resource.attributes:
            if attribute.key == "service.name":
                attribute.value.string_value = service
    return request.SerializeToString()


@dataclass
class ListOutlet:
    """A queue that keeps what it is given, up to its room."""

    room: int = 1_000_000
    behind: int = 0
    bodies: list[bytes] = field(default_factory=list)

    def offer(self, body: bytes) -> bool:
        """See `surefoot.pipeline.Outlet`."""
        if not self.has_room(len(body)):
            return False
        self.bodies.append(body)
        return True

    def has_room(self, _size: int) -> bool:
        """See `surefoot.pipeline.Outlet`."""
        return len(self.bodies) < self.room

    def waiting(self) -> int:
        """See `surefoot.pipeline.Outlet`."""
        return self.behind


class World:
    """One pipeline and all that it touches."""

    def __init__(
        self,
        specs: SpecSet,
        limits: Limits | None = None,
        *,
        unit: str = "trace",
        pressure: Pressure | None = None,
    ) -> None:
        self.clock = FrozenClock()
        self.specs = specs
        timers = Timers(settle_ns=IDLE_NS) if unit == "session" else Timers()
        looks_at = specs.looks_at if unit == "trace" else None
        self.shared = SharedBuffer(
            TraceBuffer(limits, lambda _service: timers, looks_at, Judgement.size_of)
        )
        self.buffer = self.shared.buffer
        self.sessions = None
        if unit == "session":
            self.sessions = Sessions(
                idle_ns=IDLE_NS,
                max_age_ns=timers.max_age_ns,
                kept_ns=self.buffer.limits.kept_ns,
                is_open=self.buffer.is_open,
            )
        self.pressure = pressure or Pressure()
        telemetry = Telemetry(self.clock)
        self.forward, self.verdicts = ListOutlet(), ListOutlet()
        identity = Identity("this-one", "0")
        self.luck = SharedLuck(LuckWindow(), specs)
        self.metrics = Metrics(self.clock, identity, mask, luck=self.luck.rates)
        self.ledger = Ledger(self.shared)
        self.plans: list[Plan] = []
        self.judge = Judge(
            self.shared,
            specs,
            outgoing=Outgoing(
                Encoder(mask, identity), self.verdicts, self.metrics, telemetry, self.clock
            ),
            metrics=self.metrics,
            luck=self.luck,
            telemetry=telemetry,
            clock=self.clock,
            unit=unit,
            sessions=self.sessions,
            on_plan=self.plans.append,
        )
        wanted = replace(WANTED, keys=WANTED.keys | specs.wanted_keys())
        decode = Decoder(wanted, reduce, instance_id="this-one")
        self.intake = Intake(
            decode,
            self.shared,
            self.forward,
            self.clock,
            pressure=self.pressure,
            telemetry=telemetry,
            sessions=self.sessions,
        )

    def send(self, *bodies: bytes) -> None:
        """Have requests accepted."""
        for body in bodies:
            self.intake.accept(body, "test")

    def wait(self, seconds: float) -> list[Plan]:
        """Let time pass, judge what is due, and give what left because of it."""
        before = len(self.plans)
        self.clock.advance(seconds)
        while self.judge.judge_next():
            pass
        self.judge.flush()
        return self.plans[before:]
