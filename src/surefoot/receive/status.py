"""From our errors to what a sender is told.

Owns the one table of gRPC code, HTTP status and retry hint. Knows no socket.

Source: opentelemetry-proto docs/specification.md, "OTLP/gRPC: Failures, Throttling" and
"OTLP/HTTP Response: Failures, Bad Data, Throttling". A sender tries again after
UNAVAILABLE and 503, waiting as long as RetryInfo or Retry-After say, and drops the data
after the other codes here. RESOURCE_EXHAUSTED without RetryInfo is such a code too, so
it is only for what will never fit. Every HTTP error body is a google.rpc.Status.
"""

import math
from dataclasses import dataclass

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import (
    BadRequest,
    RetryInfo,
)
from google.rpc.status_pb2 import Status

from surefoot.errors import DecodeError, Overloaded
from surefoot.receive.answer import not_taken

#: Of a message that is told; gRPC's trailers must stay below 8 KiB altogether.
_MESSAGE_CHARS = 1_000
#: Source: google/rpc/code.proto, which maps codes to HTTP statuses.
_BY_HTTP = {404: grpc.StatusCode.NOT_FOUND, 405: grpc.StatusCode.UNIMPLEMENTED}


class TooLarge(DecodeError):  # noqa: N818 - what it is, as in errors
    """A request that is over the size limit, as it came or once it is inflated."""


class Unsupported(DecodeError):  # noqa: N818 - what it is, as in errors
    """A content type or encoding that we do not read."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a sender is told when its request was not taken."""

    code: grpc.StatusCode
    http: int
    message: str
    retry_after_s: float | None = None

    def encode(self) -> bytes:
        """A google.rpc.Status, with RetryInfo or BadRequest where OTLP asks for them."""
        status = Status(code=self.code.value[0], message=self.message)
        if self.retry_after_s is not None:
            delay = Duration()
            delay.FromNanoseconds(round(self.retry_after_s * 1e9))
            status.details.append(_packed(RetryInfo(retry_delay=delay)))
        elif self.code is grpc.StatusCode.INVALID_ARGUMENT:
            flaw = BadRequest.FieldViolation(description=self.message)
            status.details.append(_packed(BadRequest(field_violations=[flaw])))
        encoded: bytes = status.SerializeToString()
        return encoded

    @property
    def http_headers(self) -> dict[str, str]:
        """`Retry-After`, in whole seconds rounded up, where another try makes sense."""
        if self.retry_after_s is None:
            return {}
        return {"retry-after": str(max(1, math.ceil(self.retry_after_s)))}


def refusal(error: Exception) -> Refusal:
    """What to tell the sender whose request ended in `error`."""
    message = str(error)[:_MESSAGE_CHARS]
    match error:
        case Overloaded():
            return Refusal(grpc.StatusCode.UNAVAILABLE, 503, message, error.retry_after_s)
        case TooLarge():
            return Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, 413, message)
        case Unsupported():
            return Refusal(grpc.StatusCode.INVALID_ARGUMENT, 415, message)
        case DecodeError():
            return Refusal(grpc.StatusCode.INVALID_ARGUMENT, 400, message)
    # What broke is ours alone to know: the text may hold what the spans held.
    return Refusal(grpc.StatusCode.INTERNAL, 500, "surefoot failed; the request was not taken")


def other_signal(signal: str) -> Refusal:
    """What to tell who sends metrics or logs. Its exporter drops them and goes on."""
    return Refusal(grpc.StatusCode.UNIMPLEMENTED, 404, not_taken(signal))


def http_refusal(http: int, message: str) -> Refusal:
    """What to tell who asked HTTP for another path or method."""
    return Refusal(_BY_HTTP.get(http, grpc.StatusCode.INTERNAL), http, message)


def _packed(detail: RetryInfo | BadRequest) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed
