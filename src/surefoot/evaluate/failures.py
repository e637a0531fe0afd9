"""What went wrong, and what the agent made of it.

Owns `handled_errors`, `must_succeed`, `empty_result`. Knows no argument. A call failed if
its span says so. That a failing call was tried again, in one span or in several, is no
failure once a later try went well.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher, weigh
from surefoot.evaluate.predicates import shown
from surefoot.evaluate.values import json_value
from surefoot.evaluate.view import View
from surefoot.model import Severity, Undecided, Violation

#: A value in JSON that is none of `null`, `""`, `[]` and `{}`.
_SOMETHING = re.compile(r'^"\s*[^\s"]|[:\[]\s*"\s*[^\s"]|[:\[,]\s*[-0-9tf]')


@dataclass(frozen=True, slots=True)
class HandledErrors:
    """After a call that failed, the same tool succeeds, or a fallback does.

    The same tool with whatever arguments: to correct them is what an agent should do. Of
    unordered calls the success counts as the later one. One violation for each tool, at
    its first failure that was not handled.
    """

    id: str
    step: Matcher
    fallback: Matcher | None = None
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.ABSENT
    needs: ClassVar[Needs] = NEEDS[Kind.ABSENT]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        if all(view.steps[index].ok for index in view.ran):
            return
        helpful = () if self.fallback is None else (self.fallback,)
        find = partial(self._find, view)
        yield from weigh(self.id, view, find, guilty=(self.step,), helpful=helpful)

    def _find(self, view: View, steps: Calls, fallbacks: Calls = ()) -> Iterator[Violation]:
        failed = [index for index in steps if not view.steps[index].ok]
        if not failed:
            return
        tools = {view.steps[index].tool for index in failed}
        successes: dict[str, list[int]] = {tool: [] for tool in tools}
        for index in view.ran:
            if view.steps[index].ok and view.steps[index].tool in tools:
                successes[view.steps[index].tool].append(index)
        fallen = _Later.of(view, [index for index in fallbacks if view.steps[index].ok])
        retried = {tool: _Later.of(view, calls) for tool, calls in successes.items()}
        open_calls: dict[str, list[int]] = {}
        for index in failed:
            tool = view.steps[index].tool
            if not retried[tool].may_follow(view, index) and not fallen.may_follow(view, index):
                open_calls.setdefault(tool, []).append(index)
        for tool, calls in open_calls.items():
            yield self._violation(view, tool, calls)

    def _violation(self, view: View, tool: str, calls: Calls) -> Violation:
        times = f", {len(calls)} times" if len(calls) > 1 else ""
        said = view.steps[calls[0]].result
        why = f": {shown(said)}" if said else ""
        other = "" if self.fallback is None else f", or {self.fallback.label} after it"
        return Violation(
            self.id,
            self.severity,
            f"{tool} failed and nothing was made of it",
            step=calls[0],
            expected=f"{tool} called again with success{other}",
            observed=f"failed{times}{why}",
            subject=tool,
            also=tuple(calls[1:]),
        )


@dataclass(frozen=True, slots=True)
class MustSucceed:
    """None of these calls failed. One violation for each that did."""

    id: str
    step: Matcher
    severity: Severity = Severity.SOFT
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        return weigh(self.id, view, partial(self._find, view), guilty=(self.step,))

    def _find(self, view: View, calls: Calls) -> Iterator[Violation]:
        for index in calls:
            step = view.steps[index]
            if not step.ok:
                yield Violation(
                    self.id,
                    self.severity,
                    f"{step.tool} failed",
                    step=index,
                    expected=f"{self.step.label} succeeds",
                    observed=shown(step.result) if step.result else "failed",
                    subject=step.tool,
                )


@dataclass(frozen=True, slots=True)
class EmptyResult:
    """Each of these calls that succeeded returned something. A result not told is open."""

    id: str
    step: Matcher
    severity: Severity = Severity.WARN
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        for index in view.match(self.step).every:
            reason = view.result_hidden(index)
            if reason and view.steps[index].ok and may_be_empty(view.steps[index].result):
                yield Undecided(self.id, reason)
        yield from weigh(self.id, view, partial(self._find, view), guilty=(self.step,))

    def _find(self, view: View, calls: Calls) -> Iterator[Violation]:
        for index in calls:
            step = view.steps[index]
            if step.ok and not view.result_hidden(index) and is_empty(step.result):
                yield Violation(
                    self.id,
                    self.severity,
                    f"{step.tool} returned nothing usable",
                    step=index,
                    expected=f"a result of {self.step.label}",
                    observed=shown(step.result) if step.result.strip() else "an empty text",
                    subject=step.tool,
                )


def is_empty(result: str) -> bool:
    """Whether a result says nothing: blank, or JSON in which nothing but empties stands."""
    text = result.strip()
    if not text:
        return True
    # Only JSON that may be empty is read: large results are passed over at their first letter.
    return text[0] in '"[{n' and _holds_nothing(json_value(text), text)


def may_be_empty(beginning: str) -> bool:
    """Whether what begins so may say nothing. Linear in its length."""
    text = beginning.strip()
    if not text or text[0] in '"[{':
        return _SOMETHING.search(text) is None
    return "null".startswith(text)


def _holds_nothing(value: Any, text: str) -> bool:
    if value is None:
        return text == "null"
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, Mapping):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif one is not None and not (isinstance(one, str) and not one.strip()):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Later:
    """Some calls, to be asked whether one of them may come after another call.

    last: the latest one's index. starts: of each, in order. ends: the latest end up to
    each. turns: theirs.
    """

    last: int
    starts: list[int]
    ends: list[int]
    turns: frozenset[int]

    @classmethod
    def of(cls, view: View, calls: Calls) -> "_Later":
        """Look at `calls`, which are in order. O(calls)."""
        return cls(
            calls[-1] if calls else -1,
            [view.spans[index][0] for index in calls],
            list(accumulate((view.spans[index][1] for index in calls), max)),
            frozenset(view.evidence[index].turn for index in calls) - {-1},
        )

    def may_follow(self, view: View, index: int) -> bool:
        """Whether one of them comes after call `index` in some order. O(log calls)."""
        if self.last > index or view.evidence[index].turn in self.turns:
            return True
        start, end = view.spans[index]
        place = bisect_left(self.starts, end)
        return place > 0 and self.ends[place - 1] > start
