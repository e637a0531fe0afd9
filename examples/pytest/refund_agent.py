"""A refund desk's agent, whose model is a script: no key, no network.

Yours calls a real model and is instrumented by a library (OpenInference has one for most
frameworks). What matters to Surefoot are the spans: one of kind AGENT around the run, one
of kind TOOL a call, with OpenInference's attribute names, as here by hand.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from opentelemetry import trace

#: What the model asks for, one turn after the other: a tool with its arguments, or the answer.
Turn = tuple[str, dict[str, Any]] | str
Model = Iterator[Turn]


LIMIT = 100


def lookup_order(order_id: str) -> str:
    """What is known of an order."""
    return f"order {order_id}: broken on arrival, total 80"


def check_policy(amount: int) -> str:
    """Whether a refund needs a person."""
    return f"within the limit of {LIMIT}" if amount <= LIMIT else "over the limit: escalate"


def issue_refund(order_id: str, amount: int) -> str:
    """Pay the money back."""
    return f"refunded {amount} for order {order_id}"


TOOLS: dict[str, Callable[..., str]] = {
    "lookup_order": lookup_order,
    "check_policy": check_policy,
    "issue_refund": issue_refund,
}


def run(task: str, model: Model) -> str:
    """Let the model call tools until it answers."""
    tracer = trace.get_tracer("refund_agent")
    with tracer.start_as_current_span("refund_agent") as span:
        span.set_attributes(
            {
                "openinference.span.kind": "AGENT",
                "agent.name": "refund_agent",
                "input.value": task,
            }
        )
        for turn in model:
            if isinstance(turn, str):
                span.set_attribute("output.value", turn)
                return turn
            _call(tracer, *turn)
    raise RuntimeError("the model never answered")


def _call(tracer: trace.Tracer, tool: str, args: dict[str, Any]) -> str:
    with tracer.start_as_current_span(tool) as span:
        result = TOOLS[tool](**args)
        span.set_attributes(
            {
                "openinference.span.kind": "TOOL",
                "tool.name": tool,
                "input.value": json.dumps(args),
                "input.mime_type": "application/json",
                "output.value": result,
            }
        )
        return result
