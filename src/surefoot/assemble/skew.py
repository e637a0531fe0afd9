"""Spans whose times cannot be: they start before who started them, or end before that.

Owns the count. Steps are put in order by their starts; where the clocks of two hosts
differ, that order may be wrong, and whoever judges it should know.

An honest child may seem to start early for two reasons: a sender that rounds to whole
milliseconds (up to 1 ms), and hosts whose clocks are kept by NTP (some ms within one
network). Neither is counted. All recordings of one process have no such span at all.
"""

from typing import Final

from surefoot.assemble.view import View

#: How much earlier than its parent a span may seem to start.
TOLERANCE_NS: Final = 10_000_000


def skewed(view: View) -> int:
    """Count the AI spans that start before their parent, or end before they start.

    A span is its own clock's; rounding both of its times keeps their order, so that an
    end before the start needs no tolerance. Linear; a span whose parent comes before it
    in order of start costs one comparison.
    """
    spans, parents = view.spans, view.forest.parent
    return sum(
        [
            spans[at].end_ns < spans[at].start_ns
            or spans[parents[at]].start_ns - spans[at].start_ns > TOLERANCE_NS
            for at in view.ai
            if parents[at] > at or spans[at].end_ns < spans[at].start_ns
        ]
    )
