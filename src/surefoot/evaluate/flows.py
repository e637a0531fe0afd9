"""Where values must not go: `taint`, `exfiltration`; and `trifecta`, whatever the values.

Owns what a value on its way means. Knows no text: `provenance` finds where a value
stands, and `course` which calls are meant. A value that the user also gave is clean.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.course import Flow, told_by
from surefoot.evaluate.given import Earliest
from surefoot.evaluate.matcher import Matcher
from surefoot.evaluate.predicates import shown
from surefoot.evaluate.provenance import Found
from surefoot.evaluate.secrets import mask
from surefoot.evaluate.values import Value
from surefoot.evaluate.view import View
from surefoot.model import Severity, Undecided, Violation

#: Values of one argument that a violation quotes.
_VALUES = 3
#: Tools that it names. luckrate names all, among the 500 calls that it looks at.
_TOOLS = 5


@dataclass(frozen=True, slots=True)
class Carried:
    """No value goes the way of `flow`. Values inside prose arguments count."""

    flow: Flow
    severity: Severity = Severity.HARD
    id: str = ""
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. One violation for each argument."""
        trace = view.provenance
        course = trace.courses[self.flow]
        first = min(course.sources, default=len(trace.given.texts))
        for step, found in trace.values.items():
            if step not in course.sinks or trace.given.horizon[step] <= first:
                continue
            if reason := view.hidden(step):
                yield Undecided(self.id, reason)
            arguments: dict[str, list[Value]] = {}
            for value in found:
                arguments.setdefault(value.path, []).append(value)
            for path, carried in arguments.items():
                yield from self._judge(view, step, path, carried)

    def _judge(self, view: View, step: int, path: str, carried: list[Value]) -> Iterator[Finding]:
        trace = view.provenance
        tools: set[str] = set()
        values: dict[str, None] = {}
        for value in carried:
            found = trace.of(value.needle)
            if found.users or self._is_cleared(view, step, found):
                continue
            sources = self._known(view, step, found.out.get(self.flow, ()))
            if reason := self._doubt(view, step, found, sure=bool(sources)):
                yield Undecided(self.id, reason)
            elif sources:
                tools.update(trace.given.texts[rank].tool or "" for rank in sources)
                values[shown(mask(value.shown))] = None
        if tools:
            yield self._violation(view, step, path, self._named(view, tools), list(values))

    def _doubt(self, view: View, step: int, found: Found, *, sure: bool) -> str:
        """Why it cannot be told whether call `step` carries a value out of a source."""
        trace = view.provenance
        course = trace.courses[self.flow]
        maybe = self._known(view, step, found.maybe.get(self.flow, ()))
        if not sure and not maybe:
            among = course.sources.__contains__
            return trace.given.gap_among(view, step, self.flow, among)
        return (
            trace.given.users_gap(view, step)
            or course.sinks[step]
            or course.doubt(view, step)
            or ("" if sure else course.sources[maybe[0]])
        )

    def _is_cleared(self, view: View, step: int, found: Found) -> bool:
        cleared = found.cleared.get(self.flow)
        return cleared is not None and cleared.before(view, step) is not None

    def _known(self, view: View, step: int, ranks: Iterable[int]) -> list[int]:
        """Those ranks that call `step` surely knows, of which there may be very many."""
        horizon = view.given.horizon[step]
        most = None if view.scope.tracing.limit is not None else _TOOLS + 1
        found: list[int] = []
        for rank in ranks:
            if rank >= horizon or len(found) == most:
                break
            found.append(rank)
        return found

    def _named(self, view: View, tools: set[str]) -> str:
        names = sorted(tools)
        if view.scope.tracing.limit is not None or len(names) <= _TOOLS:
            return ", ".join(names)
        return f"{', '.join(names[:_TOOLS])} and more"

    def _violation(
        self, view: View, step: int, path: str, tools: str, values: list[str]
    ) -> Violation:
        message, expected = self._words(view.steps[step].tool, path, tools)
        return Violation(
            self.id,
            self.severity,
            message,
            step=step,
            expected=expected,
            observed=", ".join(values[:_VALUES]),
            subject=path,
            arg=path,
        )

    @abstractmethod
    def _words(self, tool: str, path: str, tools: str) -> tuple[str, str]:
        """The message, and what was expected."""


