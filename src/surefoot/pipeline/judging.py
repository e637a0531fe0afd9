"""The way out: a closed trace, judged by every spec that its runs meet.

Owns what is done with a trace from its close to the queue that its verdicts leave by:
assemble, match, judge, plan, encode, count. One thread calls it. Whatever goes wrong
with one trace is counted as lost, told, and stops nothing else.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from surefoot.assemble import assemble, grades, join
from surefoot.buffer import Closed
from surefoot.clock import Clock
from surefoot.emit.metrics import Metrics
from surefoot.emit.sent import Plan, plan
from surefoot.evaluate import judge, mask
from surefoot.evaluate.outputs import FromEvaluation, answers, grade_output
from surefoot.model import Grade, Reason, Run, Verdict
from surefoot.pipeline.early import look
from surefoot.pipeline.outgoing import Outgoing
from surefoot.pipeline.packed import pack, unpack
from surefoot.pipeline.sessions import Group, Sessions
from surefoot.pipeline.shared import Judgement, SharedBuffer, SharedLuck
from surefoot.specs import CompiledSpec, SpecSet
from surefoot.telemetry import (
    AssemblyFailed,
    CheckFailed,
    LookFailed,
    RunUnmatched,
    Telemetry,
    TraceEvicted,
)

#: Told of each plan that leaves, first verdicts and amendments.
OnPlan = Callable[[Plan], None]
#: Of a name in a log line.
_NAME_CHARS = 100


class Judge:
    """Judges what the buffer says is due.

    Args:
        unit: What a run is: `trace` or `agent`.
        sessions: With unit `session`, where closed traces wait for the rest of theirs.
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
        sessions: Sessions | None = None,
        on_plan: OnPlan | None = None,
    ) -> None:
        self._shared = shared
        self._specs = specs
        self._outgoing = outgoing
        self._metrics = metrics
        self._luck = luck
        self._telemetry = telemetry
        self._clock = clock
        self._unit = "trace" if sessions is not None else unit
        self._sessions = sessions
        self._on_plan = on_plan
        self.verdicts = 0

    def judge_next(self) -> bool:
        """Judge the trace that has been due longest. False if none is due.

        Where none is, an open one is looked at: what is closed has waited long enough.

        Also False while a verdict would find no room: what is not judged makes `lag_ns`
        grow, and that makes the intake refuse, so no verdict is made to be dropped.
        """
        if not self._outgoing.has_room:
            return False
        with self._shared.lock:
            now_ns = self._clock.now_ns()
            closed = self._shared.buffer.pop_due(now_ns)
            group = self._sessions.pop_due(now_ns) if self._sessions and not closed else None
        if closed is not None:
            self.judge(closed)
        elif group is not None:
            self._judge_session(group)
        return closed is not None or group is not None or self._look_early()

    def use(self, specs: SpecSet) -> None:
        """Judge what closes from now on by `specs`. From any thread.

        What has closed keeps the set of its close, also in amendments.
        """
        self._specs = specs

    def flush(self) -> None:
        """Let the verdicts leave that were made since the last call."""
        self._outgoing.flush()

    def wait_ns(self) -> int | None:
        """How long until something may be due; 0 if it is, None if nothing is held."""
        with self._shared.lock:
            of_traces = self._shared.buffer.next_due_ns()
            of_sessions = self._sessions.next_due_ns() if self._sessions else None
        due_ns = min((due for due in (of_traces, of_sessions) if due is not None), default=None)
        return None if due_ns is None else max(0, due_ns - self._clock.now_ns())

    def relieve(self) -> None:
        """Memory is short: let kept traces go, or judge some of the open ones as they are."""
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
        for group in self._sessions.pop_all() if self._sessions else ():
            if self._clock.now_ns() < deadline_ns:
                self._judge_session(group)
            else:
                self._lose(group.pending, Reason.SHUTDOWN.value)
        self._outgoing.flush(last=True)
        return buffer.abandon()

    def judge(self, closed: Closed[Judgement]) -> None:
        """Judge one closed trace and send what there is to say of it."""
        if not closed.spans:
            self._regrade(closed)
            return
        try:
            runs = self._assemble(closed)
            if self._sessions is not None and (own := _in_session(runs)):
                self._await_session(self._sessions, own, closed)
                return
            known = closed.verdict
            before = None if known is None or known.early else known
            judgement = before or (known or Judgement(self._specs)).closed(self._specs)
            grades.give(runs, judgement.hear(closed.trace_id, closed.grades))
            self._send(self._plans(runs, judgement, first=before is None), closed.due_ns)
        except Exception as error:  # noqa: BLE001 - a fault of ours loses one trace, no more
            self._lose([closed], "fault", error)
            return
        with self._shared.lock:
            self._shared.buffer.judged(closed, judgement)
        if closed.reason is Reason.EVICTED:
            why = "the buffer is full"
            self._telemetry.record(TraceEvicted(closed.trace_id.hex(), len(closed.spans), why))

    def _look_early(self) -> bool:
        """Send what an open trace violates for good. False if no look is due."""
        with self._shared.lock:
            fresh = self._shared.buffer.pop_fresh(self._clock.now_ns())
        if fresh is None:
            return False
        try:
            plans, judgement = look(fresh, self._specs, self._shared)
            for made in plans:
                self._metrics.add_plan(made)
            self._send(plans, 0)
        except Exception as error:  # noqa: BLE001 - the trace is judged at its close all the same
            self._telemetry.record(LookFailed(fresh.trace_id.hex(), type(error).__name__), error)
            return True
        if judgement is not None:
            with self._shared.lock:
                self._shared.buffer.told(fresh.trace_id, judgement)
        return True

    def _regrade(self, closed: Closed[Judgement]) -> None:
        """Amend the verdicts on a trace of which the spans are gone, by its grades."""
        judgement = closed.verdict
        if judgement is None:
            return
        try:
            known = judgement.hear(closed.trace_id, closed.grades)
            self._send(self._plans_again(judgement, closed.trace_id, known), closed.due_ns)
        except Exception as error:  # noqa: BLE001 - as above
            self._lose([closed], "fault", error)
            return
        with self._shared.lock:
            self._shared.buffer.judged(closed, judgement)

    def _plans_again(
        self, judgement: Judgement, trace_id: bytes, known: tuple[Grade, ...]
    ) -> list[Plan]:
        """Every verdict on the runs of a trace, with what is known of their outputs by now."""
        specs = _specs_of(judgement)
        plans = []
        for (_, name), kept in judgement.packed.items():
            run, verdict, answers = unpack(kept)
            if run.trace_id != trace_id:  # of a session it is told in the latest trace
                continue
            grades.give([run], known)
            output, source = grade_output(run, specs[name].output_ok, answers)
            verdict = replace(verdict, output=output, output_source=source)
            plans.append(self._plan(run, verdict, judgement))
        return plans

    def _await_session(self, sessions: Sessions, run: Run, closed: Closed[Judgement]) -> None:
        """Let a closed trace wait for the rest of its session."""
        with self._shared.lock:
            if sessions.put(run, closed, self._clock.now_ns()):
                return
        self._regrade(closed)

    def _judge_session(self, group: Group) -> None:
        """Judge the traces of a session as one run."""
        first = group.judgement is None
        judgement = group.judgement or Judgement(self._specs)
        pending = group.pending
        try:
            for trace_id, one in group.runs.items():
                grades.give([one], judgement.hear(trace_id, group.grades.pop(trace_id, ())))
            run = join(list(group.runs.values()))
            self._send(self._plans([run], judgement, first=first), pending[-1].due_ns)
        except Exception as error:  # noqa: BLE001 - as above
            self._lose(pending, "fault", error)
            pending = []
        with self._shared.lock:
            if self._sessions is not None:
                self._sessions.judged(group, judgement, self._clock.now_ns())
            for closed in pending:
                self._shared.buffer.judged(closed, judgement)

    def _lose(
        self, pending: Iterable[Closed[Judgement]], reason: str, error: Exception | None = None
    ) -> None:
        """Count traces that could not be judged."""
        for closed in pending:
            with self._shared.lock:
                self._shared.buffer.lost(closed, reason)
            if error is not None:
                what = type(error).__name__
                event = AssemblyFailed(closed.trace_id.hex(), len(closed.spans), what)
                self._telemetry.record(event, error)

    def _assemble(self, closed: Closed[Judgement]) -> list[Run]:
        return assemble(
            closed.spans,
            reason=closed.reason,
            whole=closed.whole,
            unit=self._unit,
            attributes_dropped=closed.attributes_dropped,
        )

    def _plans(self, runs: Iterable[Run], judgement: Judgement, *, first: bool) -> list[Plan]:
        """Every verdict on every run, as what it makes us send."""
        plans = []
        for run in runs:
            specs = _meeting(run, judgement)
            if first:
                self._metrics.add_run(run, matched=bool(specs))
                if not specs and judgement.specs.specs:  # without any, that was said before
                    self._telemetry.record(RunUnmatched(_short(run.service), _short(run.agent)))
            for spec in specs:
                verdict = judge(run, spec)
                self._tell_crashes(run, verdict)
                plans.append(self._plan(run, verdict, judgement))
                if any(source.kind == FromEvaluation.kind for source in spec.output_ok):
                    told = answers(run, spec.output_ok)
                    judgement.packed[run.key, spec.name] = pack(run, verdict, told, mask)
        return plans

    def _plan(self, run: Run, verdict: Verdict, judgement: Judgement) -> Plan:
        """What a verdict makes us send, remembered and counted."""
        sent = judgement.sent.get((run.key, verdict.spec))
        made = plan(run, verdict, sent, specs_hash=judgement.specs.hash)
        judgement.sent[run.key, verdict.spec] = made.after
        self._count(made, verdict)
        return made

    def _count(self, made: Plan, verdict: Verdict) -> None:
        self._metrics.add_plan(made)
        if made.is_first:
            self.verdicts += 1
        self._luck.record(made, verdict, self._clock.now_ns())

    def _send(self, plans: list[Plan], due_ns: int) -> None:
        self._outgoing.add(plans, due_ns)
        if self._on_plan is not None:
            for one in plans:
                if one.emit:
                    self._on_plan(one)

    def _tell_crashes(self, run: Run, verdict: Verdict) -> None:
        for check in verdict.crashed:
            event = CheckFailed(verdict.spec, check, run.trace_id.hex(), "crashed")
            self._telemetry.record(event)


def _short(name: str) -> str:
    """A name as a log line has it: a sender may make up any."""
    return name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"


def _in_session(runs: list[Run]) -> Run | None:
    """The run that names a session; with unit `trace` there is at most one run."""
    return next((run for run in runs if run.session), None)


def _specs_of(judgement: Judgement) -> dict[str, CompiledSpec]:
    """By name, the specs of the close, and as they were then those that fired before it."""
    return {spec.name: spec for spec in judgement.specs.specs} | judgement.fired


def _meeting(run: Run, judgement: Judgement) -> list[CompiledSpec]:
    """The specs that judge a run: those it meets, and those that judged it before.

    One that fired while the trace was open counts as it was then, whatever is in force.
    """
    known = _specs_of(judgement)
    met = {spec.name for spec in judgement.specs.matching(run)}
    met |= {name for key, name in judgement.sent if key == run.key}
    return [spec for name, spec in known.items() if name in met]
