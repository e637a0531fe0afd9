"""Looks at open traces: their rhythm, and what is said by then until the close."""

from spans import MINUTE, REMOTE, SECOND, a_span, a_trace_id, an_id
from surefoot.buffer import Fresh, Limits, TraceBuffer
from surefoot.model import Reason, Role, Span

Buffer = TraceBuffer[str]


def a_buffer(limits: Limits | None = None) -> Buffer:
    """One that looks at the traces of `shop` alone."""
    return Buffer(limits, looks_at=lambda service: service == "shop")


def a_tool(n: int, parent: int | None = 1) -> Span:
    return a_span(n, parent, role=Role.TOOL)


def ids(fresh: Fresh[str] | None) -> list[bytes]:
    return [span.span_id for span in fresh.spans] if fresh else []


def test_new_spans_of_tools_and_models_are_handed_out_a_second_after_the_first() -> None:
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)
    buffer.add(a_span(3, 1, role=Role.CHAIN), 0)
    buffer.add(a_span(4, 1, role=Role.LLM), SECOND - 1)

    assert buffer.next_due_ns() == SECOND
    assert buffer.pop_fresh(SECOND - 1) is None
    assert ids(buffer.pop_fresh(SECOND)) == [an_id(2), an_id(4)]
    assert buffer.pop_fresh(MINUTE) is None


def test_each_look_is_at_what_came_since_the_last_one() -> None:
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)
    buffer.pop_fresh(SECOND)
    buffer.add(a_tool(3), 2 * SECOND)
    buffer.add(a_tool(3), 2 * SECOND)

    assert buffer.pop_fresh(3 * SECOND - 1) is None
    assert ids(buffer.pop_fresh(3 * SECOND)) == [an_id(3)]


def test_the_trace_whose_look_is_due_longest_comes_first() -> None:
    buffer = a_buffer()
    for n in (2, 1):
        buffer.add(a_span(2, 1, role=Role.TOOL, trace=a_trace_id(n)), (3 - n) * SECOND)

    looked = [buffer.pop_fresh(MINUTE), buffer.pop_fresh(MINUTE)]
    assert [fresh and fresh.trace_id for fresh in looked] == [a_trace_id(2), a_trace_id(1)]


def test_where_nobody_looks_nothing_is_due_before_the_close() -> None:
    for buffer in (Buffer(), Buffer(looks_at=lambda service: service == "other")):
        buffer.add(a_tool(2), 0)

        assert buffer.next_due_ns() == 6 * SECOND
        assert buffer.pop_fresh(MINUTE) is None


def test_a_trace_is_looked_at_from_the_first_span_of_a_service_that_asks_for_it() -> None:
    buffer = a_buffer()
    buffer.add(a_span(2, 1, role=Role.TOOL, service="other"), 0)
    buffer.add(a_tool(3), 0)

    assert ids(buffer.pop_fresh(SECOND)) == [an_id(3)]


def test_a_whole_trace_is_looked_at_only_if_it_stays_open() -> None:
    """It closes by itself soon; a look would be work done twice."""
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)
    buffer.add(a_span(1), 0)

    assert buffer.pop_fresh(5 * SECOND) is None
    buffer.add(a_tool(3), 5 * SECOND)
    assert buffer.pop_fresh(10 * SECOND - 1) is None
    assert ids(buffer.pop_fresh(10 * SECOND)) == [an_id(2), an_id(3)]


def test_a_look_that_waits_is_due_once_the_trace_is_no_longer_whole() -> None:
    """A server's span comes first: its parent is remote, so by itself it is a whole trace."""
    buffer = a_buffer()
    buffer.add(a_span(3, 2, role=Role.TOOL, flags=REMOTE), 0)
    assert buffer.pop_fresh(2 * SECOND) is None
    buffer.add(a_tool(2), 2 * SECOND)

    assert buffer.pop_fresh(3 * SECOND - 1) is None
    assert ids(buffer.pop_fresh(3 * SECOND)) == [an_id(3), an_id(2)]


def test_a_trace_that_closed_is_not_looked_at() -> None:
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)
    assert buffer.pop_due(2 * MINUTE)

    assert buffer.pop_fresh(3 * MINUTE) is None
    assert buffer.next_due_ns() != SECOND


def test_a_look_that_waits_is_no_lag() -> None:
    """A lag makes the intake refuse; only closed traces may do that."""
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)

    assert buffer.lag_ns(6 * SECOND) == 0
    assert buffer.next_due_ns() == SECOND


def test_what_was_said_of_an_open_trace_comes_with_the_next_look_and_its_close() -> None:
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)
    assert buffer.so_far(a_tool(2).trace_id) == tuple(fresh_spans(buffer))
    buffer.told(a_tool(2).trace_id, "early")
    buffer.add(a_tool(3), 2 * SECOND)
    again = buffer.pop_fresh(3 * SECOND)
    closed = buffer.pop_due(5 * MINUTE)

    assert again
    assert again.verdict == "early"
    assert closed
    assert (closed.verdict, closed.amends) == ("early", False)


def fresh_spans(buffer: Buffer) -> list[Span]:
    fresh = buffer.pop_fresh(SECOND)
    return list(fresh.spans) if fresh else []


def test_what_was_said_while_the_trace_closed_is_not_lost() -> None:
    """A look takes time, and the trace may meet a limit meanwhile."""
    buffer = a_buffer(Limits(trace_spans=2))
    buffer.add(a_tool(2), 0)
    fresh = buffer.pop_fresh(SECOND)
    buffer.add(a_tool(3), SECOND)
    assert fresh
    assert buffer.so_far(fresh.trace_id) == ()
    buffer.told(fresh.trace_id, "early")
    closed = buffer.pop_due(SECOND)

    assert closed
    assert (closed.reason, closed.verdict) == (Reason.SPAN_LIMIT, "early")
    assert closed.trace_id == fresh.trace_id


def test_of_a_trace_that_is_lost_what_left_early_is_still_known_to_its_amendment() -> None:
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)
    buffer.told(a_tool(2).trace_id, "early")
    closed = buffer.pop_due(2 * MINUTE)
    assert closed
    buffer.lost(closed, "fault")
    buffer.add(a_span(1), 2 * MINUTE)
    amended = buffer.pop_due(3 * MINUTE)

    assert amended
    assert (amended.amends, amended.verdict) == (True, "early")


def test_what_was_said_early_is_no_verdict_once_the_trace_is_closed() -> None:
    """A trace whose first verdict is still to come has none that an amendment could replace."""
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)
    buffer.told(a_tool(2).trace_id, "early")
    closed = buffer.pop_due(2 * MINUTE)
    assert closed
    buffer.judged(closed, "verdict")
    buffer.add(a_span(1), 2 * MINUTE)
    amended = buffer.pop_due(3 * MINUTE)

    assert amended
    assert amended.verdict == "verdict"


def test_a_look_counts_no_span() -> None:
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)
    buffer.pop_fresh(SECOND)

    assert (buffer.counts.open, buffer.counts.judged) == (1, 0)


def test_what_is_abandoned_is_not_looked_at() -> None:
    buffer = a_buffer()
    buffer.add(a_tool(2), 0)

    assert buffer.abandon() == 1
    assert buffer.pop_fresh(MINUTE) is None
