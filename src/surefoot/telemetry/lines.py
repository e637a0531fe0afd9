"""Events as log lines, on stderr.

Owns how a line looks and that repeated ones are held back: an event that can come with
every request or trace is told at most once in a while a subject, and says how many were
held back. Subjects may be names that a sender made up: of each kind of event so many are
told in a while and no more. An exception's own text may quote a value, so it stands at
debug level only.
"""

import contextlib
import json
import logging
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, TextIO

from surefoot.clock import Clock
from surefoot.telemetry.events import Event

LOG = logging.getLogger("surefoot")

#: Of each kind of event.
_SUBJECTS_KEPT = 1000


class Telemetry:
    """Writes events as log lines, repeated ones at most once in `every_s`. Thread-safe."""

    def __init__(self, clock: Clock, logger: logging.Logger = LOG) -> None:
        self._clock = clock
        self._logger = logger
        self._lock = threading.Lock()
        #: By kind and subject when one was last told, the longest ago first, and how many
        #: were held back since.
        self._told: dict[str, dict[str, tuple[int, int]]] = {}

    def record(self, event: Event, error: BaseException | None = None) -> None:
        """Tell an event; `error`'s own words and place only at debug level."""
        held = self._held_back(event)
        if held is None:
            return
        extra = {"event": event, "held_back": held}
        with contextlib.suppress(Exception):  # a handler of the host's may raise; we go on
            self._logger.log(event.level, "%s", event, extra=extra)
            if error is not None:
                self._logger.debug("%s", event, extra=extra, exc_info=error)

    def _held_back(self, event: Event) -> int | None:
        """How many lines of this kind were held back; None if this one is too."""
        if not event.every_s:
            return 0
        subject, now_ns = event.subject, self._clock.now_ns()
        since_ns = now_ns - event.every_s * 10**9
        with self._lock:
            told = self._told.setdefault(type(event).__name__, {})
            told_ns, held = told.get(subject, (since_ns, 0))
            if told_ns > since_ns:
                told[subject] = (told_ns, held + 1)
                return None
            told.pop(subject, None)
            if len(told) >= _SUBJECTS_KEPT:
                longest_ago = next(iter(told))
                if told[longest_ago][0] > since_ns:
                    return None
                del told[longest_ago]
            told[subject] = (now_ns, 0)
            return held


def configure_logging(
    level: str = "info",
    encoding: str = "console",
    stream: TextIO | None = None,
    mask: Callable[[str], str] | None = None,
) -> None:
    """Send every logger's lines to `stream`, stderr by default. A later call replaces it.

    Args:
        level: `debug`, `info`, `warn`, `warning` or `error`.
        encoding: `json`, one object a line, or `console`.
        stream: Where to.
        mask: Takes secrets out of a line.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_Lines(json_lines=encoding == "json", mask=mask or str))
    root = logging.getLogger()
    for before in [one for one in root.handlers if isinstance(one.formatter, _Lines)]:
        root.removeHandler(before)
    root.addHandler(handler)
    root.setLevel(level.upper())


class _Lines(logging.Formatter):
    """One line a record: JSON, or a sentence with what the event holds after it."""

    def __init__(self, *, json_lines: bool, mask: Callable[[str], str]) -> None:
        super().__init__()
        self._json = json_lines
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter`."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        level = record.levelname.lower()
        message = self._mask(record.getMessage())
        told = self._told(record)
        if record.exc_info:
            told["exception"] = self._mask(self.formatException(record.exc_info))
        if self._json:
            line = {"time": time, "level": level, "logger": record.name, "message": message}
            return json.dumps({**line, **told}, ensure_ascii=False)
        held = told.get("held_back")
        more = f" ({held} more since the last such line)" if held else ""
        trace = f"\n{told['exception']}" if "exception" in told else ""
        return f"{time} {level:<7} {_shown(message)}{more}{trace}"

    def _told(self, record: logging.LogRecord) -> dict[str, Any]:
        """What the record's event holds."""
        event = getattr(record, "event", None)
        if not isinstance(event, Event):
            return {}
        told: dict[str, Any] = {"event": _snake(type(event).__name__)}
        for field in fields(event):
            value = getattr(event, field.name)
            told[field.name] = self._mask(value) if isinstance(value, str) else value
        if getattr(record, "held_back", 0):
            told["held_back"] = record.__dict__["held_back"]
        return told


def _shown(text: str) -> str:
    """The text with control characters as escapes: a backend's words may steer a terminal."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode()
        for one in text
    )


def _snake(name: str) -> str:
    """`TraceEvicted` as `trace_evicted`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
