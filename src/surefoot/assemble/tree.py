"""The spans of one trace as a forest: who is above whom.

Owns order, duplicates, parents that never came, cycles, and for each span its nearest
AI ancestor, agent and tool. Knows roles and ids alone. Spans may come in any order, twice,
from several services, with parents that are missing, themselves, or each other.

Order is by start, end and id, so that the same spans give the same forest however they
came. Every walk is a loop; nothing recurses, and all of it is linear but for the sort.
"""

from collections.abc import Iterable, Mapping
from operator import attrgetter, lt

from surefoot.assemble.members import AGENT, CHAIN, TOOL
from surefoot.assemble.values import plain
from surefoot.model import Span, Value

#: SpanFlags: has-is-remote and is-remote. Source: opentelemetry-proto trace.proto.
_REMOTE = 0x300
_CHAIN = int(CHAIN)  # the least AI role
_BY_TIME = attrgetter("start_ns", "end_ns", "span_id")


class Forest:
    """Indexes into `spans`, which is sorted; -1 is none.

    parent: the span's parent that is here. above: the nearest AI ancestor. agent, tool:
    the nearest ancestor of that role. top: the topmost AI ancestor, or the span itself.
    rooted: whether the chain of parents ends at a root. order: parents before children.
    """

    __slots__ = ("above", "agent", "order", "parent", "rooted", "spans", "tool", "top", "tops")

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = _distinct(spans)
        index = {span.span_id: at for at, span in enumerate(self.spans)}
        self.parent = [
            index.get(span.parent_id, -1) if span.parent_id else -1 for span in self.spans
        ]
        size = len(self.spans)
        self.above = [-1] * size
        self.agent = [-1] * size
        self.tool = [-1] * size
        self.top = [-1] * size
        self.rooted = [False] * size
        self.order = self._parents_first()
        self._inherit()
        self.tops = [at for at, top in enumerate(self.top) if top == at]

    def topmost(self) -> list[int]:
        """Give the AI spans with no AI span above them, the earliest first."""
        return self.tops

    def _parents_first(self) -> list[int]:
        """Give every index after its parent's; cut each cycle above its earliest span.

        Mostly parents start before their children, so that order of time will do.
        """
        if all(map(lt, self.parent, range(len(self.parent)))):
            return list(range(len(self.parent)))
        children: list[list[int]] = [[] for _ in self.spans]
        order = []
        for at, parent in enumerate(self.parent):
            if parent < 0:
                order.append(at)
            else:
                children[parent].append(at)
        seen = bytearray(len(self.spans))
        self._spread(order, 0, children, seen)
        for at in range(len(self.spans)):
            if not seen[at]:
                cut = self._earliest_of_cycle(at)
                self.parent[cut] = -1
                order.append(cut)
                self._spread(order, len(order) - 1, children, seen)
        return order

    @staticmethod
    def _spread(order: list[int], done: int, children: list[list[int]], seen: bytearray) -> None:
        """Add whatever is below `order[done:]` to it."""
        while done < len(order):
            at = order[done]
            done += 1
            if not seen[at]:
                seen[at] = 1
                order.extend(child for child in children[at] if not seen[child])

    def _earliest_of_cycle(self, at: int) -> int:
        walked = set()
        while at not in walked:
            walked.add(at)
            at = self.parent[at]
        earliest, step = at, self.parent[at]
        while step != at:
            earliest = min(earliest, step)
            step = self.parent[step]
        return earliest

    def _inherit(self) -> None:
        """Hand down from parents to children what stands above them."""
        spans, parents, rooted, top = self.spans, self.parent, self.rooted, self.top
        above, agent, tool = self.above, self.agent, self.tool
        for at in self.order:
            span = spans[at]
            parent = parents[at]
            rooted[at] = not span.parent_id or span.flags & _REMOTE == _REMOTE
            if parent >= 0:
                role = spans[parent].role
                rooted[at] = rooted[at] or rooted[parent]
                above[at] = parent if role >= _CHAIN else above[parent]
                agent[at] = parent if role is AGENT else agent[parent]
                tool[at] = parent if role is TOOL else tool[parent]
                top[at] = top[parent]
            if top[at] < 0 and span.role >= _CHAIN:
                top[at] = at


def _distinct(spans: Iterable[Span]) -> list[Span]:
    """Sort; of spans with one id keep the same one, whichever came first."""
    spans = list(spans)
    held = {span.span_id: span for span in spans}
    if len(held) == len(spans):
        return sorted(spans, key=_BY_TIME)
    held.clear()
    for span in spans:
        known = held.get(span.span_id)
        if known is None or (known is not span and _rank(span) < _rank(known)):
            held[span.span_id] = span
    return sorted(held.values(), key=_BY_TIME)


def _rank(span: Span) -> tuple[object, ...]:
    """Tell spans of one id apart by all that a run is made of."""
    return (
        -span.role,
        span.start_ns,
        span.end_ns,
        span.parent_id,
        span.status,
        span.name,
        span.message,
        span.scope,
        span.flags,
        span.dropped,
        span.resource.service,
        _texts(span.attributes),
        [(event.name, event.time_ns, _texts(event.attributes)) for event in span.events],
    )


def _texts(attributes: Mapping[str, Value]) -> list[tuple[str, str]]:
    return sorted((key, repr(plain(value))) for key, value in attributes.items())
