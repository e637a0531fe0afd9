"""Verdicts as a backend gets them: a small OTLP sink that reads them back.

Owns a gRPC server that takes traces and answers UNIMPLEMENTED to every other signal, as
Jaeger does, and the reading of our own spans out of what comes. What it says of a
verdict comes from the wire alone.
"""

import threading
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Self

import grpc

from surefoot.model import Value
from surefoot.receive.fields import any_value, key_value
from surefoot.receive.wire import RawSpan, parse

SERVICE: Final = "opentelemetry.proto.collector.trace.v1.TraceService"
METHOD: Final = "Export"
#: ExportTraceServiceResponse with nothing in it: all was taken.
TAKEN: Final = b""
_TEXT_LIMIT: Final = 1 << 16
_WORKERS: Final = 2
_GRACE_S: Final = 1.0


@dataclass(slots=True)
class Found:
    """A violation, as its span tells it. step and tool are None where no step offends."""

    check: str
    severity: str
    message: str
    step: int | None
    tool: str | None


@dataclass(slots=True)
class Returned:
    """One spec's verdict on one run, as its spans tell it."""

    spec: str
    outcome: str = ""
    path: str = ""
    output: str = ""
    trajectory: str = ""
    inconclusive: str = ""
    violations: list[Found] = field(default_factory=list)

    @property
    def is_green(self) -> bool:
        """Output ok, and a path that could be decided."""
        return self.output == "ok" and self.path != "inconclusive"

    @property
    def is_lucky(self) -> bool:
        """Output ok on a bad path."""
        return self.output == "ok" and self.path == "violated"


class Inbox:
    """Collects the verdicts of each trace out of export requests. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._came = threading.Condition(self._lock)
        self._by_trace: dict[bytes, dict[str, Returned]] = {}

    def take(self, body: bytes) -> None:
        """Read one ExportTraceServiceRequest; spans that are not ours are passed over."""
        with self._lock:
            for of_resource in parse(body).resource_spans:
                for of_scope in of_resource.scope_spans:
                    for span in of_scope.spans:
                        self._read(span)
            self._came.notify_all()

    def wait(self, traces: Collection[bytes], timeout_s: float) -> list[Returned]:
        """The verdicts of these traces once one has any; an empty list if none comes in time."""
        with self._lock:
            self._came.wait_for(lambda: bool(self._judged(traces)), timeout_s)
            return self._judged(traces)

    def _judged(self, traces: Collection[bytes]) -> list[Returned]:
        found = [one for trace in traces for one in self._by_trace.get(trace, {}).values()]
        return sorted((one for one in found if one.outcome), key=lambda one: one.spec)

    def _read(self, span: RawSpan) -> None:
        told = _attributes(span.attributes)
        spec = told.get("surefoot.spec.name")
        if not isinstance(spec, str):
            return
        verdicts = self._by_trace.setdefault(bytes(span.trace_id), {})
        verdict = verdicts.setdefault(spec, Returned(spec))
        if "surefoot.violation.check" in told:
            verdict.violations.append(_violation(told))
        elif "surefoot.outcome" in told:
            verdict.outcome = _text(told, "surefoot.outcome")
            verdict.path = _text(told, "surefoot.path.grade")
            verdict.output = _text(told, "surefoot.output.grade")
            verdict.trajectory = _text(told, "surefoot.trajectory")
            verdict.inconclusive = _text(told, "surefoot.inconclusive")


class Sink:
    """A backend on a free local port; every trace request goes to `take`."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._server = grpc.server(
            ThreadPoolExecutor(_WORKERS),
            options=[("grpc.max_receive_message_length", -1), ("grpc.so_reuseport", 0)],
        )
        handler = grpc.unary_unary_rpc_method_handler(self._export)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),)
        )
        self._take = take
        self.port = self._server.add_insecure_port("127.0.0.1:0")

    def __enter__(self) -> Self:
        """Start to listen."""
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, running calls first: cancelling them makes gRPC's clients complain."""
        self._server.stop(_GRACE_S).wait()

    def _export(self, body: bytes, _context: Any) -> bytes:
        self._take(body)
        return TAKEN


def _attributes(raw: Iterable[bytes]) -> dict[str, Value]:
    told = {}
    for one in raw:
        key, at, until = key_value(one)
        told[key.decode("utf-8", "replace")] = any_value(one, at, until, _TEXT_LIMIT)
    return told


def _text(told: dict[str, Value], key: str) -> str:
    value = told.get(key)
    return value if isinstance(value, str) else ""


def _violation(told: dict[str, Value]) -> Found:
    step, tool = told.get("surefoot.step.index"), told.get("surefoot.step.tool")
    return Found(
        check=_text(told, "surefoot.violation.check"),
        severity=_text(told, "surefoot.violation.severity"),
        message=_text(told, "surefoot.violation.message"),
        step=step if isinstance(step, int) else None,
        tool=tool if isinstance(tool, str) else None,
    )
