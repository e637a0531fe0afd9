"""The way out: a closed trace, judged by every spec that its runs meet.

Owns what is done with a trace from its close to the queue that its verdicts leave by:
assemble, match, judge, plan, encode, count. One thread calls it. Whatever goes wrong
with one trace is counted as lost, told, and stops nothing else.
"""

from collections.abc import Callable, Iterable

from surefoot.assemble import assemble
from surefoot.buffer import Closed
from surefoot.clock import Clock
from surefoot.emit.metrics import Metrics
from surefoot.emit.sent import Plan, plan
from surefoot.evaluate import judge
from surefoot.model import Reason, Run, Verdict
from surefoot.pipeline.outgoing import Outgoing
from surefoot.pipeline.shared import Judgement, SharedBuffer, SharedLuck
from surefoot.specs import CompiledSpec, SpecSet
from surefoot.telemetry import AssemblyFailed, CheckFailed, Telemetry, TraceEvicted

#: Told of each plan that leaves, first verdicts and amendments.
OnPlan = Callable[[Plan], None]


class Judge:
    """Judges what the buffer says is due.

    Args:
        unit: What a run is: `trace` or `agent`.
        outgoing: Where verdicts go.
        on_plan: Shown every verdict, for a console.
    """

    def __init__(  # noqa: PLR0913 - it joins all of these; each is named at the call
        self,
        shared: SharedBuffer,
        specs: SpecSet,
        *,
        outgoing: Outgoing,
        metrics: Metrics,
        luck: SharedLuck,
        telemetry: Telemetry,
        clock: Clock,
        unit: str = "trace",
        on_plan: OnPlan | None = None,
    ) -> None:
        self._shared = shared
        self._specs = specs
        self._outgoing = outgoing
        self._metrics = metrics
        self._luck = luck
        self._telemetry = telemetry
        self._clock = clock
        self._unit = unit
        self._on_plan = on_plan
        self.verdicts = 0

    def judge_next(self) -> bool:
        """Judge the trace that has been due longest. False if none is due.

        Also False while a verdict would find no room: what is not judged makes `lag_ns`
        grow, and that makes the intake refuse, so no verdict is made to be dropped.
        """
        if not self._outgoing.has_room:
            return False
        with self._shared.lock:
            closed = self._shared.buffer.pop_due(self._clock.now_ns())
        if closed is None:
            return False
        self.judge(closed)
        return True

    def flush(self) -> None:
        """Let the verdicts leave that were made since the last call."""
        self._outgoing.flush()

    def wait_ns(self) -> int | None:
        """How long until something may be due; 0 if it is, None if nothing is held."""
        with self._shared.lock:
            due_ns = self._shared.buffer.next_due_ns()
        return None if due_ns is None else max(0, due_ns - self._clock.now_ns())

    def relieve(self) -> None:
        """Memory is short: let judged traces go that are only kept for amendments."""
        with self._shared.lock:
            self._shared.buffer.relieve(self._clock.now_ns())

    def drain(self, deadline_ns: int) -> int:
        """At shutdown: judge all that is open, until the deadline; return spans lost."""
        buffer = self._shared.buffer
        for closed in buffer.shut(self._clock.now_ns()):
            if self._clock.now_ns() >= deadline_ns:
                buffer.lost(closed, Reason.SHUTDOWN.value)
                break
            self.judge(closed)
        self._outgoing.flush(last=True)
        return buffer.abandon()

    def judge(self, closed: Closed[Judgement]) -> None:
        """Judge one closed trace and send what there is to say of it."""
        try:
            judgement, plans = self._plans(closed)
            self._outgoing.add(plans, closed.due_ns)
            self._show(plans)
        except Exception as error:  # noqa: BLE001 - a fault of ours loses one trace, no more
            with self._shared.lock:
                self._shared.buffer.lost(closed, "fault")
            event = AssemblyFailed(closed.trace_id.hex(), len(closed.spans), type(error).__name__)
            self._telemetry.record(event, error)
            return
        with self._shared.lock:
            self._shared.buffer.judged(closed, judgement)
        if closed.reason is Reason.EVICTED:
            why = "the buffer is full"
            self._telemetry.record(TraceEvicted(closed.trace_id.hex(), len(closed.spans), why))

    def _plans(self, closed: Closed[Judgement]) -> tuple[Judgement, list[Plan]]:
        """Every verdict on every run of the trace, as what it makes us send."""
        before = closed.verdict if closed.amends else None
        judgement = before or Judgement(self._specs)
        runs = assemble(
            closed.spans,
            reason=closed.reason,
            whole=closed.whole,
            unit=self._unit,
            attributes_dropped=closed.attributes_dropped,
        )
        plans = []
        for run in runs:
            specs = _meeting(run, judgement)
            if before is None:
                self._metrics.add_run(run, matched=bool(specs))
            for spec in specs:
                verdict = judge(run, spec)
                self._tell_crashes(run, verdict)
                made = plan(run, verdict, judgement.sent.get((run.key, spec.name)))
                judgement.sent[run.key, spec.name] = made.after
                self._count(made, verdict)
                plans.append(made)
        return judgement, plans

    def _count(self, made: Plan, verdict: Verdict) -> None:
        self._metrics.add_plan(made)
        if made.is_first:
            self.verdicts += 1
        self._luck.record(made, verdict, self._clock.now_ns())

    def _show(self, plans: Iterable[Plan]) -> None:
        if self._on_plan is not None:
            for one in plans:
                if one.emit:
                    self._on_plan(one)

    def _tell_crashes(self, run: Run, verdict: Verdict) -> None:
        for check in verdict.crashed:
            event = CheckFailed(verdict.spec, check, run.trace_id.hex(), "crashed")
            self._telemetry.record(event)


def _meeting(run: Run, judgement: Judgement) -> list[CompiledSpec]:
    """The specs that judge a run: those it meets, and those that judged it before."""
    specs = list(judgement.specs.matching(run))
    met = {spec.name for spec in specs}
    judged = {name for key, name in judgement.sent if key == run.key}
    specs.extend(
        spec for spec in judgement.specs.specs if spec.name in judged and spec.name not in met
    )
    return specs
