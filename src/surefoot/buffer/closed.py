"""What the buffer hands out: a trace to be judged."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from surefoot.model import Reason, Span

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Closed(Generic[V]):
    """A trace to be judged, or one to be judged again.

    spans: all that is held, in order of arrival; empty for a remembered trace that got
    a grade. whole: see `buffer.whole`. due_ns: when it became due; last_ns: when its
    last span came. amends: it was judged before, and `verdict` is what was said then (None
    if it is forgotten); of a trace that closes it is what was said while the trace was
    open, if anything was. grades: those that came since it was handed out last.
    """

    trace_id: bytes
    spans: tuple[Span, ...]
    reason: Reason
    whole: bool
    due_ns: int
    last_ns: int
    attributes_dropped: bool = False
    amends: bool = False
    verdict: V | None = None
    grades: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Fresh(Generic[V]):
    """What came to an open trace since the last look: tools' and models' spans.

    verdict: what was said of the trace before, while it was open.
    """

    trace_id: bytes
    spans: tuple[Span, ...]
    verdict: V | None = None


def regraded(trace_id: bytes, grade: object, now_ns: int) -> Closed[Any]:
    """A remembered trace that got a grade: its spans are gone.

    It gets its verdict on its way out: it may have closed and not be judged yet.
    """
    return Closed(
        trace_id=trace_id,
        spans=(),
        reason=Reason.ROOT,
        whole=True,
        due_ns=now_ns,
        last_ns=now_ns,
        amends=True,
        grades=(grade,),
    )
