"""Durations, sizes and endpoints."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.config.values import Endpoint, backend, duration_ns, listener, size_bytes

SECOND = 1_000_000_000


@given(hours=st.integers(0, 99), minutes=st.integers(0, 59), millis=st.integers(0, 10**6))
def test_the_parts_of_a_duration_add_up(hours: int, minutes: int, millis: int) -> None:
    text = f"{hours}h{minutes}m{millis}ms"

    assert duration_ns(text) == (hours * 3600 + minutes * 60) * SECOND + millis * 1_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6s", 6 * SECOND),
        ("1h30m", 5400 * SECOND),
        ("500ms", SECOND // 2),
        ("1.5s", 3 * SECOND // 2),
        ("0s", 0),
        ("0", 0),
        (0, 0),
    ],
)
def test_durations_are_read_as_go_writes_them(text: object, expected: int) -> None:
    assert duration_ns(text) == expected


@pytest.mark.parametrize(
    "text", ["", "6", 6, 6.0, True, False, "6 s", "s", "-6s", "6sec", None, "6s!"]
)
def test_a_number_without_a_unit_is_no_duration(text: object) -> None:
    with pytest.raises(ValueError, match="is no duration; write"):
        duration_ns(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [(1024, 1024), ("1024", 1024), ("256KiB", 256 << 10), ("8 MiB", 8 << 20), ("1GiB", 1 << 30)],
)
def test_sizes_are_read_in_powers_of_1024(text: object, expected: int) -> None:
    assert size_bytes(text) == expected


@pytest.mark.parametrize("text", ["", "8MB", "8 mib", -1, True, 1.5, "KiB", None])
def test_what_is_no_size_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is no size; write"):
        size_bytes(text)


@given(port=st.integers(0, 65535), host=st.ip_addresses())
def test_a_listener_survives_being_written_and_read(port: int, host: object) -> None:
    endpoint = Endpoint(str(host), port)

    assert listener(str(endpoint)) == endpoint


def test_a_listener_without_a_host_takes_every_address() -> None:
    assert listener(":4317").is_wildcard


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jaeger:4317", Endpoint("jaeger", 4317)),
        ("http://jaeger:4317/", Endpoint("jaeger", 4317, "http")),
        ("HTTPS://jaeger:443", Endpoint("jaeger", 443, "https")),
        ("[::1]:4317", Endpoint("::1", 4317)),
    ],
)
def test_a_backend_may_have_a_scheme(text: str, expected: Endpoint) -> None:
    assert backend(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "jaeger",
        "jaeger:",
        ":4317",
        "jaeger:0",
        "jaeger:70000",
        "::1:4317",
        "a b:1",
        "ftp://jaeger:1",
        "http://jaeger:4318/v1/traces",
        "http://jaeger:4318?x",
        "unix:///tmp/x",
        4317,
        None,
        "jaeger:٤٣",
    ],
)
def test_what_is_no_backend_is_refused_with_what_would_be_right(text: object) -> None:
    with pytest.raises(ValueError, match=";"):
        backend(text)


def test_credentials_in_an_endpoint_are_refused_and_not_shown() -> None:
    with pytest.raises(ValueError, match="credentials") as refusal:
        backend("http://me:hunter2@jaeger:4317")

    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    "host", ["a\0b", "\ud800", "a\x1bb", "a" * 70 + ".x", "a..b", ".a", "x." * 200, "é" * 70]
)
@pytest.mark.parametrize("reader", [listener, backend])
def test_a_host_that_no_socket_takes_is_refused(
    host: str, reader: Callable[[object], Endpoint]
) -> None:
    with pytest.raises(ValueError, match="names no host; write host:port"):
        reader(f"{host}:4444")


@pytest.mark.parametrize("host", ["_srv.a-b.c", "münchen.example", "localhost.", "127.1"])
def test_a_host_that_a_socket_takes_is_taken(host: str) -> None:
    assert listener(f"{host}:4444") == Endpoint(host, 4444)


@given(st.text(max_size=8), st.sampled_from(["", ":4317", ":" + "9" * 5000]))
def test_no_text_is_worse_than_refused(host: str, port: str) -> None:
    for reader in (listener, backend, size_bytes, duration_ns):
        with suppress(ValueError):
            reader(host + port)
