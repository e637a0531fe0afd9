"""OTLP requests to runs, without a server: the core and nothing around it.

Owns what differs from live traffic: no limit on how much is held but the text limits,
no clock, and the end of the input closes every trace (`root` if it is whole, else
`idle`). Runs come in order of start, then trace id, then key.
"""

from collections.abc import Iterable
from typing import Final

from surefoot.assemble import WANTED, assemble, reduce
from surefoot.buffer import Limits, TraceBuffer
from surefoot.cli.read import Request
from surefoot.errors import DecodeError, InputError
from surefoot.model import Run, Wanted
from surefoot.receive.decode import Decoder

_NO_LIMIT: Final = 1 << 62
_LIMITS: Final = Limits(
    total_bytes=_NO_LIMIT, traces=_NO_LIMIT, trace_spans=_NO_LIMIT, trace_bytes=_NO_LIMIT
)


def runs(requests: Iterable[Request], *, unit: str = "trace", wanted: Wanted = WANTED) -> list[Run]:
    """The runs in a stream of requests.

    Raises:
        InputError: A request is no OTLP; the message names its file and line.
    """
    decode = Decoder(wanted, reduce)
    buffer: TraceBuffer[None] = TraceBuffer(_LIMITS)
    for request in requests:
        try:
            decoded = decode(request.body)
        except DecodeError as problem:
            raise InputError(f"{request.origin}: {problem}") from problem
        for reason, trace_id in decoded.rejected:
            buffer.reject(reason, trace_id)
        for span in decoded.spans:
            buffer.add(span, 0)
    found = [
        run
        for closed in buffer.finish(0)
        for run in assemble(
            closed.spans,
            reason=closed.reason,
            whole=closed.whole,
            unit=unit,
            attributes_dropped=closed.attributes_dropped,
        )
    ]
    return sorted(found, key=lambda run: (run.start_ns, run.trace_id, run.key))
