"""Where the values in a run's calls come from.

Owns what counts as given to the agent, and from when on. Knows no check. Sources are
the task and all of the user's messages, the system prompt, results that the model's
history tells of, and results of earlier calls. Never the assistant's own words, and
never the echo of a call: a result is no source of a value which that same call's
arguments held already.

A result is known to a call if it had ended before the call's model turn began to act,
so calls of one turn, and calls that overlap, know nothing of each other.

Each text is searched once, in the order in which texts became known; of each value only
the first text of each group that holds it is kept, and that answers for every later
call.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from surefoot.evaluate.names import NameSet
from surefoot.evaluate.search import Finder
from surefoot.evaluate.values import (
    Needle,
    Value,
    leaves,
    readable,
    seed_values,
    stands_in,
    values,
)
from surefoot.model import Cut, Evidence

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
    known: _Known
    group: str
    text: str
    step: int = -1


@dataclass(slots=True)
class Trace:
    """Where each value was first found.

    values: by step index, the identifiers in its arguments. first: by needle and group,
    the rank of the first source that holds it. horizon: by step index, how many of the
    ranked sources the call knows. gaps: (rank, group, why) of sources that are cut or
    not recorded.
    """

    values: dict[int, list[Value]] = field(default_factory=dict)
    first: dict[Needle, dict[str, int]] = field(default_factory=dict)
    horizon: dict[int, int] = field(default_factory=dict)
    gaps: list[tuple[int, str, str]] = field(default_factory=list)

    def groups(self, step: int, needle: Needle) -> list[str]:
        """The groups from which call `step` can have `needle`."""
        horizon = self.horizon[step]
        found = self.first.get(needle, {})
        return [group for group, rank in found.items() if rank < horizon]

    def gap(self, step: int, *, among: str = "") -> str:
        """Why something that call `step` knows may not have been found; or empty.

        among: look at the groups whose names start so.
        """
        horizon = self.horizon[step]
        for rank, group, why in self.gaps:
            if rank >= horizon:
                break
            if group.startswith(among):
                return why
        return ""


def untrusted_tools(groups: list[str]) -> list[str]:
    """The tools among `groups` that the spec distrusts, sorted."""
    names = (group for group in groups if group.startswith(UNTRUSTED))
    return sorted(name.removeprefix(UNTRUSTED) for name in names)


def trace(view: "View") -> Trace:
    """Trace the identifiers in all judged calls of `view`. Near linear in its texts."""
    found = Trace()
    tracing = view.scope.tracing
    traced = view.ran if tracing.limit is None else view.ran[: tracing.limit]
    watched: set[Needle] = set()
    for step in traced:
        if view.hidden(step):
            found.values[step] = []
            continue
        privileged = tracing.privileged is not None and view.covers(tracing.privileged, step)
        args = view.steps[step].args
        found.values[step] = (
            seed_values(args) if tracing.substring else values(args, prose=privileged)
        )
        if privileged:
            watched.update(value.needle for value in found.values[step])
    count = len(view.steps) if tracing.limit is None else len(traced)
    sources = sorted(_sources(view, count), key=attrgetter("known"))
    starts = _starts(view)
    order = [source.known for source in sources]
    for step in traced:
        found.horizon[step] = bisect_left(order, starts[step])
    found.gaps = list(_gaps(view, sources))
    _search(view, sources, found, watched)
    return found


def _sources(view: "View", count: int) -> Iterator[_Source]:
    tracing = view.scope.tracing
    for text in dict.fromkeys((view.task, *view.told.user)):
        yield _Source(_ALWAYS, USER, text)
    if tracing.system:
        for text in view.told.system:
            yield _Source(_ALWAYS, USER, text)
    for tool, text in view.told.history:
        distrusted = tracing.untrusted is not None and view.is_one_of(tracing.untrusted, tool)
        yield _Source(_ALWAYS, UNTRUSTED + tool if distrusted else TRUSTED, text)
    for index in range(count):
        step = view.steps[index]
        distrusted = tracing.untrusted is not None and view.covers(tracing.untrusted, index)
        group = UNTRUSTED + step.tool if distrusted else TRUSTED
        yield _Source((view.span(index)[1], index), group, step.result, index)


def _starts(view: "View") -> list[_Known]:
    """When each call had to know what it carries: as its turn's first call started."""
    own: list[_Known] = [(view.span(index)[0], index) for index in range(len(view.steps))]
    turns: dict[int, _Known] = {}
    for known, start in zip(view.evidence, own, strict=True):
        turns[known.turn] = min(start, turns.get(known.turn, start))
    return [
        turns[known.turn] if known.turn >= 0 else start
        for known, start in zip(view.evidence, own, strict=True)
    ]


def _gaps(view: "View", sources: list[_Source]) -> Iterator[tuple[int, str, str]]:
    capped = Evidence.TEXT_CAPPED.value
    for rank, source in enumerate(sources):
        of_step = source.step >= 0
        is_cut = view.is_result_cut(source.step) if of_step else isinstance(source.text, Cut)
        if is_cut or view.cut_somewhere:
            yield rank, source.group, capped
        elif of_step and view.is_result_missing(source.step):
            yield rank, source.group, "results_missing"


def _search(view: "View", sources: list[_Source], found: Trace, watched: set[Needle]) -> None:
    """Fill `found.first`."""
    substring = view.scope.tracing.substring
    needles = {value.needle for step in found.values.values() for value in step}
    if not needles:
        return
    last = max(found.horizon.values())
    finder = Finder(needles, substring=substring)
    said: dict[int, str] = {}
    for rank, source in enumerate(sources[:last]):
        for needle in finder.within(source.text):
            places = found.first.setdefault(needle, {})
            if source.group in places or (places and needle not in watched):
                continue
            if not substring and source.step >= 0:
                if source.step not in said:
                    args = leaves(view.steps[source.step].args)
                    said[source.step] = readable("\n".join(str(leaf) for _, leaf in args))
                if stands_in(needle, said[source.step]):
                    continue
            places[source.group] = rank
