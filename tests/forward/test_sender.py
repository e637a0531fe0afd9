import threading

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clocks import FrozenClock
from forward.builders import a_bench
from sinks import Refuse, Reject, Sink, a_dead_port
from surefoot.errors import ConfigError
from surefoot.forward.news import Kind, News
from surefoot.forward.options import Options, Retry
from surefoot.forward.queue import FULL, SHUTDOWN, UNSUPPORTED
from surefoot.forward.sender import Sender

UNAVAILABLE = Refuse(grpc.StatusCode.UNAVAILABLE)
INVALID = Refuse(grpc.StatusCode.INVALID_ARGUMENT)
TOO_MUCH = Refuse(grpc.StatusCode.RESOURCE_EXHAUSTED)
LATER = Refuse(grpc.StatusCode.RESOURCE_EXHAUSTED, retry_after_s=12.5)
answers = st.sampled_from([UNAVAILABLE, INVALID, TOO_MUCH, LATER, Reject(1, "one"), lambda: None])


def hang(leave: threading.Event) -> None:
    """Answer only once the test lets go."""
    leave.wait(20)


@settings(max_examples=20)
@given(st.lists(st.binary(min_size=1, max_size=9), max_size=12), st.lists(answers, max_size=12))
def test_every_request_arrives_or_is_counted(
    bodies: list[bytes], said: list[Refuse | Reject]
) -> None:
    """Whatever the backend says, by several threads."""
    with Sink() as sink:
        sink.answers.extend(said)
        bench = a_bench(sink.endpoint, consumers=3)
        bench.sender.start()
        taken = [body for body in bodies if bench.sender.offer(body)]
        bench.drain()
        stats = bench.sender.stats()

        assert taken == bodies
        assert stats.sent == len(sink.taken["traces"])
        assert stats.sent + sum(stats.failed.values()) == len(bodies)
        assert (stats.queued, stats.queued_bytes, stats.dropped) == (0, 0, {})


def test_the_bytes_leave_as_they_came_with_the_headers() -> None:
    with Sink() as sink:
        bench = a_bench(sink.endpoint, headers={"Authorization": "Bearer x"})
        bench.sender.start()
        bench.sender.offer(b"not even protobuf \xff")
        bench.drain()

        assert sink.taken["traces"] == [b"not even protobuf \xff"]
        assert sink.headers["authorization"] == "Bearer x"


def test_a_large_request_leaves_with_gzip_too() -> None:
    """Senders may send 64 MiB; gRPC's own limit is 4."""
    body = bytes(6_000_000)
    with Sink() as sink:
        bench = a_bench(f"http://{sink.endpoint}/", gzip=True, queue_bytes=10_000_000)
        bench.sender.start()
        bench.sender.offer(body)
        bench.drain()

        assert sink.taken["traces"] == [body]


@pytest.mark.parametrize("signal", ["traces", "metrics", "logs"])
def test_each_signal_goes_to_its_service(signal: str) -> None:
    with Sink() as sink:
        bench = a_bench(sink.endpoint, signal=signal)  # type: ignore[arg-type] # one of the three
        bench.sender.start()
        bench.sender.offer(b"x")
        bench.drain()

        assert sink.taken == {signal: [b"x"]}


# ---- attempts


def test_a_backend_that_is_away_for_a_while_gets_it_later() -> None:
    with Sink() as sink:
        sink.answers.extend([UNAVAILABLE, UNAVAILABLE])
        bench = a_bench(sink.endpoint)
        bench.sender.start()
        bench.sender.offer(b"x")
        sink.wait_for(1)
        bench.drain()

    assert bench.waits[:2] == [5, 7.5]
    assert bench.kinds() == [Kind.UNREACHABLE, Kind.REACHABLE]


def test_the_backends_own_delay_is_kept() -> None:
    with Sink() as sink:
        sink.answers.append(LATER)
        bench = a_bench(sink.endpoint)
        bench.sender.start()
        bench.sender.offer(b"x")
        sink.wait_for(1)
        bench.drain()

    assert bench.waits == [12.5]


