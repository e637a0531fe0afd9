"""The composition root. Owns sockets (through the parts), signals and the one deadline.

    start:  senders ─> judge ─> reload ─> metrics and health ─> receivers ─> ready
    stop:   not ready ─> reload ─> receivers, running calls finish ─> judge the rest ─>
            flush the senders and the metrics ─> sockets: within SHUTDOWN_S, then exit 0

Downstream starts first and stops last, so nothing is taken that has nowhere to go. Knows
no span: what happens to a request is the pipeline's business.
"""

import gc
import os
import signal
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import TypeAlias

from surefoot.clock import Clock, SystemClock
from surefoot.config import Config, Endpoint
from surefoot.emit import instruments
from surefoot.emit.exposition import prometheus_text
from surefoot.emit.identity import Identity
from surefoot.emit.metrics import Points
from surefoot.evaluate import mask
from surefoot.pipeline import Pipeline, Pressure
from surefoot.pipeline.judging import OnPlan
from surefoot.receive.grpc import GrpcServer
from surefoot.receive.http import traces_app
from surefoot.receive.serve import HttpServer
from surefoot.service.backend import Backend
from surefoot.service.health import health_app, metrics_app
from surefoot.service.memory import give_back_freed, resident_bytes, trim
from surefoot.service.reload import Reload, SpecFiles, now_in_force
from surefoot.service.worker import JudgeThread
from surefoot.specs import SpecSet
from surefoot.telemetry import (
    Listening,
    NoBackend,
    NotBuilt,
    RequestRefused,
    Stopping,
    Telemetry,
    configure_logging,
)

#: From the signal to the exit (the design's budget; Kubernetes kills after 30 s). Of
#: these, the last ones are for calls that must be cut off because nobody answers.
SHUTDOWN_S = 15
SHUTDOWN_NS = 13_500_000_000
#: What receivers get of it to finish running calls, and senders at the end.
CALLS_S = 2.0
FLUSH_NS = 2_500_000_000
NS = 1e9
#: New objects between two looks of the cycle collector; CPython's 700 is a span or two
#: of a request. Little of ours is a cycle, so it looks often and finds nothing.
_COLLECT_AFTER = 20_000
#: What a sender does wrong each time, as HTTP and gRPC have it; who keeps its settings
#: sees nothing arrive. A wrong method is no sender: some look with a HEAD.
_TELL = frozenset({"400", "404", "413", "415", "INVALID_ARGUMENT", "UNIMPLEMENTED"})
#: Ends one part within so many seconds.
Stopper: TypeAlias = Callable[[float], object]


