from hypothesis import given
from hypothesis import strategies as st

from surefoot.forward.backoff import LONGEST_S, Backoff
from surefoot.forward.options import Retry

S = 1_000_000_000


@given(st.lists(st.floats(0, 1, exclude_max=True), min_size=1), st.none() | st.floats(0, 1e10))
def test_every_wait_is_within_its_bounds(chances: list[float], asked_s: float | None) -> None:
    """And the waits never add up to more than the budget."""
    numbers = iter(chances)
    backoff = Backoff(Retry(), 0, lambda: next(numbers))
    now_ns = 0
    for _ in chances:
        wait_s = backoff.next_s(now_ns, asked_s)
        if wait_s is None:
            break
        now_ns += int(wait_s * S)

        assert wait_s >= min(LONGEST_S, max(2.5, asked_s or 0))
        assert wait_s <= max(45, asked_s or 0)
    assert now_ns <= 300 * S


def test_waits_grow_by_half_up_to_the_largest() -> None:
    backoff = Backoff(Retry(), 0, lambda: 0.5)

    assert [backoff.next_s(0, None) for _ in range(6)] == [5, 7.5, 11.25, 16.875, 25.3125, 30]


def test_without_a_budget_it_never_gives_up() -> None:
    backoff = Backoff(Retry(max_elapsed_s=0), 0, lambda: 0.5)

    assert backoff.next_s(10**18, None) == 5


def test_switched_off_there_is_no_second_attempt() -> None:
    assert Backoff(Retry(enabled=False), 0, lambda: 0.5).next_s(0, 1.0) is None
