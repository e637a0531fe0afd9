"""A request is taken whole or not at all."""

from collections.abc import Callable

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from surefoot.errors import DecodeError, Overloaded
from surefoot.pipeline import Pressure
from worlds import World, requests


def test_the_same_bytes_are_passed_on(world: World) -> None:
    bodies = requests("langgraph/good")
    world.send(*bodies)

    assert world.forward.bodies == bodies
    assert world.buffer.counts.received == 15


def test_bytes_that_are_no_request_are_passed_on_to_nobody(world: World) -> None:
    with pytest.raises(DecodeError):
        world.send(b"\xff\xff no OTLP")

    assert world.forward.bodies == []
    assert world.buffer.counts.received == 0


def test_spans_without_good_ids_are_named_and_still_passed_on(world: World) -> None:
    request = ExportTraceServiceRequest.FromString(requests("langgraph/good")[0])
    spans = request.resource_spans[0].scope_spans[0].spans
    spans[0].trace_id = b"short"
    spans[1].span_id = bytes(8)
    body = request.SerializeToString()
    answer = world.intake.accept(body, "test")

    assert answer.rejected == 2
    assert "1 without a valid trace id, 1 without a valid span id" in answer.message
    assert world.forward.bodies == [body]
    assert world.buffer.counts.rejected == {"trace_id": 1, "span_id": 1}


def test_a_full_queue_refuses_before_any_span_is_held(world: World) -> None:
    world.forward.room = 1
    first, second, *_ = requests("langgraph/good")
    assert world.intake.problem() == ""
    world.send(first)
    held = world.buffer.counts.received

    assert world.intake.problem() == "the queue to the backend is full"
    with pytest.raises(Overloaded, match="queue to the backend is full"):
        world.send(second)
    assert world.buffer.counts.received == held


def test_judging_that_lags_refuses(world: World) -> None:
    world.send(*requests("langgraph/good"))
    world.clock.advance(6 + 5.1)

    with pytest.raises(Overloaded, match="judging is behind"):
        world.send(*requests("langgraph/skips"))
    assert world.intake.problem() == "judging is behind"
    world.wait(0)
    world.send(*requests("langgraph/skips"))
    assert world.intake.problem() == ""


class Memory:
    """A process's memory that a test moves, and how often it was looked at."""

    def __init__(self, resident: int | None) -> None:
        self.resident = resident
        self.looks = 0

    def __call__(self) -> int | None:
        self.looks += 1
        return self.resident


def test_short_memory_refuses(make_world: Callable[..., World]) -> None:
    memory = Memory(91)
    world = make_world(pressure=Pressure(100, memory))

    with pytest.raises(Overloaded, match="memory is short"):
        world.send(*requests("langgraph/good"))
    assert world.intake.problem() == "memory is short"
    assert world.forward.bodies == []

    memory.resident = 0
    assert not world.pressure.measure()
    assert world.intake.problem() == ""


def test_memory_is_looked_at_once_a_burst_might_fill_it() -> None:
    memory = Memory(50)
    pressure = Pressure(100, memory)

    assert [pressure.admits(20), pressure.admits(20)] == [True, True]
    assert memory.looks == 1
    memory.resident = 85
    assert not pressure.admits(20)
    assert memory.looks == 2
    assert not pressure.is_short  # a smaller one finds room
    assert pressure.admits(5)
    memory.resident = 91
    assert not pressure.admits(1)
    assert pressure.is_short


def test_what_is_taken_right_after_a_look_counts() -> None:
    memory = Memory(50)
    pressure = Pressure(100, memory)

    assert pressure.admits(40)
    memory.resident = 60
    assert pressure.admits(20)  # after a look: 60 + 20
    assert memory.looks == 2
    memory.resident = 75
    assert pressure.admits(10)  # reckoned 60 + 20 + 10
    assert memory.looks == 2
    assert pressure.admits(1)  # 91 by reckoning, 76 by a look
    assert memory.looks == 3


def test_a_request_that_found_no_room_has_something_let_go_once() -> None:
    """Though a smaller one would find it: what is not let go refuses the large one for good."""
    memory = Memory(0)
    pressure = Pressure(100, memory)
    memory.resident = 85
    assert not pressure.measure()

    assert not pressure.admits(20)
    assert not pressure.admits(10)
    assert not pressure.is_short
    assert pressure.measure()
    assert not pressure.measure()
    memory.resident = 71
    assert not pressure.admits(20)
    memory.resident = 70  # of itself
    assert not pressure.measure()


def test_for_a_request_that_never_finds_room_nothing_is_let_go() -> None:
    memory = Memory(50)
    pressure = Pressure(100, memory)

    assert not pressure.admits(41)
    assert not pressure.measure()
    memory.resident = 51
    assert not pressure.measure()
    assert not pressure.admits(40)
    assert pressure.measure()


def test_memory_that_nobody_tells_is_never_short() -> None:
    pressure = Pressure(1, Memory(None))

    assert pressure.admits(1_000_000)
    assert not pressure.measure()


def test_our_own_verdicts_coming_back_are_neither_judged_nor_passed_on(world: World) -> None:
    world.send(*requests("langgraph/skips"))
    world.wait(6)
    sent = len(world.forward.bodies)
    world.send(*world.verdicts.bodies)

    assert len(world.forward.bodies) == sent
    assert world.buffer.counts.ignored["own"] > 1
    assert world.wait(300) == []


def test_an_empty_request_is_fine(make_world: Callable[..., World]) -> None:
    world = make_world()

    assert world.intake.accept(b"", "test").rejected == 0
    assert world.buffer.counts.received == 0
