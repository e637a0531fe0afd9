"""Whether an argument is what an earlier call returned, or the user said: `args_from`.

Owns where a value must come from. A result that is a JSON object or list is asked for a
field; any other text must hold the value between non-alphanumerics. Values are the same
by value, see `same`. Unlike `ground`, which takes a value from anywhere, this names the
one place.

Of unordered calls either may have been the earlier one, so a call counts as earlier
unless it surely came after. Each result is read once, and each text searched once for all
values.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Matcher
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import shown
from surefoot.evaluate.same import key_of
from surefoot.evaluate.schemas import NOT_THERE
from surefoot.evaluate.search import Finder
from surefoot.evaluate.values import Needle, json_value
from surefoot.evaluate.view import View
from surefoot.model import Cut, Evidence, Severity, Undecided, Violation


@dataclass(frozen=True, slots=True, eq=False)
class FromResult:
    """A field of what one of these calls returned."""

    step: Matcher
    path: Path

    @property
    def label(self) -> str:
        """As messages name it."""
        return f"{self.path.text} of an earlier {self.step.label}"


@dataclass(frozen=True, slots=True, eq=False)
class FromInput:
    """What the user said, or, where that is JSON, a field of it."""

    path: Path | None = None

    @property
    def label(self) -> str:
        """As messages name it."""
        return f"{self.path.text} of the input" if self.path else "the input"


@dataclass(frozen=True, slots=True)
class ArgsFrom:
    """An argument of these calls equals a field of an earlier result, or of the input.

    A call without the argument is a violation too.
    """

    id: str
    step: Matcher
    arg: Path
    origin: FromResult | FromInput
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. One violation for each argument."""
        matches = view.match(self.step)
        asked: list[_Asked] = []
        for index in matches.every:
            found, doubt = view.argument(index, self.arg)
            if doubt:
                yield Undecided(self.id, doubt)
                continue
            for where in self.arg.gaps(view.steps[index].args):
                yield self._violation(view, index, where, NOT_THERE, matches.doubts)
            asked += [_Asked(index, where, value, key_of(value)) for where, value in found]
        if not asked:
            return
        keys = dict.fromkeys(one.key for one in asked)
        told = (
            _from_input(view, self.origin, keys)
            if isinstance(self.origin, FromInput)
            else _from_results(view, self.origin, keys)
        )
        for index, where, value, key in asked:
            answer = told.of(index, key)
            if isinstance(answer, str):
                yield Undecided(self.id, answer)
            elif not answer:
                yield self._violation(view, index, where, shown(value), matches.doubts)

    def _violation(
        self, view: View, index: int, where: str, observed: str, doubts: dict[int, str]
    ) -> Finding:
        if index in doubts:
            return Undecided(self.id, doubts[index])
        return Violation(
            self.id,
            self.severity,
            f"{view.steps[index].tool}: {where} is {observed}, expected {self.origin.label}",
            step=index,
            expected=self.origin.label,
            observed=observed,
            subject=where,
            arg=where,
        )


class _Asked(NamedTuple):
    step: int
    where: str
    value: Any
    key: Hashable


@dataclass(slots=True)
class _Calls:
    """Some calls, by index, and whether one of them may be before another call."""

    view: View
    every: list[int] = field(default_factory=list)
    #: Those that take time: only they can overlap a call that starts before them.
    lasting: list[int] = field(default_factory=list)
    turns: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, index: int) -> None:
        """Add a call later than all that are in."""
        self.every.append(index)
        start, end = self.view.spans[index]
        if end > start:
            self.lasting.append(index)
        turn = self.view.evidence[index].turn
        if turn >= 0:
            self.turns[turn] = (self.turns.get(turn, (index, index))[0], index)

    def may_precede(self, index: int) -> bool:
        """Whether one of the calls is not surely after call `index`, and is not that call."""
        if self.every[0] < index:
            return True
        if self.turns.get(self.view.evidence[index].turn, (index, index)) != (index, index):
            return True
        # The first that lasts starts first, so no other overlaps the call if it does not.
        at = bisect_right(self.lasting, index)
        return at < len(self.lasting) and not self.view.are_ordered(index, self.lasting[at])


class _Told:
    """Which values were told by which calls, surely or perhaps. always: by the input."""

    def __init__(self, view: View) -> None:
        self._view = view
        self.always: set[Hashable] = set()
        #: Why any value may have been told by the input.
        self.unknown = ""
        self._sure: dict[Hashable, _Calls] = {}
        self._perhaps: dict[Hashable, dict[str, _Calls]] = {}
        #: Calls that may have told any value.
        self._anything: dict[str, _Calls] = {}

    def add(self, index: int, keys: Iterable[Hashable], doubt: str) -> None:
        """Call `index` told values; doubt: why it perhaps does not count."""
        for key in keys:
            if doubt:
                perhaps = self._perhaps.setdefault(key, {})
                perhaps.setdefault(doubt, _Calls(self._view)).add(index)
            else:
                self._sure.setdefault(key, _Calls(self._view)).add(index)

    def hide(self, index: int, why: str) -> None:
        """What call `index` told cannot be read."""
        self._anything.setdefault(why, _Calls(self._view)).add(index)

    def of(self, index: int, key: Hashable) -> bool | str:
        """Whether a value may have been told before call `index`, or why that is open."""
        if key in self.always or (key in self._sure and self._sure[key].may_precede(index)):
            return True
        open_ = (*self._perhaps.get(key, {}).items(), *self._anything.items())
        reasons = [why for why, calls in open_ if calls.may_precede(index)]
        if self.unknown:
            reasons.append(self.unknown)
        return ", ".join(dict.fromkeys(reasons)) or False


class _Reader:
    """Reads texts for values: a field of JSON, or anywhere in plain text."""

    def __init__(self, keys: Iterable[Hashable]) -> None:
        self._keys = frozenset(keys)

    @cached_property
    def _finder(self) -> Finder:
        """Made for the first plain text: most results are JSON."""
        needles = [key for key in self._keys if isinstance(key, Needle) and key.text]
        return Finder(needles, substring=False)

    def read(self, text: str, content: Any, path: Path | None) -> Iterable[Hashable]:
        """The values in `text`, whose JSON is `content`."""
        if path is None or not isinstance(content, dict | list):
            return list(self._finder.within(text, _is_asked))
        return self._keys.intersection(key_of(value) for _, value in path.follow(content))


def _is_asked(_needle: Needle) -> bool:
    return True


def _from_results(view: View, origin: FromResult, keys: Iterable[Hashable]) -> _Told:
    told, reader = _Told(view), _Reader(keys)
    matches = view.match(origin.step)
    for index in matches.every:
        text, content = view.steps[index].result, view.result_value(index)
        doubt = matches.doubts.get(index, "")
        if hidden := view.result_hidden(index):
            told.hide(index, hidden)
            if text.lstrip()[:1] in {"{", "["} and not isinstance(content, dict | list):
                continue  # the beginning of JSON: what stands there may be another field's
        told.add(index, reader.read(text, content, origin.path), doubt)
    return told


def _from_input(view: View, origin: FromInput, keys: Iterable[Hashable]) -> _Told:
    told, reader = _Told(view), _Reader(keys)
    texts = dict.fromkeys((view.task, *view.told.user))
    for text in texts:
        told.always.update(reader.read(text, json_value(text), origin.path))
    if Evidence.TASK_UNKNOWN in view.levels:
        told.unknown = Evidence.TASK_UNKNOWN.value
    elif view.cut_somewhere or any(isinstance(text, Cut) for text in texts):
        told.unknown = Evidence.TEXT_CAPPED.value
    return told
