"""Open a listening socket, or say what the operator can do about it.

Owns the words for an address that cannot be listened on. Knows no protocol.
"""

import errno
import os
import socket
from typing import Final

from surefoot.errors import ConfigError

_BACKLOG: Final = 2_048  # uvicorn's default
_WAYS_OUT: Final = {
    errno.EADDRINUSE: "stop what listens there, or choose another port",
    errno.EADDRNOTAVAIL: "choose an address of this machine, or 0.0.0.0 for all of them",
    errno.EACCES: "choose a port from 1024 up, or run with the right to use this one",
}
_WAY_OUT: Final = "write the endpoint as host:port with a host of this machine"


def shown(host: str, port: int) -> str:
    """Host and port as an endpoint is written; an IPv6 host in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any that is free.

    Raises:
        ConfigError: The address is taken, not ours, or no address.
    """
    v6 = ":" in host
    try:
        return socket.create_server(
            (host, port),
            family=socket.AF_INET6 if v6 else socket.AF_INET,
            backlog=_BACKLOG,
            dualstack_ipv6=v6 and host == "::" and socket.has_dualstack_ipv6(),
        )
    except (OSError, OverflowError) as error:
        number = error.errno if isinstance(error, OSError) else None
        way_out = _WAYS_OUT.get(number or 0)
        reason = os.strerror(number) if number and way_out else str(error)
        where = shown(host, port)
        raise ConfigError(f"{where}: cannot listen: {reason}; {way_out or _WAY_OUT}") from error
