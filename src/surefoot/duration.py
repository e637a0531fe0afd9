"""Durations as people write them: `500ms`, `6s`, `1h30m`.

Owns Go's spelling, which the Collector's files use, both ways. Knows no key and no limit.
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


def format_duration(duration_ns: int) -> str:
    """Nanoseconds as people write them, exactly: `10m`, `1m30s`, `2.5s`, `500ms`, `-3s`.

    What is not negative is read back as what it was.
    """
    left = abs(duration_ns)
    parts = ["-" * (duration_ns < 0)]
    for unit in ("h", "m"):
        count, left = divmod(left, _UNITS_NS[unit])
        parts.append(f"{count}{unit}" * bool(count))
    if left or not duration_ns:
        is_alone = abs(duration_ns) == left
        parts.append(_written(left, _finest(left) if is_alone and left else "s"))
    return "".join(parts)


def _finest(duration_ns: int) -> str:
    """The largest unit of which there is a whole one."""
    return next(unit for unit in ("s", "ms", "us", "ns") if duration_ns >= _UNITS_NS[unit])


def _written(duration_ns: int, unit: str) -> str:
    whole, rest = divmod(duration_ns, _UNITS_NS[unit])
    places = len(str(_UNITS_NS[unit])) - 1
    fraction = f"{rest:0{places}}".rstrip("0") if rest else ""
    return f"{whole}{'.' * bool(fraction)}{fraction}{unit}"
