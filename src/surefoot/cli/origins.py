"""Which file each span came from, so that a finding can name it.

Owns the way from a finding to a place: the file that holds the step's span, else the one
that holds the run's root, else nothing (spans that were in memory). Costs a dict entry a
span, and is kept for `check` alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from surefoot.cli.read import Request
from surefoot.model import Run, Span


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding is to be looked for.

    file: as the user named it, or below a folder that they named; empty if there is none.
    line: in a file of one request a line, from 1, else 0. trace_id: of the step; of a
    session's run it may be an earlier one than the run's. span_id: the step's, or the root's.
    """

    file: str
    line: int
    trace_id: bytes
    span_id: bytes

    def __str__(self) -> str:
        """The file, and the line if any, as a compiler writes it."""
        return f"{self.file}:{self.line}" if self.line else self.file


class Origins:
    """The files of all spans that were read; of a span that came twice the first."""

    def __init__(self) -> None:
        self._of: dict[tuple[bytes, bytes], tuple[str, int]] = {}

    def note(self, request: Request, spans: Iterable[Span]) -> None:
        """Remember that these spans stand in this request."""
        where, known = (request.file, request.line), self._of.setdefault
        for span in spans:
            known((span.trace_id, span.span_id), where)

    def place(self, run: Run, step: int | None = None) -> Place:
        """Where a step of a run stands, or the run itself."""
        root = (run.trace_id, run.root.span_id)
        span = root
        if step is not None:
            evidence = run.evidence[step]
            span = (evidence.trace_id or run.trace_id, evidence.span_id)
        file, line = self._of.get(span) or self._of.get(root) or ("", 0)
        return Place(file, line, *span)
