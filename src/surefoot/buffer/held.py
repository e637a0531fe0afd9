"""One trace while its spans are held: what it weighs, what its texts share.

Owns the spans of one trace, the sharing of equal texts among them, and the estimate of
their size. Knows nothing of other traces or of why this one will be closed.

Theory: the messages of a run are repeated in each later model call, so a trace of n
turns carries its first message n times. Each distinct text, and each distinct entry of
an indexed attribute, is therefore held once a trace; a repeated one costs a pointer.
"""

import contextlib
from typing import Generic, TypeVar

from surefoot.buffer.limits import Timers
from surefoot.model import Cut, Reason, Span, Value

V = TypeVar("V")

#: What CPython 3.11 takes for a slotted `Span`, its ids, times, dict and dict entry.
SPAN_BYTES = 560
#: A dict slot with its key shared, and a short value.
ATTRIBUTE_BYTES = 80
#: An entry of an indexed attribute, without its texts: nested tuples.
ITEM_BYTES = 200
#: A str object without its characters.
TEXT_BYTES = 49
#: Texts shorter than this are not worth a look-up.
SHARED_FROM = 32
#: Stands for a text that found no room in the trace's budget.
NO_ROOM = Cut("")


class Held(Generic[V]):
    """One trace's spans and what the state machine has to know of them."""

    __slots__ = (
        "anchors",
        "bytes",
        "checked_ns",
        "closed_ns",
        "dirty",
        "dropped",
        "first_ns",
        "grades",
        "id",
        "last_ns",
        "late_ns",
        "reason",
        "services",
        "spans",
        "text_bytes",
        "text_limit",
        "texts",
        "timers",
        "verdict",
        "whole",
    )

    def __init__(self, trace_id: bytes, now_ns: int, timers: Timers, text_limit: int) -> None:
        self.id = trace_id
        self.spans: dict[bytes, Span] = {}
        self.anchors: frozenset[bytes] = frozenset()  #: roots that were let go before
        self.services: set[str] = set()
        self.timers = timers
        self.first_ns = self.last_ns = now_ns
        self.checked_ns = -1  #: the `last_ns` for which `whole` was found
        self.whole = False
        self.bytes = 0
        self.texts: dict[Value, Value] = {}
        self.text_bytes = 0
        self.text_limit = text_limit
        self.dropped = False  #: some of its spans were no spans
        self.grades: list[object] = []
        # once judged and kept:
        self.reason: Reason | None = None
        self.closed_ns = 0
        self.late_ns = 0  #: when the last late span was held
        self.dirty = False  #: an amendment is owed
        self.verdict: V | None = None

    def put(self, span: Span) -> int:
        """Hold `span`, whose id is not held yet; return the bytes that it added."""
        span.trace_id = self.id
        added = SPAN_BYTES
        attributes = span.attributes
        for key, value in attributes.items():
            added += ATTRIBUTE_BYTES
            if type(value) is str:
                if len(value) >= SHARED_FROM:
                    attributes[key], more = self._share(value)
                    added += more
            elif isinstance(value, (tuple, dict, bytes, Cut)):
                attributes[key], more = self._share_deep(value)
                added += more
        for event in span.events:
            added += SPAN_BYTES // 2
            for key, value in event.attributes.items():
                event.attributes[key], more = self._share_deep(value)
                added += more
        if span.message:
            message, more = self._share(span.message)
            span.message = str(message)
            added += more
        self.spans[span.span_id] = span
        self.bytes += added
        return added

    def _share(self, text: str) -> tuple[Value, int]:
        """The trace's own copy of `text`, and the bytes if it is a new one."""
        held = self.texts.get(text)
        if held is not None:
            return held, 0
        size = TEXT_BYTES + len(text)
        if self.text_bytes + size > self.text_limit:
            return NO_ROOM, 0
        self.texts[text] = text
        self.text_bytes += size
        return text, size

    def _share_deep(self, value: Value) -> tuple[Value, int]:
        """As `_share`, for whatever an attribute may hold. Depth is the door's to bound."""
        if isinstance(value, str):
            return self._share(value) if len(value) >= SHARED_FROM else (value, 0)
        if isinstance(value, tuple):
            return self._share_tuple(value)
        if isinstance(value, dict):
            added = 0
            for key, inner in value.items():
                value[key], more = self._share_deep(inner)
                added += ATTRIBUTE_BYTES + more
            return value, added
        return value, len(value) if isinstance(value, bytes) else 0

    def _share_tuple(self, value: tuple[Value, ...]) -> tuple[Value, int]:
        added = 0
        shared: list[Value] = []
        for item in value:
            if not isinstance(item, tuple):
                mine, more = self._share_deep(item)
            elif (held := self._known(item)) is not None:
                mine, more = held, 8
            else:
                mine, more = self._share_item(item)
            shared.append(mine)
            added += more
        return tuple(shared), added + 8 * len(shared)

    def _known(self, item: tuple[Value, ...]) -> Value:
        try:
            return self.texts.get(item)
        except TypeError:  # a dict inside: it can't be looked up, only held
            return None

    def _share_item(self, item: tuple[Value, ...]) -> tuple[Value, int]:
        """Hold a new entry of an indexed attribute, each of its long texts shared."""
        added = ITEM_BYTES
        pairs: list[Value] = []
        for pair in item:
            inner, more = self._share_pair(pair)
            pairs.append(inner)
            added += more
        mine = tuple(pairs)
        with contextlib.suppress(TypeError):  # as above
            self.texts[item] = mine
        return mine, added

    def _share_pair(self, pair: Value) -> tuple[Value, int]:
        if isinstance(pair, tuple):
            inner = [self._share_deep(part) for part in pair]
            return tuple(part for part, _ in inner), sum(more for _, more in inner)
        return self._share_deep(pair)
