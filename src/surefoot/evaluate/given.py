"""What a run's agents were given, and from when on each call surely knew it.

Owns the sources and their order, and what of them is cut or not recorded. Knows no value
and no check. Sources are the task and all of the user's messages, the system prompt,
results that the model's history tells of, and results of earlier calls. Never the
assistant's own words.

A result is surely known to a call if it had ended before the call's model turn began to
act. Calls of one turn, and calls that overlap, are unordered: what a peer returned may be
known and need not.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from surefoot.evaluate.check import RESULTS_MISSING
from surefoot.model import Cut, Evidence, Source

if TYPE_CHECKING:
    from surefoot.evaluate.view import View

#: (when it became known, the step's index): the order of sources, and of calls.
Known = tuple[float, int]
_ALWAYS: Known = (float("-inf"), -1)


class Text(NamedTuple):
    """A text that was given.

    step: whose result it is, or -1. tool: whose, of history too; None for what the user
    or the operator gave.
    """

    known: Known
    text: str
    step: int = -1
    tool: str | None = None


_BY_TIME = attrgetter("known")


@dataclass(slots=True)
class Given:
    """The texts that were given, by rank, which is the order in which they became known.

    horizon: by step, how many of them the call surely knows. reach: by step, the last
    step that it may know.
    """

    texts: list[Text]
    horizon: list[int]
    reach: list[int]
    _gaps: dict[object, "_Gaps"] = field(default_factory=dict)
    _hidden: dict[int, str] | None = None

    def gap(self, view: "View", step: int) -> str:
        """Why something in a text that call `step` may know was perhaps not found; or empty.

        view: what this was made of, which holds it: a way back from here would keep both,
        and the run, until the garbage collector comes.
        """
        gaps = self._among(view, "all", lambda _: True)
        if gaps.first < self.horizon[step]:
            return gaps.why
        for source, why in gaps.steps:
            if source != step and source <= self.reach[step]:
                return why
        return ""

    def users_gap(self, view: "View", step: int) -> str:
        """Why the user may have given a value that was not found; or empty."""
        if Evidence.TASK_UNKNOWN in view.levels:
            return Evidence.TASK_UNKNOWN.value
        return self.gap_among(view, step, "user", lambda rank: self.texts[rank].tool is None)

    def results_gap(self, view: "View", step: int) -> str:
        """Why a result that call `step` surely knew may tell more than was found; or empty."""
        return self.gap_among(view, step, "tool", lambda rank: self.texts[rank].tool is not None)

    def gap_among(
        self, view: "View", step: int, among: object, covers: Callable[[int], bool]
    ) -> str:
        """The same of some texts. among: a name for `covers`, which tells them by rank."""
        gaps = self._among(view, among, covers)
        return gaps.why if gaps.first < self.horizon[step] else ""

    def _among(self, view: "View", among: object, covers: Callable[[int], bool]) -> "_Gaps":
        """What is hidden of some texts, looked at once."""
        if among not in self._gaps:
            if self._hidden is None:
                told = ((rank, _hidden(view, text)) for rank, text in enumerate(self.texts))
                self._hidden = {rank: why for rank, why in told if why}
            self._gaps[among] = _Gaps.of(self.texts, self._hidden, covers)
        return self._gaps[among]


@dataclass(slots=True)
class _Gaps:
    """The texts that are cut or not recorded: the first, and those of the first two steps."""

    first: int
    why: str
    steps: list[tuple[int, str]]

    @classmethod
    def of(
        cls, texts: list[Text], hidden: dict[int, str], covers: Callable[[int], bool]
    ) -> "_Gaps":
        gaps = [(rank, texts[rank].step, why) for rank, why in hidden.items() if covers(rank)]
        first, _, why = gaps[0] if gaps else (len(texts), -1, "")
        return cls(first, why, sorted((step, why) for _, step, why in gaps if step >= 0)[:2])


def given(view: "View", count: int) -> Given:
    """What the first `count` steps of `view` returned, and all that was given besides."""
    found = [Text(_ALWAYS, text) for text in dict.fromkeys((view.task, *view.told.user))]
    if view.scope.tracing.system:
        found += [Text(_ALWAYS, text) for text in view.told.system]
    found += [Text(_ALWAYS, text, -1, tool) for tool, text in view.told.history]
    for index in range(count):
        step = view.steps[index]
        found.append(Text((view.spans[index][1], index), step.result, index, step.tool))
    found.sort(key=_BY_TIME)
    order = [text.known for text in found]
    last_of = {known.turn: i for i, known in enumerate(view.evidence) if known.turn >= 0}
    return Given(
        found,
        [bisect_left(order, start) for start in _starts(view)],
        [last_of.get(known.turn, index) for index, known in enumerate(view.evidence)],
    )


def _hidden(view: "View", text: Text) -> str:
    is_cut = view.is_result_cut(text.step) if text.step >= 0 else isinstance(text.text, Cut)
    if is_cut or view.cut_somewhere:
        return Evidence.TEXT_CAPPED.value
    if text.step >= 0 and view.is_result_missing(text.step):
        return RESULTS_MISSING
    return ""


def _starts(view: "View") -> list[Known]:
    """When each call had to know what it carries: as its turn's first call started.

    The start of a call that no span of its own tells of is its model span's, which may
    cover the whole run: it says when a turn began only if no other call of it does.
    """
    turns: dict[int, tuple[bool, Known]] = {}
    starts: list[Known] = []
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


class Earliest:
    """Of calls that ended, those that most others come after.

    A call may come after the earliest one and be of the same turn, in which nothing
    surely precedes anything: so the earliest of another turn is kept too.
    """

    def __init__(self) -> None:
        self._ends: list[tuple[Known, int]] = []
        self._turn: set[int] = set()

    @classmethod
    def of(cls, view: "View", calls: Iterable[int]) -> "Earliest":
        """Of all these calls. O(n log n)."""
        found = cls()
        for index in sorted(calls, key=lambda index: (view.spans[index][1], index)):
            found.add(view, index)
        return found

    @property
    def is_full(self) -> bool:
        """Whether no later call can make a difference."""
        return len(self._ends) == 2 or -1 in self._turn  # noqa: PLR2004 - two turns

    def add(self, view: "View", index: int) -> None:
        """Take a call that ended after those which were taken before."""
        turn = view.evidence[index].turn
        if not self.is_full and turn not in self._turn:
            self._ends.append(((view.spans[index][1], index), turn))
            self._turn.add(turn)

    def before(self, view: "View", index: int) -> int | None:
        """One of them that surely ended before call `index` started."""
        start, turn = (view.spans[index][0], index), view.evidence[index].turn
        for known, own in self._ends:
            if known < start and (own < 0 or own != turn):
                return known[1]
        return None
