import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.duration import format_duration, parse_duration


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


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (600_000_000_000, "10m"),
        (90_000_000_000, "1m30s"),
        (60_500_000_000, "1m0.5s"),
        (59_999_999_999, "59.999999999s"),
        (60_000_000_000, "1m"),
        (5_400_000_000_000, "1h30m"),
        (3_600_000_000_000, "1h"),
        (3_601_000_000_000, "1h1s"),
        (90_000_000_000_000, "25h"),
        (1_000_000_000, "1s"),
        (2_500_000_000, "2.5s"),
        (10_000_000_000, "10s"),
        (999_999_999, "999.999999ms"),
        (500_000_000, "500ms"),
        (1_000_000, "1ms"),
        (999_999, "999.999us"),
        (1_000, "1us"),
        (999, "999ns"),
        (1, "1ns"),
        (0, "0s"),
        (-1, "-1ns"),
        (-1_500_000_000, "-1.5s"),
        (-90_000_000_000, "-1m30s"),
    ],
)
def test_a_duration_is_written_as_people_write_it(ns: int, text: str) -> None:
    assert format_duration(ns) == text


@given(st.integers(0, 10**18))
def test_what_is_written_is_read_back(ns: int) -> None:
    assert parse_duration(format_duration(ns)) == ns
