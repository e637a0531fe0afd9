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


def is_whole(
    spans: Mapping[bytes, Span], *, anchors: Collection[bytes] = (), root_agent: bool = False
) -> bool:
    """Whether `spans` (by id) are a whole trace. O(n) in the spans.

    anchors: ids of roots that were here and were let go.
    """
    good: set[bytes] = set(anchors)
    bad: set[bytes] = set()
    any_ai = False
    for span in spans.values():
        if not span.role.is_ai:
            continue
        any_ai = True
        if not _leads_to_root(span, spans, good, bad, root_agent=root_agent):
            return False
    return any_ai or bool(anchors) or any(not span.parent_id for span in spans.values())


def _leads_to_root(
    span: Span,
    spans: Mapping[bytes, Span],
    good: set[bytes],
    bad: set[bytes],
    *,
    root_agent: bool,
) -> bool:
    """Walk up from `span`; remember the outcome for all that was passed."""
    path: set[bytes] = set()
    here: Span | None = span
    found = False
    while here is not None:
        if here.span_id in good:
            found = True
            break
        if here.span_id in path or here.span_id in bad:  # a cycle leads nowhere
            break
        path.add(here.span_id)
        if not here.parent_id or here.flags & REMOTE_PARENT == REMOTE_PARENT:
            found = True
            break
        above = spans.get(here.parent_id)
        if above is None:
            found = here.parent_id in good or (root_agent and here.role is Role.AGENT)
        here = above
    (good if found else bad).update(path)
    return found
