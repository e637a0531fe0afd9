"""What Surefoot says about its own running.

events   what can be said of requests, traces and backends
life     what can be said of the process itself
lines    how it is said, and how often
"""

from surefoot.telemetry.events import (
    AssemblyFailed,
    BackendBack,
    BackendUnreachable,
    CheckFailed,
    Event,
    LookFailed,
    Refusing,
    RequestDropped,
    RequestRefused,
    RunUnmatched,
    SignalUnsupported,
    SpanFailed,
    SpansRejected,
    TraceEvicted,
    VerdictFailed,
)
from surefoot.telemetry.life import (
    JudgingEnded,
    Listening,
    NoBackend,
    NoSpecs,
    NotBuilt,
    SpansMissed,
    SpecsLoaded,
    SpecsRejected,
    SpecsUnwatched,
    Stopped,
    Stopping,
)
from surefoot.telemetry.lines import LOG, Telemetry, configure_logging

__all__ = [
    "LOG",
    "AssemblyFailed",
    "BackendBack",
    "BackendUnreachable",
    "CheckFailed",
    "Event",
    "JudgingEnded",
    "Listening",
    "LookFailed",
    "NoBackend",
    "NoSpecs",
    "NotBuilt",
    "Refusing",
    "RequestDropped",
    "RequestRefused",
    "RunUnmatched",
    "SignalUnsupported",
    "SpanFailed",
    "SpansMissed",
    "SpansRejected",
    "SpecsLoaded",
    "SpecsRejected",
    "SpecsUnwatched",
    "Stopped",
    "Stopping",
    "Telemetry",
    "TraceEvicted",
    "VerdictFailed",
    "configure_logging",
]
