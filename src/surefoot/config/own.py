"""Tell whether an address to send to is one that we listen on ourselves.

In a sidecar the standard variables often point at the sidecar: forwarding there would
send every request round for ever. Owns that comparison. What a name means is asked of
the machine's resolver, as gRPC asks it when it connects, and only where the ports are
the same; which addresses are the machine's own is asked by binding a datagram socket
that sends nothing.

A name that the resolver does not know, or not within `PATIENCE_S`, is not ours: our own
names are in its files, and a start must not hang on a name server that is away.
"""

import ipaddress
import socket
import threading
from collections.abc import Callable
from typing import Final, TypeAlias

from surefoot.config.values import Endpoint

#: How long a name server may take, at start, for the names of one comparison each.
PATIENCE_S: Final = 2.0
#: Names of the loopback address by RFC 6761 and by the usual /etc/hosts, whether this
#: machine's resolver knows them or not.
_LOOPBACK_NAMES: Final = frozenset({"localhost.localdomain", "ip6-localhost", "ip6-loopback"})
_LOOPBACK: Final = "127.0.0.1"

#: Addresses, as numbers, that a name stands for.
Resolve: TypeAlias = Callable[[str], frozenset[str]]


def resolve(host: str) -> frozenset[str]:
    """The addresses of `host` by this machine's resolver; none within a moment is none."""
    found: set[str] = set()
    # A look-up cannot be called off, so it is left to a thread that nobody waits for.
    asked = threading.Thread(target=_look_up, args=(host, found), name="resolve", daemon=True)
    asked.start()
    asked.join(PATIENCE_S)
    return frozenset() if asked.is_alive() else frozenset(found)


def _look_up(host: str, found: set[str]) -> None:
    try:
        answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return
    found.update(str(address[0]) for *_, address in answers)


def reaches(backend: Endpoint, listener: Endpoint, resolve: Resolve = resolve) -> bool:
    """Whether what is sent to `backend` arrives at `listener`.

    The loopback addresses and the wildcards are taken as one place: which of them a name
    means is the resolver's choice. One address of several that is ours is enough.
    """
    if backend.port != listener.port or not listener.port:
        return False
    if _name(listener.host) == _name(backend.host):
        return True
    ours, theirs = _addresses(listener.host, resolve), _addresses(backend.host, resolve)
    nearby = any(one.is_loopback or one.is_unspecified for one in theirs)
    if any(one.is_unspecified for one in ours):
        return nearby or any(map(_is_this_machines, theirs))
    return bool(ours & theirs) or (nearby and any(one.is_loopback for one in ours))


def collide(one: Endpoint, other: Endpoint) -> bool:
    """Whether two listeners want the same place."""
    if one.port != other.port or not one.port:
        return False
    return one.is_wildcard or other.is_wildcard or _name(one.host) == _name(other.host)


_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


def _name(host: str) -> str:
    return host.lower().removesuffix(".")


def _addresses(host: str, resolve: Resolve) -> frozenset[_Address]:
    name = _name(host)
    if name in _LOOPBACK_NAMES or name.rpartition(".")[2] == "localhost":
        found = frozenset({_LOOPBACK})
    elif _parsed(host):
        found = frozenset({host})
    else:
        found = resolve(host)
        if not found and name == _name(socket.gethostname()):
            found = frozenset({_LOOPBACK})  # a machine that does not know its own name
    return frozenset(filter(None, map(_parsed, found)))


def _parsed(text: str) -> _Address | None:
    """The address, without an interface, and IPv4 as such even where IPv6 wraps it."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def _is_this_machines(address: _Address) -> bool:
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET  # noqa: PLR2004 - IPv6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
