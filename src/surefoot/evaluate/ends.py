"""How the run ended: `completion`, `end_state`.

Owns where the world at the end is told, and what must be true of it. Knows no step but a
tool's last result. A state is read as `reading` says: JSON, of which keys are asked by
path. A text that is no JSON has no keys: `contains` then means that the words stand in it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher, Matches
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import Predicate, shown
from surefoot.evaluate.reading import Reading
from surefoot.evaluate.view import View
from surefoot.model import Cut, Evidence, Severity, Undecided, Violation

#: The spans do not tell how the run ended.
OUTPUT_UNKNOWN = "output_unknown"


@dataclass(frozen=True, slots=True)
class Completion:
    """The run ended without an error, and an answer is there."""

    id: str
    severity: Severity = Severity.SOFT
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        flaw = view.run.flaw
        is_blank = not view.output.strip()
        if flaw is None:
            yield Undecided(self.id, OUTPUT_UNKNOWN)
        elif not flaw and is_blank and isinstance(view.output, Cut):
            yield Undecided(self.id, Evidence.TEXT_CAPPED.value)
        elif flaw or is_blank:
            why = flaw or "no answer"
            yield Violation(
                self.id,
                self.severity,
                f"not completed: {why}",
                expected="an answer, and no error",
                observed=why,
            )


class State(NamedTuple):
    """One thing that may be the end state.

    step: of the call that told it. hidden: why it cannot be read as a whole.
    """

    reading: Reading
    step: int | None = None
    hidden: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """One thing that must be true of the end state.

    text: the key's path, or words; empty for the state as a whole. path: None if the text
    cannot be one. want: None where the key must only be there.
    """

    text: str
    path: Path | None = None
    want: Predicate | None = None

    def fault(self, state: State) -> str | None:
        """What is wrong with `state`; None if nothing is."""
        if self.want is None:
            return self._missing(state)
        value = state.reading.value
        if not self.text:
            return None if state.reading.fits(self.want) else f"it is {shown(value)}"
        found = self._follow(value)
        if not found:
            return None if self.want.absent else f"{self.text} is missing"
        wrong = next((one for one in found if not self.want.holds(one[1])), None)
        return None if wrong is None else f"{wrong[0]} is {shown(wrong[1])}"

    @property
    def expected(self) -> str:
        """As a message says it."""
        if self.want is None:
            return f"{self.text} is there"
        return f"{self.text or 'it'} is {self.want.text}"

    def _missing(self, state: State) -> str | None:
        value = state.reading.value
        if isinstance(value, Mapping | list | tuple):
            return None if self._follow(value) else f"{self.text} is missing"
        is_there = state.reading.says(self.text)
        return None if is_there else f"{shown(self.text)} is not in the text"

    def _follow(self, value: Any) -> list[tuple[str, Any]]:
        if self.path is not None:
            return self.path.follow(value)
        is_there = isinstance(value, Mapping) and self.text in value
        return [(self.text, value[self.text])] if is_there else []


@dataclass(frozen=True, slots=True, eq=False)
class EndState:
    """Every clause is true of the end state. One violation for each that is not.

    last: the calls of which the last that succeeded tells the state; attribute: the key of
    the root's that does; without both it is the final output. Of unordered calls any may
    have been the last.
    """

    id: str
    clauses: tuple[Clause, ...]
    last: Matcher | None = None
    attribute: str = ""
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        if self.last is None:
            state = self._attribute(view) if self.attribute else _output(view)
            yield from self._judge([] if state is None else [state])
            return
        found = view.match(self.last)
        told = list(self._judge(_last(view, found.sure)))
        if not found.doubts:
            yield from told
            return
        # A doubtful call may be the last one or not: what is found without them and with
        # each is certain, whichever of them count.
        others = [list(self._judge([state])) for state in _may_be_last(view, found)]
        if all(map(_is_violated, (told, *others))) or not any((told, *others)):
            yield from told
        else:
            yield Undecided(self.id, ", ".join(dict.fromkeys(found.doubts.values())))

    def _judge(self, states: list[State]) -> Iterator[Finding]:
        """What is wrong with the last of the states, if something is with each."""
        if not states:
            an = "an" if self.attribute else "a"
            yield self._violation("there is none", f"{an} {self._place}", None, "")
            return
        faults = [[one.fault(state) for one in self.clauses] for state in states]
        for told, state in zip(faults, states, strict=True):
            if not state.hidden and not any(told):
                return
        hidden = dict.fromkeys(state.hidden for state in states if state.hidden)
        if hidden:
            yield Undecided(self.id, ", ".join(hidden))
            return
        for clause, fault in zip(self.clauses, faults[-1], strict=True):
            if fault:
                yield self._violation(fault, clause.expected, states[-1].step, clause.text)

    @property
    def _place(self) -> str:
        if self.last is not None:
            return f"result of {self.last.label}"
        return f"attribute {self.attribute}" if self.attribute else "final output"

    def _violation(self, fault: str, expected: str, step: int | None, subject: str) -> Violation:
        return Violation(
            self.id,
            self.severity,
            f"{self._place}: {fault}",
            step=step,
            expected=expected,
            observed=fault,
            subject=subject,
        )

    def _attribute(self, view: View) -> State | None:
        value = view.run.root.attributes.get(self.attribute)
        if value is None:
            return None
        hidden = Evidence.TEXT_CAPPED.value if isinstance(value, Cut) else ""
        return State(Reading.of(value), hidden=hidden)


def _is_violated(found: list[Finding]) -> bool:
    return any(isinstance(one, Violation) for one in found)


def _output(view: View) -> State | None:
    text = view.output
    if not text.strip() and not isinstance(text, Cut):
        return State(Reading.of(""), hidden=OUTPUT_UNKNOWN) if view.run.flaw is None else None
    cut = isinstance(text, Cut) or view.cut_somewhere
    return State(Reading.of(text), hidden=Evidence.TEXT_CAPPED.value if cut else "")


def _last(view: View, calls: Calls) -> list[State]:
    """The results that may have been the last ones, in order."""
    went_well = [index for index in calls if view.steps[index].ok]
    return [
        State(view.result_reading(index), index, view.result_hidden(index))
        for index in _latest(view, went_well)
    ]


def _may_be_last(view: View, found: Matches) -> list[State]:
    """The results of doubtful calls that no sure one surely follows. O(calls)."""
    sure = [index for index in found.sure if view.steps[index].ok]
    latest = _ends(view, sure) if sure else ()
    return [
        State(view.result_reading(index), index, view.result_hidden(index))
        for index in found.doubts
        if view.steps[index].ok and not any(view.are_ordered(index, one) for one in latest)
    ]


def _latest(view: View, calls: Calls) -> list[int]:
    """Those that surely precede none of the others. O(calls)."""
    latest = _ends(view, calls) if calls else ()
    return [index for index in calls if not any(view.are_ordered(index, one) for one in latest)]


def _ends(view: View, calls: Calls) -> tuple[int, int]:
    """The latest call, and the latest of another turn: who precedes any precedes one of these."""
    turn = view.evidence[calls[-1]].turn
    others = (index for index in reversed(calls) if view.evidence[index].turn != turn)
    return calls[-1], next(others, calls[-1])
