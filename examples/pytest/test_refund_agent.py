"""Both agents give the same good answer. Only one of them may go live."""

from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import refund_agent
from surefoot.pytest_plugin import Surefoot

SPEC = Path(__file__).parent / "refund-desk.yaml"
TASK = "I want a refund for order 88213, it arrived broken."
ANSWER = "Your refund of 80 for order 88213 is on its way."

LOOK_UP = ("lookup_order", {"order_id": "88213"})
CHECK = ("check_policy", {"amount": 80})
REFUND = ("issue_refund", {"order_id": "88213", "amount": 80})


def test_a_refund_is_checked_first(surefoot: Surefoot, recorded: InMemorySpanExporter) -> None:
    answer = refund_agent.run(TASK, iter([LOOK_UP, CHECK, REFUND, ANSWER]))

    assert "on its way" in answer
    judged = surefoot(recorded.get_finished_spans(), SPEC)
    assert judged.verdict.outcome == "pass"
    assert [step.tool for step in judged.steps] == ["lookup_order", "check_policy", "issue_refund"]


@pytest.mark.xfail(raises=pytest.fail.Exception, strict=True, reason="the policy is never checked")
def test_the_new_prompt_checks_too(surefoot: Surefoot, recorded: InMemorySpanExporter) -> None:
    answer = refund_agent.run(TASK, iter([LOOK_UP, REFUND, ANSWER]))

    assert "on its way" in answer
    surefoot(recorded.get_finished_spans(), SPEC)
