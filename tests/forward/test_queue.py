from hypothesis import given
from hypothesis import strategies as st

from surefoot.forward.queue import FULL, SHUTDOWN, End, RequestQueue

actions = st.lists(
    st.sampled_from(["take", "sent", "failed", "dropped", "close", "drop waiting"])
    | st.binary(max_size=6),
    max_size=40,
)


@given(actions, st.integers(1, 5), st.integers(1, 20))
def test_every_request_ends_in_one_count(steps: list[str | bytes], size: int, limit: int) -> None:
    """Offered = queued + sent + failed + dropped, within both bounds, at any moment."""
    queue = RequestQueue(size, limit)
    offered, waiting, under_way = 0, 0, []
    closed = False
    for step in steps:
        if isinstance(step, bytes):
            had_room = queue.has_room(len(step))
            offered += 1
            assert queue.offer(step) is had_room
            waiting += had_room
        elif step == "take" and (waiting or closed):
            body = queue.take()
            assert (body is None) is (waiting == 0)
            if body is not None:
                waiting -= 1
                under_way.append(body)
        elif step in ("sent", "failed", "dropped") and under_way:
            queue.end(under_way.pop(), End[step.upper()], "" if step == "sent" else "why")
        elif step == "close":
            closed = True
            queue.close(SHUTDOWN)
        elif step == "drop waiting" and closed:
            assert queue.drop_waiting() == waiting
            waiting = 0
        stats = queue.stats()
        ended = stats.sent + sum(stats.failed.values()) + sum(stats.dropped.values())

        assert offered == stats.queued + ended
        assert stats.queued == waiting + len(under_way) <= size
        assert stats.queued_bytes <= limit


def test_an_offer_beyond_the_bounds_is_counted_as_dropped() -> None:
    queue = RequestQueue(2, 10)
    assert [queue.offer(b"x" * 6), queue.offer(b"x" * 6), queue.offer(b"x"), queue.offer(b"")] == [
        True,
        False,
        True,
        False,
    ]

    assert queue.stats().dropped == {FULL: 2}


def test_what_is_under_way_still_takes_room() -> None:
    queue = RequestQueue(1, 10)
    queue.offer(b"x")
    queue.take()

    assert not queue.has_room(1)
    queue.end(b"x", End.SENT)
    assert queue.has_room(1)


def test_the_first_reason_of_a_close_holds() -> None:
    queue = RequestQueue(1, 10)

    assert queue.close("unsupported") is True
    assert queue.close(SHUTDOWN) is False
    queue.offer(b"x")
    assert queue.stats().dropped == {"unsupported": 1}
