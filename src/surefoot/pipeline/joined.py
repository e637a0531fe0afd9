"""All stages, joined. Whoever runs a pipeline brings a clock, ways out and a thread.

Owns which part is given which, and nothing that happens later: there is one place where
buffer, judge, windows and metrics are made, so that a server and an agent's own process
judge alike.
"""

from collections.abc import Callable, Mapping

from surefoot.buffer import TraceBuffer
from surefoot.clock import Clock
from surefoot.config import Config
from surefoot.emit import instruments
from surefoot.emit.encode import Encoder
from surefoot.emit.identity import Identity
from surefoot.emit.instruments import Instrument
from surefoot.emit.metrics import Metrics, Points, Reading
from surefoot.evaluate import mask
from surefoot.luck import LuckWindow
from surefoot.pipeline.inforce import InForce
from surefoot.pipeline.intake import LAG_LIMIT_NS, Intake, Pressure
from surefoot.pipeline.judging import Judge, OnPlan
from surefoot.pipeline.ledger import Ledger
from surefoot.pipeline.outgoing import Outgoing
from surefoot.pipeline.sessions import Sessions
from surefoot.pipeline.shared import Judgement, Outlet, SharedBuffer, SharedLuck
from surefoot.specs import SpecSet
from surefoot.telemetry import Stopped, Telemetry


class Pipeline:
    """Requests go to `intake`; who calls `judge` sends verdicts on their way.

    Args:
        config: What the operator said.
        specs: The specs in force.
        identity: Who emits.
        forward: Where requests go on to, unchanged; None: nowhere.
        verdicts: Where verdicts go; None: they are only counted and shown.
        gauges: Further gauges, of what is not the pipeline's.
        pressure: Whether memory is short; None: it never is.
        lag_limit_ns: How far judging may be behind before requests are refused; None: at will.
        on_plan: Shown every verdict that leaves.
    """

    def __init__(  # noqa: PLR0913 - what it is joined to, each named at the call
        self,
        config: Config,
        specs: SpecSet,
        *,
        identity: Identity,
        clock: Clock,
        telemetry: Telemetry,
        forward: Outlet | None = None,
        verdicts: Outlet | None = None,
        gauges: Mapping[Instrument, Callable[[], Reading]] | None = None,
        pressure: Pressure | None = None,
        lag_limit_ns: int | None = LAG_LIMIT_NS,
        on_plan: OnPlan | None = None,
    ) -> None:
        judging = config.judging
        self.in_force = in_force = InForce(specs, config, identity.instance_id)
        looks_at = in_force.looks_at if judging.unit == "trace" else None
        buffer: TraceBuffer[Judgement] = TraceBuffer(
            config.limits, in_force.timers, looks_at, Judgement.size_of
        )
        sessions = _sessions(config, buffer) if judging.unit == "session" else None
        self.shared = shared = SharedBuffer(buffer)
        self._ledger = ledger = Ledger(shared)
        window = LuckWindow(window=judging.luck.window, max_age_ns=judging.luck.max_age_ns)
        self._luck = SharedLuck(window, specs)
        own: dict[Instrument, Callable[[], Reading]] = {
            instruments.SPANS_OPEN: ledger.spans_open,
            instruments.TRACES_OPEN: ledger.traces_open,
            instruments.BUFFER_BYTES: ledger.buffer_bytes,
            instruments.SPECS_INFO: lambda: {(in_force.specs.hash,): 1},
        }
        every = own | dict(gauges or {})
        self.metrics = Metrics(clock, identity, mask, gauges=every, luck=self._luck.rates)
        encoder = Encoder(mask, identity, redact_values=judging.redact_values)
        self.judge = Judge(
            shared,
            specs,
            outgoing=Outgoing(encoder, verdicts, self.metrics, telemetry, clock),
            metrics=self.metrics,
            luck=self._luck,
            telemetry=telemetry,
            clock=clock,
            unit=judging.unit,
            sessions=sessions,
            on_plan=on_plan,
        )
        self.pressure = pressure or Pressure()
        self.intake = Intake(
            in_force.decode,
            shared,
            forward,
            clock,
            pressure=self.pressure,
            telemetry=telemetry,
            sessions=sessions,
            lag_limit_ns=lag_limit_ns,
        )

    def use(self, specs: SpecSet) -> None:
        """Judge by `specs` what closes from now on.

        The windows first: what the old set still judges is then not counted in the new
        one's, and nothing that the new one judges is missing there.
        """
        self.in_force.use(specs)
        self._luck.in_force(specs)
        self.judge.use(specs)

    def read_metrics(self) -> Points:
        """Every point there is now. One caller at a time."""
        self._ledger.carry(self.metrics)
        return self.metrics.read()

    def stopped(self, undelivered: int, took_s: float, untaken: int = 0) -> Stopped:
        """What was made of all that came, once nothing comes any more.

        untaken: spans that were to come and never got here. What is open still, since
        judging did not end in time, is as lost as they are.
        """
        counts = self.shared.buffer.counts
        lost = counts.lost.total() + counts.open
        return Stopped(
            received=counts.received + untaken,
            judged=counts.judged,
            apart=counts.received - counts.judged - lost,
            lost=lost + untaken,
            verdicts=self.judge.verdicts,
            undelivered=undelivered,
            took_s=took_s,
        )


def _sessions(config: Config, buffer: TraceBuffer[Judgement]) -> Sessions:
    timers = config.timers
    return Sessions(
        idle_ns=timers.idle_ns,
        max_age_ns=timers.max_age_ns,
        kept_ns=config.limits.kept_ns,
        is_open=buffer.is_open,
    )
