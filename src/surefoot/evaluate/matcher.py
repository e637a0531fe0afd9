"""Which calls a rule means: a tool's name or glob, its agent, outcome, arguments, result.

Owns what it is to match, and what is done where that cannot be told: hidden arguments, a
result that no span tells or that is cut. A result is read as `reading` says. Knows no
check. A check asks the view for the
calls that surely match and for those that may, and lets `weigh` do the rest:

    guilty     the more calls match, the more is wrong (`forbidden`)
    helpful    the more calls match, the less is wrong (`required`)

What is wrong with every doubt in the agent's favour is a violation. What is wrong only
with every doubt against it is undecided. Without doubts, which is nearly always, the
check is asked once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from surefoot.evaluate.check import Finding
from surefoot.evaluate.names import NameSet
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import Predicate
from surefoot.model import Undecided, Violation

if TYPE_CHECKING:
    from surefoot.evaluate.view import View

#: Indices of calls, in order.
Calls = Sequence[int]


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """All of it must hold for a call. names: None for any tool. agents: globs."""

    names: NameSet | None = None
    agents: tuple[str, ...] = ()
    ok: bool | None = None
    args: tuple[tuple[Path, Predicate], ...] = ()
    result: Predicate | None = None

    def match(self, view: "View", index: int) -> bool | str:
        """Whether call `index` fits, or why that cannot be told."""
        step = view.steps[index]
        if self.names is not None and not view.covers(self.names, index):
            return False
        if self.agents and not any(fnmatchcase(step.agent, glob) for glob in self.agents):
            return False
        if self.ok is not None and step.ok is not self.ok:
            return False
        doubts = []
        for path, predicate in self.args:
            found, hidden = view.argument(index, path)
            told = any(predicate.holds(value) for _, value in found) if found else predicate.absent
            if not told and not hidden:
                return False
            if hidden:
                doubts.append(hidden)
        if self.result is not None:
            hidden = view.result_hidden(index)
            if hidden:
                doubts.append(hidden)
            elif not view.result_reading(index).fits(self.result):
                return False
        return ", ".join(dict.fromkeys(doubts)) if doubts else True


@dataclass(frozen=True, slots=True, eq=False)
class Matcher:
    """Calls that fit one of the patterns. label: as messages name them.

    Compared by identity, so that a view can remember what it found for each.
    """

    label: str
    patterns: tuple[Pattern, ...]

    @classmethod
    def named(cls, label: str, names: NameSet) -> "Matcher":
        """The calls of some tools, whatever else is true of them."""
        return cls(label, (Pattern(names),))

    @property
    def is_final(self) -> bool:
        """Whether no further span can undo a match: it rests on name and arguments alone."""
        return not any(
            pattern.agents or pattern.ok is not None or pattern.result is not None
            for pattern in self.patterns
        )

    @property
    def is_named(self) -> bool:
        """Whether the tool alone tells a match."""
        return not any(
            pattern.agents or pattern.args or pattern.ok is not None or pattern.result is not None
            for pattern in self.patterns
        )

    def match(self, view: "View", index: int) -> bool | str:
        """Whether call `index` fits, or why that cannot be told."""
        doubt = ""
        for pattern in self.patterns:
            told = pattern.match(view, index)
            if told is True:
                return True
            doubt = doubt or told or ""
        return doubt or False


class Matches(NamedTuple):
    """What a matcher found. every: with those that only may match. doubts: why, by call."""

    sure: Calls
    every: Calls
    doubts: dict[int, str]


Find = Callable[..., Iterable[Violation]]


def weigh(
    check: str,
    view: "View",
    find: Find,
    *,
    guilty: Sequence[Matcher] = (),
    helpful: Sequence[Matcher] = (),
) -> Iterator[Finding]:
    """What `find` finds, by what is sure; undecided where only doubts make it find something.

    Args:
        check: The id of the check that asks.
        view: The run.
        find: Called with a list of calls for each of `guilty`, then of `helpful`.
        guilty: With more such calls there is never less to find.
        helpful: With more such calls there is never more to find.
    """
    bad = [view.match(matcher) for matcher in guilty]
    good = [view.match(matcher) for matcher in helpful]
    certain = False
    for violation in find(*(one.sure for one in bad), *(one.every for one in good)):
        certain = True
        yield violation
    doubts = dict.fromkeys(why for one in (*bad, *good) for why in one.doubts.values())
    if not doubts:
        return
    # Beside a violation doubts count for nothing, unless a guard does not mean it.
    if certain or any(True for _ in find(*(one.every for one in bad), *(one.sure for one in good))):
        yield Undecided(check, ", ".join(doubts))


@dataclass(slots=True)
class Matching:
    """What each matcher found in one view, asked for once."""

    found: dict[Matcher, Matches] = field(default_factory=dict)

    def of(self, view: "View", matcher: Matcher) -> Matches:
        """The calls of `view` that match, of those that a tool ran. O(calls), once."""
        known = self.found.get(matcher)
        if known is None:
            known = self.found[matcher] = _matches(view, matcher)
        return known


def _matches(view: "View", matcher: Matcher) -> Matches:
    sure: list[int] = []
    every: list[int] = []
    doubts: dict[int, str] = {}
    by_tool: dict[str, bool | str] | None = {} if matcher.is_named else None
    for index in view.ran:
        told = None if by_tool is None else by_tool.get(view.steps[index].tool)
        if told is None:
            told = matcher.match(view, index)
            if by_tool is not None:
                by_tool[view.steps[index].tool] = told
        if told is True:
            sure.append(index)
        if told:
            every.append(index)
        if isinstance(told, str):
            doubts[index] = told
    return Matches(sure, every, doubts)
