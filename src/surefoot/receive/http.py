"""OTLP/HTTP in: POST /v1/traces as a starlette app.

Owns content types, encodings, the body limit and the answers. Knows no span: bytes go
to `accept`. The socket is `serve.HttpServer`'s.

Every refusal, also of another path or method, is a google.rpc.Status in protobuf, as
OTLP asks (opentelemetry-proto docs/specification.md, "OTLP/HTTP Response: Failures").
A sender reads the answer in the content type that it used, which can only be protobuf.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from surefoot.errors import SurefootError
from surefoot.receive.answer import MAX_BYTES, NOT_TAKEN, TRACES, Accept, OnRequest
from surefoot.receive.inflate import Gzip, Plain
from surefoot.receive.room import Room, Share
from surefoot.receive.status import (
    Refusal,
    TooLarge,
    Unsupported,
    http_refusal,
    other_signal,
    refusal,
)

PATH: Final = f"/v1/{TRACES}"
_OTHERS: Final = {f"/v1/{signal}": signal for signal in NOT_TAKEN}
_NO_SUCH_PATH: Final = (
    f"nothing is taken at this path; send OTLP/HTTP to {PATH}, "
    "and OTLP/gRPC to its own port, usually 4317"
)
_TRANSPORT = "http"
_PROTOBUF = "application/x-protobuf"
_RIGHT_KIND = f"send {_PROTOBUF} (OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)"
#: A body up to this long is taken on the event loop (some 1.5 ms); a longer one in a
#: thread, which costs 0.1 ms more but holds up nobody.
_SMALL: Final = 256 * 1024
#: How nginx names a request whose sender went away; nobody is there to be told.
_GONE: Final = 499
_log = logging.getLogger(__name__)


def traces_app(
    accept: Accept, on_request: OnRequest, max_bytes: int = MAX_BYTES, room: Room | None = None
) -> Starlette:
    """The app. max_bytes: of a body once inflated. room: for all bodies at once."""
    endpoint = _Traces(accept, on_request, max_bytes, room or Room())
    app = Starlette(
        routes=[Route(PATH, endpoint.post, methods=["POST"])],
        exception_handlers={HTTPException: endpoint.elsewhere},
    )
    app.router.redirect_slashes = False  # a redirect would be an answer without a Status
    return app


class _Traces:
    def __init__(self, accept: Accept, on_request: OnRequest, max_bytes: int, room: Room) -> None:
        self._accept = accept
        self._on_request = on_request
        self._max_bytes = max_bytes
        self._room = room

    async def post(self, request: Request) -> Response:
        """Take one export request."""
        with self._room.share() as share:
            return await self._take(request, share)

    async def _take(self, request: Request, share: Share) -> Response:
        try:
            body = await self._body(request, share)
            if len(body) <= _SMALL:
                answer = self._accept(body, _TRANSPORT)
            else:
                answer = await run_in_threadpool(self._accept, body, _TRANSPORT)
        except ClientDisconnect:
            self._on_request(TRACES, _TRANSPORT, str(_GONE), "the sender went away")
            return Response(status_code=_GONE)
        except SurefootError as error:
            return self._refuse(refusal(error))
        except Exception as error:  # noqa: BLE001 - a sender is told 500, not a traceback
            _log.exception("a request failed")
            return self._refuse(refusal(error))
        self._on_request(TRACES, _TRANSPORT, "200", "")
        return Response(answer.encode(), media_type=_PROTOBUF)

    async def elsewhere(self, request: Request, error: Exception) -> Response:
        """Answer another path or method."""
        if signal := _OTHERS.get(request.url.path):
            return self._refuse(other_signal(signal), signal=signal)
        known = error if isinstance(error, HTTPException) else HTTPException(500)
        why = _NO_SUCH_PATH if known.status_code == HTTPStatus.NOT_FOUND else known.detail
        return self._refuse(http_refusal(known.status_code, why), known.headers)

    async def _body(self, request: Request, share: Share) -> bytes:
        """The whole body, inflated.

        Raises:
            Unsupported: It is no protobuf, or encoded in another way than gzip.
            TooLarge: It is over the limit.
            DecodeError: It is no gzip though it says so.
            Overloaded: Too much is on its way in.
        """
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != _PROTOBUF:
            raise Unsupported(f"content type {kind or '(none)'} is not read here; {_RIGHT_KIND}")
        encoding = request.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("gzip", "identity", "none", ""):
            raise Unsupported(f"content encoding {encoding} is not read here; send gzip or none")
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > self._max_bytes:
            raise TooLarge(f"the body of {length} bytes is over {self._max_bytes}")
        inflate = (Gzip if encoding == "gzip" else Plain)(self._max_bytes)
        async for chunk in request.stream():
            inflate.feed(chunk)
            share.grow_to(inflate.size)
        return inflate.finish()

    def _refuse(
        self, told: Refusal, more: Mapping[str, str] | None = None, signal: str = TRACES
    ) -> Response:
        self._on_request(signal, _TRANSPORT, str(told.http), told.message)
        headers = {**told.http_headers, **(more or {})}
        return Response(told.encode(), told.http, headers, media_type=_PROTOBUF)
