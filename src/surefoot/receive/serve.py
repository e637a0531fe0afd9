"""Run an ASGI app on uvicorn in a thread of its own.

Owns the socket, the thread and their end. Knows no route; used for OTLP/HTTP as for
health and metrics. No signal handlers, no access log, no logging set-up.
"""

import asyncio
import socket
import threading
from typing import Any, Final

import uvicorn

from surefoot.receive.listen import listen

#: SDKs send every 5 s over one connection, so uvicorn's 5 s would close it just as the
#: next request comes. 75 s is nginx's default.
_KEEP_ALIVE_S: Final = 75
#: How long a forced end may take before the thread is left behind; uvicorn looks every 0.1 s.
_FORCED_S: Final = 1.0


class HttpServer:
    """Listens from `start` to `stop`; stopping twice or without a start is fine."""

    def __init__(self, app: Any, host: str, port: int) -> None:
        """`app` is an ASGI app; port 0 means any."""
        self._app = app
        self._host = host
        self._port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> int:
        """Listen; return the port once requests are taken.

        Raises:
            ConfigError: The address cannot be listened on.
        """
        opened = listen(self._host, self._port)
        port: int = opened.getsockname()[1]
        self._server = server = _Server(self._app)
        self._thread = threading.Thread(
            target=server.run_until_stopped, args=(opened,), name=f"http-{port}", daemon=True
        )
        self._thread.start()
        server.ready.wait()
        return port

    def stop(self, grace_s: float) -> None:
        """Refuse new requests, let running ones finish, drop them after `grace_s`."""
        server, thread, self._server, self._thread = self._server, self._thread, None, None
        if server is None or thread is None:
            return
        server.should_exit = True
        thread.join(grace_s)
        server.force_exit = True
        thread.join(_FORCED_S)

    @property
    def is_alive(self) -> bool:
        """Whether it is serving."""
        return self._thread is not None and self._thread.is_alive()


class _Server(uvicorn.Server):
    """A uvicorn server that says when it is ready."""

    def __init__(self, app: Any) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                access_log=False,
                lifespan="off",
                log_config=None,
                log_level="error",  # it warns of each connection that is no HTTP
                server_header=False,
                timeout_keep_alive=_KEEP_ALIVE_S,
                ws="none",
            )
        )
        self.ready = threading.Event()

    def run_until_stopped(self, opened: socket.socket) -> None:
        """Serve on a listening socket; `ready` is set even if that fails."""
        try:
            asyncio.run(self.serve([opened]))
        finally:
            self.ready.set()

    async def startup(self, sockets: Any = None) -> None:
        """See uvicorn; then say so."""
        await super().startup(sockets)
        self.ready.set()
