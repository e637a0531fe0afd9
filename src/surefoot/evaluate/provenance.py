"""Where the values in a run's calls come from.

Owns what counts as given to the agent, and from when on. Knows no check. Sources are
the task and all of the user's messages, the system prompt, results that the model's
history tells of, and results of earlier calls. Never the assistant's own words, and
never the echo of a call: a result is no source of a value which that same call's
arguments held already.

A result is surely known to a call if it had ended before the call's model turn began to
act. Calls of one turn, and calls that overlap, are unordered, and no violation may hang
on their order: a value that a peer returned is given (`ground` stays silent), and one
that an untrusted peer returned did not surely come from it (so does `taint`).

Each text is searched once, in the order in which texts became known; of each value only
the first text of each group that holds it is kept, and that answers for every later
call.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from surefoot.evaluate.check import RESULTS_MISSING
from surefoot.evaluate.names import NameSet
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
from surefoot.model import Cut, Evidence, Source

if TYPE_CHECKING:
    from surefoot.evaluate.view import View

#: The group of what the user and the operator gave.
USER = "user"
#: The group of all tools that nobody distrusts.
TRUSTED = "tool"
#: How the group of an untrusted tool starts; its name follows.
UNTRUSTED = "tool:"

#: (when it became known, the step's index): the order of sources.
_Known = tuple[float, int]
_ALWAYS: _Known = (float("-inf"), -1)


@dataclass(frozen=True, slots=True)
class Tracing:
    """How a spec reads values.

    substring: by the seed's rule, echoes included. untrusted, privileged: the tools of
    the taint check. system: whether the system prompt counts as given. limit: how many
    calls are traced; None for all.
    """

    substring: bool = False
    untrusted: NameSet | None = None
    privileged: NameSet | None = None
    system: bool = True
    limit: int | None = None


class _Source(NamedTuple):
    """A text that was given. step: whose result it is, or -1."""

    known: _Known
    group: str
    text: str
    step: int


_NOWHERE: Mapping[str, int] = {}
_BY_TIME = attrgetter("known")


@dataclass(slots=True)
class Trace:
    """Where each value was first found.

    values: by step index, the identifiers in its arguments. first: by needle and group,
    the rank of the first source that holds it. horizon: by step index, how many of the
    ranked sources the call surely knows. reach: by step index, the last step that it may
    know. sources: by rank.
    """

    sources: list[_Source]
    values: dict[int, list[Value]] = field(default_factory=dict)
    first: dict[Needle, dict[str, int]] = field(default_factory=dict)
    horizon: dict[int, int] = field(default_factory=dict)
    reach: dict[int, int] = field(default_factory=dict)
    _gaps: list[tuple[int, str, str]] | None = None

    def groups(self, step: int, needle: Needle) -> list[str]:
        """The groups from which call `step` surely could have `needle`."""
        horizon = self.horizon[step]
        found = self.first.get(needle)
        return [group for group, rank in found.items() if rank < horizon] if found else []

    def is_given(self, step: int, needle: Needle) -> bool:
        """Whether call `step` may have `needle` from anything."""
        for rank in self.first.get(needle, _NOWHERE).values():  # noqa: SIM110 - any() takes twice the time
            if self._may_know(step, rank):
                return True
        return False

    def gap(self, view: "View", step: int, *, among: str = "") -> str:
        """Why something that call `step` may know was perhaps not found; or empty.

        view: what was traced, which holds this trace: a way back from here would keep
        both, and the run, until the garbage collector comes. among: look at the groups
        whose names start so.
        """
        if self._gaps is None:
            self._gaps = list(_gaps(view, self.sources))
        for rank, group, why in self._gaps:
            if group.startswith(among) and self._may_know(step, rank):
                return why
        return ""

    def _may_know(self, step: int, rank: int) -> bool:
        if rank < self.horizon[step]:
            return True
        source = self.sources[rank].step
        return source != step and 0 <= source <= self.reach[step]


def untrusted_tools(groups: list[str]) -> list[str]:
    """The tools among `groups` that the spec distrusts, sorted."""
    names = (group for group in groups if group.startswith(UNTRUSTED))
    return sorted(name.removeprefix(UNTRUSTED) for name in names)


def trace(view: "View") -> Trace:
    """Trace the identifiers in all judged calls of `view`. Near linear in its texts."""
    tracing = view.scope.tracing
    traced = view.ran if tracing.limit is None else view.ran[: tracing.limit]
    count = len(view.steps) if tracing.limit is None else len(traced)
    found = Trace(_sources(view, count))
    watched: set[Needle] = set()
    needles: dict[Needle, None] = {}
    starts = _starts(view)
    order = [source.known for source in found.sources]
    last_of = {known.turn: i for i, known in enumerate(view.evidence) if known.turn >= 0}
    for step in traced:
        found.horizon[step] = bisect_left(order, starts[step])
        found.reach[step] = last_of.get(view.evidence[step].turn, step)
        privileged = tracing.privileged is not None and view.covers(tracing.privileged, step)
        found.values[step] = [] if view.hidden(step) else _values(view, step, privileged)
        for value in found.values[step]:
            needles[value.needle] = None
            if privileged:
                watched.add(value.needle)
    if needles:
        _search(view, found, needles, watched)
    return found


def _values(view: "View", step: int, privileged: bool) -> list[Value]:  # noqa: FBT001 - one caller
    args = view.steps[step].args
    if view.scope.tracing.substring:
        return seed_values(args)
    return values(args, prose=privileged)


def _gaps(view: "View", sources: list[_Source]) -> Iterator[tuple[int, str, str]]:
    """Rank, group and why, of the sources that are cut or not recorded."""
    for rank, (_, group, text, step) in enumerate(sources):
        is_cut = view.is_result_cut(step) if step >= 0 else isinstance(text, Cut)
        if is_cut or view.cut_somewhere:
            yield rank, group, Evidence.TEXT_CAPPED.value
        elif step >= 0 and view.is_result_missing(step):
            yield rank, group, RESULTS_MISSING


def _sources(view: "View", count: int) -> list[_Source]:
    tracing = view.scope.tracing
    untrusted = tracing.untrusted
    given = dict.fromkeys((view.task, *view.told.user))
    found = [_Source(_ALWAYS, USER, text, -1) for text in given]
    if tracing.system:
        found += [_Source(_ALWAYS, USER, text, -1) for text in view.told.system]
    for tool, text in view.told.history:
        distrusted = untrusted is not None and view.is_one_of(untrusted, tool)
        found.append(_Source(_ALWAYS, UNTRUSTED + tool if distrusted else TRUSTED, text, -1))
    for index in range(count):
        step = view.steps[index]
        distrusted = untrusted is not None and view.covers(untrusted, index)
        group = UNTRUSTED + step.tool if distrusted else TRUSTED
        found.append(_Source((view.spans[index][1], index), group, step.result, index))
    found.sort(key=_BY_TIME)
    return found


def _starts(view: "View") -> list[_Known]:
    """When each call had to know what it carries: as its turn's first call started.

    The start of a call that no span of its own tells of is its model span's, which may
    cover the whole run: it says when a turn began only if no other call of it does.
    """
    turns: dict[int, tuple[bool, _Known]] = {}
    starts: list[_Known] = []
    for index, known in enumerate(view.evidence):
        start = (view.spans[index][0], index)
        starts.append(start)
        if known.turn >= 0:
            own = (known.source is Source.LLM, start)
            turns[known.turn] = min(own, turns.get(known.turn, own))
    if not turns:
        return starts
    return [
        turns[known.turn][1] if known.turn >= 0 else start
        for known, start in zip(view.evidence, starts, strict=True)
    ]


def _search(view: "View", trace: Trace, needles: Collection[Needle], watched: set[Needle]) -> None:
    """Fill `trace.first`."""
    sources = trace.sources
    if len(needles) <= FEW:
        _search_plainly(view, trace, sources, needles, watched)
        return
    finder = Finder(needles, substring=view.scope.tracing.substring)
    for rank, (_, group, text, step) in enumerate(sources):

        def is_open(needle: Needle, group: str = group) -> bool:
            places = trace.first.get(needle)
            return not places or (needle in watched and group not in places)

        for needle in finder.within(text, is_open):
            if not _is_echo(view, step, needle):
                trace.first.setdefault(needle, {})[group] = rank
                if needle not in watched:
                    finder.forget(needle)


def _search_plainly(
    view: "View",
    trace: Trace,
    sources: list[_Source],
    needles: Collection[Needle],
    watched: set[Needle],
) -> None:
    """Value by value: the quickest way for a few, which is most runs.

    Most values stand in the first texts, so the later ones are seldom read at all.
    """
    substring = view.scope.tracing.substring
    texts: list[str] = []
    for needle in needles:
        places: dict[str, int] = {}
        for rank, (_, group, text, step) in enumerate(sources):
            if rank == len(texts):
                texts.append(text if substring else readable(text))
            if group not in places and is_in(needle, texts[rank], substring=substring):
                if _is_echo(view, step, needle):
                    continue
                places[group] = rank
                if needle not in watched:
                    break
        trace.first[needle] = places


def _is_echo(view: "View", step: int, needle: Needle) -> bool:
    """Whether the arguments of `step` say the value already, so that its result echoes it."""
    if step < 0 or view.scope.tracing.substring:
        return False
    return stands_in(needle, view.said(step))
