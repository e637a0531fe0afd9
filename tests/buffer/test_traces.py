"""The life of a trace, state by state. Time is moved, never slept on."""

import pytest

from spans import MINUTE, REMOTE, SECOND, a_span, a_trace_id, an_id
from surefoot.buffer import Closed, Limits, Timers, TraceBuffer
from surefoot.buffer.released import GRADES
from surefoot.model import Cut, Reason, Role, Span

Buffer = TraceBuffer[str]


def pop_all(buffer: Buffer, now_ns: int, verdict: str = "verdict") -> list[Closed[str]]:
    """Take out and judge all that is due."""
    closed = []
    while (one := buffer.pop_due(now_ns)) is not None:
        buffer.judged(one, verdict)
        closed.append(one)
    return closed


def fill(buffer: Buffer, *spans: Span, now_ns: int = 0) -> None:
    for span in spans:
        buffer.add(span, now_ns)


def reasons(closed: list[Closed[str]]) -> list[Reason]:
    return [one.reason for one in closed]


# open -> closed


def test_a_whole_trace_closes_once_it_has_settled() -> None:
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.TOOL), a_span(1))

    assert pop_all(buffer, 6 * SECOND - 1) == []
    (closed,) = pop_all(buffer, 6 * SECOND)
    assert (closed.reason, closed.whole, len(closed.spans)) == (Reason.ROOT, True, 2)


def test_each_new_span_starts_the_settling_again() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))
    fill(buffer, a_span(2, 1), now_ns=5 * SECOND)

    assert pop_all(buffer, 10 * SECOND) == []
    assert reasons(pop_all(buffer, 11 * SECOND)) == [Reason.ROOT]


def test_a_parent_that_has_not_come_is_no_end() -> None:
    """Children come first: the agent's own span is the last one of a run."""
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.LLM), a_span(3, 1, role=Role.TOOL))

    assert pop_all(buffer, 60 * SECOND) == []
    fill(buffer, a_span(1), now_ns=60 * SECOND)
    assert reasons(pop_all(buffer, 66 * SECOND)) == [Reason.ROOT]


def test_a_root_of_the_same_instant_as_the_last_look_is_looked_at() -> None:
    buffer = Buffer(timers_for=lambda _service: Timers(settle_ns=0))
    fill(buffer, a_span(2, 1, role=Role.TOOL))

    assert pop_all(buffer, 0) == []
    fill(buffer, a_span(1))
    assert reasons(pop_all(buffer, 0)) == [Reason.ROOT]


def test_a_pause_of_20_seconds_in_a_run_closes_nothing() -> None:
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.LLM))

    assert pop_all(buffer, 20 * SECOND) == []
    fill(buffer, a_span(3, 1, role=Role.TOOL), a_span(1), now_ns=20 * SECOND)
    (closed,) = pop_all(buffer, 26 * SECOND)
    assert len(closed.spans) == 3


def test_a_trace_without_its_root_closes_idle() -> None:
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.TOOL))

    assert pop_all(buffer, 120 * SECOND - 1) == []
    (closed,) = pop_all(buffer, 120 * SECOND)
    assert (closed.reason, closed.whole) == (Reason.IDLE, False)


def test_a_busy_trace_closes_at_its_age() -> None:
    buffer = Buffer()
    for n in range(2, 33):
        fill(buffer, a_span(n, 1, role=Role.TOOL), now_ns=(n - 2) * MINUTE)

    assert reasons(pop_all(buffer, 30 * MINUTE)) == [Reason.MAX_AGE]


def test_what_came_true_first_names_the_reason_however_late_one_looks() -> None:
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.TOOL))

    assert reasons(pop_all(buffer, 24 * 60 * MINUTE)) == [Reason.IDLE]


def test_a_whole_trace_waits_for_a_settle_longer_than_idle() -> None:
    timers = Timers(settle_ns=10 * SECOND, idle_ns=SECOND)
    buffer = Buffer(timers_for=lambda _service: timers)
    fill(buffer, a_span(1))

    assert pop_all(buffer, 9 * SECOND) == []
    assert reasons(pop_all(buffer, 10 * SECOND)) == [Reason.ROOT]


