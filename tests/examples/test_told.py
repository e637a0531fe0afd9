"""A run as a page tells it is the run that is judged."""

import pytest

from examples.told import a_told_run
from surefoot.model import StepKind

S = 1_000_000_000


def test_a_line_is_a_call_as_python_writes_it() -> None:
    run = a_told_run('refund(order_id="1 -> (2)", amount=2.5, tags=["a"], ok=True) -> {"id": 1}')

    (step,) = run.steps
    assert (step.tool, step.ok, step.result, step.agent) == ("refund", True, '{"id": 1}', "main")
    assert step.args == {"order_id": "1 -> (2)", "amount": 2.5, "tags": ["a"], "ok": True}


def test_calls_follow_each_other_unless_times_are_told() -> None:
    run = a_told_run("look()\nlook()\n9s look()\n10s-40s look()")

    spans = [(known.start_ns // S, known.end_ns // S) for known in run.evidence]
    assert spans == [(0, 1), (2, 3), (9, 10), (10, 40)]
    assert run.end_ns == 40 * S


def test_how_a_call_ended_is_told_after_the_arrow() -> None:
    run = a_told_run('a() -> failed\nb() -> failed: no\nc() -> ""\nd() -> no result in the spans')

    assert [(step.ok, step.result) for step in run.steps] == [
        (False, ""), (False, "no"), (True, ""), (True, ""),
    ]  # fmt: skip
    assert [known.result_known for known in run.evidence] == [True, True, True, False]


def test_an_agent_calls_and_hands_over() -> None:
    run = a_told_run("1s triage: look()\ntriage: go() -> hands over to desk")

    assert [step.agent for step in run.steps] == ["triage", "triage"]
    assert [known.kind for known in run.evidence] == [StepKind.TOOL, StepKind.HANDOFF]
    assert run.evidence[1].hands_to == "desk"


def test_what_is_said_of_the_run_as_a_whole() -> None:
    run = a_told_run("user: Refund it.\nmodel: a\nmodel: b\ntokens: 7\nanswer: Done: all.")

    assert (run.task, run.told.user, run.output) == ("Refund it.", ("Refund it.",), "Done: all.")
    assert (run.models, run.tokens, run.flaw) == (("a", "b"), 7, "")


@pytest.mark.parametrize(("line", "flaw"), [("look()", None), ("ends with: an error", "an error")])
def test_a_flaw_is_known_where_it_is_told(line: str, flaw: str | None) -> None:
    assert a_told_run(line).flaw == flaw


@pytest.mark.parametrize("line", ["", "look", "look() ->", "look(1)", "# look()", "look() - done"])
def test_what_is_no_line_of_a_run_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="no "):
        a_told_run(f"look()\n{line}\nlook()")
