"""What Surefoot says about its own running.

events   the list of all that can be said
lines    how it is said, and how often
"""

from surefoot.telemetry.events import (
    AssemblyFailed,
    BackendBack,
    BackendUnreachable,
    CheckFailed,
    Event,
    JudgingEnded,
    Listening,
    LookFailed,
    NoBackend,
    NoSpecs,
    NotBuilt,
    Refusing,
    RequestDropped,
    SignalUnsupported,
    SpanFailed,
    SpansRejected,
    SpecsLoaded,
    SpecsRejected,
    SpecsUnwatched,
    Stopped,
    TraceEvicted,
    VerdictFailed,
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
    "SignalUnsupported",
    "SpanFailed",
    "SpansRejected",
    "SpecsLoaded",
    "SpecsRejected",
    "SpecsUnwatched",
    "Stopped",
    "Telemetry",
    "TraceEvicted",
    "VerdictFailed",
    "configure_logging",
]