def test_of_the_services_seen_the_longest_timers_hold() -> None:
    waits = {"slow": Timers(settle_ns=60 * SECOND), "shop": Timers()}
    buffer = Buffer(timers_for=lambda service: waits[service])
    fill(buffer, a_span(1), a_span(2, 1, service="slow"))

    assert pop_all(buffer, 59 * SECOND) == []
    assert reasons(pop_all(buffer, 60 * SECOND)) == [Reason.ROOT]


def test_a_duplicate_is_counted_and_restarts_no_timer() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))
    fill(buffer, a_span(1), now_ns=5 * SECOND)

    assert reasons(pop_all(buffer, 6 * SECOND)) == [Reason.ROOT]
    assert buffer.counts.duplicate == 1


def test_of_equal_ids_the_first_span_wins() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1, attributes={"a": "first"}), a_span(1, attributes={"a": "second"}))

    (closed,) = pop_all(buffer, 6 * SECOND)
    assert closed.spans[0].attributes == {"a": "first"}


def test_a_rejected_span_marks_the_trace_that_lacks_it() -> None:
    buffer = Buffer()
    span = a_span(1)
    fill(buffer, span)
    buffer.reject("span_id", span.trace_id)
    buffer.reject("trace_id")

    (closed,) = pop_all(buffer, 6 * SECOND)
    assert closed.attributes_dropped
    assert buffer.counts.rejected == {"span_id": 1, "trace_id": 1}


@pytest.mark.parametrize("kept_ns", [0, 10 * MINUTE])
def test_a_span_lost_before_its_trace_came_is_missing_in_it(kept_ns: int) -> None:
    buffer = Buffer(Limits(kept_ns=kept_ns))
    for n in range(1, 5):
        if n % 2:
            buffer.reject("encoding", a_trace_id(n))
        else:
            buffer.lack(a_trace_id(n))
    for now_ns in (SECOND, 2 * SECOND, 30 * MINUTE):
        assert buffer.pop_due(now_ns) is None
    fill(buffer, *(a_span(1, trace=a_trace_id(n)) for n in range(1, 6)), now_ns=30 * MINUTE)

    closed = pop_all(buffer, 30 * MINUTE + 6 * SECOND)
    assert [one.attributes_dropped for one in closed] == [True, True, True, True, False]
    assert buffer.counts.rejected == {"encoding": 2}
    assert buffer.counts.received == 2 + 5


def test_what_is_missing_is_known_for_an_open_trace_and_a_kept_one() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))
    buffer.lack(a_span(1).trace_id)

    (closed,) = pop_all(buffer, 6 * SECOND)
    assert closed.attributes_dropped

    other = a_trace_id(7)
    fill(buffer, a_span(1, trace=other), now_ns=MINUTE)
    (closed,) = pop_all(buffer, MINUTE + 6 * SECOND)
    buffer.lack(other)
    fill(buffer, a_span(2, 1, role=Role.TOOL, trace=other), now_ns=2 * MINUTE)
    (amended,) = pop_all(buffer, 2 * MINUTE + 6 * SECOND)
    assert (closed.attributes_dropped, amended.attributes_dropped) == (False, True)


def test_what_a_trace_lacks_outlives_its_parting() -> None:
    """A web request's spans close without an agent; the agent's come later."""
    buffer = Buffer()
    fill(buffer, a_span(1, role=Role.NONE))
    buffer.reject("span_id", a_span(1).trace_id)
    assert pop_all(buffer, 6 * SECOND) == []
    fill(buffer, a_span(2, 1), now_ns=MINUTE)

    (closed,) = pop_all(buffer, MINUTE + 6 * SECOND)
    assert closed.attributes_dropped


def test_no_more_is_known_of_traces_to_come_than_the_limits_allow() -> None:
    buffer = Buffer(Limits(traces=4))
    for n in range(1, 100):
        buffer.lack(a_trace_id(n))
        assert len(buffer._lacking) <= 4
    fill(buffer, a_span(1, trace=a_trace_id(1)), a_span(1, trace=a_trace_id(99)))
    closed = pop_all(buffer, 60 * MINUTE)
    assert [one.attributes_dropped for one in closed] == [False, True]

    buffer.lack(a_trace_id(5))
    for hours in (2, 3):
        assert len(buffer._lacking) == 1
        pop_all(buffer, hours * 60 * MINUTE)
    assert len(buffer._lacking) == 0


def test_what_is_judged_and_let_go_lacks_nothing_later() -> None:
    buffer = Buffer(Limits(kept_ns=0))
    fill(buffer, a_span(1))
    pop_all(buffer, 6 * SECOND)
    buffer.lack(a_span(1).trace_id)
    buffer.lack(b"")

    assert len(buffer._lacking) == 0


