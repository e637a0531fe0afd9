"""Work done twice: `no_repeat` and `retries`.

Owns what an identical call is, which of them have no order, and when a call that was made
again returned something new. Knows no tool.

Two identical calls belong to one *episode* while what they return stays the same. Where
calls are unordered and returned different things, some order makes every result a new
one, so each is an episode of its own.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.matcher import Calls, Matcher
from surefoot.evaluate.values import leaves, text_of
from surefoot.evaluate.view import View
from surefoot.model import ArgsQuality, Severity, Undecided, Violation

#: What identical calls have in common: the tool, and its arguments.
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class NoRepeat:
    """No identical call after one that succeeded; a retry after a failure is none.

    Of two unordered calls either may have been the later one, so both must have
    succeeded. Where the spans of a tool lost the argument's name (`wrapped_text`), its
    one-argument calls are compared by value. A call with hidden arguments may repeat,
    or be repeated by, any other call of its tool: undecided, if one of them succeeded.

    spared: calls that may be repeated. changed_result_ok: a call that returned something
    else than the identical one before it, or failed, is no repeat (polling).
    """

    severity: Severity = Severity.SOFT
    id: str = "no_repeat"
    spared: Matcher | None = None
    changed_result_ok: bool = False
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        if self.spared is None:
            yield from self._find(view, view.ran)
            return
        spared = view.match(self.spared)
        found = list(self._find(view, _without(view.ran, spared.every)))
        if not spared.doubts:
            yield from found
            return
        # A doubtful call may be spared or not: what both ways find is certain.
        others = list(self._find(view, _without(view.ran, spared.sure)))
        certain = {one.step for one in others if isinstance(one, Violation)}
        sure = [one for one in found if isinstance(one, Violation) and one.step in certain]
        yield from sure
        if found or others:
            yield Undecided(self.id, ", ".join(dict.fromkeys(spared.doubts.values())))

    def _find(self, view: View, ran: Calls) -> Iterator[Finding]:
        calls = Counter(view.steps[index].tool for index in ran)
        if len(calls) == len(ran):
            return
        twice = [index for index in ran if calls[view.steps[index].tool] > 1]
        yield from self._hidden(view, twice)
        keys = identities(view, twice)
        yield from self._changed(view, keys) if self.changed_result_ok else self._plain(view, keys)

    def _hidden(self, view: View, calls: Calls) -> Iterator[Undecided]:
        succeeded: set[str] = set()
        hidden: dict[str, str] = {}
        for index in calls:
            step = view.steps[index]
            reason = view.hidden(index)
            if (reason or step.tool in hidden) and step.tool in succeeded:
                yield Undecided(self.id, reason or hidden[step.tool])
            if step.ok:
                succeeded.add(step.tool)
                if reason:
                    hidden[step.tool] = reason

    def _plain(self, view: View, keys: dict[int, Key]) -> Iterator[Violation]:
        done: dict[Key, int] = {}
        for index, key in keys.items():
            ok = view.steps[index].ok
            earlier = done.get(key)
            if earlier is not None and (ok or view.are_ordered(earlier, index)):
                yield self._violation(view, index, f"same arguments as step {earlier}")
            if ok:
                done.setdefault(key, index)

    def _changed(self, view: View, keys: dict[int, Key]) -> Iterator[Finding]:
        repeats: dict[int, int] = {}
        for calls in alike({index: key for index, key in keys.items() if view.steps[index].ok}):
            first: dict[int, int] = {}
            for index, episode in zip(calls, episodes(view, calls), strict=True):
                earlier = first.setdefault(episode, index)
                if earlier != index:
                    repeats[index] = earlier
            if len(calls) > 1:
                for reason in filter(None, map(view.result_hidden, calls)):
                    yield Undecided(self.id, reason)
        for index in sorted(repeats):
            observed = f"same arguments and result as step {repeats[index]}"
            yield self._violation(view, index, observed)

    def _violation(self, view: View, index: int, observed: str) -> Violation:
        return Violation(
            self.id,
            self.severity,
            f"repeated call: {view.steps[index].tool}",
            step=index,
            expected="no identical call after one that succeeded",
            observed=observed,
        )


@dataclass(frozen=True, slots=True)
class Retries:
    """The same call fails at most so often until it succeeds.

    Further attempts that one span hides count. Of unordered calls a success may stand
    between the failures wherever that helps. A call with hidden arguments may be the same
    as any other of its tool. One violation a series, at the failure over the bound.
    """

    id: str
    most: int
    severity: Severity = Severity.SOFT
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        failures: Counter[str] = Counter()
        for index in view.ran:
            failures[view.steps[index].tool] += _failures(view, index)
        tried = [index for index in view.ran if failures[view.steps[index].tool] > self.most]
        masked: set[str] = set()
        for index in tried:
            if reason := view.hidden(index):
                yield Undecided(self.id, reason)
                if view.steps[index].ok:
                    masked.add(view.steps[index].tool)
        keys = identities(view, tried)
        series = alike({i: key for i, key in keys.items() if key[0] not in masked})
        alone = [[i] for i in tried if i not in keys or keys[i][0] in masked]
        found = [one for calls in (*series, *alone) for one in self._find(view, calls)]
        yield from sorted(found, key=lambda one: one.step or 0)

    def _find(self, view: View, calls: Calls) -> Iterator[Violation]:
        """One series after the other. over: the call that passed the bound in this one."""
        count, over = 0, -1
        for cluster in clusters(view, calls):
            successes = sum(bool(view.steps[index].ok) for index in cluster)
            if not successes or len(cluster) == 1:
                for index in cluster:
                    count += _failures(view, index)
                    over = index if over < 0 and count > self.most else over
                if not successes:
                    continue
            if over >= 0:  # what failed beside the success belongs to this series as well
                yield self._violation(view, over, count)
                count, over = 0, -1
            elif len(cluster) == 1:
                count = 0
            else:
                count, over = self._parted(view, cluster, count, successes)
        if over >= 0:
            yield self._violation(view, over, count)

    def _parted(self, view: View, cluster: Calls, count: int, successes: int) -> tuple[int, int]:
        """What is left of unordered failures that the successes part as well as they can."""
        failures = {index: _failures(view, index) for index in cluster}
        worst = max(cluster, key=lambda index: failures[index])
        if failures[worst] > self.most:
            return failures[worst], worst
        left = sum(failures.values()) - (self.most - count) - (successes - 1) * self.most
        return max(0, left), cluster[-1] if left > self.most else -1

    def _violation(self, view: View, index: int, count: int) -> Violation:
        tool = view.steps[index].tool
        return Violation(
            self.id,
            self.severity,
            f"{tool} failed {count} times with the same arguments, at most {self.most} allowed",
            step=index,
            expected=f"at most {self.most} failures until it succeeds",
            observed=f"{count} failures",
            subject=tool,
        )


def identities(view: View, calls: Calls) -> dict[int, Key]:
    """What each call is compared by; without those whose arguments are hidden."""
    nameless = {
        view.steps[index].tool
        for index in calls
        if view.evidence[index].args_quality is ArgsQuality.WRAPPED_TEXT
    }
    keys = {}
    for index in calls:
        step = view.steps[index]
        if not view.hidden(index):
            keys[index] = (step.tool, identity(step.args, by_value=step.tool in nameless))
    return keys


def identity(args: dict[str, Any], *, by_value: bool = False) -> str:
    """What two sets of arguments have in common exactly if they are the same.

    by_value: an only argument counts by its value, whatever its name.
    """
    if by_value and len(args) == 1:
        return f"value {text_of(next(iter(args.values())))}"
    try:
        return json.dumps(args, sort_keys=True, default=str)
    except (RecursionError, TypeError, ValueError):
        # Nested too deep, names that cannot be sorted, a number too long to write.
        told = [(path, type(leaf).__name__, text_of(leaf)) for path, leaf in leaves(args)]
        return repr(sorted(told))


def alike(keys: dict[int, Key]) -> list[list[int]]:
    """The calls of each key, in order."""
    found: dict[Key, list[int]] = {}
    for index, key in keys.items():
        found.setdefault(key, []).append(index)
    return list(found.values())


def clusters(view: View, calls: Calls) -> Iterator[Calls]:
    """The calls, parted wherever all that are before come surely before all that follow.

    O(calls). Calls of one turn are never parted.
    """
    last = {view.evidence[index].turn: place for place, index in enumerate(calls)}
    last[-1] = -1
    begin, reach, end_ns = 0, -1, 0
    for place, index in enumerate(calls):
        start, end = view.spans[index]
        if place > max(begin, reach) and end_ns <= start:
            yield calls[begin:place]
            begin, end_ns = place, 0
        end_ns = max(end_ns, end)
        reach = max(reach, last[view.evidence[index].turn])
    if calls:
        yield calls[begin:]


def episodes(view: View, calls: Calls) -> list[int]:
    """For each of some identical calls, a number that is new where the result is.

    A result that cannot be read counts as new, and so does the one after it.
    """
    found: list[int] = []
    number, last = 0, None
    for cluster in clusters(view, calls):
        told = {
            None if view.result_hidden(index) else view.steps[index].result for index in cluster
        }
        (one, *others) = told
        if others or one is None:
            found += range(number + 1, number + len(cluster) + 1)
            number += len(cluster)
            last = None
            continue
        number += one != last
        found += [number] * len(cluster)
        last = one
    return found


def _failures(view: View, index: int) -> int:
    """How many attempts of one call failed."""
    return view.evidence[index].attempts - bool(view.steps[index].ok)


def _without(calls: Calls, others: Calls) -> list[int]:
    left = frozenset(others)
    return [index for index in calls if index not in left]
