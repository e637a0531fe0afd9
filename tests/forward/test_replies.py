import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import (
    BadRequest,
    RetryInfo,
)
from google.rpc.status_pb2 import Status
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from surefoot.forward.replies import Fault, fault_of, rejected

RETRYABLE = {
    "CANCELLED",
    "DEADLINE_EXCEEDED",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNAVAILABLE",
    "DATA_LOSS",
}


class Failed(grpc.RpcError):  # type: ignore[misc] # grpc has no types
    """An error as grpcio raises it, with these details."""

    def __init__(self, details: bytes | None) -> None:
        super().__init__()
        self._trailers = None if details is None else (("grpc-status-details-bin", details),)

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.RESOURCE_EXHAUSTED

    def details(self) -> str | None:
        return None

    def trailing_metadata(self) -> object:
        return self._trailers


def packed(detail: RetryInfo | BadRequest) -> AnyMessage:
    message = AnyMessage()
    message.Pack(detail)
    return message


@given(seconds=st.integers(-10, 10**9), nanos=st.integers(0, 999_999_999), first=st.booleans())
def test_retry_info_is_found_among_other_details(seconds: int, nanos: int, *, first: bool) -> None:
    retry = packed(RetryInfo(retry_delay=Duration(seconds=seconds, nanos=nanos)))
    other = packed(BadRequest(field_violations=[BadRequest.FieldViolation(description="x")]))
    details = [retry, other] if first else [other, retry]
    fault = fault_of(Failed(Status(code=8, message="later", details=details).SerializeToString()))

    assert fault.retry_after_s == pytest.approx(max(0.0, seconds + nanos / 1e9))
    assert fault.is_retryable


@pytest.mark.parametrize("details", [None, b"", b"garbage", Status(code=8).SerializeToString()])
def test_without_retry_info_an_exhausted_backend_means_never(details: bytes | None) -> None:
    fault = fault_of(Failed(details))

    assert fault.retry_after_s is None
    assert not fault.is_retryable


@given(st.binary())
def test_garbage_is_read_as_far_as_it_goes(garbage: bytes) -> None:
    fault_of(Failed(garbage))
    rejected(garbage)


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code.name != "OK"])
def test_the_codes_that_the_specification_names_are_retryable(code: grpc.StatusCode) -> None:
    assert Fault(code, "").is_retryable is (code.name in RETRYABLE)


@given(st.integers(-(2**63), 2**63 - 1), st.text())
def test_a_partial_success_is_read_of_every_signal(count: int, message: str) -> None:
    spans, records = ExportTraceServiceResponse(), ExportLogsServiceResponse()
    spans.partial_success.rejected_spans = records.partial_success.rejected_log_records = count
    spans.partial_success.error_message = records.partial_success.error_message = message

    assert rejected(spans.SerializeToString()) == (count, message)
    assert rejected(records.SerializeToString()) == (count, message)


def test_a_full_success_rejects_nothing() -> None:
    assert rejected(b"") == (0, "")
