"""What a run may take: `budget`.

Owns the totals and the time of each call. Knows no tool's work. A budget of which the
spans tell nothing warns: who set it believes to be guarded.

Totals are the run's, whichever agents are judged. Duration is from the start of the first
span to the end of the last one. A call that is known from the model's words alone has no
duration.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from surefoot.duration import format_duration
from surefoot.evaluate.check import BLIND, TWICE, Kind, Needs
from surefoot.evaluate.names import NameSet
from surefoot.evaluate.view import View
from surefoot.model import Severity, Source, Violation


@dataclass(frozen=True, slots=True)
class CallTime:
    """How long a call of these tools may take. label: as messages name them."""

    label: str
    names: NameSet
    most_ns: int


@dataclass(frozen=True, slots=True)
class Budget:
    """No total is over its bound, and no call takes longer than its tool may.

    step_durations: of several that mean a call the first counts. cost: in the currency of
    the spans. Calls over their time are a violation each.
    """

    id: str
    severity: Severity = Severity.SOFT
    duration_ns: int | None = None
    step_durations: tuple[CallTime, ...] = ()
    tokens: int | None = None
    llm_calls: int | None = None
    cost: float | None = None
    kind: ClassVar[Kind] = Kind.SEEN

    @property
    def needs(self) -> Needs:
        """The seen kind's; but only the time of calls passes for want of calls."""
        return Needs(violation=TWICE, clean=TWICE | BLIND if self.step_durations else TWICE)

    def __call__(self, view: View) -> Iterator[Violation]:
        """See `Check`."""
        run = view.run
        took = run.end_ns - run.start_ns
        if self.duration_ns is not None and took > self.duration_ns:
            yield self._over("duration", format_duration(took), format_duration(self.duration_ns))
        yield from self._calls(view)
        # A run without a model's span has asked none, as far as the spans tell.
        totals = (
            ("tokens", "tokens", run.tokens, self.tokens),
            ("llm_calls", "LLM calls", run.llm_calls or None, self.llm_calls),
            ("cost", "of cost", run.cost, self.cost),
        )
        for key, noun, spent, most in totals:
            if most is None:
                continue
            if spent is None:
                yield self._unknown(key, "no span tells of any", None)
            elif spent > most:
                yield self._over(key, f"{_number(spent)} {noun}", _number(most))

    def _calls(self, view: View) -> Iterator[Violation]:
        bounds: dict[str, CallTime | None] = {}
        unknown: list[int] = []
        meant = 0
        for index in view.ran if self.step_durations else ():
            tool = view.steps[index].tool
            if tool not in bounds:
                bounds[tool] = next(
                    (one for one in self.step_durations if view.covers(one.names, index)), None
                )
            bound = bounds[tool]
            if bound is None:
                continue
            meant += 1
            start_ns, end_ns = view.spans[index]
            if view.evidence[index].source is Source.LLM:
                unknown.append(index)
            elif end_ns - start_ns > bound.most_ns:
                took, most = format_duration(end_ns - start_ns), format_duration(bound.most_ns)
                yield Violation(
                    self.id,
                    self.severity,
                    f"{tool} took {took} > max {most}",
                    step=index,
                    expected=f"{bound.label} takes at most {most}",
                    observed=took,
                    subject="step_duration",
                )
        if unknown:
            what = f"no span tells how long {len(unknown)} of {meant} calls took"
            yield self._unknown("step_duration", what, unknown[0])

    def _over(self, key: str, spent: str, most: str) -> Violation:
        return Violation(
            self.id,
            self.severity,
            f"{spent} > max {most}",
            expected=f"{key} of at most {most}",
            observed=spent,
            subject=key,
        )

    def _unknown(self, key: str, what: str, step: int | None) -> Violation:
        return Violation(
            self.id,
            Severity.WARN,
            f"budget {key} has no data: {what}",
            step=step,
            expected=f"spans that tell of {key}",
            observed=what,
            subject=key,
        )


def _number(value: float) -> str:
    """A number without what adding up floats leaves behind."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"
