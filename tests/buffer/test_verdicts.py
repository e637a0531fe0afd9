"""What verdicts take: they stand in the account of kept traces, and in one of their own."""

import pytest

from spans import MINUTE, SECOND, a_span, a_trace_id
from surefoot.buffer import Closed, Limits, TraceBuffer
from surefoot.model import Role

#: A verdict is a text, and takes what its number says.
Buffer = TraceBuffer[str]


def a_buffer(
    *, kept_ns: int = 0, total_bytes: int = 1_000_000, verdict_bytes: int = 1_000
) -> Buffer:
    limits = Limits(total_bytes=total_bytes, verdict_bytes=verdict_bytes, kept_ns=kept_ns)
    return Buffer(limits, looks_at=lambda _service: True, size_of=int)


def judge(buffer: Buffer, now_ns: int, verdict: str = "300") -> list[Closed[str]]:
    closed = []
    while (one := buffer.pop_due(now_ns)) is not None:
        buffer.judged(one, verdict)
        closed.append(one)
    return closed


def run(buffer: Buffer, *traces: int, at_ns: int = 0, verdict: str = "300") -> None:
    """Whole traces, judged."""
    for n in traces:
        buffer.add(a_span(1, trace=a_trace_id(n)), at_ns)
    assert len(judge(buffer, at_ns + 6 * SECOND, verdict)) == len(traces)
    judge(buffer, at_ns + 6 * SECOND)


def known(buffer: Buffer, *traces: int, now_ns: int) -> list[str | None]:
    """The verdicts that grades of these traces still find."""
    found = []
    for n in traces:
        buffer.grade(a_trace_id(n), "good", now_ns)
        closed = buffer.pop_due(now_ns)
        assert closed
        found.append(closed.verdict)
    return found


@pytest.mark.parametrize(
    ("verdict", "left"),
    [("250", [1, 2, 3, 4]), ("251", [2, 3, 4]), ("500", [3, 4]), ("1000", [4]), ("1001", [])],
)
def test_remembered_verdicts_take_so_many_bytes_and_the_oldest_go(
    verdict: str, left: list[int]
) -> None:
    buffer = a_buffer()
    for n in range(1, 5):
        run(buffer, n, at_ns=n * MINUTE, verdict=verdict)

    found = known(buffer, 1, 2, 3, 4, now_ns=5 * MINUTE)
    assert found == [verdict if n in left else None for n in range(1, 5)]
    assert buffer._remembered.verdict_bytes == len(left) * int(verdict)
    assert buffer.counts.grades_dropped == 4 - len(left)


def test_a_verdict_that_grows_is_weighed_anew() -> None:
    buffer = a_buffer()
    run(buffer, 1, 2)
    buffer.grade(a_trace_id(2), "good", MINUTE)
    judge(buffer, MINUTE, "600")
    assert buffer._remembered.verdict_bytes == 900
    buffer.grade(a_trace_id(2), "bad", MINUTE)
    judge(buffer, MINUTE, "800")

    assert known(buffer, 1, 2, now_ns=MINUTE) == [None, "800"]


def test_forgotten_ids_take_their_verdicts_with_them() -> None:
    buffer = a_buffer()
    run(buffer, 1, 2, 3)
    assert buffer._remembered.verdict_bytes == 900
    buffer.pop_due(25 * 60 * MINUTE)

    assert buffer._remembered.verdict_bytes == 0
    assert len(buffer._remembered) == 0


def test_the_verdicts_of_kept_traces_count_among_what_is_held() -> None:
    buffer = a_buffer(kept_ns=10 * MINUTE)
    run(buffer, 1, 2)
    alone = buffer.held_bytes - 600
    assert 0 < alone < 3_000

    buffer.add(a_span(2, 1, role=Role.TOOL, trace=a_trace_id(1)), MINUTE)
    grown = buffer.held_bytes
    judge(buffer, MINUTE + 6 * SECOND, "500")
    assert buffer.held_bytes == grown + 200
    judge(buffer, 20 * MINUTE)
    assert buffer.held_bytes == 0


