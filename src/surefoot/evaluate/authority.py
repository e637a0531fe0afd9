"""What an agent may do, with whose leave, and with which models: `effects`, `approval`, `models`.

Owns which tools' names speak of side effects, and when an approval covers a call. Knows
no identity: who approved is the tool that was called.
"""

import re
from bisect import bisect_right, insort
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import ClassVar, NamedTuple

from surefoot.duration import format_duration
from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher, weigh
from surefoot.evaluate.names import bare
from surefoot.evaluate.paths import Path
from surefoot.evaluate.predicates import Predicate
from surefoot.evaluate.same import key_of
from surefoot.evaluate.view import View
from surefoot.model import Severity, StepKind, Undecided, Violation

#: Words in a tool's name that speak of a side effect.
WORDS = (
    "transfer",
    "send",
    "write",
    "delete",
    "remove",
    "execute",
    "run",
    "publish",
    "email",
    "pay",
    "withdraw",
    "refund",
)
#: `HTTPServer`, `sendEmail`, `send_email`, `SEND`: each word of a name.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
#: Why nothing can be said of models: no span names one.
MODELS_MISSING = "models_missing"


@dataclass(frozen=True, slots=True)
class Words:
    """Tools whose name has one of these words as a whole: `send_email`, not `sender`.

    What frameworks put around a name (`mcp__mail__`, `.run`) is no part of it.
    """

    words: frozenset[str]

    def covers(self, tool: str, aliases: tuple[str, ...] = ()) -> bool:  # noqa: ARG002 - see NameSet
        """See `NameSet`. A name that the spec has too is bared all the same."""
        parts = _WORD.findall(bare(tool))
        return not self.words.isdisjoint(part.lower() for part in parts)


#: Every tool that by its name has a side effect.
BY_NAME = Matcher.named("a tool with side effects", Words(frozenset(WORDS)))


