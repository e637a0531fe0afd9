import io
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from surefoot import telemetry
from surefoot.telemetry import (
    AssemblyFailed,
    BackendBack,
    BackendUnreachable,
    CheckFailed,
    Event,
    JudgingEnded,
    Listening,
    LookFailed,
    NoBackend,
    NoSpecs,
    NotBuilt,
    Refusing,
    RequestDropped,
    RequestRefused,
    RunUnmatched,
    SignalUnsupported,
    SpanFailed,
    SpansMissed,
    SpansRejected,
    SpecsLoaded,
    SpecsRejected,
    SpecsUnwatched,
    Stopped,
    Stopping,
    Telemetry,
    TraceEvicted,
    VerdictFailed,
    configure_logging,
)

S = 10**9
EVENTS = [
    Listening("grpc", "127.0.0.1:4317"),
    JudgingEnded("RuntimeError"),
    NoBackend(),
    SpecsLoaded("abc", 2),
    NoSpecs(),
    NotBuilt("processors.surefoot.storage"),
    SpecsRejected("refunds.yaml: specs[0].max_steps: is no number; 5 would be"),
    SpecsUnwatched("too many open files", 5.0),
    BackendUnreachable("jaeger:4317", "traces", "UNAVAILABLE"),
    SignalUnsupported("jaeger:4317", "metrics"),
    RequestDropped("jaeger:4317", "traces", "the queue is full"),
    TraceEvicted("00ff", 12, "the buffer is full"),
    CheckFailed("refunds", "ground", "00ff", "KeyError"),
    AssemblyFailed("00ff", 12, "KeyError"),
    LookFailed("00ff", "KeyError"),
    VerdictFailed("refunds", "00ff", "ValueError"),
    Refusing("memory is short"),
    SpanFailed("chat gpt", "InputError"),
    SpansMissed(3),
    SpansRejected("jaeger:4317", "traces", 3, "too old"),
    BackendBack("jaeger:4317", "traces"),
    RunUnmatched("ops-bot", "main"),
    RequestRefused("http", "404", "traces", "nothing is taken at this path"),
    Stopping(15),
    Stopped(received=10, judged=8, apart=1, lost=1, verdicts=2, undelivered=3, took_s=0.25),
]


@dataclass
class MovedClock:
    """Moves when told to."""

    ns: int = 0

    def now_ns(self) -> int:
        """See `Clock`."""
        return self.ns

    def wall_ns(self) -> int:
        """See `Clock`."""
        return self.ns