def test_own_spans_are_counted_and_go_nowhere() -> None:
    buffer = Buffer()
    buffer.ignore_own(3)

    assert buffer.counts.ignored == {"own": 3}
    assert buffer.next_due_ns() is None


# roots


def test_a_remote_parent_makes_a_root_where_an_agent_is_at_or_below_it() -> None:
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.NONE, flags=REMOTE), a_span(3, 2))

    (closed,) = pop_all(buffer, 6 * SECOND)
    assert closed.reason is Reason.ROOT


def test_a_remote_parent_above_no_agent_is_no_root() -> None:
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.NONE, flags=REMOTE), a_span(4, 3, role=Role.TOOL))

    assert reasons(pop_all(buffer, 120 * SECOND)) == [Reason.IDLE]


def test_with_root_agent_an_agent_whose_parent_has_not_come_is_a_root() -> None:
    buffer = Buffer(timers_for=lambda _service: Timers(root_agent=True))
    fill(buffer, a_span(3, 2, role=Role.TOOL), a_span(2, 1, role=Role.AGENT))

    assert reasons(pop_all(buffer, 6 * SECOND)) == [Reason.ROOT]


def test_a_parent_id_that_is_no_id_never_comes() -> None:
    buffer = Buffer()
    span = a_span(1)
    span.parent_id = b"\x01\x02\x03"
    fill(buffer, span)

    assert reasons(pop_all(buffer, 120 * SECOND)) == [Reason.IDLE]


def test_a_cycle_leads_to_no_root() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1, 2), a_span(2, 1), a_span(3, 3))

    assert reasons(pop_all(buffer, 120 * SECOND)) == [Reason.IDLE]


# no run


def test_a_trace_without_an_agent_is_ignored_and_let_go() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1, role=Role.NONE), a_span(2, 1, role=Role.OTHER))

    assert pop_all(buffer, 6 * SECOND) == []
    assert buffer.counts.ignored == {"no_run": 2}
    assert buffer.held_bytes == 0


def test_a_web_root_that_came_long_before_its_agent_is_still_its_root() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1, role=Role.NONE))
    pop_all(buffer, 6 * SECOND)
    fill(buffer, a_span(3, 2, role=Role.TOOL), now_ns=MINUTE)

    assert pop_all(buffer, 2 * MINUTE) == []
    fill(buffer, a_span(2, 1), now_ns=2 * MINUTE)
    (closed,) = pop_all(buffer, 2 * MINUTE + 6 * SECOND)
    assert (closed.reason, closed.whole, closed.amends) == (Reason.ROOT, True, False)


def test_a_web_root_is_forgotten_after_the_time_to_amend() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1, role=Role.NONE))
    pop_all(buffer, 6 * SECOND)
    pop_all(buffer, 11 * MINUTE)
    fill(buffer, a_span(2, 1), now_ns=11 * MINUTE)

    assert pop_all(buffer, 12 * MINUTE) == []
    assert reasons(pop_all(buffer, 13 * MINUTE)) == [Reason.IDLE]


def test_a_plain_span_of_a_parted_trace_is_late() -> None:
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.NONE))
    pop_all(buffer, 120 * SECOND)
    fill(buffer, a_span(1, role=Role.NONE), now_ns=121 * SECOND)
    fill(buffer, a_span(3, 1), now_ns=122 * SECOND)

    assert buffer.counts.late == {"counted": 1}
    assert reasons(pop_all(buffer, 128 * SECOND)) == [Reason.ROOT]


# kept


def test_a_root_that_comes_after_idle_amends_the_verdict_to_a_whole_one() -> None:
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.TOOL))
    pop_all(buffer, 120 * SECOND, "first")
    fill(buffer, a_span(1), now_ns=125 * SECOND)

    assert pop_all(buffer, 130 * SECOND) == []
    (amended,) = pop_all(buffer, 131 * SECOND)
    assert (amended.amends, amended.verdict) == (True, "first")
    assert (amended.reason, amended.whole, len(amended.spans)) == (Reason.ROOT, True, 2)
    assert buffer.counts.late == {"amended": 1}


