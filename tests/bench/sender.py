"""One sender: requests out as fast as they are taken, refusals sent again."""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import grpc

from bench.traffic import Template

_EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_OPTIONS = [("grpc.max_send_message_length", -1)]
_TIMEOUT_S = 30
_AGAIN_S = 0.2


@dataclass
class Sent:
    """What was taken, and how long that took."""

    requests: int = 0
    spans: int = 0
    wire_bytes: int = 0
    refused: int = 0
    seconds: float = 0.0


class Sender:
    """Sends the mix over one channel, over and over, each replay as new traces."""

    def __init__(self, mix: Sequence[Template]) -> None:
        self._mix = mix
        self._endless = self._requests()

    def send(self, port: int, *, in_flight: int, seconds: float = 0, requests: int = 0) -> Sent:
        """Send for so long, or so many requests; return when all were taken."""
        sent = Sent()
        waiting: deque[tuple[Any, Template, bytes]] = deque()
        with grpc.insecure_channel(f"127.0.0.1:{port}", _OPTIONS) as channel:
            export = channel.unary_unary(_EXPORT)
            grpc.channel_ready_future(channel).result(_TIMEOUT_S)
            start = time.perf_counter()
            for template, body in self._endless:
                waiting.append((export.future(body, timeout=_TIMEOUT_S), template, body))
                if len(waiting) >= in_flight:
                    self._settle(export, sent, *waiting.popleft())
                done = sent.requests + len(waiting)
                if time.perf_counter() - start >= seconds and done >= requests:
                    break
            while waiting:
                self._settle(export, sent, *waiting.popleft())
            sent.seconds = time.perf_counter() - start
        return sent

    def _requests(self) -> Iterator[tuple[Template, bytes]]:
        replay = 1
        for number, template in enumerate(cycle(self._mix), start=1):
            yield template, template.salted(replay)
            if number % len(self._mix) == 0:
                replay += 1

    def _settle(self, export: Any, sent: Sent, call: Any, template: Template, body: bytes) -> None:
        """Wait for one answer; what was refused for now is sent again."""
        while True:
            try:
                call.result()
                break
            except grpc.RpcError as refusal:
                if refusal.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                sent.refused += 1
                time.sleep(_AGAIN_S)
                call = export.future(body, timeout=_TIMEOUT_S)
        sent.requests += 1
        sent.spans += template.spans
        sent.wire_bytes += len(body)
