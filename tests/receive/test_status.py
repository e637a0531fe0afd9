import grpc
import pytest
from google.rpc.error_details_pb2 import (
    BadRequest,
    RetryInfo,
)
from google.rpc.status_pb2 import Status

from surefoot.errors import DecodeError, Overloaded
from surefoot.receive.answer import Answer
from surefoot.receive.status import TooLarge, Unsupported, refusal


@pytest.mark.parametrize(
    ("error", "code", "http"),
    [
        (DecodeError("x"), grpc.StatusCode.INVALID_ARGUMENT, 400),
        (Unsupported("x"), grpc.StatusCode.INVALID_ARGUMENT, 415),
        (TooLarge("x"), grpc.StatusCode.RESOURCE_EXHAUSTED, 413),
        (Overloaded("x", 1), grpc.StatusCode.UNAVAILABLE, 503),
        (KeyError("x"), grpc.StatusCode.INTERNAL, 500),
    ],
)
def test_each_error_has_one_code(error: Exception, code: grpc.StatusCode, http: int) -> None:
    told = refusal(error)

    assert (told.code, told.http) == (code, http)


def test_only_an_overload_says_when_to_come_back() -> None:
    """RESOURCE_EXHAUSTED with RetryInfo would be sent again, in vain."""
    assert refusal(Overloaded("full", 2.5)).retry_after_s == 2.5
    for error in (DecodeError("x"), TooLarge("x"), Unsupported("x"), KeyError("x")):
        assert refusal(error).retry_after_s is None
        assert refusal(error).http_headers == {}


def test_retry_info_and_retry_after_say_the_same_rounded_up() -> None:
    told = refusal(Overloaded("full", 2.5))
    status = Status.FromString(told.encode())
    retry = RetryInfo()

    assert status.details[0].Unpack(retry)
    assert (retry.retry_delay.seconds, retry.retry_delay.nanos) == (2, 500_000_000)
    assert told.http_headers == {"retry-after": "3"}


def test_bad_data_is_told_as_a_bad_request() -> None:
    """OTLP: the server SHOULD provide more details by BadRequest."""
    status = Status.FromString(refusal(DecodeError("no request")).encode())
    bad = BadRequest()

    assert status.details[0].Unpack(bad)
    assert bad.field_violations[0].description == status.message == "no request"


def test_an_unknown_error_keeps_its_text_to_itself() -> None:
    """It may hold what the spans held."""
    assert "secret" not in refusal(KeyError("secret")).message


def test_messages_stay_within_what_trailers_hold() -> None:
    assert len(refusal(DecodeError("x" * 100_000)).encode()) < 4_096


def test_full_success_is_no_bytes() -> None:
    """Partial_success MUST be unset then."""
    assert Answer().encode() == b""