def test_a_late_plain_span_changes_nothing() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))
    pop_all(buffer, 6 * SECOND)
    fill(buffer, a_span(2, 1, role=Role.NONE), a_span(1), now_ns=7 * SECOND)

    assert pop_all(buffer, 60 * SECOND) == []
    assert buffer.counts.late == {"counted": 1}
    assert buffer.counts.duplicate == 1


def test_a_kept_trace_is_let_go_after_the_time_to_amend() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))
    pop_all(buffer, 6 * SECOND)
    pop_all(buffer, 6 * SECOND + 10 * MINUTE)

    assert buffer.held_bytes == 0
    fill(buffer, a_span(2, 1), now_ns=11 * MINUTE)
    assert buffer.counts.late == {"counted": 1}


def test_each_late_span_keeps_the_trace_longer_but_not_past_its_age() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))
    pop_all(buffer, 6 * SECOND)
    for n in range(2, 6):
        fill(buffer, a_span(n, 1), now_ns=n * 8 * MINUTE - 9 * MINUTE)
        pop_all(buffer, n * 8 * MINUTE - 8 * MINUTE)

    assert buffer.counts.late == {"amended": 4}
    pop_all(buffer, 6 * SECOND + 30 * MINUTE)
    assert buffer.held_bytes == 0


def test_kept_traces_take_at_most_a_quarter_of_the_room() -> None:
    buffer = Buffer(Limits(total_bytes=40_000))
    for n in range(1, 60):
        fill(buffer, a_span(1, trace=a_trace_id(n)))
    pop_all(buffer, 6 * SECOND)

    assert 0 < buffer.held_bytes <= 10_000


def test_an_amendment_that_is_owed_is_made_before_the_trace_is_let_go() -> None:
    buffer = Buffer()
    fill(buffer, a_span(2, 1, role=Role.TOOL))
    pop_all(buffer, 120 * SECOND)
    fill(buffer, a_span(1), now_ns=121 * SECOND)

    (amended,) = buffer.shut(122 * SECOND)
    assert (amended.amends, amended.reason) == (True, Reason.ROOT)


# limits


def test_a_trace_of_too_many_spans_is_judged_at_once_and_remembered() -> None:
    buffer = Buffer(Limits(trace_spans=3))
    fill(buffer, *(a_span(n, 9) for n in range(1, 5)))

    (closed,) = pop_all(buffer, 0)
    assert (closed.reason, len(closed.spans)) == (Reason.SPAN_LIMIT, 3)
    assert buffer.counts.late == {"counted": 1}


def test_a_trace_of_too_many_bytes_is_judged_at_once() -> None:
    buffer = Buffer(Limits(trace_bytes=10_000))
    fill(buffer, a_span(1, attributes={"input.value": "x" * 10_000}))

    assert reasons(pop_all(buffer, 0)) == [Reason.BYTE_LIMIT]


def test_over_the_limit_the_heaviest_and_oldest_is_judged_as_it_is() -> None:
    buffer = Buffer(Limits(total_bytes=30_000))
    fill(buffer, a_span(1, trace=a_trace_id(1)))
    fill(buffer, a_span(1, trace=a_trace_id(2), attributes={"a": "x" * 20_000}))
    fill(buffer, a_span(1, trace=a_trace_id(3), attributes={"a": "y" * 15_000}), now_ns=SECOND)

    (closed,) = pop_all(buffer, SECOND)
    assert (closed.trace_id, closed.reason) == (a_trace_id(2), Reason.EVICTED)
    assert buffer.held_bytes <= 30_000


def test_one_trace_too_many_evicts_one() -> None:
    buffer = Buffer(Limits(traces=2))
    for n in (1, 2, 3):
        fill(buffer, a_span(1, trace=a_trace_id(n)), now_ns=n)

    (closed,) = pop_all(buffer, 3)
    assert (closed.trace_id, closed.reason) == (a_trace_id(1), Reason.EVICTED)
    assert buffer.traces_open == 2


def test_equal_texts_of_a_trace_are_held_once() -> None:
    message = (("message.role", "user"), ("message.content", "w" * 5_000))
    buffer = Buffer()
    for n in range(1, 11):
        copy = tuple((key, str(text)) for key, text in message)
        fill(buffer, a_span(n, None, attributes={"llm.input_messages": (copy,), "x": "v" * 3_000}))

    assert buffer.held_bytes < 20_000
    (closed,) = pop_all(buffer, 6 * SECOND)
    assert closed.spans[9].attributes == {"llm.input_messages": (message,), "x": "v" * 3_000}