@dataclass(frozen=True, slots=True)
class Taint(Carried):
    """No privileged call carries what only an untrusted tool's result told.

    What was cleared before the call is clean.
    """

    id: str = "taint"

    def _words(self, tool: str, path: str, tools: str) -> tuple[str, str]:
        message = f"{tool}.{path} carries data from untrusted {tools}"
        return message, "a value from the user, or from a trusted tool"


@dataclass(frozen=True, slots=True)
class Exfiltration(Carried):
    """No egress call carries a value out of a sensitive tool's result."""

    id: str = "exfiltration"

    def _words(self, tool: str, path: str, tools: str) -> tuple[str, str]:
        return f"{tool}.{path} carries data out of {tools}", f"nothing out of {tools}"


@dataclass(frozen=True, slots=True)
class Trifecta:
    """Not all three in this order: untrusted content, private data, a way out.

    Whatever the values are: an agent that has read both can be made to send the one by
    the other. Results that the model's history tells of were read before all calls. The
    violation is at the first call out.
    """

    id: str
    untrusted: Matcher
    private: Matcher
    egress: Matcher
    severity: Severity = Severity.WARN
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. O(n log n)."""
        sides = [_Read.of(view, one) for one in (self.untrusted, self.private, self.egress)]
        told = self._find(view, *(one.sure for one in sides))
        if told is not None:
            yield told
        doubts = dict.fromkeys(why for one in sides for why in one.doubts)
        if doubts and (told or self._find(view, *(one.every for one in sides))):
            yield Undecided(self.id, ", ".join(doubts))

    def _find(
        self, view: View, untrusted: list[int], private: list[int], egress: list[int]
    ) -> Violation | None:
        """Calls by step; below zero, results that history tells of, in its order."""
        read = Earliest.of(view, (step for step in untrusted if step >= 0))
        told = min((step for step in untrusted if step < 0), default=None)

        def before(step: int) -> int | None:
            if told is not None and told < step:
                return told
            return read.before(view, step) if step >= 0 else None

        reached = {step: first for step in private if (first := before(step)) is not None}
        known = Earliest.of(view, (step for step in reached if step >= 0))
        early = min((step for step in reached if step < 0), default=None)
        out: dict[int, int] = {}
        for step in egress:
            second = early if early is not None else known.before(view, step) if step >= 0 else None
            if step >= 0 and second is not None:
                out[step] = second
        if not out:
            return None
        third, *others = out
        return self._violation(view, reached[out[third]], out[third], third, tuple(others))

    def _violation(
        self, view: View, first: int, second: int, third: int, others: tuple[int, ...]
    ) -> Violation:
        history = view.told.history
        tools = [
            f"{view.steps[step].tool} at step {step}" if step >= 0 else f"{history[step][0]} before"
            for step in (first, second, third)
        ]
        labels = (self.untrusted.label, self.private.label, self.egress.label)
        return Violation(
            self.id,
            self.severity,
            f"untrusted content, private data, a way out: {', '.join(tools)}",
            step=third,
            expected=f"no {labels[2]} after {labels[0]} and then {labels[1]}",
            observed=", ".join(tools),
            also=others,
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """The calls that a matcher means, with those of history, which count from below zero."""

    sure: list[int]
    every: list[int]
    doubts: tuple[str, ...]

    @classmethod
    def of(cls, view: View, matcher: Matcher) -> "_Read":
        found = view.match(matcher)
        sure: list[int] = []
        every: list[int] = []
        doubts: list[str] = []
        texts = [text for text in view.given.texts if text.step < 0 and text.tool is not None]
        for index, text in enumerate(texts, -len(texts)):
            told = told_by(view, matcher, text)
            if told is True:
                sure.append(index)
            if told:
                every.append(index)
            if isinstance(told, str):
                doubts.append(told)
        return cls([*sure, *found.sure], [*every, *found.every], (*doubts, *found.doubts.values()))