@pytest.mark.parametrize("refusal", [INVALID, TOO_MUCH, Refuse(grpc.StatusCode.UNIMPLEMENTED)])
def test_a_refusal_for_good_is_not_tried_again(refusal: Refuse) -> None:
    """Of traces also UNIMPLEMENTED: it drops that request, not the signal."""
    with Sink() as sink:
        sink.answers.append(refusal)
        bench = a_bench(sink.endpoint)
        bench.sender.start()
        bench.sender.offer(b"first")
        bench.sender.offer(b"second")
        bench.drain()

        assert sink.attempts == [b"first", b"second"]
    assert bench.sender.stats().failed == {refusal.code.name: 1}
    assert bench.news == [
        News(Kind.GIVEN_UP, "traces", sink.endpoint, refusal.code.name, refusal.message)
    ]


def test_a_spent_budget_ends_the_attempts() -> None:
    with Sink() as sink:
        sink.always = UNAVAILABLE
        bench = a_bench(sink.endpoint)
        bench.sender.start()
        bench.sender.offer(b"x")
        sink.wait_for_attempts(13)
        bench.drain()

        assert len(sink.attempts) == 13
    assert sum(bench.waits) <= 300 < sum(bench.waits) + 30
    assert bench.sender.stats().failed == {"UNAVAILABLE": 1}


def test_without_retries_one_failure_is_the_end() -> None:
    with Sink() as sink:
        sink.always = UNAVAILABLE
        bench = a_bench(sink.endpoint, retry=Retry(enabled=False))
        bench.sender.start()
        bench.sender.offer(b"x")
        bench.drain()

        assert len(sink.attempts) == 1
    assert bench.sender.stats().failed == {"UNAVAILABLE": 1}


def test_an_attempt_that_hangs_is_cut_and_made_again() -> None:
    leave = threading.Event()
    with Sink() as sink:
        sink.answers.append(lambda: hang(leave))
        bench = a_bench(sink.endpoint, timeout_s=0.1)
        bench.sender.start()
        bench.sender.offer(b"x")
        sink.wait_for_attempts(2)
        leave.set()
        bench.drain()

    assert bench.news[0].reason == "DEADLINE_EXCEEDED"
    assert bench.sender.stats().sent == 1


def test_one_request_that_must_wait_holds_up_no_other() -> None:
    waiting = threading.Event()

    def wait(event: threading.Event, seconds: float) -> None:
        waiting.set()
        event.wait(seconds)

    with Sink() as sink:
        sink.answers.append(Refuse(grpc.StatusCode.UNAVAILABLE, retry_after_s=200))
        options = Options(sink.endpoint, insecure=True, consumers=2)
        sender = Sender(options, clock := FrozenClock(), wait=wait)
        sender.start()
        sender.offer(b"slow")
        assert waiting.wait(20)
        sender.offer(b"quick")

        assert sink.wait_for(1) == [b"quick"]
        sender.drain(clock.now_ns() + 10_000_000_000)


def test_a_backend_that_comes_up_late_gets_what_waited() -> None:
    with a_dead_port() as endpoint:
        is_up = threading.Event()
        options = Options(endpoint, insecure=True)
        sender = Sender(options, clock := FrozenClock(), wait=lambda _event, _s: is_up.wait(20))
        sender.start()

        assert sender.offer(b"x") is True
        with Sink(port=int(endpoint.rpartition(":")[2])) as sink:
            is_up.set()
            assert sink.wait_for(1) == [b"x"]
            sender.drain(clock.now_ns() + 10_000_000_000)


# ---- bounds


def test_a_full_queue_refuses_at_once_and_counts() -> None:
    with Sink() as sink:
        bench = a_bench(sink.endpoint, queue_size=2)

        assert [bench.sender.offer(b"x") for _ in range(4)] == [True, True, False, False]
        assert not bench.sender.has_room(1)
        assert bench.sender.stats().dropped == {FULL: 2}
        bench.sender.start()
        bench.drain()
        assert len(sink.taken["traces"]) == 2


