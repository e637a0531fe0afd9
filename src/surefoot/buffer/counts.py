"""The ledger: each received span stands in exactly one of its places.

    received = rejected + ignored + duplicate + late + lost + judged + open

Owns the numbers and the law between them. `open` is kept as a number of its own, moved
by the state machine, so that the law can fail and a test can see it fail.
"""

from collections import Counter
from dataclasses import dataclass, field

from surefoot.model import Reason


@dataclass(slots=True)
class Counts:
    """Spans by what became of them; traces by why they were closed.

    The keys of `rejected`: trace_id, span_id. `ignored`: own, no_run. `late`: amended,
    counted. `lost`: shutdown, fault. `grades_dropped`: grades of unknown traces.
    """

    received: int = 0
    duplicate: int = 0
    judged: int = 0
    open: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)
    late: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    closed: Counter[Reason] = field(default_factory=Counter)
    grades_dropped: int = 0

    def accounted(self) -> int:
        """The right side of the conservation law; equal to `received`, always."""
        by_reason = (self.rejected, self.ignored, self.late, self.lost)
        return self.duplicate + self.judged + self.open + sum(c.total() for c in by_reason)