@pytest.fixture(autouse=True)
def _root_logger() -> Iterator[None]:
    """Leave the root logger as it was."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(
    *events: Event, encoding: str = "json", level: str = "info", error: Exception | None = None
) -> list[str]:
    """The lines that events make."""
    stream = io.StringIO()
    configure_logging(level, encoding, stream)
    told = Telemetry(MovedClock())
    for event in events:
        told.record(event, error)
    return stream.getvalue().splitlines()


def test_every_event_is_tested_here() -> None:
    named = [one for one in vars(telemetry).values() if isinstance(one, type)]

    assert {type(one) for one in EVENTS} == {
        one for one in named if issubclass(one, Event) and one is not Event
    }


@pytest.mark.parametrize("event", EVENTS, ids=lambda one: type(one).__name__)
def test_an_event_is_one_line_in_either_encoding(event: Event) -> None:
    (as_json,) = lines(event)
    (as_text,) = lines(event, encoding="console")

    read = json.loads(as_json)
    assert read["message"] == str(event)
    assert read["level"] == logging.getLevelName(event.level).lower()
    assert read["logger"] == "surefoot"
    assert read["time"].endswith("+00:00")
    assert str(event) in as_text


def test_a_backends_words_cannot_steer_a_terminal() -> None:
    event = SpansRejected("jaeger:4317", "traces", 1, "\x1b[31mno\r")
    (line,) = lines(event, encoding="console")

    assert "\\x1b[31mno\\r" in line
    assert line.rstrip("\n").isprintable()


def test_json_lines_hold_what_the_event_holds() -> None:
    (line,) = lines(TraceEvicted("00ff", 12, "the buffer is full"))

    read = json.loads(line)
    assert read["event"] == "trace_evicted"
    assert (read["trace_id"], read["spans"]) == ("00ff", 12)


def test_a_backend_is_told_of_once_a_minute_and_says_what_was_held_back() -> None:
    stream = io.StringIO()
    configure_logging("info", "json", stream)
    clock = MovedClock()
    told = Telemetry(clock)
    away = BackendUnreachable("a:1", "traces", "UNAVAILABLE")
    for seconds in (0, 1, 59, 60, 61):
        clock.ns = seconds * S
        told.record(away)
    told.record(BackendUnreachable("b:1", "traces", "UNAVAILABLE"))

    read = [json.loads(line) for line in stream.getvalue().splitlines()]

    assert [(one["backend"], one.get("held_back")) for one in read] == [
        ("a:1", None),
        ("a:1", 2),
        ("b:1", None),
    ]


def test_events_without_a_pause_are_each_told() -> None:
    assert len(lines(*[SpecsRejected("x")] * 3)) == 3


def test_the_subjects_held_are_bounded() -> None:
    told = Telemetry(MovedClock(), logging.getLogger("surefoot.quiet"))
    told._logger.disabled = True
    for n in range(5000):
        told.record(BackendUnreachable(f"b{n}", "traces", "UNAVAILABLE"))

    assert sum(map(len, told._told.values())) == 1000


def test_subjects_that_a_sender_makes_up_neither_flood_the_log_nor_silence_another_kind() -> None:
    stream = io.StringIO()
    configure_logging("info", "json", stream)
    clock = MovedClock()
    told = Telemetry(clock)
    for n in range(1500):
        clock.ns = n
        told.record(RunUnmatched(f"bot-{n}", "main"))
    told.record(Refusing("memory is short"))
    clock.ns = 3600 * S
    told.record(RunUnmatched("bot-1400", "main"))
    told.record(RunUnmatched("bot-1401", "main"))
    clock.ns += 1
    told.record(RunUnmatched("bot-1402", "main"))

    read = [json.loads(line) for line in stream.getvalue().splitlines()]
    services = [one.get("service") for one in read]

    assert services == [*(f"bot-{n}" for n in range(1000)), None, "bot-1400", "bot-1402"]


def test_the_words_of_an_error_stand_at_debug_level_only() -> None:
    """They may quote what a span held."""
    error = KeyError("order A17")
    event = CheckFailed("refunds", "ground", "00ff", "KeyError")

    assert "A17" not in "".join(lines(event, error=error))
    assert "A17" in "".join(lines(event, error=error, level="debug"))
    assert "A17" in "".join(lines(event, error=error, level="debug", encoding="console"))


def test_every_line_passes_the_mask_whoever_wrote_it() -> None:
    stream = io.StringIO()
    configure_logging("debug", "json", stream, lambda text: text.replace("hunter2", "***"))
    told = Telemetry(MovedClock())
    told.record(SpecsRejected("password hunter2"), ValueError("hunter2"))
    logging.getLogger("another.library").warning("%s is the password", "hunter2")

    assert "hunter2" not in stream.getvalue()
    assert stream.getvalue().count("***") >= 4


def test_the_level_holds() -> None:
    assert lines(Listening("grpc", "x"), level="warn") == []
    assert len(lines(NoBackend(), level="warn")) == 1


def test_configuring_again_replaces_the_lines_before() -> None:
    old, new = io.StringIO(), io.StringIO()
    configure_logging("info", "json", old)
    configure_logging("info", "console", new)
    Telemetry(MovedClock()).record(NoBackend())

    assert old.getvalue() == ""
    assert len(new.getvalue().splitlines()) == 1


def test_console_lines_say_how_many_were_held_back() -> None:
    stream = io.StringIO()
    configure_logging("info", "console", stream)
    clock = MovedClock()
    told = Telemetry(clock)
    for seconds in (0, 1, 60):
        clock.ns = seconds * S
        told.record(BackendUnreachable("a:1", "traces", "UNAVAILABLE"))

    assert stream.getvalue().splitlines()[-1].endswith("(1 more since the last such line)")


def test_what_is_most_often_wrong_is_told_in_these_words() -> None:
    assert str(RunUnmatched("ops-bot", "main")) == (
        "a run of service 'ops-bot', agent 'main' meets no spec: it is passed on and not judged"
    )
    assert str(RequestRefused("http", "404", "logs", "Surefoot takes traces only")) == (
        "refused a request over http (404): Surefoot takes traces only"
    )
    assert str(NoSpecs("looked in ./specs, which is /srv/specs")) == (
        "no specs are loaded (looked in ./specs, which is /srv/specs): "
        "spans are passed on, and no run is judged"
    )
    assert str(NoSpecs()) == "no specs are loaded: spans are passed on, and no run is judged"
    assert str(Stopping(15)) == (
        "stopping: what is open is judged and what is queued is sent, within 15 s"
    )


@pytest.mark.parametrize(
    ("event", "seconds"),
    [(RunUnmatched("ops-bot", "main"), 3600), (RequestRefused("http", "404", "traces", "x"), 60)],
    ids=["RunUnmatched", "RequestRefused"],
)
def test_it_is_told_once_in_a_while(event: Event, seconds: int) -> None:
    clock = MovedClock()
    told = Telemetry(clock)

    assert told._held_back(event) == 0
    clock.ns = seconds * S - 1
    assert told._held_back(event) is None
    clock.ns = seconds * S
    assert told._held_back(event) == 1


def test_each_agent_and_each_kind_of_refusal_is_told() -> None:
    unmatched = (RunUnmatched("a", "b"), RunUnmatched("a", "c"), RunUnmatched("c", "b"))
    refused = [
        RequestRefused(*one, "x")
        for one in (("http", "404", "traces"), ("http", "415", "traces"), ("grpc", "404", "logs"))
    ]

    assert len(lines(*unmatched, *refused, *unmatched, *refused)) == 6


class Raising(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise RuntimeError(record.getMessage())


def test_a_handler_of_the_hosts_that_raises_ends_nothing() -> None:
    logger = logging.getLogger("surefoot.raising")
    logger.addHandler(Raising())

    Telemetry(MovedClock(), logger).record(NoBackend())
