"""What tells whether a run's output was ok, in the order in which a spec asks.

Owns the sources and what each takes for an answer: True, False, or None where it cannot
tell and the next one is asked. Knows no check and no path. Where the sender leaves it
open what a word means, no meaning is made up: a score has no direction by itself
(OpenInference says so), and `true` may be the answer to "is it toxic?".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Protocol

from surefoot.evaluate.predicates import Predicate
from surefoot.evaluate.reading import Reading
from surefoot.evaluate.schemas import Schema, UnreadableError, for_texts
from surefoot.evaluate.values import text_of
from surefoot.evaluate.view import Scope, View
from surefoot.model import Cut, Evidence, Grade, OutputGrade, Run, Value

#: The attribute of the run's root by which an application says how its answer was.
OUTPUT_OK = "surefoot.output_ok"
#: Where nothing tells how the output was.
NO_SOURCE = "none"

_WORDS = {"true": True, "1": True, "false": False, "0": False}
#: Labels that are good or bad whatever the question was.
_GOOD = "pass passed correct good ok okay success successful acceptable accepted satisfactory"
_BAD = "fail failed failure incorrect wrong bad unsuccessful unacceptable rejected unsatisfactory"
_PLAIN = dict.fromkeys(_GOOD.split(), True) | dict.fromkeys(_BAD.split(), False)
#: Labels that are so only of a question that the spec's author knows.
_NAMED = {**_PLAIN, "true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_SCORES = {1.0: True, 0.0: False}


class OutputSource(Protocol):
    """One place that may tell whether the output was ok."""

    @property
    def kind(self) -> str:
        """What verdicts and metrics call it."""
        ...

    def __call__(self, run: Run) -> bool | None:
        """Whether the output of `run` was ok; None if this source does not tell."""
        ...


@dataclass(frozen=True, slots=True)
class FromAttribute:
    """A true or false attribute of the run's root, also one written as text or number."""

    key: str
    kind: ClassVar[str] = "attribute"

    def __call__(self, run: Run) -> bool | None:
        """See `OutputSource`."""
        return _truth(run.root.attributes.get(self.key))


@dataclass(frozen=True, slots=True)
class Structural:
    """Whether the answer looks right by its structure; see `Run.flaw`."""

    kind: ClassVar[str] = "structural"

    def __call__(self, run: Run) -> bool | None:
        """See `OutputSource`."""
        return None if run.flaw is None else not run.flaw


@dataclass(frozen=True, slots=True, eq=False)
class Passing:
    """Which grades pass. labels: in lower case. scores: of the score, None for any."""

    labels: frozenset[str] = frozenset()
    numbers: tuple[float, ...] = ()
    scores: Predicate | None = None

    @classmethod
    def of(cls, told: Mapping[str, Any] | Sequence[Any]) -> "Passing":
        """Read labels and scores that pass, or operators on the score."""
        if isinstance(told, Mapping):
            return cls(scores=Predicate.of(told))
        plain = [one for one in told if isinstance(one, str | bool)]
        numbers = [one for one in told if not isinstance(one, str | bool)]
        return cls(frozenset(_plain(text_of(one)) for one in plain), tuple(numbers))

    def told(self, grade: Grade) -> bool | None:
        """Whether a grade passes; None if it lacks what is asked for."""
        if self.scores is not None:
            return None if grade.score is None else self.scores.holds(grade.score)
        by_score = bool(self.numbers) and grade.score is not None
        by_label = bool(self.labels) and grade.label != ""
        if not by_score and not by_label:
            return None
        return grade.score in self.numbers or _plain(grade.label) in self.labels