class Server:
    """All of Surefoot in one process. `start`, then `stop`; twice or unstarted is fine.

    Args:
        config: What the operator said.
        specs: The specs in force.
        files: Where they came from; other content there comes into force.
        on_plan: Shown every verdict that leaves.
    """

    def __init__(
        self,
        config: Config,
        specs: SpecSet,
        *,
        files: SpecFiles | None = None,
        on_plan: OnPlan | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._config = config
        self._clock = clock = clock or SystemClock()
        self._telemetry = telemetry = Telemetry(clock)
        memory_limit = config.judging.memory_limit_bytes
        self._backend = backend = (
            Backend(config.exporter, memory_limit, telemetry, clock) if config.exporter else None
        )
        self._line = line = Pipeline(
            config,
            specs,
            identity=_identity(config),
            clock=clock,
            telemetry=telemetry,
            forward=backend.forward if backend else None,
            verdicts=backend.verdicts if backend else None,
            gauges={instruments.FORWARD_QUEUE: backend.queued} if backend else None,
            pressure=Pressure(memory_limit, resident_bytes),
            on_plan=on_plan,
        )
        self._thread = JudgeThread(
            line.judge,
            line.pressure,
            clock,
            trim=trim,
        )
        self._files = files
        self._reload = Reload(files, specs, line.use, telemetry) if files else None
        self._receivers: list[Stopper] = []
        self._told: list[Stopper] = []
        self._receiving = False
        self._reading = threading.Lock()
        self.grpc_port = self.http_port = self.health_port = self.metrics_port = 0

    def start(self) -> None:
        """Take requests.

        Raises:
            ConfigError: An address cannot be listened on; what was started is stopped.
        """
        looked = self._files.looked() if self._files else ""
        self._telemetry.record(now_in_force(self._line.in_force.specs, looked))
        for key in self._config.not_built:
            self._telemetry.record(NotBuilt(key))
        if self._backend:
            self._backend.start()
        else:
            self._telemetry.record(NoBackend())
        self._thread.start()
        if self._reload:
            self._reload.start()
        try:
            self._listen()
            if self._backend:
                self._backend.start_metrics(self._read_metrics)
        except BaseException:
            self.stop()
            raise
        self._receiving = True

    def stop(self) -> None:
        """Stop intake, judge what is open, flush: within `SHUTDOWN_NS`."""
        line, began_ns = self._line, self._clock.now_ns()
        deadline_ns = began_ns + SHUTDOWN_NS
        receiving, self._receiving = self._receiving, False
        if receiving:
            self._telemetry.record(Stopping(SHUTDOWN_S))
        if self._reload:
            self._reload.stop()
        _stop_all(self._receivers)
        judge_by_ns = deadline_ns - FLUSH_NS
        if self._thread.stop(max(0.0, (judge_by_ns - self._clock.now_ns()) / NS)):
            line.judge.drain(judge_by_ns)
        else:  # stuck in one trace: what is open cannot be judged beside it
            line.shared.buffer.abandon()
        undelivered = self._backend.stop(deadline_ns) if self._backend else 0
        _stop_all(self._told)
        if receiving:
            took_s = (self._clock.now_ns() - began_ns) / NS
            self._telemetry.record(line.stopped(undelivered, took_s))

    def failure(self) -> str:
        """Why the process must end; empty while all is well."""
        return self._thread.problem()

    def _listen(self) -> None:
        """Health and metrics first, receivers last: ready means that spans are taken."""
        config = self._config
        if config.health:
            app = health_app(self._thread.problem, self._not_ready)
            self.health_port = _serve(app, config.health, self._told)
        if config.metrics:
            app = metrics_app(lambda: prometheus_text(self._read_metrics()))
            self.metrics_port = _serve(app, config.metrics, self._told)
        accept, on_request = self._line.intake.accept, self._count_request
        if config.grpc:
            address = (config.grpc.endpoint.host, config.grpc.endpoint.port)
            server = GrpcServer(accept, on_request, address, max_bytes=config.grpc.max_bytes)
            self.grpc_port = server.start()
            self._receivers.append(server.stop)
            bound = replace(config.grpc.endpoint, port=self.grpc_port)
            self._telemetry.record(Listening("gRPC", str(bound)))
        if config.http:
            app = traces_app(accept, on_request, config.http.max_bytes)
            self.http_port = _serve(app, config.http.endpoint, self._receivers)
            bound = replace(config.http.endpoint, port=self.http_port)
            self._telemetry.record(Listening("HTTP", str(bound)))

    def _not_ready(self) -> str:
        if not self._receiving:
            return "not receiving"
        return self._thread.problem() or self._line.intake.problem()

    def _count_request(self, signal: str, transport: str, code: str, why: str) -> None:
        self._line.metrics.add(instruments.REQUESTS, (signal, transport, code))
        if code in _TELL:
            self._telemetry.record(RequestRefused(transport, code, signal, why))

    def _read_metrics(self) -> Points:
        """Every point there is now, for the export and any scrape, one after the other."""
        with self._reading:
            if self._backend:
                self._backend.carry(self._line.metrics)
            return self._line.read_metrics()


def _serve(app: object, at: Endpoint, stoppers: list[Stopper]) -> int:
    server = HttpServer(app, at.host, at.port)
    port = server.start()
    stoppers.append(server.stop)
    return port


def _stop_all(stoppers: list[Stopper]) -> None:
    while stoppers:
        stoppers.pop()(CALLS_S)


@contextmanager
def started(
    config: Config, specs: Sequence[Path], *, on_plan: OnPlan | None = None
) -> Iterator[Server]:
    """A server that runs as long as the block does.

    Where no specs are named, `./specs` is looked for, also later on.

    Raises:
        ConfigError: A spec or an address is no good.
    """
    files = SpecFiles(lambda: specs or config.spec_paths(), config.specs_sought)
    server = Server(config, files.load(), files=files, on_plan=on_plan)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def run(config: Config, specs: Sequence[Path], *, on_plan: OnPlan | None = None) -> int:
    """Run until SIGTERM or SIGINT; a second SIGINT ends the process at once.

    That is a person who will not wait. A second SIGTERM is an orchestrator that asks again.

    Returns:
        0 after an orderly stop, 1 if judging had ended by a fault.

    Raises:
        ConfigError: A spec or an address is no good.
    """
    logs = config.logs
    configure_logging(logs.level, logs.encoding, mask=mask)
    asked = threading.Event()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if asked.is_set() and number == signal.SIGINT:
            os._exit(1)
        asked.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    give_back_freed()
    gc.freeze()  # what is loaded by now stays to the end
    gc.set_threshold(_COLLECT_AFTER, 20, 20)
    with started(config, specs, on_plan=on_plan) as server:
        while not asked.wait(1.0) and not server.failure():
            pass
        failure = server.failure()
    return 1 if failure else 0


def _identity(config: Config) -> Identity:
    instance_id = config.resource.get("service.instance.id", str(uuid.uuid4()))
    return Identity(instance_id, version("surefoot"), config.service_name)
