"""Surefoot grades the path an AI agent took, on the wire.

    agent SDK ──OTLP──> receive ──bytes, unchanged──> forward ──OTLP──> backend
                           │
                         spans
                           └─> buffer ─trace─> assemble ─Run─> evaluate ─Verdict─> emit ──> backend
                               (by trace)      (list[Step])    (specs)     │
                                                                           └─> luck ──> metrics

The server is `surefoot run`. What is here is the path's judge alone, for tests and notebooks,

    from surefoot import Step, check

    check([Step("issue_refund", {"order_id": "88213"})], {"forbidden": ["issue_refund"]})

and all of it for an agent's own process: `SpanProcessor`, for the OpenTelemetry SDK.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.inprocess import SpanProcessor
    from surefoot.model import Step, Violation
    from surefoot.specs.plain import check
    from surefoot.specs.schema import Spec

__all__ = ["SpanProcessor", "Spec", "Step", "Violation", "check"]

#: Where each public name lives. It is loaded when it is asked for: the pytest plugin is
#: imported by every pytest in an environment that has Surefoot, and pydantic takes 0.3 s.
_LIVES_IN = {
    "SpanProcessor": "surefoot.inprocess",
    "Spec": "surefoot.specs.schema",
    "Step": "surefoot.model",
    "Violation": "surefoot.model",
    "check": "surefoot.specs.plain",
}


if not TYPE_CHECKING:  # with it no type checker would notice a name that is none

    def __getattr__(name: str) -> Any:
        """Load a public name."""
        if name not in _LIVES_IN:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_LIVES_IN[name]), name)
        return value
