"""The events of the process itself: its start, the specs in force, its end.

Owns their wording and level, as `events` does for what happens in between.
"""

import logging
from dataclasses import dataclass
from typing import ClassVar

from surefoot.telemetry.events import Event


@dataclass(frozen=True, slots=True)
class Listening(Event):
    """A receiver takes requests."""

    transport: str
    endpoint: str

    def __str__(self) -> str:
        return f"listening for OTLP over {self.transport} on {self.endpoint}"


@dataclass(frozen=True, slots=True)
class NoBackend(Event):
    """Nothing is configured to send to."""

    level: ClassVar[int] = logging.WARNING

    def __str__(self) -> str:
        return "no backend is configured: spans and verdicts go nowhere but the console"


@dataclass(frozen=True, slots=True)
class NotBuilt(Event):
    """The configuration asks for what a later version does."""

    key: str
    level: ClassVar[int] = logging.WARNING

    def __str__(self) -> str:
        return f"{self.key} does nothing yet: state is in memory, and ends with the process"


@dataclass(frozen=True, slots=True)
class SpecsLoaded(Event):
    """A set of specs is in force."""

    hash: str
    specs: int

    def __str__(self) -> str:
        some = "1 spec" if self.specs == 1 else f"{self.specs} specs"
        return f"{some} in force, set {self.hash}"


@dataclass(frozen=True, slots=True)
class NoSpecs(Event):
    """Nothing will be judged: most often a folder that is not where it should be.

    looked: where specs were looked for, as `looked in ./specs, which is /srv/specs`.
    """

    looked: str = ""
    level: ClassVar[int] = logging.WARNING

    def __str__(self) -> str:
        where = f" ({self.looked})" if self.looked else ""
        return f"no specs are loaded{where}: spans are passed on, and no run is judged"


@dataclass(frozen=True, slots=True)
class SpecsRejected(Event):
    """A set of specs was refused, and the one before stays in force."""

    reason: str
    level: ClassVar[int] = logging.ERROR

    def __str__(self) -> str:
        return f"specs refused, those in force stay: {self.reason}"


@dataclass(frozen=True, slots=True)
class SpecsUnwatched(Event):
    """The system tells us of no changes of spec files; we look now and then."""

    reason: str
    every_seconds: float
    level: ClassVar[int] = logging.WARNING

    def __str__(self) -> str:
        look = f"they are looked at every {self.every_seconds:g} s"
        return f"spec files cannot be watched, {look}: {self.reason}"


@dataclass(frozen=True, slots=True)
class JudgingEnded(Event):
    """Judging has ended by a fault of ours: no further verdict leaves this process."""

    error: str
    level: ClassVar[int] = logging.ERROR

    def __str__(self) -> str:
        return f"judging has ended, no further verdict follows ({self.error})"


@dataclass(frozen=True, slots=True)
class SpansMissed(Event):
    """Spans of this process found no room: its traces come faster than they are judged."""

    spans: int
    level: ClassVar[int] = logging.WARNING
    every_s: ClassVar[int] = 60

    def __str__(self) -> str:
        return f"{self.spans} spans found no room, their traces cannot be judged in full"


@dataclass(frozen=True, slots=True)
class Stopping(Event):
    """The end has begun; what is on its way takes a while."""

    within_s: int

    def __str__(self) -> str:
        what = "what is open is judged and what is queued is sent"
        return f"stopping: {what}, within {self.within_s} s"


@dataclass(frozen=True, slots=True)
class Stopped(Event):
    """The end, and what was made of all that came.

    apart: spans that were no part of a judged trace: duplicate, late, ignored, rejected.
    undelivered: requests that the backend had not taken when the time was over.
    """

    received: int
    judged: int
    apart: int
    lost: int
    verdicts: int
    undelivered: int
    took_s: float

    def __str__(self) -> str:
        return (
            f"stopped in {self.took_s:.1f} s: of {self.received} spans {self.judged} judged, "
            f"{self.apart} duplicate, late, ignored or rejected, {self.lost} lost; verdicts: "
            f"{self.verdicts}; requests not delivered: {self.undelivered}"
        )
