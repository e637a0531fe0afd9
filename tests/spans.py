"""Builders of spans for tests: say only what the test is about."""

from collections.abc import Mapping

from surefoot.model import Resource, Role, Span, Value

SECOND = 1_000_000_000
MINUTE = 60 * SECOND
#: A trace id and a resource to use where one is as good as another.
TRACE = bytes(range(16))
RESOURCE = Resource("shop", {"service.name": "shop"})
#: OTLP span flags that say: the parent is remote.
REMOTE = 0x300


def an_id(n: int) -> bytes:
    """The n-th span id; n from 1."""
    return n.to_bytes(8, "big")


def a_trace_id(n: int) -> bytes:
    """The n-th trace id; n from 1."""
    return n.to_bytes(16, "big")


def a_span(  # noqa: PLR0913 - a builder names what a test may vary
    n: int = 1,
    parent: int | None = None,
    *,
    role: Role = Role.AGENT,
    trace: bytes = TRACE,
    flags: int = 0,
    service: str | None = None,
    attributes: Mapping[str, Value] | None = None,
    start_ns: int = 0,
) -> Span:
    """The n-th span of a trace, below span `parent` (None: a root)."""
    return Span(
        trace_id=trace,
        span_id=an_id(n),
        parent_id=b"" if parent is None else an_id(parent),
        name=f"span {n}",
        start_ns=start_ns or n * SECOND,
        end_ns=(start_ns or n * SECOND) + SECOND,
        status=0,
        message="",
        flags=flags,
        scope="test",
        resource=RESOURCE if service is None else Resource(service),
        attributes=dict(attributes or {}),
        role=role,
    )
