"""Send request bytes on to one OTLP/gRPC backend, as often as it takes.

Owns the threads, the attempts and what is told of them. Knows no span: the bytes that
came are the bytes that leave. The order is not kept.

Theory: `offer` never waits, so a backend that is down blocks nobody; its queue fills,
and the receiver refuses. Each of a few threads carries one request through all its
attempts, and while one waits the others go on. At the end `drain` goes on until nothing
is left or its deadline has passed; waits then are at most a second, since whoever stops
us does not wait long.
"""

import random
import threading
from collections.abc import Callable
from typing import Final, TypeAlias

import grpc

from surefoot.clock import Clock
from surefoot.forward.backoff import Backoff
from surefoot.forward.channel import connect
from surefoot.forward.news import Kind, News, Tell
from surefoot.forward.options import PATHS, Options
from surefoot.forward.queue import SHUTDOWN, UNSUPPORTED, End, RequestQueue, Stats
from surefoot.forward.replies import Fault, fault_of, rejected

_S = 1_000_000_000  # ns
_MINUTE_NS = 60 * _S
_DRAINING_WAIT_S: Final = 1.0
#: gRPC takes much longer ones for times that have passed.
_LONGEST_CALL_S: Final = 3_600.0
#: For a call that was cancelled to return.
_LEAVE_S: Final = 1.0

#: Waits until the event is set or so many seconds have passed.
Wait: TypeAlias = Callable[[threading.Event, float], object]


def _say_nothing(_news: News) -> None:
    pass


