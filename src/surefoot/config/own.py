"""Tell whether an address to send to is one that we listen on ourselves.

In a sidecar the standard variables often point at the sidecar: forwarding there would
send every request round for ever. Owns that comparison. It asks the machine which
addresses are its own, by binding a datagram socket that sends nothing; it asks no name
server.
"""

import socket

from surefoot.config.values import Endpoint


def reaches(backend: Endpoint, listener: Endpoint) -> bool:
    """Whether what is sent to `backend` arrives at `listener`.

    `localhost`, 127.x, ::1 and the wildcards are taken as one place: which of them a
    name means is the resolver's choice.
    """
    if backend.port != listener.port or not listener.port:
        return False
    if listener.host.lower() == backend.host.lower():
        return True
    nearby = backend.is_loopback or backend.is_wildcard
    if listener.is_wildcard:
        return nearby or _is_this_machine(backend.host)
    if listener.is_loopback:
        return nearby
    return _is_this_machine(listener.host) and backend.host.lower() == socket.gethostname().lower()


def collide(one: Endpoint, other: Endpoint) -> bool:
    """Whether two listeners want the same place."""
    if one.port != other.port or not one.port:
        return False
    return one.is_wildcard or other.is_wildcard or one.host.lower() == other.host.lower()


def _is_this_machine(host: str) -> bool:
    if host.lower() == socket.gethostname().lower():
        return True
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.inet_pton(family, host)
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((host, 0))
    except OSError:
        return False
    return True
