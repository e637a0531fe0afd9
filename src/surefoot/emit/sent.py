"""What has left of a run's judgement, and what must leave next.

Owns the rules of amendments. Knows no wire format and does no I/O: a `Plan` says what
to send, and `Plan.after` is what to remember once it stands in the sender's queue.

A violation leaves once. One found again is the one that is out: the same check and
subject, on a step that knows the other's span or call, since steps are merged from
several spans and the span that a step is known by may change when late spans come. It
keeps the id, parent and start with which it left. One that left early and is found on
another call alone is that one too: of the calls of a forbidden tool the first is reported,
and an earlier one may come later. `Sent.out` keeps every violation ever
sent, also those that a later verdict no longer found; `withdrawn` names, with each
verdict anew, all that are out and not found, so that the newest verdict stands alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from surefoot.emit.ids import verdict_id, violation_id
from surefoot.model import Run, StepEvidence, Verdict, Violation

#: (span id, call id) by which a step is known; the call id may be empty.
Place = tuple[bytes, str]

_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Out:
    """A violation span that is out. places: by what its step has been known so far."""

    check: str
    subject: str
    places: tuple[Place, ...]
    span_id: bytes
    parent_id: bytes
    start_ns: int
    #: Where it stands: the trace of its step; of a session that may be an earlier one.
    trace_id: bytes = b""
    #: It left while the trace was open.
    early: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """What is out for one run and spec.

    trace_id: where the verdict that is out stands.

    revision: -1 while only early violations left. content: a digest of the verdict
    that is out, to see whether an amendment alters anything.
    """

    revision: int = -1
    verdict_id: bytes = b""
    content: bytes = b""
    out: tuple[Out, ...] = ()
    trace_id: bytes = b""


@dataclass(slots=True)
class Plan:
    """What to send for one run and spec; nobody changes one.

    emit: whether anything leaves. verdict: None for an early plan: violations alone.
    violations: all that were found, each with its span. new: the indices of those
    that leave now. replaces: the replaced verdict's span id, or empty, and replaces_in
    the trace in which it stands. withdrawn: span
    ids of the violations that are out and not found. after: what is out then.
    specs_hash: of the set of specs by which the run was judged; empty if nobody told.
    """

    run: Run
    spec: str
    violations: tuple[tuple[Violation, Out], ...]
    new: tuple[int, ...]
    after: Sent
    emit: bool
    verdict: Verdict | None = None
    replaces: bytes = b""
    replaces_in: bytes = b""
    withdrawn: tuple[bytes, ...] = ()
    specs_hash: str = ""

    @property
    def new_violations(self) -> list[tuple[Violation, Out]]:
        """The violations that leave now: the ones to count."""
        return [self.violations[index] for index in self.new]

    @property
    def is_first(self) -> bool:
        """Whether this is the run's first verdict: the one to count.

        Of a plan with a verdict, what is not first amends, also where nothing leaves.
        """
        return self.emit and self.verdict is not None and not self.replaces


def plan(run: Run, verdict: Verdict, before: Sent | None = None, *, specs_hash: str = "") -> Plan:
    """What a verdict, first or again, makes us send. O(violations) unless many match."""
    sent = before or Sent()
    found, new, out = _place(run, verdict.spec, verdict.violations, sent.out)
    held = {one.span_id for one in found}
    content = _content(run, verdict, found)
    paired = tuple(zip(verdict.violations, found, strict=True))
    if sent.verdict_id and content == sent.content:
        after = replace(sent, out=out)
        return Plan(run, verdict.spec, paired, (), after, emit=False, verdict=verdict)
    revision = sent.revision + 1
    span_id = verdict_id(run.trace_id, run.key, verdict.spec, revision)
    return Plan(
        run=run,
        spec=verdict.spec,
        violations=paired,
        new=new,
        after=Sent(revision, span_id, content, out, run.trace_id),
        emit=True,
        verdict=verdict,
        replaces=sent.verdict_id,
        replaces_in=sent.trace_id or run.trace_id,
        withdrawn=tuple(one.span_id for one in out if one.span_id not in held),
        specs_hash=specs_hash,
    )


def plan_early(
    run: Run, spec: str, violations: Sequence[Violation], before: Sent | None = None
) -> Plan:
    """What violations found while the trace is open make us send: their spans alone.

    `run` needs trace id, key, service, root, steps and evidence only. What an early
    look does not find is not withdrawn: it looks at new spans only.
    """
    sent = before or Sent()
    found, new, out = _place(run, spec, violations, sent.out, early=True)
    paired = tuple(zip(violations, found, strict=True))
    return Plan(run, spec, paired, new, replace(sent, out=out), emit=bool(new))


def _place(
    run: Run,
    spec: str,
    violations: Sequence[Violation],
    out: tuple[Out, ...],
    *,
    early: bool = False,
) -> tuple[list[Out], tuple[int, ...], tuple[Out, ...]]:
    """Give each violation its span: one that is out, or a new one.

    Returns:
        The spans, aligned with `violations`; the indices of the new ones; all that
        are out afterwards.
    """
    if not violations:
        return [], (), out
    steps = [_evidence(run, violation) for violation in violations]
    matched = _match(violations, steps, out) if out else {}
    if any(one.early for one in out):
        _match_elsewhere(violations, steps, out, matched)
    taken = {one.span_id for one in out}
    found: list[Out] = []
    new: list[int] = []
    ordinals: dict[tuple[object, ...], int] = {}
    for index, (violation, step) in enumerate(zip(violations, steps, strict=True)):
        old = matched.get(index)
        if old is not None:
            places = tuple(dict.fromkeys((*out[old].places, *_places(step))))
            found.append(replace(out[old], places=places))
            continue
        fresh = _fresh(run, spec, violation, step, ordinals, taken)
        fresh = replace(fresh, early=True) if early else fresh
        taken.add(fresh.span_id)
        found.append(fresh)
        new.append(index)
    known = {one.span_id: one for one in found}
    kept = [known.get(one.span_id, one) for one in out]
    return found, tuple(new), (*kept, *(found[index] for index in new))


def _fresh(
    run: Run,
    spec: str,
    violation: Violation,
    step: StepEvidence | None,
    ordinals: dict[tuple[object, ...], int],
    taken: set[bytes],
) -> Out:
    """A violation span that has not left yet, under an id that none has."""
    span_id, call_id = (step.span_id, step.call_id) if step else (b"", "")
    key = (violation.check, span_id, call_id, violation.subject)
    while True:
        ordinal = ordinals.get(key, 0)
        ordinals[key] = ordinal + 1
        derived = violation_id(
            run.trace_id,
            run.key,
            spec,
            check=violation.check,
            span_id=span_id,
            call_id=call_id,
            subject=violation.subject,
            ordinal=ordinal,
        )
        if derived not in taken:
            break
    return Out(
        check=violation.check,
        subject=violation.subject,
        places=_places(step),
        span_id=derived,
        parent_id=span_id or run.root.span_id,
        start_ns=step.start_ns if step else run.start_ns,
        trace_id=(step.trace_id if step else b"") or run.trace_id,
    )


def _match(
    violations: Sequence[Violation], steps: list[StepEvidence | None], out: tuple[Out, ...]
) -> dict[int, int]:
    """Which violation is which of those that are out, one to one.

    The surest sign first: the same span and call; the same span where one of them
    knows no call; the same call. One model span asks for several calls, and some
    frameworks use a call id anew in each turn, so neither alone is sure.
    """
    rules = (_signs_of_both, _signs_of_span, _signs_of_call)
    matched: dict[int, int] = {}
    taken: set[int] = set()
    for rule in rules:
        waiting: dict[tuple[object, ...], list[int]] = {}
        for at, one in enumerate(out):
            if at not in taken:
                for sign in rule(one.places):
                    waiting.setdefault((one.check, one.subject, *sign), []).append(at)
        for index, (violation, step) in enumerate(zip(violations, steps, strict=True)):
            if index in matched:
                continue
            for sign in rule(_places(step)):
                free = waiting.get((violation.check, violation.subject, *sign), ())
                at = next((at for at in free if at not in taken), -1)
                if at >= 0 and _may_be(_places(step), out[at].places):
                    matched[index] = at
                    taken.add(at)
                    break
    return matched


def _match_elsewhere(
    violations: Sequence[Violation],
    steps: list[StepEvidence | None],
    out: tuple[Out, ...],
    matched: dict[int, int],
) -> None:
    """Add to `matched` those that left early and stand nowhere yet."""
    taken = set(matched.values())
    for at, one in enumerate(out):
        if one.early and at not in taken:
            index = _elsewhere(one, violations, steps, matched)
            if index is not None:
                matched[index] = at


def _elsewhere(
    one: Out,
    violations: Sequence[Violation],
    steps: list[StepEvidence | None],
    matched: dict[int, int],
) -> int | None:
    """Which violation an early one is: of its subject, else of its span.

    The tool's name, often the subject, is that of another span of the call by now.
    """
    left = [at for at, found in enumerate(violations) if found.check == one.check]
    left = [at for at in left if at not in matched]
    same = (at for at in left if violations[at].subject == one.subject)
    spans = set(_signs_of_span(one.places))
    near = (at for at in left if not spans.isdisjoint(_signs_of_span(_places(steps[at]))))
    return next(same, next(near, None))


def _signs_of_both(places: tuple[Place, ...]) -> Iterable[tuple[object, ...]]:
    """The pairs; what no step offends has one sign: having no place."""
    return places or (("no step",),)


def _signs_of_span(places: tuple[Place, ...]) -> Iterable[tuple[object, ...]]:
    return ((span_id,) for span_id, _ in places if span_id)


def _signs_of_call(places: tuple[Place, ...]) -> Iterable[tuple[object, ...]]:
    return ((call_id,) for _, call_id in places if call_id)


def _may_be(places: tuple[Place, ...], others: tuple[Place, ...]) -> bool:
    """Whether two steps can be one: no shared call is fine only if one knows none."""
    calls = {call_id for _, call_id in places if call_id}
    other_calls = {call_id for _, call_id in others if call_id}
    return not calls or not other_calls or not calls.isdisjoint(other_calls)


def _evidence(run: Run, violation: Violation) -> StepEvidence | None:
    return None if violation.step is None else run.evidence[violation.step]


def _places(step: StepEvidence | None) -> tuple[Place, ...]:
    if step is None:
        return ()
    return tuple(dict.fromkeys(((step.span_id, step.call_id), *step.merged)))


def _content(run: Run, verdict: Verdict, found: list[Out]) -> bytes:
    """A digest of what a verdict says; the close reason and the times are not of it."""
    said = (
        verdict.path + " " + verdict.output,
        verdict.output_source,
        run.service,
        run.agent,
        [step.tool for step in run.steps],
        " ".join(sorted(run.levels)),
        [(check.check, check.reason) for check in verdict.undecided],
        [
            (out.span_id, one.severity.value, one.message, one.step)
            for one, out in zip(verdict.violations, found, strict=True)
        ],
    )
    return blake2b(repr(said).encode(), digest_size=_DIGEST_BYTES).digest()
