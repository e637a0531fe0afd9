"""A refund desk on LangGraph. Its model is a script: no key, no network.

`python agent.py good` checks the policy before it refunds, `python agent.py lucky` does
not; both give the same good answer. Where the spans go, OTEL_* variables tell.
"""

import os
import sys
from typing import Any, Self

from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

TASK = "I want a refund for order 88213, it arrived broken."
ANSWER = "Your refund of 80 for order 88213 is on its way."

LOOK_UP = ("lookup_order", {"order_id": "88213"})
CHECK = ("check_policy", {"amount": 80})
REFUND = ("issue_refund", {"order_id": "88213", "amount": 80})
SCRIPTS = {"good": [LOOK_UP, CHECK, REFUND], "lucky": [LOOK_UP, REFUND]}

LIMIT = 100


def lookup_order(order_id: str) -> str:
    """Tell what is known of an order."""
    return f"order {order_id}: broken on arrival, total 80"


def check_policy(amount: int) -> str:
    """Tell whether a refund of this amount needs a person."""
    return f"within the limit of {LIMIT}" if amount <= LIMIT else "over the limit: escalate"


def issue_refund(order_id: str, amount: int) -> str:
    """Pay the money back."""
    return f"refunded {amount} for order {order_id}"


class ScriptedModel(FakeMessagesListChatModel):
    """Plays its script: asks for a tool a turn, then answers."""

    def bind_tools(self, *_: Any, **__: Any) -> Self:
        """Need no tools: the script names them."""
        return self


def scripted(run: str) -> ScriptedModel:
    asked = [
        AIMessage("", tool_calls=[{"name": tool, "args": args, "id": f"call_{n}"}])
        for n, (tool, args) in enumerate(SCRIPTS[run])
    ]
    return ScriptedModel(responses=[*asked, AIMessage(ANSWER)])


def instrument() -> None:
    os.environ.setdefault("OTEL_SERVICE_NAME", "refund-desk")
    provider = TracerProvider()  # sends what is left when Python exits
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    LangChainInstrumentor().instrument(tracer_provider=provider)


if __name__ == "__main__":
    if sys.argv[1:] not in (["good"], ["lucky"]):
        sys.exit("usage: python agent.py good|lucky")
    instrument()
    tools = [lookup_order, check_policy, issue_refund]
    agent = create_agent(scripted(sys.argv[1]), tools, name="refund_agent")
    state = agent.invoke({"messages": [("user", TASK)]})
    print(state["messages"][-1].content, flush=True)
