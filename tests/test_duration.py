import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.duration import parse_duration


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("6s", 6_000_000_000),
        ("500ms", 500_000_000),
        ("1h30m", 5_400_000_000_000),
        ("1.5s", 1_500_000_000),
        ("0.1us", 100),
        ("7ns", 7),
        ("0s", 0),
    ],
)
def test_a_duration_is_read_as_the_collector_reads_it(text: str, ns: int) -> None:
    assert parse_duration(text) == ns


@pytest.mark.parametrize("text", ["", "6", "s", "6 s", "-6s", "6s ", "6d", "1h30", "٦s", "1.s"])
def test_what_is_no_duration_is_refused_with_what_would_be(text: str) -> None:
    with pytest.raises(ValueError, match="is no duration; write 500ms, 6s"):
        parse_duration(text)


@given(st.integers(0, 10**6), st.integers(0, 59), st.integers(0, 59))
def test_parts_add_up(hours: int, minutes: int, seconds: int) -> None:
    total = (hours * 60 + minutes) * 60 + seconds

    assert parse_duration(f"{hours}h{minutes}m{seconds}s") == total * 10**9