def test_texts_beyond_a_traces_budget_are_cut_and_say_so() -> None:
    buffer = Buffer(Limits(text_bytes=5_000))
    fill(buffer, a_span(1, attributes={"a": "x" * 4_000, "b": "y" * 4_000, "c": "x" * 4_000}))

    (closed,) = pop_all(buffer, 6 * SECOND)
    held = closed.spans[0].attributes
    assert (held["a"], held["c"]) == ("x" * 4_000, "x" * 4_000)
    assert isinstance(held["b"], Cut)


def test_short_of_memory_kept_traces_go_first_and_then_the_heaviest_open_ones() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1, trace=a_trace_id(1)))
    pop_all(buffer, 6 * SECOND)
    for n in range(2, 12):
        fill(buffer, a_span(1, 9, trace=a_trace_id(n)), now_ns=6 * SECOND)
    fill(
        buffer,
        a_span(1, 9, trace=a_trace_id(12), attributes={"a": "x" * 50_000}),
        now_ns=6 * SECOND,
    )
    buffer.relieve(7 * SECOND)
    assert pop_all(buffer, 7 * SECOND) == []
    assert buffer.traces_open == 11

    buffer.relieve(8 * SECOND)
    (closed,) = pop_all(buffer, 8 * SECOND)
    assert (closed.trace_id, closed.reason) == (a_trace_id(12), Reason.EVICTED)


# grades


def test_a_grade_of_an_open_trace_waits_for_its_close() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))
    buffer.grade(a_span().trace_id, "good", 0)

    (closed,) = pop_all(buffer, 6 * SECOND)
    assert closed.grades == ("good",)


@pytest.mark.parametrize("let_go_after", [6 * SECOND, 11 * MINUTE])
def test_a_grade_of_a_judged_trace_amends_it(let_go_after: int) -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))
    pop_all(buffer, 6 * SECOND, "first")
    pop_all(buffer, let_go_after)
    buffer.grade(a_span().trace_id, "good", let_go_after)

    (closed,) = pop_all(buffer, let_go_after)
    assert (closed.amends, closed.verdict, closed.grades) == (True, "first", ("good",))


def test_a_grade_of_an_unknown_trace_waits_and_is_then_dropped() -> None:
    buffer = Buffer()
    buffer.grade(a_trace_id(1), "early", 0)
    buffer.grade(a_trace_id(2), "never", 0)
    fill(buffer, a_span(1, trace=a_trace_id(1)), now_ns=MINUTE)
    (closed,) = pop_all(buffer, 2 * MINUTE)
    pop_all(buffer, 10 * MINUTE)

    assert closed.grades == ("early",)
    assert buffer.counts.grades_dropped == 1


def test_a_grade_is_held_once_and_no_more_than_so_many_are() -> None:
    """Open, kept and unknown alike: whoever makes grades up is bounded."""
    buffer = Buffer()
    for trace in (1, 2):
        for n in (*range(GRADES + 1), 0):
            buffer.grade(a_trace_id(trace), n, 0)
        fill(buffer, a_span(1, trace=a_trace_id(trace)))
    buffer.grade(a_trace_id(1), 0, 0)
    buffer.grade(a_trace_id(1), "more", 0)
    first, second = pop_all(buffer, 6 * SECOND)

    assert first.grades == second.grades == tuple(range(GRADES))
    assert buffer.counts.grades_dropped == 3


def test_a_grade_of_a_trace_that_is_forgotten_is_counted() -> None:
    buffer = Buffer(Limits(verdicts=0))
    fill(buffer, a_span(1))
    pop_all(buffer, 6 * SECOND, "first")
    pop_all(buffer, 11 * MINUTE)
    buffer.grade(a_span().trace_id, "good", 11 * MINUTE)

    (closed,) = pop_all(buffer, 11 * MINUTE)
    assert (closed.spans, closed.verdict) == ((), None)
    assert buffer.counts.grades_dropped == 1


def test_a_grade_of_a_trace_that_is_not_judged_yet_gets_its_verdict() -> None:
    """Its spans went with its close, and its verdict is still being made."""
    buffer = Buffer(Limits(trace_spans=1))
    fill(buffer, a_span(1))
    buffer.grade(a_span().trace_id, "good", 0)
    first = buffer.pop_due(0)
    assert first
    buffer.judged(first, "first")
    second = buffer.pop_due(0)

    assert second
    assert (second.amends, second.verdict, second.grades) == (True, "first", ("good",))
    assert buffer.counts.grades_dropped == 0


