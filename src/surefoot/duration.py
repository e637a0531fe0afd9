"""Durations as people write them: `500ms`, `6s`, `1h30m`.

Owns Go's spelling, which the Collector's files use. Knows no key and no limit.
"""

import re
from typing import Final

_UNITS_NS: Final = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
#: Longer numbers are no durations, and Python refuses to read the longest.
_PART: Final = re.compile(r"(\d{1,20})(?:\.(\d{1,20}))?(ns|us|ms|s|m|h)", re.ASCII)
#: The spelling as a JSON Schema says it.
PATTERN: Final = r"^(\d+(\.\d+)?(ns|us|ms|s|m|h))+$"

HOUR_NS: Final = _UNITS_NS["h"]


def parse_duration(text: str) -> int:
    """Nanoseconds of `text`.

    Raises:
        ValueError: It is no duration; the message says what would be.
    """
    total, end = 0, 0
    for part in _PART.finditer(text):
        if part.start() != end:
            break
        end = part.end()
        whole, fraction, unit = part.groups(default="")
        total += int(whole + fraction) * _UNITS_NS[unit] // 10 ** len(fraction)
    if not text or end != len(text):
        raise ValueError(f"{text[:40]!r} is no duration; write 500ms, 6s, 30m or 1h30m")
    return total
