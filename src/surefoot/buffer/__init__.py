"""Spans per trace, from the first one to the last amendment.

**Why.** Every processor of this kind waits a fixed time from the first span, or closes
at the root; agents break both (children are exported first, a web request's root may
end long before its agent, a tool may pause for minutes). So a trace is closed when it is
whole and quiet; timers only collect what never becomes whole. A judged trace is kept for
a while, and what comes late amends its verdict instead of opening a second run.
"""

from surefoot.buffer.closed import Closed, Fresh
from surefoot.buffer.counts import Counts
from surefoot.buffer.limits import Limits, LooksAt, Timers, TimersFor
from surefoot.buffer.traces import TraceBuffer

__all__ = ["Closed", "Counts", "Fresh", "Limits", "LooksAt", "Timers", "TimersFor", "TraceBuffer"]
