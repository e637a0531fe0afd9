"""The judge's thread has memory let go; the thread itself is not started here."""

import pytest

from surefoot.buffer import Limits
from surefoot.errors import Overloaded
from surefoot.pipeline import Pressure
from surefoot.service.worker import JudgeThread
from surefoot.specs import load
from worlds import SPEC, World, requests

MIB = 1 << 20


def test_a_request_refused_for_want_of_memory_has_kept_traces_let_go() -> None:
    resident = 10 * MIB
    world = World(load([SPEC]), Limits(), pressure=Pressure(100 * MIB, lambda: resident))
    trims: list[int] = []
    thread = JudgeThread(
        world.judge, world.pressure, world.clock, trim=lambda: trims.append(resident)
    )
    world.send(*requests("langgraph/good"))
    world.wait(6)
    resident = 90 * MIB - 10
    thread._measure()
    assert world.buffer.held_bytes > 0

    with pytest.raises(Overloaded, match="memory is short"):
        world.send(*requests("langgraph/skips"))
    assert world.intake.problem() == ""
    thread._measure()
    assert world.buffer.held_bytes == 0
    assert trims == [resident]
    thread._measure()
    assert trims == [resident]
