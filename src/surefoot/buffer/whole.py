"""Is a trace whole: has everything come that its agent spans hang from?

Owns the words *root* and *whole* of the design. Knows spans by id, parent, flags and
role alone. Children come first and roots last, so a parent that is not here is no end.

A **root** is a span with an empty parent id, or one whose flags say that its parent is
remote (OTLP span flags, bits 8 and 9) and that has an AI span at or below it, or, where
a spec says `root: agent`, an agent span whose parent has not come. A trace is **whole**
when it has a root and the parents of each AI span lead to one.
"""

from collections.abc import Collection, Mapping

from surefoot.model import Role, Span

#: OTLP trace.proto, SpanFlags: HAS_IS_REMOTE_MASK | IS_REMOTE_MASK.
REMOTE_PARENT = 0x300
_FIRST_AI = int(Role.CHAIN)


def is_whole(
    spans: Mapping[bytes, Span], *, anchors: Collection[bytes] = (), root_agent: bool = False
) -> bool:
    """Whether `spans` (by id) are a whole trace. O(n) in the spans.

    anchors: ids of roots that were here and were let go.
    """
    good: set[bytes] = set(anchors)
    any_ai = False
    for span in spans.values():
        if span.role < _FIRST_AI:  # `Role.is_ai`, without the call
            continue
        any_ai = True
        if span.parent_id in good:  # most siblings follow one that has been walked
            good.add(span.span_id)
        elif span.span_id not in good and not _leads_to_root(span, spans, good, root_agent):
            return False
    return any_ai or bool(anchors) or any(not span.parent_id for span in spans.values())


def _leads_to_root(
    span: Span,
    spans: Mapping[bytes, Span],
    good: set[bytes],
    root_agent: bool,  # noqa: FBT001 - one caller
) -> bool:
    """Walk up from `span`; if it ends at a root, all that was passed is `good`."""
    path: set[bytes] = set()
    here = span
    while here.span_id not in good:
        if here.span_id in path:  # a cycle leads nowhere
            return False
        path.add(here.span_id)
        if not here.parent_id or here.flags & REMOTE_PARENT == REMOTE_PARENT:
            break
        above = spans.get(here.parent_id)
        if above is None:
            if here.parent_id in good or (root_agent and here.role is Role.AGENT):
                break
            return False
        here = above
    good |= path
    return True
