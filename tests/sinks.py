"""An OTLP/gRPC backend for tests: records what it gets, answers what it is told.

with Sink() as sink:
    sink.answers.append(Refuse(grpc.StatusCode.UNAVAILABLE, retry_after_s=2))
    ... send to sink.endpoint ...
    sink.wait_for(3)                # requests that were taken
    sink.taken["traces"]
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import NoReturn, Self

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

_SERVICES = {
    "traces": "opentelemetry.proto.collector.trace.v1.TraceService",
    "metrics": "opentelemetry.proto.collector.metrics.v1.MetricsService",
    "logs": "opentelemetry.proto.collector.logs.v1.LogsService",
}


@dataclass(frozen=True)
class Refuse:
    """Answer with an error."""

    code: grpc.StatusCode
    message: str = "no"
    retry_after_s: float | None = None


@dataclass(frozen=True)
class Reject:
    """Take the request but for `count` of its spans."""

    count: int
    message: str


class Sink:
    """Listens on a free port of 127.0.0.1 (or a given one) while it is entered.

    answers: what to answer next, one request each; when it is empty, success.
    always: what to answer when `answers` is empty. taken: bodies that were taken, by signal.
    attempts: bodies of all attempts, also refused ones. headers: of the last attempt.
    """

    def __init__(
        self, signals: tuple[str, ...] = ("traces", "metrics", "logs"), port: int = 0
    ) -> None:
        self.answers: deque[Refuse | Reject | Callable[[], None]] = deque()
        self.always: Refuse | None = None
        self.taken: defaultdict[str, list[bytes]] = defaultdict(list)
        self.attempts: list[bytes] = []
        self.headers: dict[str, str | bytes] = {}
        self.port = port
        self._signals = signals
        self._changed = threading.Condition()
        self._server: grpc.Server | None = None

    @property
    def endpoint(self) -> str:
        """`host:port` of it."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        options = (("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1))
        self._server = grpc.server(ThreadPoolExecutor(16), options=options)
        for signal in self._signals:
            export = grpc.unary_unary_rpc_method_handler(self._export(signal))
            handler = grpc.method_handlers_generic_handler(_SERVICES[signal], {"Export": export})
            self._server.add_generic_rpc_handlers((handler,))
        self.port = self._server.add_insecure_port(self.endpoint)
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.stop(0).wait()

    def wait_for(self, count: int, signal: str = "traces", timeout_s: float = 20) -> list[bytes]:
        """Wait until `count` requests were taken; return all that were."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.taken[signal]) >= count, timeout_s):
                raise AssertionError(f"{len(self.taken[signal])} of {count} requests came")
            return list(self.taken[signal])

    def wait_for_attempts(self, count: int, timeout_s: float = 20) -> None:
        """Wait until `count` attempts were made, whatever was answered."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.attempts) >= count, timeout_s):
                raise AssertionError(f"{len(self.attempts)} of {count} attempts came")

    def _export(self, signal: str) -> Callable[[bytes, grpc.ServicerContext], bytes]:
        def export(body: bytes, context: grpc.ServicerContext) -> bytes:
            with self._changed:
                self.attempts.append(body)
                self.headers = dict(context.invocation_metadata())
                answer = self.answers.popleft() if self.answers else self.always
                self._changed.notify_all()
            if isinstance(answer, Refuse):
                _refuse(answer, context)
            if answer is not None and not isinstance(answer, Reject):
                answer()  # whatever the test does meanwhile
            with self._changed:
                self.taken[signal].append(body)
                self._changed.notify_all()
            return _rejected(answer) if isinstance(answer, Reject) else b""

        return export


@contextmanager
def a_dead_port() -> Iterator[str]:
    """The endpoint of a backend that is down."""
    with Sink() as sink:
        endpoint = sink.endpoint
    yield endpoint


def _refuse(answer: Refuse, context: grpc.ServicerContext) -> NoReturn:
    if answer.retry_after_s is not None:
        delay = Duration()
        delay.FromNanoseconds(int(answer.retry_after_s * 1e9))
        packed = AnyMessage()
        packed.Pack(RetryInfo(retry_delay=delay))
        status = Status(code=answer.code.value[0], message=answer.message, details=[packed])
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.abort(answer.code, answer.message)
    raise AssertionError("abort raises")


def _rejected(answer: Reject) -> bytes:
    response = ExportTraceServiceResponse()
    response.partial_success.rejected_spans = answer.count
    response.partial_success.error_message = answer.message
    return response.SerializeToString()
