"""OTLP/gRPC in: TraceService/Export on grpcio's thread-pool server.

Owns the socket and the answers. Knows no span: bytes go to `accept`, and what comes back
or is raised becomes the response. Metrics and logs are UNIMPLEMENTED, in words of ours. A
message over the limit (after decompression), a call of any other service and broken
frames are answered by grpcio itself, before a request is ours to count.

Why: the bytes pass unparsed (no deserializer), so one bad text cannot fail a batch
before we see it. A thread pool, not grpc.aio: see `WORKERS`. The number of calls is not
limited: gRPC would answer RESOURCE_EXHAUSTED, which senders take for good. A waiting
call's message is not read yet, so it is the sender that waits.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NoReturn

import grpc

from surefoot.errors import ConfigError, SurefootError
from surefoot.receive.answer import MAX_BYTES, NOT_TAKEN, TRACES, Accept, OnRequest
from surefoot.receive.listen import listen, shown
from surefoot.receive.status import Refusal, other_signal, refusal

#: CPU of the server a request of one span, 4 connections, 2026-12-01 on a shared Xeon, best
#: of 4 runs: 242 us with 4 workers, 251 with 8, grpc.aio 224 (227 with uvloop): no
#: difference beyond the noise. Threads it is, since `accept` is plain blocking code, and a
#: request of 64 MiB must not hold the small ones up; few, since each may hold so much.
WORKERS: Final = 4
_TRANSPORT = "grpc"
_SERVICES = {
    TRACES: "opentelemetry.proto.collector.trace.v1.TraceService",
    "metrics": "opentelemetry.proto.collector.metrics.v1.MetricsService",
    "logs": "opentelemetry.proto.collector.logs.v1.LogsService",
}
#: Where gRPC carries a google.rpc.Status. Source: grpc.github.io, "Richer error model".
_DETAILS = "grpc-status-details-bin"
_log = logging.getLogger(__name__)


class GrpcServer:
    """Listens from `start` to `stop`; stopping twice or without a start is fine."""

    def __init__(
        self,
        accept: Accept,
        on_request: OnRequest,
        address: tuple[str, int],
        *,
        max_bytes: int = MAX_BYTES,
        workers: int = WORKERS,
    ) -> None:
        """`address` is host and port; port 0 means any. `max_bytes` is a request's limit."""
        self._accept = accept
        self._on_request = on_request
        self._host, self._port = address
        self._max_bytes = max_bytes
        self._workers = workers
        self._pool: ThreadPoolExecutor | None = None
        self._server: grpc.Server | None = None

    def start(self) -> int:
        """Listen; return the port.

        Raises:
            ConfigError: The address cannot be listened on.
        """
        # gRPC does not say why an address is no good, so try it first.
        listen(self._host, self._port).close()
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="receive-grpc")
        self._server = grpc.server(
            self._pool,
            options=(
                ("grpc.max_receive_message_length", self._max_bytes),
                ("grpc.so_reuseport", 0),  # a taken port is an error, not a silent share
            ),
        )
        exports = {TRACES: self._export} | {name: self._refuses(name) for name in NOT_TAKEN}
        self._server.add_generic_rpc_handlers(
            tuple(
                grpc.method_handlers_generic_handler(
                    _SERVICES[signal], {"Export": grpc.unary_unary_rpc_method_handler(export)}
                )
                for signal, export in exports.items()
            )
        )
        address = shown(self._host, self._port)
        try:
            port: int = self._server.add_insecure_port(address)
        except RuntimeError as error:
            self.stop(0)
            raise ConfigError(f"{address}: cannot listen; choose another endpoint") from error
        self._server.start()
        return port

    def stop(self, grace_s: float) -> None:
        """Refuse new calls at once, let running ones finish, cancel them after `grace_s`."""
        server, pool, self._server, self._pool = self._server, self._pool, None, None
        if server is not None:
            server.stop(grace_s).wait()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _export(self, body: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            response = self._accept(body, _TRANSPORT).encode()
        except SurefootError as error:
            self._refuse(refusal(error), context)
        except Exception as error:  # noqa: BLE001 - a sender is told INTERNAL, not a traceback
            _log.exception("a request failed")
            self._refuse(refusal(error), context)
        self._on_request(TRACES, _TRANSPORT, grpc.StatusCode.OK.name, "")
        return response

    def _refuses(self, signal: str) -> Callable[[bytes, grpc.ServicerContext], bytes]:
        told = other_signal(signal)

        def export(_body: bytes, context: grpc.ServicerContext) -> bytes:
            self._refuse(told, context, signal)

        return export

    def _refuse(
        self, told: Refusal, context: grpc.ServicerContext, signal: str = TRACES
    ) -> NoReturn:
        self._on_request(signal, _TRANSPORT, told.code.name, told.message)
        context.set_trailing_metadata(((_DETAILS, told.encode()),))
        context.abort(told.code, told.message)
        raise AssertionError("abort raises")
