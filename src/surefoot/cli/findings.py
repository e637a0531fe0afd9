"""What `check` has to say of each run, one finding at a time, whatever the format.

Owns which findings there are and in which order: of each run and spec its violations as
they were found, what could not be decided, an output that failed; of a run that met no
spec that it did. Every text here has passed the secrets mask and holds no control
character, so a format has nothing left to clean. Knows no format, and judges nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from surefoot.cli.gate import Gate, Judged
from surefoot.cli.origins import Origins, Place
from surefoot.cli.show import plain
from surefoot.emit.texts import Texts
from surefoot.model import OutputGrade, Run, Severity, Verdict, Violation


class Word(StrEnum):
    """What a finding is, in a word."""

    HARD = "hard"
    SOFT = "soft"
    WARN = "warn"
    INCONCLUSIVE = "inconclusive"
    FAIL = "fail"
    UNMATCHED = "unmatched"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to say of one run.

    spec: empty for a run that met none. check: `output` for an output that failed, empty
    for a run that met no spec. step, tool: None and empty where no step is meant.
    key: what tells the finding from others of its run and stays when steps shift; it has
    not passed the mask and must not be shown. crashed: the check tripped over the run.
    gates: it makes `check` exit with 1.
    """

    run: Run
    spec: str
    check: str
    word: Word
    message: str
    place: Place
    step: int | None = None
    tool: str = ""
    key: tuple[str, ...] = ()
    crashed: bool = False
    gates: bool = False

    @property
    def trace(self) -> str:
        """The trace id in hex."""
        return self.place.trace_id.hex()

    @property
    def at(self) -> str:
        """The step as it ends a sentence: `, step 1 issue_refund`; empty without one."""
        return "" if self.step is None else f", step {self.step} {self.tool}"


#: The name under which a failed output is told of.
OUTPUT = "output"


class Findings:
    """Tells findings: with these texts, at the places where the spans stand."""

    def __init__(
        self, texts: Texts, origins: Origins | None = None, gate: Gate | None = None
    ) -> None:
        self._texts = texts
        self.origins = origins or Origins()
        self._gate = gate or Gate()

    def of_all(self, judged: Sequence[Judged]) -> Iterator[Finding]:
        """Every finding, run by run."""
        for one in judged:
            yield from self.of(one)

    def of(self, one: Judged) -> Iterator[Finding]:
        """The findings on one run."""
        for verdict in one.verdicts:
            yield from self.of_verdict(one.run, verdict)
        if not one.verdicts:
            told = f"{self.name(one.run.service)}/{self.name(one.run.agent)} met no spec"
            place = self.origins.place(one.run)
            yield Finding(one.run, "", "", Word.UNMATCHED, told, place)

    def of_verdict(self, run: Run, verdict: Verdict) -> Iterator[Finding]:
        """The findings of one verdict."""
        gating = self._gate.undecided(verdict)
        for violation in verdict.violations:
            yield self._violation(run, verdict, violation)
        for undecided in verdict.undecided:
            yield Finding(
                run,
                verdict.spec,
                undecided.check,
                Word.INCONCLUSIVE,
                plain(self._texts.message(undecided.reason)),
                self.origins.place(run),
                key=(verdict.spec, undecided.check, run.service, run.agent),
                crashed=undecided.check in verdict.crashed,
                gates=undecided in gating,
            )
        if verdict.output is OutputGrade.FAILED:
            yield Finding(
                run,
                verdict.spec,
                OUTPUT,
                Word.FAIL,
                f"the output failed ({verdict.output_source})",
                self.origins.place(run),
                key=(verdict.spec, OUTPUT, run.service, run.agent),
                gates=self._gate.output(verdict),
            )

    def _violation(self, run: Run, verdict: Verdict, violation: Violation) -> Finding:
        step = None if violation.step is None else run.steps[violation.step]
        tool, agent = (step.tool, step.agent) if step else ("", run.agent)
        what = (violation.check, run.service, agent, tool, violation.arg, violation.subject)
        return Finding(
            run,
            verdict.spec,
            violation.check,
            _WORDS[violation.severity],
            plain(self._texts.violation(violation, run)),
            self.origins.place(run, violation.step),
            violation.step,
            self.name(tool),
            (verdict.spec, *what),
            gates=self._gate.violation(verdict.spec, violation),
        )

    def name(self, text: str) -> str:
        """A name that came with the telemetry, as it may be shown."""
        return plain(self._texts.name(text))


_WORDS = {severity: Word(severity.value) for severity in Severity}
