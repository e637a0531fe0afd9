"""What a test of an agent has at hand, judged as `surefoot check` judges files.

Owns what may be given (OTLP files and folders, spans in memory; specs as a path, a dict
or a `Spec`) and what a test gets back. Knows no test runner: it says what gates, and the
caller makes a failure of it. Spans in memory are encoded and read as if they had been
sent, and the runs in them are judged, gated and printed by the command's own parts.
"""

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from surefoot.cli.gate import FailOn, Judged, faults, gates
from surefoot.cli.offline import runs
from surefoot.cli.origins import Origins
from surefoot.cli.read import Request, requests
from surefoot.cli.report import report
from surefoot.emit.texts import Texts
from surefoot.errors import InputError
from surefoot.evaluate import judge, mask
from surefoot.model import Run, Step, Verdict, Violation
from surefoot.receive import finished
from surefoot.specs.given import given, is_path

#: Spans in memory stand in no file, and no line on them begins with one.
_NO_FILE = ""
_SOURCES = "give OTLP files, folders of them, or the spans of an InMemorySpanExporter"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What all specs said of all runs.

    judged: a run and its verdicts each; runs in order of start. text: what
    `surefoot check` prints of them. gating: why a test must fail, a sentence each.
    faults: why the judgement cannot be relied on. undecided: the checks that the
    evidence could not decide and why, a sentence each.
    """

    judged: tuple[Judged, ...]
    text: str
    gating: tuple[str, ...]
    faults: tuple[str, ...]
    undecided: tuple[str, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        """Every run."""
        return tuple(one.run for one in self.judged)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every verdict, run by run."""
        return tuple(verdict for one in self.judged for verdict in one.verdicts)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Every violation, verdict by verdict."""
        return tuple(one for verdict in self.verdicts for one in verdict.violations)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every tool call, run by run."""
        return tuple(step for run in self.runs for step in run.steps)

    @property
    def run(self) -> Run:
        """The run, where there is one.

        Raises:
            ValueError: There are several.
        """
        (one,) = self.runs
        return one

    @property
    def verdict(self) -> Verdict:
        """The verdict, where there is one: one run that one spec judged.

        Raises:
            ValueError: There are several.
        """
        (one,) = self.verdicts
        return one


def judgement(
    source: object, spec: object, *, fail_on: Iterable[str] = (), unit: str = "trace"
) -> Judgement:
    """Judge every run in `source` by every spec that it meets.

    Args:
        source: A path or paths of OTLP files and folders, or finished spans of the SDK.
        spec: A path or paths, or one or several dicts of a spec's keys and `Spec`s.
        fail_on: What gates, as `--fail-on` has it; nothing for the command's own rule.
        unit: What is one run, as `--unit` has it.

    Raises:
        InputError: The source is no OTLP, or nothing that can be judged.
        SpecError: A spec is wrong; a line for each problem.
        ValueError: `fail_on` or `unit` names what is none.
    """
    wanted = frozenset(_named(fail_on))
    if unit not in ("trace", "agent", "session"):
        raise ValueError(f"unit={unit!r} is none of trace, agent, session")
    loaded = given(spec)
    origins = Origins()
    judged = [
        Judged(run, tuple(judge(run, one) for one in loaded.matching(run)))
        for run in runs(_requests(source), loaded, unit=unit, origins=origins)
    ]
    gating = gates(judged, wanted)
    return Judgement(
        judged=tuple(judged),
        text=_text(judged, gating, origins),
        gating=tuple(gating),
        faults=tuple(faults(judged)),
        undecided=tuple(_undecided(judged)),
    )


def _named(fail_on: Iterable[str]) -> Iterator[FailOn]:
    for name in (fail_on,) if isinstance(fail_on, str) else fail_on:
        if name not in tuple(FailOn):
            raise ValueError(f"fail_on={name!r} is none of {', '.join(FailOn)}")
        yield FailOn(name)


def _text(judged: Sequence[Judged], gating: Sequence[str], origins: Origins) -> str:
    out = io.StringIO()
    console = Console(file=out, soft_wrap=True, highlight=False, markup=False, emoji=False)
    report(console, judged, gating, Texts(mask), origins)
    return out.getvalue()


def _undecided(judged: Sequence[Judged]) -> Iterator[str]:
    """Say in how many runs each check could not be decided, and why."""
    verdicts = [verdict for one in judged for verdict in one.verdicts]
    found = Counter((v.spec, one.check, one.reason) for v in verdicts for one in v.undecided)
    for (spec, check, reason), number in found.items():
        noun = "run" if number == 1 else "runs"
        yield mask(f"{spec}: {check} could not be decided ({reason}) in {number} {noun}")


def _requests(source: object) -> Iterable[Request]:
    """The requests in files, or the one that the spans would have been sent in."""
    given = [source] if is_path(source) else source
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise InputError(f"{type(source).__name__} is no source of runs; {_SOURCES}")
    things = list(given)
    if not things:
        raise InputError("no span was given: nothing was recorded, or it was not flushed")
    if all(map(is_path, things)):
        return requests([Path(thing) for thing in things])
    return [Request(finished.to_protobuf(things), _NO_FILE)]
