"""What the sockets and the pipeline say to each other.

Owns the two shapes, the bytes of an answer that is a success, and the words for signals
that are not taken. Knows no transport.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

#: The design's and OTLP's default limit of a request, after decompression.
#: Source: opentelemetry-proto 1.11.0, docs/specification.md, "Request size limits".
MAX_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """How a request fared that was taken.

    rejected: how many of its spans were not taken. message: in English, how many and
    why; empty if all is well.
    """

    rejected: int = 0
    message: str = ""

    def encode(self) -> bytes:
        """An ExportTraceServiceResponse. On full success `partial_success` is unset.

        Source: opentelemetry-proto docs/specification.md, "Full Success" and "Partial
        Success": unset MUST be on full success, a message without rejects is a warning.
        """
        if not self.rejected and not self.message:
            return b""
        response = ExportTraceServiceResponse()
        response.partial_success.rejected_spans = self.rejected
        response.partial_success.error_message = self.message
        return response.SerializeToString()


#: Takes a request's bytes and the name of the transport that they came by. Raises
#: `DecodeError` or `Overloaded`, both before anything of the request was taken.
Accept: TypeAlias = Callable[[bytes, str], Answer]
#: Is told of every request: its signal (`traces`, `metrics`, `logs`), the transport (`grpc`,
#: `http`), the code it was answered with, as that transport names it (`OK`, `UNAVAILABLE`;
#: `200`, `503`), and why it was refused, as its sender was told; empty if it was taken.
OnRequest: TypeAlias = Callable[[str, str, str, str], None]

TRACES: Final = "traces"
#: An SDK that is told where its traces go sends these there, too.
NOT_TAKEN: Final = ("metrics", "logs")


def not_taken(signal: str) -> str:
    """What to tell who sends one of `NOT_TAKEN`."""
    name = signal.upper()
    return (
        f"Surefoot takes traces only; set OTEL_{name}_EXPORTER=none, or name another endpoint "
        f"for {signal} in OTEL_EXPORTER_OTLP_{name}_ENDPOINT"
    )
