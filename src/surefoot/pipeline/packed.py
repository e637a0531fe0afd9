"""A judged run as few bytes, for a grade that comes when its spans are gone.

Owns what is kept of a run so that its verdict can leave again with another output's
grade: the same path, violations and trajectory. Results are not kept, nor is more of
arguments than a verdict shows; they are masked before they are cut, since half a secret
is one that no mask knows. Of the evidence that of the offending steps alone is kept.

Why: up to 50,000 verdicts are remembered, and the least objects that say this much take some
kilobytes a run. Packed, the 255 recorded runs (3 calls each) take 380 bytes on average
and 1,023 at most; packing one takes 40 us, unpacking 25, and judging it by the example's
spec 114, on a shared Xeon with Python 3.11. (2026-12.)
"""

import pickle
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import orjson

from surefoot.emit.encode import PROJECT
from surefoot.emit.texts import ARGS_SHOWN, STEPS_SHOWN, VALUE_SHOWN
from surefoot.evaluate.values import text_of
from surefoot.model import (
    Evidence,
    OutputGrade,
    PathGrade,
    Reason,
    Resource,
    Root,
    Run,
    Severity,
    Step,
    StepEvidence,
    Undecided,
    Verdict,
    Violation,
)

Mask = Callable[[str], str]

#: Longer texts are cut to this before they are masked: a mask costs what a text is long.
_LOOKED_AT = 8192
#: Fast, and within a tenth of what the best level gains on so little.
_LEVEL = 1


class Unpacked(NamedTuple):
    """What is left of a judged run. answers: see `evaluate.outputs.answers`."""

    run: Run
    verdict: Verdict
    answers: tuple[bool | None, ...]


def pack(run: Run, verdict: Verdict, answers: tuple[bool | None, ...], mask: Mask) -> bytes:
    """Pack what a verdict's span shows of a run. O(steps + violations)."""
    offending = {one.step for one in verdict.violations if one.step is not None}
    told = (
        _run(run),
        [
            (step.tool, step.agent, _args(step, mask) if index < STEPS_SHOWN else {})
            for index, step in enumerate(run.steps)
        ],
        [(index, _evidence(run.evidence[index])) for index in sorted(offending)],
        (verdict.spec, verdict.spec_hash, verdict.path.value),
        [_violation(one) for one in verdict.violations],
        [(one.check, one.reason) for one in verdict.undecided],
        verdict.crashed,
        answers,
    )
    return zlib.compress(pickle.dumps(told, pickle.HIGHEST_PROTOCOL), _LEVEL)


def unpack(packed: bytes) -> Unpacked:
    """What was packed; the verdict's output is for the caller to grade."""
    run, steps, evidence, spec, violations, undecided, crashed, answers = pickle.loads(  # noqa: S301 - what `pack` made, and it never leaves the process
        zlib.decompress(packed)
    )
    of_step = {index: _read_evidence(known) for index, known in evidence}
    nothing = StepEvidence(b"", 0, 0)
    return Unpacked(
        _read_run(
            run,
            [Step(tool, args, agent=agent) for tool, agent, args in steps],
            [of_step.get(index, nothing) for index in range(len(steps))],
        ),
        Verdict(
            spec=spec[0],
            spec_hash=spec[1],
            path=PathGrade(spec[2]),
            output=OutputGrade.UNKNOWN,
            output_source="",
            violations=tuple(
                Violation(check, Severity(severity), *rest) for check, severity, *rest in violations
            ),
            undecided=tuple(Undecided(*one) for one in undecided),
            crashed=tuple(crashed),
        ),
        tuple(answers),
    )


def _run(run: Run) -> tuple[Any, ...]:
    root, project = run.root, run.resource.attributes.get(PROJECT)
    return (
        (run.trace_id, run.key, run.service, run.agent, run.session),
        (root.span_id, root.start_ns, root.end_ns, root.above),
        project if isinstance(project, str) else None,
        [level.value for level in run.levels],
        run.reason.value,
        (run.start_ns, run.end_ns),
    )


def _read_run(told: tuple[Any, ...], steps: list[Step], evidence: list[StepEvidence]) -> Run:
    (trace_id, key, service, agent, session), root, project, levels, reason, times = told
    span_id, start_ns, end_ns, above = root
    return Run(
        trace_id=trace_id,
        key=key,
        service=service,
        agent=agent,
        session=session,
        root=Root(span_id, start_ns, end_ns, above=tuple(above)),
        resource=Resource(service, {} if project is None else {PROJECT: project}),
        steps=steps,
        evidence=evidence,
        levels=frozenset(map(Evidence, levels)),
        reason=Reason(reason),
        start_ns=times[0],
        end_ns=times[1],
    )


def _args(step: Step, mask: Mask) -> dict[str, Any]:
    """As much of the arguments as a verdict shows; one more, so that it tells of the rest."""
    kept = dict(list(step.args.items())[:ARGS_SHOWN])
    args = {str(key): _value(value, mask) for key, value in kept.items()}
    return args | {f"… {n}": None for n in range(len(step.args) - ARGS_SHOWN)}


def _value(value: Any, mask: Mask) -> Any:
    """A short value as it is; of a long one the beginning of its text."""
    if value is None or isinstance(value, bool | float):
        return value
    text = value if isinstance(value, str) else _json(value)
    if len(text) <= VALUE_SHOWN:
        return value
    masked = mask(text[:_LOOKED_AT])
    return masked[: len(masked) // 2 if len(text) > _LOOKED_AT else None][: 2 * VALUE_SHOWN]


def _json(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a number beyond 64 bits, a broken text, bytes
        return text_of(value)


def _evidence(known: StepEvidence) -> tuple[Any, ...]:
    return (
        known.span_id,
        known.start_ns,
        known.end_ns,
        known.call_id,
        known.merged,
        known.trace_id,
    )


def _read_evidence(told: tuple[Any, ...]) -> StepEvidence:
    span_id, start_ns, end_ns, call_id, merged, trace_id = told
    return StepEvidence(span_id, start_ns, end_ns, call_id, merged=merged, trace_id=trace_id)


def _violation(one: Violation) -> tuple[Any, ...]:
    return (
        one.check,
        one.severity.value,
        one.message,
        one.step,
        one.expected,
        one.observed,
        one.subject,
        one.arg,
    )
