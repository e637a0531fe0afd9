"""Which agents do what, and at once: `parallel`, `handoff`, `agent_tools`.

Owns the rules on several agents and on several calls at a time. Knows times as the spans
tell them, and no clock.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.names import NameSet
from surefoot.evaluate.view import View
from surefoot.model import Severity, Source, StepKind, Undecided, Violation

#: No span tells to whom a hand-over went.
TARGET_UNKNOWN = "target_unknown"


@dataclass(frozen=True, slots=True)
class Parallel:
    """No more calls than this run at once. At the first call over it.

    A call that is known from the model alone has no length, and does not count. Nor does
    one that waits for another agent: a hand-over, or a call within which a whole call of
    another agent stands (an agent used as a tool).
    """

    id: str
    most: int
    severity: Severity = Severity.SOFT
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Violation]:
        """See `Check`. Calls that only touch do not overlap. O(n log n)."""
        over: list[int] = []
        peak = 0
        running: list[int] = []
        for index in _working(view):
            start_ns, end_ns = view.spans[index]
            while running and running[0] <= start_ns:
                heapq.heappop(running)
            heapq.heappush(running, end_ns)
            peak = max(peak, len(running))
            if len(running) > self.most:
                over.append(index)
        if over:
            yield Violation(
                self.id,
                self.severity,
                f"{peak} calls at once, at most {self.most} allowed",
                step=over[0],
                expected=f"at most {self.most} at once",
                observed=f"{peak} at once, more than {self.most} from step {over[0]} on",
                also=tuple(over[1:]),
            )


def _working(view: View) -> list[int]:
    """The calls that ran and waited for no other agent, by start."""
    timed = [
        index
        for index in view.ran
        if view.evidence[index].source is Source.SPAN
        and view.evidence[index].kind is not StepKind.HANDOFF
    ]
    timed.sort(key=lambda index: (view.spans[index][0], index))
    found = []
    # Of the calls that start later: the first end, and the first of another agent's call.
    first: tuple[int | None, str] = (None, "")
    second: int | None = None
    for index in reversed(timed):
        agent, end_ns = view.steps[index].agent, view.spans[index][1]
        inner = second if agent == first[1] else first[0]
        if inner is None or inner > end_ns:
            found.append(index)
        if first[0] is None or end_ns < first[0]:
            second = first[0] if agent != first[1] else second
            first = end_ns, agent
        elif agent != first[1] and (second is None or end_ns < second):
            second = end_ns
    return found[::-1]


@dataclass(frozen=True, slots=True)
class Handoff:
    """An agent hands over only to whom it may. allow: pairs of globs, from and to.

    Looks at all hand-overs, also those that are no calls since the vocabulary leaves
    them out.
    """

    id: str
    allow: tuple[tuple[str, str], ...]
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`. Without a target it is decided only if all or none would do."""
        for index in view.readable:
            known = view.evidence[index]
            if known.kind is not StepKind.HANDOFF or not known.ran:
                continue
            agent, target = view.steps[index].agent, known.hands_to
            globs = [to for by, to in self.allow if fnmatchcase(agent, by)]
            if "*" in globs or (target and any(fnmatchcase(target, to) for to in globs)):
                continue
            if globs and not target:
                yield Undecided(self.id, TARGET_UNKNOWN)
                continue
            yield Violation(
                self.id,
                self.severity,
                f"{agent} may not hand over to {target or 'another agent'}",
                step=index,
                expected=f"{agent} hands over to {' or '.join(globs) or 'nobody'}",
                observed=f"{view.steps[index].tool}, to {target or 'an agent no span names'}",
                subject=f"{agent}, {target}",
            )


@dataclass(frozen=True, slots=True)
class May:
    """What agents may call. agents: a glob. label: the tools, as messages name them."""

    agents: str
    tools: NameSet
    label: str


@dataclass(frozen=True, slots=True)
class AgentTools:
    """An agent calls only its tools; one that no glob means is free. At each other call.

    Whom several globs mean may call the tools of each. Hand-overs are not looked at.
    """

    id: str
    may: tuple[May, ...]
    severity: Severity = Severity.HARD
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Violation]:
        """See `Check`."""
        for index in view.ran:
            agent, tool = view.steps[index].agent, view.steps[index].tool
            lists = [one for one in self.may if fnmatchcase(agent, one.agents)]
            is_free = not lists or view.evidence[index].kind is StepKind.HANDOFF
            if is_free or any(view.covers(one.tools, index) for one in lists):
                continue
            labels = [one.label for one in lists if one.label]
            yield Violation(
                self.id,
                self.severity,
                f"{agent} may not call {tool}",
                step=index,
                expected=f"{agent} calls only {', '.join(labels) or 'nothing'}",
                observed=f"{tool}, called by {agent}",
                subject=f"{agent}, {tool}",
            )
