"""Where the values in a run's calls come from.

Owns which values are traced, and in which of the given texts each was found. Knows no
check. The echo of a call is no source: a result tells nothing of a value which that same
call's arguments held already.

Each text is searched once for the values of all checks, in the order in which texts
became known. A value that stands in several is asked for again only where that matters:

- for `ground`, in the first text, and in one of an earlier step that ended later, which
  an unordered call may know;
- for a flow that may carry it, in the first text of each tool that is a source of it,
  unless the user gave it, and in the first calls that clear it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from surefoot.evaluate.course import Course, Flow
from surefoot.evaluate.given import Earliest, Given
from surefoot.evaluate.search import FEW, Finder
from surefoot.evaluate.values import (
    Needle,
    Value,
    is_in,
    readable,
    seed_values,
    stands_in,
    values,
)

if TYPE_CHECKING:
    from surefoot.evaluate.view import View


#: Shared by all values that no flow may carry, which are most.
_NONE: Mapping[Flow, list[int]] = {}
_NO_CLEARING: Mapping[Flow, Earliest] = {}


@dataclass(slots=True)
class Found:
    """Where one value stands.

    first: the rank of the first text that holds it. steps: the first two steps whose
    results do. users: whether the user gave it. out: by flow, the ranks of texts out of
    its sources, the first of each tool; in `maybe`, of calls that may be sources. cleared:
    by flow, the calls that cleared it first.
    """

    first: int = -1
    steps: tuple[int, ...] = ()
    users: bool = False
    out: Mapping[Flow, list[int]] = field(default_factory=lambda: _NONE)
    maybe: Mapping[Flow, list[int]] = field(default_factory=lambda: _NONE)
    cleared: Mapping[Flow, Earliest] = field(default_factory=lambda: _NO_CLEARING)
    seen: set["_Role"] | None = None


_NOWHERE = Found()


class _Role(NamedTuple):
    """What a text is to a flow: out of a source, surely or perhaps, by this tool."""

    flow: Flow
    tool: str
    sure: bool


@dataclass(slots=True)
class Trace:
    """Where each value was found. values: by step, the identifiers in its arguments."""

    given: Given
    courses: dict[Flow, Course]
    values: dict[int, list[Value]] = field(default_factory=dict)
    found: dict[Needle, Found] = field(default_factory=dict)

    def of(self, needle: Needle) -> Found:
        """Where `needle` was found; nowhere if it was not."""
        return self.found.get(needle, _NOWHERE)

    def is_given(self, step: int, needle: Needle) -> bool:
        """Whether call `step` may have `needle` from anything."""
        found = self.found.get(needle)
        if found is None or found.first < 0:
            return False
        if found.first < self.given.horizon[step]:
            return True
        reach = self.given.reach[step]
        return any(source != step and source <= reach for source in found.steps)


def trace(view: "View") -> Trace:
    """Trace the identifiers in the judged calls of `view`. Near linear in its texts."""
    tracing = view.scope.tracing
    traced = view.ran if tracing.limit is None else view.ran[: tracing.limit]
    courses = {flow: Course.of(view, flow) for flow in tracing.flows}
    made = Trace(view.given, courses)
    watched: dict[Needle, set[Flow]] = {}
    #: The last rank that matters to a call which carries the value.
    needles: dict[Needle, int] = {}
    lasts = _last_ranks(view.given)
    for step in traced:
        into = [flow for flow, course in courses.items() if step in course.sinks]
        if not into and not tracing.ground:
            continue
        made.values[step] = [] if view.hidden(step) else _values(view, step, bool(into))
        for value in made.values[step]:
            needles[value.needle] = max(lasts[step], needles.get(value.needle, -1))
            if into:
                watched.setdefault(value.needle, set()).update(into)
    if needles:
        _Search(view, made, needles, watched).run()
    return made


def _values(view: "View", step: int, prose: bool) -> list[Value]:  # noqa: FBT001 - one caller
    args = view.steps[step].args
    if view.scope.tracing.substring:
        return seed_values(args)
    return values(args, prose=prose)


class _Search:
    """One search of all texts for all values. Fills `found`."""

    def __init__(
        self,
        view: "View",
        made: Trace,
        needles: dict[Needle, int],
        watched: dict[Needle, set[Flow]],
    ) -> None:
        self._view = view
        self._found = made.found
        self._given = made.given
        self._left = dict(needles)
        self._leaving: dict[int, list[Needle]] = {}
        for needle, last in needles.items():
            self._leaving.setdefault(last, []).append(needle)
        self._watched = watched
        self._substring = view.scope.tracing.substring
        self._ground = view.scope.tracing.ground
        self._finder: Finder | None = None
        if len(needles) > FEW:
            self._finder = Finder(needles, substring=self._substring)
        self._clearing: dict[int, list[Flow]] = {}
        self._roles: dict[int, list[_Role]] = {}
        #: How many different roles texts have to each flow.
        self._total: dict[Flow, int] = {}
        for flow, course in made.courses.items():
            for rank, doubt in course.sources.items():
                role = _Role(flow, made.given.texts[rank].tool or "", not doubt)
                self._roles.setdefault(rank, []).append(role)
            self._total[flow] = len({self._roles[rank][-1] for rank in course.sources})
            for step in course.clearing:
                self._clearing.setdefault(step, []).append(flow)
        self._least_later = _least_later([text.step for text in made.given.texts])

    def run(self) -> None:
        """Search each text once, until nothing is left to be found."""
        for rank, text in enumerate(self._given.texts):
            if not self._left:
                return
            is_open = partial(self._is_open, rank)
            standing = list(self._within(text.text, is_open))
            said: list[Needle] = []
            if clears := self._clearing.get(text.step):
                said += self._within(self._view.words(text.step), is_open)
                self._clear((*standing, *said), clears, text.step)
            if standing:
                for needle in self._without_echoes(standing, text.step):
                    self._take(needle, rank)
            for needle in (*standing, *said):
                if self._is_settled(needle, rank):
                    self._forget(needle)
            for needle in self._leaving.get(rank, ()):
                self._forget(needle)

    def _forget(self, needle: Needle) -> None:
        self._left.pop(needle, None)
        if self._finder is not None:
            self._finder.forget(needle)

    def _within(self, text: str, is_open: Callable[[Needle], bool]) -> Iterator[Needle]:
        """Those needles in `text` that are open."""
        if self._finder is not None:
            yield from self._finder.within(text, is_open)
            return
        wanted = [needle for needle in self._left if is_open(needle)]
        prepared = readable(text) if wanted and not self._substring else text
        for needle in wanted:
            if is_in(needle, prepared, substring=self._substring):
                yield needle

    def _without_echoes(self, standing: list[Needle], step: int) -> Iterable[Needle]:
        """Those which the arguments of `step` do not say already, so that its result does."""
        if step < 0 or self._substring:
            return standing
        if self._finder is None or len(standing) <= FEW:
            said = self._view.said(step)
            return [needle for needle in standing if not stands_in(needle, said)]
        echoes = set(self._finder.within(self._view.words(step), lambda _: True))
        return [needle for needle in standing if needle not in echoes]

    def _is_open(self, rank: int, needle: Needle) -> bool:
        """Whether it matters that `needle` stands in the text of this rank."""
        found = self._found.get(needle, _NOWHERE)
        if found.users:
            return False
        text = self._given.texts[rank]
        if text.tool is None or (self._ground and self._is_news(found, text.step)):
            return True
        flows = self._watched.get(needle)
        if not flows:
            return False
        for role in self._roles.get(rank, ()):
            if role.flow in flows and role not in (found.seen or ()):
                return True
        return any(
            flow in flows and not (flow in found.cleared and found.cleared[flow].is_full)
            for flow in self._clearing.get(text.step, ())
        )

    def _is_news(self, found: Found, step: int) -> bool:
        """Whether the result of `step` may be known to a call that knows no other holder."""
        if found.first < 0:
            return True
        return bool(found.steps) and step not in found.steps and step <= self._bound(found)

    def _bound(self, found: Found) -> int:
        """The last step that matters to `ground`, once the value was found in results."""
        if self._substring and len(found.steps) == 1:  # the call itself may have said it
            return self._given.reach[found.steps[0]]
        return found.steps[-1] - 1

    def _take(self, needle: Needle, rank: int) -> None:
        """Note that the text of this rank gave `needle`."""
        found = self._found.setdefault(needle, Found())
        text = self._given.texts[rank]
        if found.first < 0:
            found.first = rank
            found.users = text.tool is None
        if text.step >= 0 and (not found.steps or self._is_news(found, text.step)):
            kept = 2 if self._substring else 1
            found.steps = tuple(sorted((*found.steps, text.step))[:kept])
        flows = self._watched.get(needle, ())
        for role in self._roles.get(rank, ()):
            if role.flow in flows and role not in (found.seen or ()):
                found.seen = found.seen or set()
                found.seen.add(role)
                if role.sure:
                    found.out = _with(found.out, role.flow, rank)
                else:
                    found.maybe = _with(found.maybe, role.flow, rank)

    def _clear(self, needles: Iterable[Needle], flows: list[Flow], step: int) -> None:
        for needle in needles:
            for flow in flows:
                if flow in self._watched.get(needle, ()):
                    found = self._found.setdefault(needle, Found())
                    if flow not in found.cleared:
                        found.cleared = {**found.cleared, flow: Earliest()}
                    found.cleared[flow].add(self._view, step)

    def _is_settled(self, needle: Needle, rank: int) -> bool:
        """Whether no text after this rank matters to `needle`."""
        found = self._found.get(needle, _NOWHERE)
        if found.users:
            return True
        if self._ground:
            if found.first < 0:
                return False
            if found.steps and self._least_later[rank] <= self._bound(found):
                return False
        for flow in self._watched.get(needle, ()):
            seen = len(found.out.get(flow, ())) + len(found.maybe.get(flow, ()))
            if seen < self._total[flow]:
                return False
            if flow.cleared_by is not None and not (
                flow in found.cleared and found.cleared[flow].is_full
            ):
                return False
        return True


def _with(places: Mapping[Flow, list[int]], flow: Flow, rank: int) -> Mapping[Flow, list[int]]:
    if flow not in places:
        return {**places, flow: [rank]}
    places[flow].append(rank)
    return places


def _last_ranks(given: Given) -> list[int]:
    """By step, the last rank that the call may know."""
    last = -1
    upto: list[int] = []  # by step, the last rank of it and of those before
    ranks = {text.step: rank for rank, text in enumerate(given.texts) if text.step >= 0}
    for step in range(len(given.reach)):
        last = max(last, ranks.get(step, -1))
        upto.append(last)
    return [
        max(horizon - 1, upto[reach])
        for horizon, reach in zip(given.horizon, given.reach, strict=True)
    ]


def _least_later(steps: list[int]) -> list[int]:
    """By rank, the first step whose result became known after it."""
    least = len(steps)
    found = [least] * len(steps)
    for rank in range(len(steps) - 1, 0, -1):
        if steps[rank] >= 0:
            least = min(least, steps[rank])
        found[rank - 1] = least
    return found
