"""Files to runs, without a server."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.otlp_files import recorded
from surefoot.cli.lines import dump, run_line
from surefoot.cli.offline import runs
from surefoot.cli.read import Request
from surefoot.errors import InputError
from surefoot.evaluate import mask
from surefoot.model import Reason
from surefoot.specs import SpecSet

STREAM = [
    Request(body, f"{framework} {number}")
    for framework in ("openaiagents", "crewai", "vercel")
    for number, body in enumerate(recorded(framework, "good"))
]


def lines(stream: list[Request]) -> list[bytes]:
    return [dump(run_line(run, mask)) for run in runs(stream, SpecSet())]


@settings(max_examples=20)
@given(st.randoms(use_true_random=False), st.integers(0, len(STREAM)))
def test_the_order_of_the_requests_and_their_repetition_change_nothing(
    chance: random.Random, repeated: int
) -> None:
    shuffled = STREAM + STREAM[:repeated]
    chance.shuffle(shuffled)

    assert lines(shuffled) == lines(STREAM)


def test_runs_come_in_order_of_their_start() -> None:
    found = runs(STREAM, SpecSet())

    assert len(found) == 3
    assert [run.start_ns for run in found] == sorted(run.start_ns for run in found)


def test_the_end_of_the_input_closes_whole_traces_for_their_root() -> None:
    found = runs([Request(body, "") for body in recorded("crewai", "good")], SpecSet())

    assert [run.reason for run in found] == [Reason.ROOT]


def test_a_trace_without_its_root_is_closed_as_idle() -> None:
    found = runs([Request(recorded("crewai", "good")[0], "")], SpecSet())

    assert [run.reason for run in found] == [Reason.IDLE]


def test_bytes_that_are_no_request_are_named() -> None:
    with pytest.raises(InputError, match=r"^x\.binpb: "):
        runs([Request(b"\xff\xff", "x.binpb")], SpecSet())


def test_the_traces_of_a_session_are_one_run_with_unit_session() -> None:
    stream = [Request(body, "") for body in recorded("openaiagents", "session")] + STREAM
    apart = [run for run in runs(stream, SpecSet()) if run.session]
    joined = [run for run in runs(stream, SpecSet(), unit="session") if run.session]

    assert len(apart) == 2
    assert len(joined) == 1
    assert [step.tool for step in joined[0].steps] == [
        step.tool for run in apart for step in run.steps
    ]


def test_a_run_without_a_session_stays_alone_with_unit_session() -> None:
    assert len(runs(STREAM, SpecSet(), unit="session")) == 3


def test_each_topmost_agent_is_a_run_with_unit_agent() -> None:
    found = runs(STREAM, SpecSet(), unit="agent")

    assert len(found) >= 3
    assert all(run.key == run.root.span_id for run in found if run.key)