def test_kept_traces_take_a_quarter_with_their_verdicts() -> None:
    buffer = a_buffer(kept_ns=10 * MINUTE, total_bytes=100_000, verdict_bytes=100_000)
    run(buffer, *range(1, 7), verdict="5000")

    assert len(buffer._kept) == 3
    assert buffer.held_bytes <= 25_000
    assert buffer._remembered.verdict_bytes == 15_000


def test_what_is_said_of_an_open_trace_counts_until_it_closes() -> None:
    buffer = a_buffer(kept_ns=10 * MINUTE, total_bytes=10_000)
    for n in (1, 2):
        buffer.add(a_span(2, 1, role=Role.TOOL, trace=a_trace_id(n)), 0)
    alone = buffer.held_bytes
    buffer.told(a_trace_id(1), "300")
    assert buffer.held_bytes == alone + 300
    buffer.told(a_trace_id(1), "400")
    assert buffer.held_bytes == alone + 400

    buffer.told(a_trace_id(1), "8000")
    assert buffer.held_bytes <= 10_000
    (evicted,) = judge(buffer, SECOND)
    assert evicted.verdict is None
    (closed,) = judge(buffer, 6 * MINUTE, "0")
    assert closed.verdict == "8000"
    assert buffer.held_bytes == alone // 2


def test_short_of_memory_with_nothing_kept_the_older_half_of_the_verdicts_goes() -> None:
    buffer = a_buffer()
    run(buffer, 1, 2, 3)
    left = [3, 1, 0, 0]
    for verdicts in left:
        assert len(buffer._remembered._verdicts) == verdicts
        assert buffer._remembered.verdict_bytes == 300 * verdicts
        buffer.relieve(MINUTE)

    assert known(buffer, 1, 2, 3, now_ns=MINUTE) == [None, None, None]
    assert len(buffer._remembered) == 3


@pytest.mark.parametrize("made", [False, True])
def test_an_amendment_knows_its_verdict_however_few_are_remembered(*, made: bool) -> None:
    """Without it, it would leave as a first verdict, and the run be counted twice."""
    buffer = a_buffer(kept_ns=10 * MINUTE, verdict_bytes=300)
    run(buffer, 1, 2, 3)
    for n in (1, 2, 3):
        buffer.add(a_span(2, 1, role=Role.TOOL, trace=a_trace_id(n)), MINUTE)
    if made:
        buffer.hasten(MINUTE)
    buffer.relieve(MINUTE)
    buffer.relieve(MINUTE)

    closed = judge(buffer, MINUTE, "200")
    assert [(one.amends, one.verdict) for one in closed] == [(True, "300")] * 3
    assert buffer._leaving == {}
    assert buffer._remembered.verdict_bytes == 200


def test_two_amendments_of_one_trace_both_know_what_was_said_last() -> None:
    buffer = a_buffer(kept_ns=10 * MINUTE, verdict_bytes=0)
    run(buffer, 1)
    for n in (2, 3):
        buffer.add(a_span(n, 1, role=Role.TOOL, trace=a_trace_id(1)), MINUTE)
        buffer.hasten(MINUTE)
    buffer.relieve(MINUTE)
    seen = []
    for said in ("400", "500"):
        closed = buffer.pop_due(MINUTE)
        assert closed
        seen.append(closed.verdict)
        buffer.judged(closed, said)

    assert seen == ["300", "400"]
    assert buffer._leaving == {}


def test_an_amendment_that_came_before_its_first_verdict_knows_it() -> None:
    buffer = a_buffer(kept_ns=10 * MINUTE, verdict_bytes=0)
    buffer.add(a_span(1), 0)
    first = buffer.pop_due(6 * SECOND)
    assert first
    buffer.add(a_span(2, 1, role=Role.TOOL), MINUTE)
    buffer.relieve(MINUTE)
    buffer.judged(first, "300")

    assert [one.verdict for one in judge(buffer, MINUTE)] == ["300"]
