"""The attributes that repeat from run to run, built once each.

Owns which attributes a verdict and a violation carry. Building one through the
generated classes costs about 1 us, and a verdict has three dozen. So what repeats (whose
verdict; how the run closed; what is said of it; which check on which tool) is kept as
the bytes of a span that holds nothing else, and merged into each new one: in the wire
format, joining two messages joins their repeated fields.
"""

from collections.abc import Iterable
from functools import lru_cache

from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from surefoot.emit.sent import Plan
from surefoot.emit.texts import Texts
from surefoot.model import (
    Evidence,
    Outcome,
    OutputGrade,
    PathGrade,
    Severity,
    Step,
    Verdict,
    Violation,
)

#: (key, value) of attributes; None is left out.
Pairs = Iterable[tuple[str, str | int | float | None]]

_KEPT = 1024
#: A longer explanation will hardly come again, and would fill the cache.
_EXPLANATION_KEPT = 256
_SCORES = {PathGrade.OK: 1.0, PathGrade.VIOLATED: 0.0}
_LEVELS = tuple(Evidence)
_EVALUATION = "trace.evaluations.0.evaluation"

_Whose = tuple[str, str, str, str, str, PathGrade, OutputGrade, str]
_Facts = tuple[int, str, tuple[int, ...], str, frozenset[Evidence], str, int]
_Saying = tuple[str, PathGrade, OutputGrade, str]
_Broken = tuple[str, str, str, str, tuple[str, str] | None]


class Blocks:
    """Attributes, and a verdict's event, but for what is one run's alone."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._whose = lru_cache(_KEPT)(self._build_whose)
        self._facts = lru_cache(_KEPT)(self._build_facts)
        self._said = lru_cache(_KEPT)(self._build_said)
        self._broken = lru_cache(_KEPT)(self._build_broken)

    def of(self, plan: Plan, verdict: Verdict, explanation: str) -> bytes:
        """As a span's bytes. The event in it has no time yet."""
        run = plan.run
        grades = (verdict.path, verdict.output)
        found = [violation.severity for violation in verdict.violations]
        whose = self._whose(
            (
                verdict.spec,
                verdict.spec_hash,
                plan.specs_hash,
                run.service,
                run.agent,
                *grades,
                verdict.output_source,
            )
        )
        facts = self._facts(
            (
                len(run.steps),
                ", ".join(dict.fromkeys(violation.check for violation in verdict.violations)),
                tuple([found.count(severity) for severity in Severity]) if found else (0, 0, 0),
                "; ".join([f"{one.check}: {one.reason}" for one in verdict.undecided]),
                run.levels,
                run.reason.value,
                plan.after.revision,
            )
        )
        say = self._said if len(explanation) <= _EXPLANATION_KEPT else self._build_said
        return whose + facts + say((verdict.spec, *grades, explanation))

    def of_violation(self, spec: str, violation: Violation, step: Step | None) -> bytes:
        """Which check, and on whose step, as a span's bytes."""
        place = (step.tool, step.agent) if step else None
        arg = self._texts.argument(violation.arg)
        return self._broken((spec, violation.check, violation.severity.value, arg, place))

    def _build_whose(self, whose: _Whose) -> bytes:
        """Spec, service, agent and grades."""
        spec, spec_hash, specs_hash, service, agent, path, output, source = whose
        name = self._texts.name
        outcome = Outcome.of(path, output).value
        span = Span()
        add(
            span,
            (
                ("openinference.span.kind", "EVALUATOR"),
                ("input.mime_type", "text/plain"),
                ("output.mime_type", "text/plain"),
                ("surefoot.spec.name", name(spec)),
                ("surefoot.spec.hash", spec_hash),
                ("surefoot.specs.hash", specs_hash or None),
                ("surefoot.service", name(service)),
                ("surefoot.agent", name(agent)),
                ("surefoot.outcome", outcome),
                ("surefoot.path.grade", path.value),
                ("surefoot.output.grade", output.value),
                ("surefoot.output.source", name(source)),
                (f"{_EVALUATION}.name", name(spec)),
                (f"{_EVALUATION}.label", outcome),
                (f"{_EVALUATION}.score", _SCORES.get(path)),
                (f"{_EVALUATION}.annotator_kind", "CODE"),
            ),
        )
        return span.SerializeToString()

    def _build_facts(self, facts: _Facts) -> bytes:
        """Counts, lists of checks, and how the run closed."""
        steps, violated, counts, undecided, levels, reason, revision = facts
        span = Span()
        add(
            span,
            (
                ("surefoot.steps", steps),
                ("surefoot.violated", self._texts.message(violated)),
                *(
                    (f"surefoot.violations.{severity.value}", count)
                    for severity, count in zip(Severity, counts, strict=True)
                ),
                ("surefoot.inconclusive", self._texts.message(undecided)),
                ("surefoot.evidence", ", ".join(one.value for one in _LEVELS if one in levels)),
                ("surefoot.close_reason", reason),
                ("surefoot.revision", revision),
            ),
        )
        return span.SerializeToString()

    def _build_said(self, saying: _Saying) -> bytes:
        """The explanation, also as OTel's GenAI conventions tell an evaluation."""
        spec, path, output, explanation = saying
        outcome = Outcome.of(path, output).value
        span = Span()
        add(
            span,
            (
                ("output.value", f"{outcome}: {explanation}"),
                (f"{_EVALUATION}.explanation", explanation),
            ),
        )
        add(
            span.events.add(name="gen_ai.evaluation.result"),
            (
                ("gen_ai.evaluation.name", self._texts.name(spec)),
                ("gen_ai.evaluation.score.value", _SCORES.get(path)),
                ("gen_ai.evaluation.score.label", outcome),
                ("gen_ai.evaluation.explanation", explanation),
            ),
        )
        return span.SerializeToString()

    def _build_broken(self, broken: _Broken) -> bytes:
        """A violation's check, severity and step."""
        spec, check, severity, arg, place = broken
        name = self._texts.name
        span = Span()
        add(
            span,
            (
                ("openinference.span.kind", "EVALUATOR"),
                ("surefoot.spec.name", name(spec)),
                ("surefoot.violation.check", name(check)),
                ("surefoot.violation.severity", severity),
                ("surefoot.step.arg", name(arg) or None),
                ("surefoot.step.tool", name(place[0]) if place else None),
                ("surefoot.step.agent", name(place[1]) if place else None),
            ),
        )
        return span.SerializeToString()


def add(holder: Resource | Span | Span.Event, pairs: Pairs) -> None:
    """Append attributes to whatever holds some."""
    append = holder.attributes.add
    for key, value in pairs:
        if value is None:
            continue
        attribute = append()
        attribute.key = key
        if isinstance(value, str):
            attribute.value.string_value = value
        elif isinstance(value, int):
            attribute.value.int_value = value
        else:
            attribute.value.double_value = value
