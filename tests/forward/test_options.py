import pytest

from surefoot.errors import ConfigError
from surefoot.forward.options import Options


@pytest.mark.parametrize(
    ("endpoint", "target", "is_plain"),
    [
        ("jaeger:4317", "jaeger:4317", False),
        ("jaeger", "jaeger:4317", False),
        ("http://jaeger:4317", "jaeger:4317", True),
        ("http://jaeger:4317/", "jaeger:4317", True),
        ("https://otel.example.com", "otel.example.com:4317", False),
        ("[::1]:4317", "[::1]:4317", False),
        ("[::1]", "[::1]:4317", False),
    ],
)
def test_an_endpoint_is_read_with_or_without_a_scheme(
    endpoint: str, target: str, *, is_plain: bool
) -> None:
    assert Options(endpoint).target == (target, is_plain)


def test_a_scheme_overrules_insecure() -> None:
    assert Options("https://jaeger:1", insecure=True).target == ("jaeger:1", False)
    assert Options("jaeger:1", insecure=True).target == ("jaeger:1", True)


@pytest.mark.parametrize("endpoint", ["", "http://", "ftp://x:1", "http://x:4318/v1/traces"])
def test_what_is_no_endpoint_is_a_config_error(endpoint: str) -> None:
    with pytest.raises(ConfigError, match="write host:port"):
        _ = Options(endpoint).target


def test_headers_are_not_shown() -> None:
    """They hold tokens."""
    assert "secret" not in repr(Options("x:1", headers={"authorization": "secret"}))
