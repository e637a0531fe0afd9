"""Every instrument we publish, as one table.

Owns names, kinds, units, attributes. Holds no value. Attributes are ids and names of
services, agents, specs and checks; never a tool's arguments.

Units follow UCUM as OpenTelemetry uses it: `1` is a ratio, `s` seconds, `By` bytes, and
`{run}` says what is counted and leaves no trace in a Prometheus name.
"""

import enum
from dataclasses import dataclass

#: Attribute values, in the order of `Instrument.attributes`.
Key = tuple[str | bool | int, ...]


class Kind(enum.Enum):
    """How points of an instrument add up."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True, eq=False)
class Instrument:
    """One instrument.

    bounds: of a histogram's buckets, the upper ones. known: the keys that have a point
    from the start, with 0: a counter that appears with its first count hides that
    count from Prometheus' `increase`.
    """

    name: str
    kind: Kind
    unit: str
    description: str
    attributes: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()
    known: tuple[Key, ...] = ()

    @property
    def ends(self) -> bool:
        """Whether a series of it ends when nothing touches it.

        Only where others choose the attributes' values, which may be any number. What
        counts our own work has few series, and ending one of two counters would break
        the law that joins them.
        """
        return "service" in self.attributes


_OWNERS = ("service", "agent", "spec")
_SOURCES = (*_OWNERS, "output_source")


def _counter(
    name: str, unit: str, description: str, *attributes: str, known: tuple[Key, ...] = ()
) -> Instrument:
    if not attributes:
        known = ((),)
    return Instrument(name, Kind.COUNTER, unit, description, attributes, known=known)


def _gauge(name: str, unit: str, description: str, *attributes: str) -> Instrument:
    return Instrument(name, Kind.GAUGE, unit, description, attributes)


def _histogram(name: str, unit: str, description: str, bounds: tuple[float, ...]) -> Instrument:
    return Instrument(name, Kind.HISTOGRAM, unit, description, _OWNERS, bounds)


LUCK_RATE = _gauge(
    "surefoot.luck.rate", "1", "Of the green runs in the window, the lucky ones' share", *_SOURCES
)
LUCK_LUCKY = _gauge(
    "surefoot.luck.lucky", "{run}", "Runs in the window with a good output on a bad path", *_SOURCES
)
LUCK_GREEN = _gauge(
    "surefoot.luck.green", "{run}", "Runs in the window with a good output", *_SOURCES
)

RUNS = _counter(
    "surefoot.runs", "{run}", "Runs closed", "service", "agent", "matched", "close_reason"
)
VERDICTS = _counter(
    "surefoot.verdicts",
    "{verdict}",
    "First verdicts, one a run and spec",
    *_OWNERS,
    "outcome",
    "output",
    "path",
)
VIOLATIONS = _counter(
    "surefoot.violations", "{violation}", "Violations found", *_OWNERS, "check", "severity"
)
RUN_STEPS = _histogram(
    "surefoot.run.steps",
    "{step}",
    "Tool calls of a judged run",
    (0, 1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500),
)
RUN_DURATION = _histogram(
    "surefoot.run.duration",
    "s",
    "How long a judged run took",
    (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600),
)
RUN_TOKENS = _histogram(
    "surefoot.run.tokens",
    "{token}",
    "Tokens that a judged run used",
    (100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000),
)

SPANS_RECEIVED = _counter("surefoot.spans.received", "{span}", "Spans that came in")
SPANS_JUDGED = _counter("surefoot.spans.judged", "{span}", "Spans of traces that were judged")
SPANS_DUPLICATE = _counter("surefoot.spans.duplicate", "{span}", "Spans that were held already")
SPANS_LATE = _counter(
    "surefoot.spans.late",
    "{span}",
    "Spans that came after their trace was judged",
    "reason",
    known=(("amended",), ("counted",)),
)
SPANS_REJECTED = _counter(
    "surefoot.spans.rejected",
    "{span}",
    "Spans whose ids are no ids",
    "reason",
    known=(("trace_id",), ("span_id",)),
)
SPANS_IGNORED = _counter(
    "surefoot.spans.ignored",
    "{span}",
    "Spans of ours, or of traces without an agent",
    "reason",
    known=(("own",), ("no_run",)),
)
SPANS_LOST = _counter(
    "surefoot.spans.lost",
    "{span}",
    "Spans that were never judged",
    "reason",
    known=(("shutdown",), ("fault",)),
)
SPANS_OPEN = _gauge("surefoot.spans.open", "{span}", "Spans of traces not judged yet")
TRACES_OPEN = _gauge("surefoot.traces.open", "{trace}", "Traces not judged yet")
TRACES_CLOSED = _counter("surefoot.traces.closed", "{trace}", "Traces closed", "reason")
BUFFER_BYTES = _gauge("surefoot.buffer.bytes", "By", "Estimated memory of the spans held")
REQUESTS = _counter(
    "surefoot.requests", "{request}", "OTLP requests answered", "signal", "transport", "code"
)
SPECS_INFO = _gauge("surefoot.specs.info", "", "The set of specs in force; always 1", "hash")
VERDICT_LATENCY = _histogram(
    "surefoot.verdict.latency",
    "s",
    "From a run's last span in to its verdict out, less the time waited for stragglers",
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
FORWARD_QUEUE = _gauge("surefoot.forward.queue", "{request}", "Requests waiting", "signal")
_QUEUES: tuple[Key, ...] = (("traces",), ("verdicts",))
FORWARD_SENT = _counter(
    "surefoot.forward.sent", "{request}", "Requests delivered", "signal", known=_QUEUES
)
FORWARD_FAILED = _counter(
    "surefoot.forward.failed",
    "{request}",
    "Requests that the backend refused for good, or whose retries are spent",
    "signal",
    known=_QUEUES,
)
FORWARD_DROPPED = _counter(
    "surefoot.forward.dropped", "{request}", "Requests given up", "signal", known=_QUEUES
)

INSTRUMENTS = (
    LUCK_RATE,
    LUCK_LUCKY,
    LUCK_GREEN,
    RUNS,
    VERDICTS,
    VIOLATIONS,
    RUN_STEPS,
    RUN_DURATION,
    RUN_TOKENS,
    SPANS_RECEIVED,
    SPANS_JUDGED,
    SPANS_DUPLICATE,
    SPANS_LATE,
    SPANS_REJECTED,
    SPANS_IGNORED,
    SPANS_LOST,
    SPANS_OPEN,
    TRACES_OPEN,
    TRACES_CLOSED,
    BUFFER_BYTES,
    REQUESTS,
    SPECS_INFO,
    VERDICT_LATENCY,
    FORWARD_QUEUE,
    FORWARD_SENT,
    FORWARD_FAILED,
    FORWARD_DROPPED,
)
