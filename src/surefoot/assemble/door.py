"""What happens to each span at the door, before it is held.

Owns the order: find the dialect, find the role, trim. A span that no AI convention knows
keeps its ids, times and status; one that is no agent work keeps what graders wrote on it.
This is the hot path: a span without messages in JSON takes about a microsecond.
"""

from surefoot.assemble import dialects
from surefoot.assemble.dialects import keys
from surefoot.assemble.members import CHAIN, NONE, OTHER
from surefoot.model import Span

_GRADES = frozenset(keys.GRADES)
_KEPT_OF_OTHERS = _GRADES | {keys.KIND, keys.OPERATION, *keys.EVALUATION, "output.value"}


def reduce(span: Span) -> None:
    """Set the span's role, and let go of what its dialect has no use for."""
    dialect = dialects.find(span)
    role = dialect.role(span) if dialect is not None else NONE
    if span.events and role < CHAIN:
        span.events = tuple(event for event in span.events if event.name == keys.GRADED)
        role = OTHER if span.events else role
    if role is NONE and span.attributes and not _GRADES.isdisjoint(span.attributes):
        role = OTHER
    span.role = role
    if role is NONE:
        span.attributes = {}
        span.name = ""
    elif role is OTHER:
        span.attributes = {
            key: value for key, value in span.attributes.items() if key in _KEPT_OF_OTHERS
        }
    elif dialect is not None:
        dialect.trim(span)