def test_a_grade_that_came_with_no_agents_span_waits_for_one() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1, role=Role.NONE))
    buffer.grade(a_span().trace_id, "good", 0)
    assert pop_all(buffer, 6 * SECOND) == []
    fill(buffer, a_span(2, 1), now_ns=MINUTE)

    (closed,) = pop_all(buffer, 2 * MINUTE)
    assert closed.grades == ("good",)


# the end


def test_the_end_of_the_input_closes_whole_traces_by_their_root() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1, trace=a_trace_id(1)), a_span(2, 1, trace=a_trace_id(2)))

    assert reasons(list(buffer.finish(0))) == [Reason.ROOT, Reason.IDLE]


def test_in_haste_a_whole_trace_closes_at_once_and_an_open_one_waits() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1), a_span(12, 11, role=Role.TOOL, trace=a_trace_id(2)), now_ns=0)
    buffer.hasten(SECOND)

    (closed,) = pop_all(buffer, SECOND)
    assert (closed.reason, closed.whole, closed.due_ns) == (Reason.ROOT, True, SECOND)
    assert buffer.traces_open == 1


def test_in_haste_a_late_span_amends_at_once() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))
    buffer.hasten(0)
    pop_all(buffer, 0)
    fill(buffer, a_span(2, 1, role=Role.TOOL), now_ns=SECOND)
    assert pop_all(buffer, SECOND) == []
    buffer.hasten(SECOND)

    (again,) = pop_all(buffer, SECOND)
    assert (again.amends, len(again.spans), again.verdict) == (True, 2, "verdict")
    assert pop_all(buffer, 10 * SECOND) == []


def test_what_the_shutdown_had_no_time_for_is_counted_as_lost() -> None:
    buffer = Buffer()
    for n in range(1, 6):
        fill(buffer, a_span(1, trace=a_trace_id(n)))
    closing = buffer.shut(0)
    first = next(closing)
    buffer.judged(first, "verdict")
    lost = buffer.abandon()

    assert first.reason is Reason.SHUTDOWN
    assert (lost, buffer.counts.lost, buffer.counts.open) == (4, {"shutdown": 4}, 0)


def test_after_many_traces_nothing_is_left_behind() -> None:
    buffer = Buffer(Limits(remembered=10, verdicts=5))
    for n in range(1, 200):
        fill(buffer, a_span(1, trace=a_trace_id(n)), now_ns=n)
    pop_all(buffer, MINUTE)
    pop_all(buffer, 20 * MINUTE)

    assert (buffer.held_bytes, buffer.traces_open, buffer.next_due_ns()) == (0, 0, None)
    assert len(buffer._remembered) == 10


def test_the_lag_is_the_time_that_the_next_due_trace_has_waited() -> None:
    buffer = Buffer()
    fill(buffer, a_span(1))

    assert buffer.lag_ns(6 * SECOND) == 0
    assert buffer.lag_ns(9 * SECOND) == 3 * SECOND
    assert an_id(1) in {span.span_id for span in pop_all(buffer, 9 * SECOND)[0].spans}


def test_a_trace_is_due_from_its_deadline_on_and_a_look_is_no_trace() -> None:
    buffer = Buffer(looks_at=lambda _service: True)
    assert not buffer.is_due(MINUTE)
    fill(buffer, a_span(2, 1, role=Role.TOOL))
    assert buffer.next_due_ns() == SECOND
    assert not buffer.is_due(SECOND)

    fill(buffer, a_span(1))
    assert not buffer.is_due(6 * SECOND - 1)
    assert buffer.is_due(6 * SECOND)
    pop_all(buffer, 6 * SECOND)
    assert not buffer.is_due(6 * SECOND)


def test_a_trace_that_closed_later_hides_none_that_is_due() -> None:
    buffer = Buffer(Limits(trace_spans=2))
    fill(buffer, a_span(1))
    full = a_trace_id(2)
    fill(buffer, a_span(1, trace=full), a_span(2, 1, trace=full), now_ns=9 * SECOND)

    assert buffer.is_due(6 * SECOND)
    assert buffer.lag_ns(9 * SECOND) == 3 * SECOND
