"""`/healthz`, `/readyz` and `/metrics`: what an orchestrator and Prometheus ask.

Owns the paths and the words of the answers. Alive means that the judge has looked at the
clock lately: a process that takes spans and judges none is worse than one restarted.
Ready means that a request sent now would be taken.
"""

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

#: Why not, or an empty text if all is well.
Problem = Callable[[], str]
#: What Prometheus asks for, by its exposition format 0.0.4.
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


def health_app(alive: Problem, ready: Problem) -> Starlette:
    """GET /healthz and /readyz: 200 `ok`, or 503 and the reason."""

    def answer(problem: Problem) -> PlainTextResponse:
        why = problem()
        return PlainTextResponse((why or "ok") + "\n", 503 if why else 200)

    async def healthz(_request: Request) -> PlainTextResponse:
        return answer(alive)

    async def readyz(_request: Request) -> PlainTextResponse:
        return answer(ready)

    return Starlette(routes=[Route("/healthz", healthz), Route("/readyz", readyz)])


def metrics_app(read: Callable[[], bytes]) -> Starlette:
    """GET /metrics in Prometheus' text format."""

    def metrics(_request: Request) -> PlainTextResponse:
        return PlainTextResponse(read(), media_type=EXPOSITION)

    return Starlette(routes=[Route("/metrics", metrics)])
