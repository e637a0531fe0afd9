"""Surefoot grades the path an AI agent took, on the wire.

    agent SDK ──OTLP──> receive ──bytes, unchanged──> forward ──OTLP──> backend
                           │
                         spans
                           └─> buffer ─trace─> assemble ─Run─> evaluate ─Verdict─> emit ──> backend
                               (by trace)      (list[Step])    (specs)     │
                                                                           └─> luck ──> metrics

What is here is the path's judge alone, for tests and notebooks:

    from surefoot import Step, check

    check([Step("issue_refund", {"order_id": "88213"})], {"forbidden": ["issue_refund"]})

The server is `surefoot run`.
"""

from surefoot.model import Step, Violation
from surefoot.specs.plain import check
from surefoot.specs.schema import Spec

__all__ = ["Spec", "Step", "Violation", "check"]