class Sender:
    """Sends to one backend from `start` to `drain`. Any thread may call it."""

    def __init__(
        self,
        options: Options,
        clock: Clock,
        tell: Tell = _say_nothing,
        *,
        wait: Wait = threading.Event.wait,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`wait` and `chance` are for tests to skip the waits and the jitter."""
        self._options = options
        self._clock = clock
        self._tell_of = tell
        self._wait = wait
        self._chance = chance
        self._queue = RequestQueue(options.queue_size, options.queue_bytes)
        self._metadata = tuple((key.lower(), value) for key, value in options.headers.items())
        self._threads: list[threading.Thread] = []
        self._channel: grpc.Channel | None = None
        self._lock = threading.Lock()  # for the two below: news is told once
        self._is_up = True
        self._quiet_until_ns = 0
        self._deadline_ns: int | None = None
        self._draining = threading.Event()
        self._over = threading.Event()

    def start(self) -> None:
        """Begin to send. The backend need not be there yet.

        Raises:
            ConfigError: The endpoint is no `host:port`.
        """
        self._channel = connect(self._options)
        export = self._channel.unary_unary(PATHS[self._options.signal])
        for number in range(self._options.consumers):
            name = f"forward-{self._options.signal}-{number}"
            thread = threading.Thread(target=self._work, args=(export,), name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def offer(self, body: bytes) -> bool:
        """Queue a request; False, and it is counted as dropped, if there is no room."""
        return self._queue.offer(body)

    def has_room(self, size: int) -> bool:
        """Whether a request of so many bytes would be queued now."""
        return self._queue.has_room(size)

    def waiting(self) -> int:
        """How many requests are queued or under way."""
        return self._queue.stats().queued

    def stats(self) -> Stats:
        """The counts of this moment."""
        return self._queue.stats()

    def drain(self, deadline_ns: int) -> None:
        """Take no more, send what is left until `deadline_ns` of the clock, then stop.

        What is left then is dropped, and counted so. Twice or unstarted is fine.
        """
        self._deadline_ns = deadline_ns
        self._queue.close(SHUTDOWN)
        self._draining.set()
        for thread in self._threads:
            thread.join(self._left_s())
        self._over.set()
        left = self._queue.drop_waiting()
        if self._channel is not None:
            self._channel.close()  # which cancels what is under way
        for thread in self._threads:
            thread.join(_LEAVE_S)
        self._threads.clear()
        self._channel = None
        if left:
            self._tell(Kind.GIVEN_UP, SHUTDOWN, count=left)

    def _work(self, export: Callable[..., bytes]) -> None:
        """A thread's life."""
        while (body := self._queue.take()) is not None:
            self._deliver(body, export)

    def _deliver(self, body: bytes, export: Callable[..., bytes]) -> None:
        """Carry one request to its end."""
        backoff = Backoff(self._options.retry, self._clock.now_ns(), self._chance)
        while not self._over.is_set():
            fault = self._attempt(body, export)
            if fault is None:
                return
            if fault.code is grpc.StatusCode.UNIMPLEMENTED and self._options.signal != "traces":
                self._end_signal(body, fault)
                return
            wait_s = backoff.next_s(self._clock.now_ns(), fault.retry_after_s)
            if not fault.is_retryable or wait_s is None:
                self._queue.end(body, End.FAILED, fault.code.name)
                self._tell(Kind.GIVEN_UP, fault.code.name, fault.message)
                return
            self._tell_down(fault)
            self._pause(wait_s)
        self._queue.end(body, End.DROPPED, SHUTDOWN)
        self._tell(Kind.GIVEN_UP, SHUTDOWN)

    def _attempt(self, body: bytes, export: Callable[..., bytes]) -> Fault | None:
        """Send once; None if the backend took it."""
        timeout_s = min(self._options.timeout_s, _LONGEST_CALL_S, self._left_s())
        try:
            response = export(body, timeout=timeout_s, metadata=self._metadata)
        except grpc.RpcError as error:
            return fault_of(error)
        except Exception as error:  # noqa: BLE001 - the channel is closed, a header is none, …
            # Whatever it is costs this request and not the thread: a queue that nobody
            # empties would hold acknowledged requests for ever.
            is_over = self._over.is_set()
            code = grpc.StatusCode.CANCELLED if is_over else grpc.StatusCode.INTERNAL
            return Fault(code, str(error))
        count, message = rejected(response)
        self._queue.end(body, End.SENT, rejected=count)
        self._tell_up()
        if count or message:
            self._tell_rejected(count, message)
        return None

    def _pause(self, wait_s: float) -> None:
        """Wait for the next attempt; the drain's begin, and its end, cut the wait short."""
        if self._draining.is_set():
            self._wait(self._over, min(wait_s, _DRAINING_WAIT_S))
        else:
            self._wait(self._draining, wait_s)

    def _left_s(self) -> float:
        """Seconds until the drain's deadline; for ever before the drain."""
        if self._deadline_ns is None:
            return float("inf")
        return max(0.0, (self._deadline_ns - self._clock.now_ns()) / _S)

    def _end_signal(self, body: bytes, fault: Fault) -> None:
        """The backend does not know this signal: send it no more of it."""
        is_first = self._queue.close(UNSUPPORTED)
        self._queue.end(body, End.DROPPED, UNSUPPORTED)
        self._queue.drop_waiting()
        if is_first:
            self._tell(Kind.UNSUPPORTED, fault.code.name, fault.message)

    def _tell_down(self, fault: Fault) -> None:
        with self._lock:
            was_up, self._is_up = self._is_up, False
        if was_up:
            self._tell(Kind.UNREACHABLE, fault.code.name, fault.message)

    def _tell_up(self) -> None:
        with self._lock:
            was_up, self._is_up = self._is_up, True
        if not was_up:
            self._tell(Kind.REACHABLE)

    def _tell_rejected(self, count: int, message: str) -> None:
        now_ns = self._clock.now_ns()
        with self._lock:
            if now_ns < self._quiet_until_ns:
                return
            self._quiet_until_ns = now_ns + _MINUTE_NS
        self._tell(Kind.REJECTED, detail=message, count=count)

    def _tell(self, kind: Kind, reason: str = "", detail: str = "", count: int = 1) -> None:
        options = self._options
        self._tell_of(News(kind, options.signal, options.endpoint, reason, detail, count))
