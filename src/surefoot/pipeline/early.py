"""Violations that leave while their trace is still open.

Owns what is done with new spans of an open trace: final checks over what is sure of them
(`assemble.glance`); whatever they find is looked up in the trace as far as it has come,
and leaves only if a verdict now would hold it against the same call. So a look costs
little where nothing is wrong, and the trace is put together only for a violation.

Of each check only the first violation leaves early: one call may have three spans, and
whether a second one is another call is known at the close. A spec that fired judges the
run at its close as it was by then. The verdict finds the violation again (`emit.sent`);
were it undone by a later span after all, the verdict would name it as withdrawn.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from surefoot.assemble import assemble
from surefoot.assemble.glance import glance, holds, other_way
from surefoot.buffer import Fresh
from surefoot.emit.sent import Plan, plan_early
from surefoot.evaluate import Check, View
from surefoot.model import Reason, Run, Span, StepEvidence, Violation
from surefoot.pipeline.shared import Judgement, SharedBuffer
from surefoot.specs import CompiledSpec, SpecSet

#: So often a trace is put together while it is open. That costs what the trace is long, so
#: none may ask for it each second; what is left is found at its close.
MOST_LOOKS = 16


class _Suspect(NamedTuple):
    """What a check found at a glance; call: None where it is about no call."""

    subject: str
    call: StepEvidence | None


def look(
    fresh: Fresh[Judgement], specs: SpecSet, shared: SharedBuffer
) -> tuple[list[Plan], Judgement | None]:
    """What leaves of an open trace now, and what is to be remembered of it, if anything is.

    The plans stand in the judgement's `sent` already.
    """
    judgement = fresh.verdict or Judgement(specs, early=True)
    if judgement.looks >= MOST_LOOKS:
        return [], None
    suspected = list(_suspected(fresh.spans, specs, judgement))
    if not suspected:
        return [], None
    judgement.looks += 1
    with shared.lock:
        spans = shared.buffer.so_far(fresh.trace_id)
    by_id = {span.span_id: span for span in spans}
    plans = []
    for run in assemble(spans, reason=Reason.IDLE, whole=False):
        for spec, suspects in suspected:
            fired = _fired(judgement, spec)
            violations = [
                violation
                for check, found in suspects
                if check.id not in fired
                and (violation := _borne_out(check, run, spec, found, by_id))
            ]
            if violations:
                before = judgement.sent.get((run.key, spec.name))
                plans.append(plan_early(run, spec.name, violations, before))
                judgement.sent[run.key, spec.name] = plans[-1].after
                judgement.fired.setdefault(spec.name, spec)
    return plans, judgement


def _suspected(
    spans: Iterable[Span], specs: SpecSet, judgement: Judgement
) -> Iterator[tuple[CompiledSpec, list[tuple[Check, list[_Suspect]]]]]:
    """What each spec's checks find at a glance, by the spans of each service alone.

    A spec that fired goes on as it was then. What fired does not fire again.
    """
    by_service: dict[str, list[Span]] = {}
    for span in spans:
        by_service.setdefault(span.resource.service, []).append(span)
    for service, own in by_service.items():
        looking = [spec for spec in specs.specs if spec.looks_at(service)]
        run = glance(own) if looking else None
        for spec in looking if run else ():
            spec = judgement.fired.get(spec.name, spec)  # noqa: PLW2901 - the same by name
            fired = _fired(judgement, spec)
            view = View(run, spec.scope) if run else None
            found = [
                (check, suspects)
                for check in spec.finals()
                if view and check.id not in fired
                if (suspects := _at_a_glance(check, view))
            ]
            if found:
                yield spec, found


def _fired(judgement: Judgement, spec: CompiledSpec) -> set[str]:
    """The checks of which a violation is out. The key of a trace's run is empty."""
    sent = judgement.sent.get((b"", spec.name))
    return {out.check for out in sent.out} if sent else set()


def _at_a_glance(check: Check, view: View) -> list[_Suspect]:
    """What a check finds whichever way the calls went, and without them if about none."""
    run, scope = view.run, view.scope
    found = [(one, _suspect(one, run)) for one in _violations(check, view)]
    if not found:
        return []
    turned, empty = other_way(run), replace(run, steps=[], evidence=[])
    either = {_place(_suspect(one, turned)) for one in _violations(check, View(turned, scope))}
    either &= {_place(suspect) for _, suspect in found}
    without = {one.subject for one in _violations(check, View(empty, scope))}
    return [
        suspect
        for _, suspect in found
        if _place(suspect) in either and (suspect.call or suspect.subject in without)
    ]


def _borne_out(
    check: Check,
    run: Run,
    spec: CompiledSpec,
    suspects: Sequence[_Suspect],
    spans: Mapping[bytes, Span],
) -> Violation | None:
    """The first violation of a check that the trace so far holds against the same call."""
    for violation in _violations(check, View(run, spec.scope)):
        if any(_is_same(violation, suspect, run, spans) for suspect in suspects):
            return violation
    return None


def _is_same(
    violation: Violation, suspect: _Suspect, run: Run, spans: Mapping[bytes, Span]
) -> bool:
    if violation.subject != suspect.subject:
        return False
    if violation.step is None or suspect.call is None:
        return violation.step is None and suspect.call is None
    return holds(run, violation.step, suspect.call, spans)


def _violations(check: Check, view: View) -> list[Violation]:
    """What a check finds; one that crashes finds nothing here, and says so at the close."""
    try:
        return [one for one in check(view) if isinstance(one, Violation)]
    except Exception:  # noqa: BLE001 - a check is isolated, whatever it trips over
        return []


def _suspect(violation: Violation, run: Run) -> _Suspect:
    step = violation.step
    return _Suspect(violation.subject, None if step is None else run.evidence[step])


def _place(suspect: _Suspect) -> tuple[str, bytes]:
    return suspect.subject, suspect.call.span_id if suspect.call else b""