@dataclass(frozen=True, slots=True, eq=False)
class FromEvaluation:
    """What others said of the output: of each name the latest, and all must pass.

    names: globs; empty for every evaluation of the run as a whole. One that is named may
    be about any span of the run. passing: without it, labels that are good or bad in
    themselves tell; of a named evaluation also true, yes and a score of 1 against false,
    no and 0. What is neither does not tell.
    """

    names: tuple[str, ...] = ()
    passing: Passing | None = None
    kind: ClassVar[str] = "evaluation"

    def __call__(self, run: Run) -> bool | None:
        """See `OutputSource`."""
        latest: dict[str, Grade] = {}
        for grade in run.grades:
            if self._means(grade):
                known = latest.get(grade.name)
                if known is None or _rank(known) < _rank(grade):
                    latest[grade.name] = grade
        told = {self._told(grade) for grade in latest.values()}
        return False if False in told else True if True in told else None

    def _means(self, grade: Grade) -> bool:
        if not self.names:
            return not grade.span_id
        return any(fnmatchcase(grade.name, glob) for glob in self.names)

    def _told(self, grade: Grade) -> bool | None:
        if self.passing is not None:
            return self.passing.told(grade)
        if grade.label:
            return (_NAMED if self.names else _PLAIN).get(_plain(grade.label))
        return _SCORES.get(grade.score) if self.names and grade.score is not None else None


@dataclass(frozen=True, slots=True, eq=False)
class FromOutput:
    """A test of the final answer, which is read as `reading` says.

    fits: None where it cannot tell. absent: what holds of no answer. finds: whether it
    only looks for something, so that a beginning which has it is enough.
    """

    fits: Callable[[str], bool | None]
    absent: bool = False
    finds: bool = False
    kind: ClassVar[str] = "output"

    @classmethod
    def of_predicate(cls, told: Mapping[str, Any]) -> "FromOutput":
        """Test by operators, which must all hold of what they ask; see `Reading`.

        Raises:
            ValueError: They are none; the message says what would be right.
        """
        wanted = Predicate.of(told)

        def fits(text: str) -> bool:
            return Reading.of(text).fits(wanted)

        return cls(fits, absent=wanted.absent, finds=told.keys() == {"regex"})

    @classmethod
    def of_schema(cls, told: Any) -> "FromOutput":
        """Test by a JSON Schema, which what the answer's JSON says must fit.

        An answer that is no JSON is a string, and fits only what speaks of strings: that
        `{required: [status]}` asks nothing of them does not make every text a good answer.

        Raises:
            ValueError: It is none; the message says what would be right.
        """
        schema = Schema.of(told)
        of_texts = Schema.of(for_texts(told))

        def fits(text: str) -> bool | None:
            reading = Reading.of(text)
            try:
                return not (schema if reading.is_json else of_texts).misfits(reading.value)
            except UnreadableError:
                return None

        return cls(fits)

    def __call__(self, run: Run) -> bool | None:
        """See `OutputSource`."""
        if not run.output.strip():
            return None if run.flaw is None else self.absent
        if _is_cut(run):
            return True if self.finds and self.fits(run.output) else None
        return self.fits(run.output)


DEFAULT_SOURCES: tuple[OutputSource, ...] = (
    FromEvaluation(),
    FromAttribute(OUTPUT_OK),
    Structural(),
)


def answers(run: Run, sources: Iterable[OutputSource]) -> tuple[bool | None, ...]:
    """What each source says, but for evaluations, which may say otherwise later."""
    return tuple(None if source.kind == FromEvaluation.kind else source(run) for source in sources)


def grade_output(
    run: Run, sources: Sequence[OutputSource], known: Sequence[bool | None] = ()
) -> tuple[OutputGrade, str]:
    """The output's grade and the kind of source that told it: the first that does.

    known: what `answers` told before, for a run of which only the grades are left.
    """
    for index, source in enumerate(sources):
        is_known = bool(known) and source.kind != FromEvaluation.kind
        told = known[index] if is_known else source(run)
        if told is not None:
            return (OutputGrade.OK if told else OutputGrade.FAILED), source.kind
    return OutputGrade.UNKNOWN, NO_SOURCE


def _truth(value: Value) -> bool | None:
    """What an attribute says: a boolean, or one written as text or number."""
    if isinstance(value, bool | int | float | str):
        return _WORDS.get(text_of(value).strip().casefold())
    return None


def _plain(label: str) -> str:
    return label.strip().casefold()


def _rank(grade: Grade) -> tuple[object, ...]:
    """By time; of two at the same time always the same one."""
    return (grade.time_ns, grade.label, grade.score is not None, grade.score or 0)


def _is_cut(run: Run) -> bool:
    if isinstance(run.output, Cut):
        return True
    return Evidence.TEXT_CAPPED in run.levels and View(run, Scope()).cut_somewhere
