"""How much memory the process takes, as the kernel counts it."""

import os
from pathlib import Path

_STATM = Path("/proc/self/statm")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def resident_bytes() -> int | None:
    """Resident memory in bytes; None where the system does not tell (no /proc)."""
    try:
        return int(_STATM.read_text("ascii").split()[1]) * _PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return None
