"""Which agent made a call.

Owns the order of belief: the span's own word where its dialect says so first, then the
nearest agent's span above (or a hand-over above, which names who works under it), then
the span's own word, then the agent that was at work at that time, then `main`. An agent's
span without a name counts for nothing: the next one above is asked.
"""

from surefoot.assemble.call import Call
from surefoot.assemble.dialects import keys
from surefoot.assemble.members import CHAIN, TOOL
from surefoot.assemble.view import View

MAIN = "main"
_EVER = 2**64


class Agents:
    """Who works where, for one run."""

    def __init__(self, view: View) -> None:
        self._view = view
        size = len(view.spans)
        self.named = [""] * size  #: the name on an agent's span, else empty
        self.above = [""] * size  #: the agent under which a span stands
        for at, name in view.agent_names().items():
            self.named[at] = name
        self._inherit()

    def _inherit(self) -> None:
        view, named, above = self._view, self.named, self.above
        spans, parents = view.spans, view.forest.parent
        for at in view.forest.order:
            parent = parents[at]
            if parent >= 0:
                upper = spans[parent]
                hands_to = view.dialects[parent].hands_to(upper) if upper.role is TOOL else ""
                above[at] = hands_to or named[parent] or above[parent]

    def assign(self, calls: list[Call]) -> None:
        """Name the agent of each call."""
        adrift = []
        for call in calls:
            at = call.at
            dialect = self._view.dialects[at]
            own = dialect.owner(self._view.spans[at])
            call.agent = own if dialect.owner_first and own else self.above[at] or own
            if not call.agent:
                adrift.append(call)
        if adrift:
            self._by_time(adrift)

    def _by_time(self, calls: list[Call]) -> None:
        """Give calls beside all agents' spans to who was at work, in one sweep."""
        turns = self._turns()
        working: list[tuple[int, int, str]] = []
        begun = 0
        for call in sorted(calls, key=lambda call: call.start_ns):
            while begun < len(turns) and turns[begun][0] <= call.start_ns:
                working.append(turns[begun])
                begun += 1
            while working and working[-1][1] < call.start_ns:
                working.pop()
            call.agent = working[-1][2] if working else MAIN

    def _turns(self) -> list[tuple[int, int, str]]:
        """Give (start, end, agent) of agents' spans and of announced turns, by start.

        Some exporters put an agent, its models and its tools side by side, or only
        announce whose turn it is. Of those at work the one that started last is meant.
        """
        found = []
        for at, span in enumerate(self._view.spans):
            said = span.attributes.get(keys.OWNER) if span.role is CHAIN else None
            if self.named[at]:
                found.append((span.start_ns, span.end_ns, self.named[at]))
            elif isinstance(said, str) and said:
                found.append((span.start_ns, _EVER, said))
        return found

    def of_run(self, root: int) -> str:
        """Give the agent's name of a run: its root's, else the first one's in time."""
        view = self._view
        span, dialect = view.spans[root], view.dialects[root]
        own = self.named[root] or (dialect.owner(span) if dialect.owner_first else "")
        turns = self._turns()
        return own or (turns[0][2] if turns else "") or dialect.owner(span) or MAIN
