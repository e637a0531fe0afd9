"""OTLP requests to runs, without a server: the core and nothing around it.

Owns what differs from live traffic: no limit on how much is held but the text limits,
no clock, and the end of the input closes every trace (`root` if it is whole, else
`idle`). Runs come in order of start, then trace id, then key.
"""

from collections.abc import Iterable
from typing import Final

from surefoot.assemble import assemble, grades, join, reduce
from surefoot.buffer import Limits, Timers, TraceBuffer
from surefoot.cli.origins import Origins
from surefoot.cli.read import Request
from surefoot.errors import DecodeError, InputError
from surefoot.model import Grade, Run
from surefoot.receive.decode import Decoder
from surefoot.specs import SpecSet

_NO_LIMIT: Final = 1 << 62
_LIMITS: Final = Limits(
    total_bytes=_NO_LIMIT, traces=_NO_LIMIT, trace_spans=_NO_LIMIT, trace_bytes=_NO_LIMIT
)


def runs(
    requests: Iterable[Request],
    specs: SpecSet,
    *,
    unit: str = "trace",
    origins: Origins | None = None,
) -> list[Run]:
    """The runs in a stream of requests, by what the specs ask of traces.

    Args:
        requests: In any order.
        specs: What the door must keep for them, and what they say of roots.
        unit: What is one run: `trace`, `agent` or `session`.
        origins: Is told which request each span came in.

    Raises:
        InputError: A request is no OTLP; the message names its file and line.
    """
    decode = Decoder(specs.wanted(), reduce)
    buffer: TraceBuffer[None] = TraceBuffer(
        _LIMITS, lambda service: Timers(root_agent=specs.timers(service).root_agent)
    )
    for request in requests:
        try:
            decoded = decode(request.body)
        except DecodeError as problem:
            right = "write one whole ExportTraceServiceRequest"
            raise InputError(f"{request.origin}: {problem}; {right}") from problem
        if origins is not None:
            origins.note(request, decoded.spans)
        for reason, trace_id in decoded.rejected:
            buffer.reject(reason, trace_id)
        for span in decoded.spans:
            told = grades.take(span)
            buffer.add(span, 0)
            for trace_id, grade in told:
                buffer.grade(trace_id, grade, 0)
    found = _ordered(_close(buffer, "trace" if unit == "session" else unit))
    return _ordered(_by_session(found)) if unit == "session" else found


def _close(buffer: TraceBuffer[None], unit: str) -> Iterable[Run]:
    for closed in buffer.finish(0):
        found = assemble(
            closed.spans,
            reason=closed.reason,
            whole=closed.whole,
            unit=unit,
            attributes_dropped=closed.attributes_dropped,
        )
        told = [grade for grade in closed.grades if isinstance(grade, Grade)]
        grades.give(found, grades.merged(told))
        yield from found


def _by_session(found: Iterable[Run]) -> Iterable[Run]:
    """Join the runs of each session; a run without one stays alone."""
    sessions: dict[str, list[Run]] = {}
    for run in found:
        if run.session is None:
            yield run
        else:
            sessions.setdefault(run.session, []).append(run)
    yield from map(join, sessions.values())


def _ordered(found: Iterable[Run]) -> list[Run]:
    return sorted(found, key=lambda run: (run.start_ns, run.trace_id, run.key))
