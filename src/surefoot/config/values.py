"""Read the small texts of a configuration: durations, sizes, endpoints.

Owns their spelling and nothing else. Each reader raises a ValueError that says what is
wrong, then what would be right, with a semicolon between. The spellings are the
Collector's: Go's durations, IEC byte sizes, host:port.
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

from surefoot.duration import parse_duration

_SIZE_UNITS: Final = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE: Final = re.compile(r"(\d{1,20})\s*([A-Za-z]*)")
_SCHEME: Final = re.compile(r"(https?)://", re.IGNORECASE)
_HIGHEST_PORT: Final = 65_535
_PORT_DIGITS: Final = 5
#: The longest name that the Domain Name System has.
_LONGEST_HOST: Final = 253
#: A long text in a message helps nobody.
_SHOWN_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A host and a port. `scheme` is `http`, `https`, or empty where none was written."""

    host: str
    port: int
    scheme: str = ""

    def __str__(self) -> str:
        """Say host:port, as gRPC and a person want it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_wildcard(self) -> bool:
        """Whether a listener there takes what comes to any address of the machine."""
        address = _ip(self.host)
        return address is not None and address.is_unspecified


def duration_ns(value: object) -> int:
    """Nanoseconds of `6s`, `1h30m`, `500ms`; a plain 0 is no time at all."""
    if value == "0" or (value == 0 and not isinstance(value, bool)):
        return 0
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is no duration; write 500ms, 6s, 30m or 1h30m")  # noqa: TRY004 - pydantic reads ValueError
    return parse_duration(value)


def size_bytes(value: object) -> int:
    """Bytes of `256KiB`, `8MiB` or a plain whole number."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, str) and (match := _SIZE.fullmatch(value.strip())):
        number, unit = match.groups()
        if unit in _SIZE_UNITS:
            return int(number) * _SIZE_UNITS[unit]
    raise ValueError(f"{shown(value)} is no size; write 256KiB, 8MiB or a number of bytes")


def listener(value: object) -> Endpoint:
    """Where to listen: `host:port`, `:port` for every address, port 0 for a free one."""
    if isinstance(value, Endpoint):
        return value
    right = "write host:port, such as 127.0.0.1:4317"
    host, port = _split(value, right)
    return Endpoint(host or "0.0.0.0", port)  # noqa: S104 - `:4317` means so, as in the Collector


def backend(value: object) -> Endpoint:
    """Whom to send to: `host:port`, with `http://` or `https://` before it or not."""
    if isinstance(value, Endpoint):
        return value
    right = "write host:port, such as jaeger:4317"
    text = value.strip() if isinstance(value, str) else value
    scheme = ""
    if isinstance(text, str) and (match := _SCHEME.match(text)):
        scheme, text = match[1].lower(), text[match.end() :]
        text = text.removesuffix("/")
    if isinstance(text, str) and "@" in text:
        raise ValueError(f"credentials in an endpoint are not read; use headers and {right}")
    if isinstance(text, str) and "://" not in text and "/" in text:
        raise ValueError(f"{shown(value)} has a path, as OTLP/HTTP has and gRPC has not; {right}")
    host, port = _split(text, right)
    if not host or not port:
        raise ValueError(f"{shown(value)} names no {'port' if host else 'host'}; {right}")
    return Endpoint(host, port, scheme)


def shown(value: object) -> str:
    """The value as a message shows it."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def _split(value: object, right: str) -> tuple[str, int]:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is no endpoint; {right}")  # noqa: TRY004 - pydantic reads ValueError
    host, colon, digits = value.strip().rpartition(":")
    if not colon or not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"{shown(value)} names no port; {right}")
    if len(digits) > _PORT_DIGITS or int(digits) > _HIGHEST_PORT:
        raise ValueError(
            f"port {digits[:_SHOWN_CHARS]} does not exist; the highest is {_HIGHEST_PORT}"
        )
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f"{shown(value)} is no endpoint; write an IPv6 address as [::1]:4317")
    if re.search(r"[\s/\[\]]", host):
        raise ValueError(f"{shown(value)} is no endpoint; {right}")
    _check_host(host, value, right)
    return host, int(digits)


def _check_host(host: str, value: object, right: str) -> None:
    """Refuse what the socket layer would trip over: it takes names that IDNA can write."""
    is_name = host.isprintable() and len(host) <= _LONGEST_HOST
    if not is_name or not _is_idna(host):
        raise ValueError(f"{shown(value)} names no host; {right}")


def _is_idna(host: str) -> bool:
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