@dataclass(frozen=True, slots=True)
class Effects:
    """No tool with side effects is called, but by a call that is authorised.

    By name, a handoff has none: `transfer_to_billing` moves no money.
    """

    id: str
    tools: Matcher = BY_NAME
    authorised: Matcher | None = None
    severity: Severity = Severity.HARD

    @property
    def kind(self) -> Kind:
        """Final, unless something may authorise a call, or later spans tell of the tools."""
        if self.authorised is not None:
            return Kind.ABSENT
        return Kind.FINAL if self.tools.is_final else Kind.SEEN

    @property
    def needs(self) -> Needs:
        """See `Check`."""
        return NEEDS[self.kind]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. One violation for each tool, at its first such call."""
        allowed = () if self.authorised is None else (self.authorised,)
        find = partial(self._find, view)
        return weigh(self.id, view, find, guilty=(self.tools,), helpful=allowed)

    def _find(self, view: View, effects: Calls, authorised: Calls = ()) -> Iterator[Violation]:
        fine = set(authorised)
        calls: dict[str, list[int]] = {}
        for index in effects:
            is_handoff = view.evidence[index].kind is StepKind.HANDOFF and self.tools is BY_NAME
            if index not in fine and not is_handoff:
                calls.setdefault(view.steps[index].tool, []).append(index)
        right = "" if self.authorised is None else f" but {self.authorised.label}"
        for tool, indices in calls.items():
            times = f", {len(indices)} times" if len(indices) > 1 else ""
            yield Violation(
                self.id,
                self.severity,
                f"side effect without authority: {tool}",
                step=indices[0],
                expected=f"no call of {self.tools.label}{right}",
                observed=f"{tool} called{times}",
                subject=tool,
                also=tuple(indices[1:]),
            )


class _Ended(NamedTuple):
    """An approval, by when it ended."""

    end_ns: int
    step: int
    why: str = ""


@dataclass(slots=True)
class _Ends:
    """Approvals in the order in which they ended."""

    every: list[_Ended] = field(default_factory=list)

    def add(self, ended: _Ended) -> None:
        """Add one."""
        insort(self.every, ended)

    def last(self, view: View, call: int) -> _Ended | None:
        """The last that had ended when `call` started; not that call itself."""
        start = view.spans[call][0]
        at = bisect_right(self.every, start, key=lambda one: one.end_ns)
        while at and self.every[at - 1].step == call:
            at -= 1
        return self.every[at - 1] if at else None


@dataclass(slots=True)
class _Approvals:
    """All approvals of a run that ended ok, by what they are for.

    sure: what they allow. perhaps: what they may allow. anything: those of which it is
    not known what for. open: these three together. refused: those that did not grant it.
    every: all.
    """

    sure: dict[Hashable, _Ends] = field(default_factory=dict)
    perhaps: dict[Hashable, _Ends] = field(default_factory=dict)
    refused: dict[Hashable, _Ends] = field(default_factory=dict)
    anything: _Ends = field(default_factory=_Ends)
    open: _Ends = field(default_factory=_Ends)
    every: _Ends = field(default_factory=_Ends)


_NONE = _Ends()


@dataclass(frozen=True, slots=True)
class Approval:
    """Each of these calls has an approval: an earlier call that ended ok before it began.

    same: arguments that must have the same values in both; one that either lacks is no
    such value. max_age_ns: the longest from the approval's end to the call's start. granted:
    what must stand in the approval's result, a JSON object, by path; without it every
    approval that ended ok says yes. An approval may cover several calls, and a later no
    does not take it back. Order is by the clock: what has not ended approves nothing yet.
    """

    id: str
    step: Matcher
    by: Matcher
    same: tuple[Path, ...] = ()
    max_age_ns: int | None = None
    granted: tuple[tuple[Path, Predicate], ...] = ()
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        matches = view.match(self.step)
        approvals = self._approvals(view) if matches.every else _Approvals()
        for index in matches.every:
            key, hidden = self._key(view, index)
            if hidden:
                # Any approval in time may be for the same values.
                open_ = self._in_time(view, index, approvals.open)
                why = hidden if open_ else None
            elif self._in_time(view, index, approvals.sure.get(key, _NONE)):
                continue
            else:
                open_ = self._in_time(view, index, approvals.perhaps.get(key, _NONE))
                open_ = open_ or self._in_time(view, index, approvals.anything)
                why = open_.why if open_ else None
            why = why or matches.doubts.get(index)
            yield Undecided(self.id, why) if why else self._violation(view, index, key, approvals)

    def _in_time(self, view: View, index: int, ends: _Ends) -> _Ended | None:
        last = ends.last(view, index)
        if last is None or self.max_age_ns is None:
            return last
        return last if view.spans[index][0] - last.end_ns <= self.max_age_ns else None

    def _approvals(self, view: View) -> _Approvals:
        found = _Approvals()
        matches = view.match(self.by)
        for index in matches.every:
            if not view.steps[index].ok:
                continue
            key, hidden = self._key(view, index)
            granted = self._is_granted(view, index)
            doubts = [matches.doubts.get(index), hidden, granted if granted is not True else ""]
            why = ", ".join(dict.fromkeys(doubt for doubt in doubts if doubt))
            ended = _Ended(view.spans[index][1], index, why)
            found.every.add(ended)
            if granted is False:
                found.refused.setdefault(key, _Ends()).add(ended)
                continue
            found.open.add(ended)
            if hidden:
                found.anything.add(ended)
            else:
                among = found.perhaps if why else found.sure
                among.setdefault(key, _Ends()).add(ended)
        return found

    def _is_granted(self, view: View, index: int) -> bool | str:
        """Whether the approval says yes, or why that cannot be told."""
        if not self.granted:
            return True
        if hidden := view.result_hidden(index):
            return hidden
        content = view.result_value(index)
        for path, predicate in self.granted:
            found = path.follow(content)
            holds = any(predicate.holds(value) for _, value in found) if found else predicate.absent
            if not holds:
                return False
        return True

    def _key(self, view: View, index: int) -> tuple[Hashable, str]:
        """What a call is about, or why that cannot be told.

        A call that lacks a value is about nothing that an approval could be for.
        """
        values: list[Hashable] = []
        for path in self.same:
            found, hidden = view.argument(index, path)
            if hidden:
                return None, hidden
            values.append(frozenset(key_of(value) for _, value in found) or (index, path.text))
        return tuple(values), ""

    def _violation(self, view: View, index: int, key: Hashable, approvals: _Approvals) -> Violation:
        tool, by = view.steps[index].tool, self.by.label
        same = ", ".join(path.text for path in self.same)
        age = f", at most {format_duration(self.max_age_ns)} before" if self.max_age_ns else ""
        observed = f"no {by} that had ended ok"
        known = (approvals.sure.get(key, _NONE), approvals.perhaps.get(key, _NONE))
        old = known[0].last(view, index) or known[1].last(view, index)
        if old:
            late = format_duration(view.spans[index][0] - old.end_ns)
            observed = f"{by} at step {old.step} ended {late} before"
        elif refused := approvals.refused.get(key, _NONE).last(view, index):
            observed = f"{by} at step {refused.step} did not grant it"
        elif other := approvals.every.last(view, index):
            observed = f"{by} at step {other.step} does not cover it"
        return Violation(
            self.id,
            self.severity,
            f"{tool} without approval: {observed}",
            step=index,
            expected=f"{by} ended ok before{f', for the same {same}' if same else ''}{age}",
            observed=observed,
            subject=tool,
        )


@dataclass(frozen=True, slots=True)
class Models:
    """Only models that fit one of these globs were asked. One violation for each other."""

    id: str
    globs: tuple[str, ...]
    severity: Severity = Severity.SOFT
    kind: ClassVar[Kind] = Kind.FINAL
    #: No tool's span has to do with it.
    needs: ClassVar[Needs] = Needs(frozenset(), frozenset())

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. Where no span names a model, nothing can be said."""
        models = dict.fromkeys(view.run.models)
        if not models:
            yield Undecided(self.id, MODELS_MISSING)
        for model in models:
            if not any(fnmatchcase(model, glob) for glob in self.globs):
                yield Violation(
                    self.id,
                    self.severity,
                    f"model outside the list: {model}",
                    expected=f"one of {', '.join(self.globs)}",
                    observed=model,
                    subject=model,
                )
