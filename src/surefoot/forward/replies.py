"""What a backend's answer means: taken, try again, or never.

Owns OTLP's table of retryable codes and the few protobuf fields of an answer, read by
hand since the edge that forwards needs no more of protobuf. Knows no queue.

Source: opentelemetry-proto docs/specification.md, "OTLP/gRPC: Failures" and "Throttling".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import grpc

_RETRYABLE: Final = frozenset(
    {
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)
_DETAILS = "grpc-status-details-bin"
_RETRY_INFO = b"type.googleapis.com/google.rpc.RetryInfo"
_SIGN, _RANGE = 1 << 63, 1 << 64


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an attempt failed. retry_after_s: what RetryInfo asks for, None without one."""

    code: grpc.StatusCode
    message: str
    retry_after_s: float | None = None

    @property
    def is_retryable(self) -> bool:
        """Whether another attempt makes sense.

        RESOURCE_EXHAUSTED only with RetryInfo: else the request itself is too much.
        """
        if self.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            return self.retry_after_s is not None
        return self.code in _RETRYABLE


def fault_of(error: grpc.RpcError) -> Fault:
    """What a failed call says."""
    trailers = error.trailing_metadata() or ()
    details = next((value for key, value in trailers if key == _DETAILS), b"")
    return Fault(error.code(), error.details() or "", _retry_after_s(details))


def rejected(response: bytes) -> tuple[int, str]:
    """How many items of a request that was taken the backend rejected, and why.

    Of any of the three Export responses: their partial_success is alike.
    """
    count, message = 0, ""
    for number, partial in _fields(response):
        if number == 1 and isinstance(partial, bytes):
            for inner, value in _fields(partial):
                if inner == 1 and isinstance(value, int):
                    count = value
                elif inner == 2 and isinstance(value, bytes):  # noqa: PLR2004 - its number
                    message = value.decode("utf-8", "replace")
    return count, message


def _retry_after_s(status: bytes) -> float | None:
    """The delay of the RetryInfo in a google.rpc.Status; None without one."""
    for number, detail in _fields(status):
        if number != 3 or not isinstance(detail, bytes):  # noqa: PLR2004 - details
            continue
        packed = dict(_fields(detail))
        if packed.get(1) != _RETRY_INFO:
            continue
        info = packed.get(2, b"")
        delay = dict(_fields(info)).get(1, b"") if isinstance(info, bytes) else b""
        duration = dict(_fields(delay)) if isinstance(delay, bytes) else {}
        seconds, nanos = duration.get(1, 0), duration.get(2, 0)
        if isinstance(seconds, int) and isinstance(nanos, int):
            return max(0.0, seconds + nanos / 1e9)
    return None


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Each varint (as int64) and length-delimited field; what is no message ends it."""
    at = 0
    try:
        while at < len(message):
            tag, at = _varint(message, at)
            wire = tag & 7
            if wire == 0:
                value, at = _varint(message, at)
                yield tag >> 3, value - _RANGE if value >= _SIGN else value
            elif wire == 2:  # noqa: PLR2004 - length-delimited
                size, at = _varint(message, at)
                if at + size > len(message):
                    return
                yield tag >> 3, message[at : at + size]
                at += size
            elif wire in (1, 5):
                at += 8 if wire == 1 else 4
            else:
                return
    except IndexError:
        return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that another comes
            return number & (_RANGE - 1), at
        shift += 7
