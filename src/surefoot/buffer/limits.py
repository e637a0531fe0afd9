"""What the buffer may hold, and how long it waits. Handed in by the configuration.

Durations are nanoseconds, sizes bytes. The defaults are the design's, chosen after
what SDKs send (a batch span processor exports every 5 s, so `settle` is above that) and
after the limits of Refinery (32,000 spans a trace) and of the tail sampler (50,000
traces, ten times as many remembered ids).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS
HOUR_NS = 60 * MINUTE_NS
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Timers:
    """How long a trace is waited for.

    settle: quiet after it is whole. idle: quiet while it is not whole. max_age: from
    its first span. root_agent: an agent span whose parent has not come is a root.
    """

    settle_ns: int = 6 * SECOND_NS
    idle_ns: int = 120 * SECOND_NS
    max_age_ns: int = 30 * MINUTE_NS
    root_agent: bool = False

    def longest(self, other: "Timers") -> "Timers":
        """The larger of each."""
        return Timers(
            max(self.settle_ns, other.settle_ns),
            max(self.idle_ns, other.idle_ns),
            max(self.max_age_ns, other.max_age_ns),
            self.root_agent or other.root_agent,
        )


#: The timers for a service's traces, by the specs whose service glob fits.
TimersFor: TypeAlias = Callable[[str], Timers]
#: Whether a service's open traces are to be looked at before they close.
LooksAt: TypeAlias = Callable[[str], bool]

#: A trace is looked at when its first new span is so old: at most once in that time.
LOOK_NS = SECOND_NS
#: One that is whole closes by itself; it is looked at only if it has not by then.
LOOK_AT_WHOLE_NS = 10 * SECOND_NS

#: Verdicts of traces that were let go may take this share of what spans may.
VERDICT_SHARE: Final = 8
#: So many ids of those are remembered, if they take no more than their verdicts may.
IDS: Final = 500_000
#: What an id takes, by tracemalloc on CPython 3.11.
ID_BYTES: Final = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """What the buffer may hold.

    total_bytes: of all open and kept traces, with their verdicts. traces: open ones.
    trace_spans and trace_bytes: of one trace. text_bytes: distinct text of one trace.
    kept_ns: how long a judged trace takes part in amendments. remembered and verdicts:
    ids of traces that were let go, and how many of those keep their verdict, in
    verdict_bytes beside total_bytes, for at most remembered_ns.
    """

    total_bytes: int = 512 * MIB * 6 // 10
    traces: int = 50_000
    trace_spans: int = 32_000
    trace_bytes: int = 64 * MIB
    text_bytes: int = 8 * MIB
    kept_ns: int = 10 * MINUTE_NS
    remembered: int = IDS
    verdicts: int = 50_000
    verdict_bytes: int = 512 * MIB * 6 // 10 // VERDICT_SHARE
    remembered_ns: int = 24 * HOUR_NS