def test_the_bytes_are_bounded_too() -> None:
    bench = a_bench("127.0.0.1:1", queue_bytes=10)

    assert bench.sender.has_room(10)
    assert bench.sender.offer(bytes(6))
    assert not bench.sender.has_room(6)
    assert not bench.sender.offer(bytes(6))


# ---- what is told


@pytest.mark.parametrize("signal", ["metrics", "logs"])
def test_an_unknown_signal_is_told_once_and_sent_no_more(signal: str) -> None:
    """Jaeger takes neither."""
    with Sink(signals=("traces",)) as sink:
        bench = a_bench(sink.endpoint, signal=signal, consumers=2)  # type: ignore[arg-type] # see above
        for _ in range(5):
            bench.sender.offer(b"x")
        bench.sender.start()
        bench.wait_for_news(1)
        bench.drain()

        assert bench.kinds() == [Kind.UNSUPPORTED]
        assert not bench.sender.offer(b"x")
        assert bench.sender.stats().dropped == {UNSUPPORTED: 6}


def test_items_that_the_backend_rejects_are_counted_and_told_once_a_minute() -> None:
    with Sink() as sink:
        bench = a_bench(sink.endpoint)

        def later() -> None:
            bench.clock.advance(61)

        sink.answers.extend([Reject(2, "too old"), Reject(3, "too old"), later, Reject(4, "new")])
        bench.sender.start()
        for _ in range(4):
            bench.sender.offer(b"x")
        bench.drain()

    assert bench.sender.stats().rejected == 9
    assert [(news.count, news.detail) for news in bench.news] == [(2, "too old"), (4, "new")]


# ---- its end


def test_the_drain_cuts_a_wait_short() -> None:
    """With the real waits: five seconds would be, were it not for the drain."""
    waiting = threading.Event()

    def wait(event: threading.Event, seconds: float) -> None:
        waiting.set()
        event.wait(seconds)

    with Sink() as sink:
        sink.answers.append(Refuse(grpc.StatusCode.UNAVAILABLE, retry_after_s=200))
        sender = Sender(Options(sink.endpoint, insecure=True), clock := FrozenClock(), wait=wait)
        sender.start()
        sender.offer(b"x")
        assert waiting.wait(20)
        sender.drain(clock.now_ns() + 10_000_000_000)

        assert sink.taken["traces"] == [b"x"]


def test_what_is_left_at_the_deadline_is_dropped_and_counted() -> None:
    """Two hang, the others wait behind them."""
    leave = threading.Event()
    with Sink() as sink:
        sink.answers.extend([lambda: hang(leave)] * 2)
        bench = a_bench(sink.endpoint, consumers=2)
        for _ in range(5):
            bench.sender.offer(b"x")
        bench.sender.start()
        sink.wait_for_attempts(2)
        bench.sender.drain(bench.clock.now_ns())
        stats = bench.sender.stats()
        leave.set()

    assert stats.dropped == {SHUTDOWN: 5}
    assert (stats.queued, stats.queued_bytes) == (0, 0)
    assert sum(news.count for news in bench.news if news.reason == SHUTDOWN) == 5


def test_after_the_drain_nothing_is_taken() -> None:
    bench = a_bench("127.0.0.1:1")
    bench.sender.start()
    bench.drain()

    assert not bench.sender.offer(b"x")
    assert not bench.sender.has_room(1)
    assert bench.sender.stats().dropped == {SHUTDOWN: 1}


def test_draining_twice_or_without_a_start_is_fine() -> None:
    bench = a_bench("127.0.0.1:1")
    bench.sender.offer(b"x")
    bench.drain()
    bench.drain()

    assert bench.sender.stats().dropped == {SHUTDOWN: 1}


def test_an_endpoint_that_is_none_is_told_at_the_start() -> None:
    with pytest.raises(ConfigError, match="write host:port"):
        a_bench("http://x/v1/traces").sender.start()
