"""Every event that an operator can read: this file and `life` are the list.

Owns what an event is, and those of requests, traces and backends: their wording and
level, and how often one is told. Counts nothing: figures are the metrics'. Of a span's
attributes an event holds none but the names of a service and an agent.
"""

import logging
from dataclasses import dataclass
from typing import ClassVar

_MINUTE_S = 60
_HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class Event:
    """Something that an operator may want to know. Subclasses say what."""

    level: ClassVar[int] = logging.INFO
    #: At most one line in so many seconds for one `subject`; 0: each is told.
    every_s: ClassVar[int] = 0

    @property
    def subject(self) -> str:
        """What repeated lines are about."""
        return ""


@dataclass(frozen=True, slots=True)
class BackendUnreachable(Event):
    """A backend took nothing; what waits is kept as far as there is room."""

    backend: str
    signal: str
    reason: str
    #: The transport's own words, such as a handshake that failed.
    detail: str = ""
    level: ClassVar[int] = logging.WARNING
    every_s: ClassVar[int] = _MINUTE_S

    @property
    def subject(self) -> str:
        """See `Event`."""
        return self.backend

    def __str__(self) -> str:
        why = f"{self.reason}: {self.detail}" if self.detail else self.reason
        return f"{self.backend} takes no {self.signal} ({why})"


@dataclass(frozen=True, slots=True)
class SignalUnsupported(Event):
    """A backend does not know a signal; it gets no more of it."""

    backend: str
    signal: str
    level: ClassVar[int] = logging.WARNING

    def __str__(self) -> str:
        return f"{self.backend} does not take {self.signal}: no more are sent to it"


@dataclass(frozen=True, slots=True)
class RequestDropped(Event):
    """Requests will not reach their backend."""

    backend: str
    signal: str
    reason: str
    requests: int = 1
    #: The backend's own words.
    detail: str = ""
    level: ClassVar[int] = logging.ERROR
    every_s: ClassVar[int] = _MINUTE_S

    @property
    def subject(self) -> str:
        """See `Event`."""
        return f"{self.backend} {self.signal} {self.reason}"

    def __str__(self) -> str:
        what = f"requests of {self.signal} for {self.backend}"
        why = f"{self.reason}: {self.detail}" if self.detail else self.reason
        return f"given up: {self.requests} {what} ({why})"


@dataclass(frozen=True, slots=True)
class TraceEvicted(Event):
    """A trace was judged before its end, to make room."""

    trace_id: str
    spans: int
    reason: str
    level: ClassVar[int] = logging.WARNING
    every_s: ClassVar[int] = _MINUTE_S

    @property
    def subject(self) -> str:
        """See `Event`."""
        return self.reason

    def __str__(self) -> str:
        return f"trace {self.trace_id} judged early with {self.spans} spans ({self.reason})"


@dataclass(frozen=True, slots=True)
class CheckFailed(Event):
    """A check crashed; the others still ran, and this one is inconclusive."""

    spec: str
    check: str
    trace_id: str
    error: str
    level: ClassVar[int] = logging.ERROR
    every_s: ClassVar[int] = _MINUTE_S

    @property
    def subject(self) -> str:
        """See `Event`."""
        return f"{self.spec} {self.check}"

    def __str__(self) -> str:
        return f"check {self.check} of {self.spec} failed on {self.trace_id} ({self.error})"


@dataclass(frozen=True, slots=True)
class RunUnmatched(Event):
    """A run met none of the specs: most often a `match` that names another service."""

    service: str
    agent: str
    every_s: ClassVar[int] = _HOUR_S

    @property
    def subject(self) -> str:
        """See `Event`."""
        return f"{self.service}\0{self.agent}"

    def __str__(self) -> str:
        whose = f"service {self.service!r}, agent {self.agent!r}"
        return f"a run of {whose} meets no spec: it is passed on and not judged"


@dataclass(frozen=True, slots=True)
class VerdictFailed(Event):
    """A verdict could not be written as spans: a fault of ours. It is counted, not sent."""

    spec: str
    trace_id: str
    error: str
    level: ClassVar[int] = logging.ERROR
    every_s: ClassVar[int] = _MINUTE_S

    def __str__(self) -> str:
        return f"the verdict of {self.spec} on trace {self.trace_id} is not sent ({self.error})"


@dataclass(frozen=True, slots=True)
class Refusing(Event):
    """Requests are refused for want of room; senders are told to try again."""

    reason: str
    level: ClassVar[int] = logging.WARNING
    every_s: ClassVar[int] = _MINUTE_S

    @property
    def subject(self) -> str:
        """See `Event`."""
        return self.reason

    def __str__(self) -> str:
        return f"refusing requests: {self.reason}"


@dataclass(frozen=True, slots=True)
class RequestRefused(Event):
    """A sender sent what is not taken here, and will not come to know it by itself.

    signal: `traces`, `metrics` or `logs`. reason: what its sender was told.
    """

    transport: str
    code: str
    signal: str
    reason: str
    level: ClassVar[int] = logging.WARNING
    every_s: ClassVar[int] = _MINUTE_S

    @property
    def subject(self) -> str:
        """See `Event`."""
        return f"{self.transport} {self.code} {self.signal}"

    def __str__(self) -> str:
        return f"refused a request over {self.transport} ({self.code}): {self.reason}"


@dataclass(frozen=True, slots=True)
class SpansRejected(Event):
    """The backend took a request, but for some of its spans."""

    backend: str
    signal: str
    spans: int
    detail: str
    level: ClassVar[int] = logging.WARNING
    every_s: ClassVar[int] = _MINUTE_S

    @property
    def subject(self) -> str:
        """See `Event`."""
        return f"{self.backend} {self.signal}"

    def __str__(self) -> str:
        return f"{self.backend} rejected {self.spans} spans of {self.signal}: {self.detail}"


@dataclass(frozen=True, slots=True)
class BackendBack(Event):
    """A backend that took nothing takes requests again."""

    backend: str
    signal: str
    every_s: ClassVar[int] = _MINUTE_S

    @property
    def subject(self) -> str:
        """See `Event`."""
        return f"{self.backend} {self.signal}"

    def __str__(self) -> str:
        return f"{self.backend} takes {self.signal} again"


@dataclass(frozen=True, slots=True)
class AssemblyFailed(Event):
    """A trace could not be put together: a fault of ours. Its spans are lost."""

    trace_id: str
    spans: int
    error: str
    level: ClassVar[int] = logging.ERROR
    every_s: ClassVar[int] = _MINUTE_S

    def __str__(self) -> str:
        return f"trace {self.trace_id} with {self.spans} spans is not judged ({self.error})"


@dataclass(frozen=True, slots=True)
class LookFailed(Event):
    """An open trace could not be looked at: a fault of ours. Its close judges it."""

    trace_id: str
    error: str
    level: ClassVar[int] = logging.ERROR
    every_s: ClassVar[int] = _MINUTE_S

    def __str__(self) -> str:
        return f"open trace {self.trace_id} was not looked at ({self.error})"


@dataclass(frozen=True, slots=True)
class SpanFailed(Event):
    """A span of this process could not be taken: a fault of ours. It is not judged."""

    name: str
    error: str
    level: ClassVar[int] = logging.ERROR
    every_s: ClassVar[int] = _MINUTE_S

    def __str__(self) -> str:
        return f"a span named {self.name!r} is not judged ({self.error})"
