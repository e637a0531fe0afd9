"""A receiver for the benchmark, run as a process: the floor, or a backend.

    python receiver.py parse      parse each request with the official classes
    python receiver.py discard    take each request and let it go

Prints its port. What it costs to parse and do nothing is the floor under any receiver
in Python; the other is the backend behind Surefoot.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

SERVICE = "opentelemetry.proto.collector.trace.v1.TraceService"
_WORKERS = 4


def _parse(body: bytes, _context: Any) -> bytes:
    ExportTraceServiceRequest.FromString(body)
    return ExportTraceServiceResponse().SerializeToString()


def _discard(_body: bytes, _context: Any) -> bytes:
    return b""


def main() -> None:
    """Listen until killed."""
    method = {"parse": _parse, "discard": _discard}[sys.argv[1]]
    server = grpc.server(
        ThreadPoolExecutor(_WORKERS), options=[("grpc.max_receive_message_length", -1)]
    )
    handlers = {"Export": grpc.unary_unary_rpc_method_handler(method)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main()
