"""From spans and requests to calls: merging, matching, what is left over."""

import pytest

from assemble.runs_of import (
    a_chain,
    a_model,
    a_span,
    a_tool,
    an_agent,
    asks,
    run_of,
    steps_of,
    words,
)
from surefoot.model import ArgsQuality, Item, Source, Span, StepKind, Value

OFFER: dict[str, Value] = {
    "llm.tools": (
        (
            (
                "tool.json_schema",
                '{"function": {"name": "look", "parameters": {"type": "object", "properties": {"id": {}}}}}',  # noqa: E501 - a shape as it is sent
            ),
        ),
    ),
}


def told(text: str, call_id: str = "") -> Item:
    return words("tool", text, **({"tool_call_id": call_id} if call_id else {}))


# Whether anybody names it


def test_a_tool_is_named_by_an_attribute_not_by_its_spans_name() -> None:
    spans = [an_agent(1), a_tool(2, 1), a_tool(3, 1, tool=" ", name="execute_tool pay")]

    run = run_of(*spans)

    assert [step.tool for step in run.steps] == ["look", "pay"]
    assert [known.named for known in run.evidence] == [True, False]


@pytest.mark.parametrize(
    ("scope", "attributes", "named"),
    [
        ("", {"gen_ai.operation.name": "execute_tool"}, False),
        ("", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay"}, True),
        ("", {"traceloop.span.kind": "tool"}, False),
        ("", {"traceloop.span.kind": "tool", "traceloop.entity.name": "pay"}, True),
        ("n8n-workflow", {"n8n.node.type": "n8n.payTool"}, False),
        ("n8n-workflow", {"n8n.node.type": "n8n.payTool", "n8n.node.name": "pay"}, True),
        ("mlflow", {"mlflow.spanType": '"TOOL"'}, False),
        ("mlflow", {"mlflow.spanType": '"TOOL"', "mlflow.spanFunctionName": '"pay"'}, True),
        ("mlflow", {"mlflow.spanType": '"TOOL"', "mlflow.spanFunctionName": '"f"'}, False),
    ],
)
def test_each_convention_has_its_own_names(
    scope: str, attributes: dict[str, Value], *, named: bool
) -> None:
    run = run_of(an_agent(1), a_span(2, 1, attributes, name="pay", scope=scope))

    assert [step.tool for step in run.steps] == ["pay"]
    assert [known.named for known in run.evidence] == [named]


def test_a_request_names_the_call_that_it_is_paired_with() -> None:
    asked = a_model(2, 1, said=[asks(("c", "pay", {}))])
    spans = [an_agent(1), asked, a_tool(3, 1, tool="", args={}, name="pay.__call__")]

    assert [known.named for known in run_of(*spans).evidence] == [True]


def test_a_span_inside_names_the_call_too() -> None:
    inner = a_tool(3, 2, tool="pay", args={"id": 1})
    spans = [an_agent(1), a_tool(2, 1, tool="", args={"id": 1}, name="pay", end=9), inner]

    run = run_of(*spans)

    assert [
        (step.tool, known.named) for step, known in zip(run.steps, run.evidence, strict=True)
    ] == [("pay", True)]


def test_a_call_that_a_model_asked_for_is_named() -> None:
    run = run_of(an_agent(1), a_model(2, 1, said=[asks(("c", "pay", {}))]))

    assert [(known.source, known.named) for known in run.evidence] == [(Source.LLM, True)]


# One call in several spans


def test_a_call_in_a_call_of_the_same_tool_is_one() -> None:
    """A framework's span, a client's and a server's inside of it."""
    spans = [
        an_agent(1),
        a_tool(2, 1, args={"id": 1}, result=None, end=9),
        a_span(3, 2, {"mcp.method.name": "tools/call"}, name="tools/call look", end=8),
        a_tool(4, 3, tool="desk_look", args={"id": 1.0}, call_id="c1", end=7),
    ]

    run = run_of(*spans)

    assert [(s.tool, s.args, s.ok, s.result) for s in run.steps] == [
        ("look", {"id": 1}, True, "found")
    ]
    assert run.evidence[0].call_id == "c1"
    assert [span_id[-1] for span_id, _ in run.evidence[0].merged] == [3, 4]


def test_a_failure_inside_is_the_calls() -> None:
    spans = [an_agent(1), a_tool(2, 1, args={}), a_tool(3, 2, args={}, error=True)]

    assert [ok for _, _, ok, _ in steps_of(*spans)] == [False]


def test_a_later_try_inside_makes_it_good() -> None:
    inner = [a_tool(3, 2, args={}, error=True), a_tool(4, 2, args={})]

    assert [ok for _, _, ok, _ in steps_of(an_agent(1), a_tool(2, 1, args={}), *inner)] == [True]


def test_a_call_in_another_tools_call_is_its_own() -> None:
    spans = [an_agent(1), a_tool(2, 1, "ask"), a_tool(3, 2, "look")]

    assert [tool for tool, *_ in steps_of(*spans)] == ["ask", "look"]


def test_the_same_tool_inside_itself_with_other_arguments_is_its_own() -> None:
    spans = [an_agent(1), a_tool(2, 1, args={"n": 2}), a_tool(3, 2, args={"n": 1})]

    assert [args for _, args, _, _ in steps_of(*spans)] == [{"n": 2}, {"n": 1}]


def test_two_instrumentations_side_by_side_tell_of_one_call() -> None:
    genai = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.id": "c1",
    }
    spans = [
        an_agent(1),
        a_span(2, 1, genai, start=2, end=4, scope="other", error=True),
        a_tool(3, 1, args={"id": 1}, call_id="c1", start=2.5, end=3.5),
    ]

    run = run_of(*spans)

    assert [(s.args, s.ok) for s in run.steps] == [({"id": 1}, False)]
    assert run.evidence[0].span_id[-1] == 3


def test_two_instrumentations_without_ids_tell_of_one_call() -> None:
    spans = [
        an_agent(1),
        a_tool(2, 1, args={"id": 1}, start=2, end=4),
        a_tool(3, 1, args={"id": 1}, start=2.5, end=3.5, scope="other"),
    ]

    assert len(steps_of(*spans)) == 1


def test_parallel_calls_with_equal_arguments_are_two() -> None:
    spans = [an_agent(1), *(a_tool(n, 1, args={"id": 1}, start=2, end=4) for n in (2, 3))]

    assert len(steps_of(*spans)) == 2


def test_one_request_run_again_is_one_call_with_attempts() -> None:
    spans = [
        an_agent(1),
        a_tool(2, 1, args={"id": 1}, call_id="c1", error=True, result=None),
        a_tool(3, 1, args={"id": 1}, call_id="c1"),
    ]

    run = run_of(*spans)

    assert [(s.ok, s.result) for s in run.steps] == [(True, "found")]
    assert run.evidence[0].attempts == 2


def test_tries_that_the_framework_numbers_are_one_call() -> None:
    tries = [
        a_tool(n + 1, 1, args={"id": 1}, error=n < 3, attributes={"tool.run_attempts": n})
        for n in (1, 2, 3)
    ]

    run = run_of(an_agent(1), *tries)

    assert [step.ok for step in run.steps] == [True]
    assert run.evidence[0].attempts == 3


def test_equal_calls_with_ids_of_their_own_are_as_many_as_they_are() -> None:
    spans = [an_agent(1), *(a_tool(n, 1, args={"id": 1}, call_id=f"c{n}") for n in (2, 3, 4))]

    assert len(steps_of(*spans)) == 3


# Requests


def test_a_request_completes_its_call() -> None:
    run = run_of(
        an_agent(1),
        a_model(2, 1, said=[asks(("c1", "look", {"id": 1}))]),
        a_tool(3, 1),
    )

    assert [step.args for step in run.steps] == [{"id": 1}]
    (known,) = run.evidence
    assert (known.call_id, known.args_quality, known.turn) == ("c1", ArgsQuality.RECOVERED, 0)


def test_a_request_never_shows_what_the_span_hides() -> None:
    run = run_of(
        an_agent(1),
        a_model(2, 1, said=[asks(("c1", "look", {"id": 1}))]),
        a_tool(3, 1, args="__REDACTED__", call_id="c1"),
    )

    assert [step.args for step in run.steps] == [{}]


def test_a_call_that_only_the_model_tells_of_is_hidden_with_the_rest() -> None:
    run = run_of(
        an_agent(1, attributes={"input.value": "__REDACTED__"}),
        a_model(2, 1, said=[asks(("c1", "drop", {"id": 1}))]),
        a_model(3, 1, heard=[told("leaked", "c1")]),
    )

    assert [(s.tool, s.args, s.result) for s in run.steps] == [("drop", {}, "")]
    assert run.evidence[0].args_quality is ArgsQuality.REDACTED


def test_exact_arguments_are_not_replaced() -> None:
    spans = [
        an_agent(1),
        a_model(2, 1, said=[asks(("c1", "look", {"id": "1"}))]),
        a_tool(3, 1, args={"id": 1, "with": "a default"}, call_id="c1"),
    ]

    assert steps_of(*spans)[0][1] == {"id": 1, "with": "a default"}


def test_requests_and_calls_are_paired_by_arguments_before_order() -> None:
    run = run_of(
        an_agent(1),
        a_model(2, 1, said=[asks(("c1", "look", {"id": 1}), ("c2", "look", {"id": 2}))]),
        a_tool(3, 1, args={"id": 2}),
        a_tool(4, 1, args={"id": 1}),
    )

    assert [known.call_id for known in run.evidence] == ["c2", "c1"]
    assert [known.turn for known in run.evidence] == [0, 0]


def test_a_call_that_no_tool_ran_is_a_step_that_failed() -> None:
    run = run_of(
        an_agent(1),
        a_model(2, 1, said=[asks(("c1", "drop", {"id": 1}))], end=2.5),
        a_model(3, 1, heard=[told("no such tool", "c1")], said=[asks(("c2", "look", {}))]),
        a_tool(4, 1, args={}, call_id="c2"),
    )

    assert [(s.tool, s.args, s.ok, s.result) for s in run.steps] == [
        ("drop", {"id": 1}, False, "no such tool"),
        ("look", {}, True, "found"),
    ]
    known = run.evidence[0]
    assert (known.source, known.ran, known.span_id[-1]) == (Source.LLM, False, 2)


def test_a_request_that_is_told_again_is_one() -> None:
    """By a second instrumentation, by a node that runs tools, by a history."""
    request = asks(("c1", "drop", {"id": 1}))
    spans = [
        an_agent(1),
        a_model(2, 1, said=[request]),
        a_model(3, 1, said=[request], scope="other"),
        a_model(4, 1, heard=[request], said=[words("assistant", "bye")]),
        a_tool(5, 1),
    ]

    assert [tool for tool, *_ in steps_of(*spans)] == ["drop", "look"]


def test_a_request_without_an_id_is_told_again_by_the_span_above_alone() -> None:
    request = asks(("", "drop", {"id": 1}))
    nested = [a_model(2, 1, said=[request], end=5), a_model(3, 2, said=[request], end=4)]
    beside = [a_model(2, 1, said=[request]), a_model(3, 1, said=[request])]

    assert len(steps_of(an_agent(1), *nested, a_tool(9, 1))) == 2
    assert len(steps_of(an_agent(1), *beside, a_tool(9, 1))) == 3


# Without tools' spans


def test_without_tools_spans_answered_requests_ran() -> None:
    heard = [asks(("c1", "look", {"id": 1})), told("found", "c1")]
    run = run_of(
        an_agent(1),
        a_model(2, 1, said=[asks(("c1", "look", {"id": 1}))]),
        a_model(3, 1, heard=heard, said=[words("assistant", "bye")]),
    )

    assert [(s.ok, s.result) for s in run.steps] == [(True, "found")]
    assert (run.evidence[0].source, run.evidence[0].ran) == (Source.LLM, True)


def test_results_without_a_name_answer_in_order() -> None:
    """And two equal results are two."""
    one, two = asks(("c1", "look", {"id": 1}), ("c2", "look", {"id": 2})), words("tool", "found")
    spans = [
        an_agent(1),
        a_model(2, 1, said=[one]),
        a_model(3, 1, heard=[one, two, two], said=[words("assistant", "bye")]),
    ]

    assert [(ok, text) for _, _, ok, text in steps_of(*spans)] == [(True, "found")] * 2


def test_a_tool_that_was_never_offered_cannot_have_run() -> None:
    heard = [told("no such tool", "c1")]
    spans = [
        an_agent(1),
        a_model(2, 1, said=[asks(("c1", "drop", {}))], attributes=OFFER),
        a_model(3, 1, heard=heard, said=[words("assistant", "bye")], attributes=OFFER),
    ]

    assert steps_of(*spans) == [("drop", {}, False, "no such tool")]


def test_what_a_fragment_asks_for_last_is_run_by_its_owner() -> None:
    run = run_of(a_model(1, said=[asks(("c1", "look", {"id": 1}))]))

    assert [step.ok for step in run.steps] == [True]
    assert not run.evidence[0].result_known


def test_what_nobody_answers_in_a_whole_run_did_not_run() -> None:
    spans = [an_agent(1, error=True), a_model(2, 1, said=[asks(("c1", "look", {}))])]

    assert [ok for _, _, ok, _ in steps_of(*spans)] == [False]


# Waiting


def test_a_call_that_waits_for_approval_is_no_step() -> None:
    spans = [
        an_agent(1),
        a_model(2, 1, said=[asks(("c1", "look", {}))]),
        a_tool(3, 1, args={}, call_id="c1"),
        a_model(4, 1, said=[asks(("c2", "pay", {"amount": 5}))]),
        a_chain(5, 1, raised="langgraph.errors.GraphInterrupt"),
    ]

    assert [tool for tool, *_ in steps_of(*spans)] == ["look"]


def test_a_span_made_while_waiting_is_no_step() -> None:
    scope = "openinference.instrumentation.openai_agents"
    spans = [
        an_agent(1, scope=scope),
        a_model(2, 1, said=[asks(("c2", "pay", {"amount": 5}))], scope=scope),
        a_tool(3, 1, "pay", {"amount": 5}, result=None, scope=scope),
    ]

    assert steps_of(*spans) == []
    assert len(steps_of(*spans, a_model(4, 1, scope=scope))) == 1


# Kinds


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("look", StepKind.TOOL),
        ("final_answer", StepKind.FINAL),
        ("finish", StepKind.FINAL),
        ("transfer_to_agent", StepKind.HANDOFF),
        ("transfer_to_refund_agent", StepKind.HANDOFF),
        ("transfer_to_billing", StepKind.HANDOFF),
        ("transfer_to_savings_account", StepKind.TOOL),
        ("Delegate work to coworker", StepKind.HANDOFF),
        ("handoff", StepKind.HANDOFF),
    ],
)
def test_what_a_call_is_to_the_agent(tool: str, kind: StepKind) -> None:
    run = run_of(an_agent(1), an_agent(2, 1, "billing"), a_tool(3, 1, tool))

    assert [known.kind for known in run.evidence] == [kind]


def test_the_end_of_a_run_is_a_step_even_if_no_tool_tells_of_it() -> None:
    run = run_of(
        an_agent(1),
        a_tool(2, 1),
        a_model(3, 1, said=[asks(("c1", "final_result", {"answer": "bye"}))]),
    )

    assert [(s.tool, s.ok) for s in run.steps] == [("look", True), ("final_result", True)]
    assert run.evidence[1].kind is StepKind.FINAL
    assert run.output == "bye"


def test_an_agent_that_was_called_by_name_ran() -> None:
    run = run_of(
        an_agent(1, end=9),
        a_model(2, 1, said=[asks(("c1", "helper", {"task": "x"}))]),
        an_agent(3, 1, "helper"),
        a_tool(4, 3),
    )

    assert [(s.tool, s.ok, s.agent) for s in run.steps] == [
        ("helper", True, "desk"),
        ("look", True, "helper"),
    ]


def test_calls_stand_in_order_of_start_then_of_asking() -> None:
    spans = [
        an_agent(1),
        a_model(2, 1, said=[asks(("b", "b", {}), ("a", "a", {}))]),
        a_tool(4, 1, "a", {}, call_id="a", start=4, end=5),
        a_tool(5, 1, "b", {}, call_id="b", start=4, end=6),
    ]

    assert [tool for tool, *_ in steps_of(*spans)] == ["b", "a"]


# Failure


@pytest.mark.parametrize(
    "span",
    [
        a_tool(2, 1, error=True),
        a_tool(2, 1, raised="ValueError"),
        a_tool(2, 1, attributes={"error.type": "tool_error"}),
        a_tool(2, 1, attributes={"gen_ai.tool.status": "error"}),
        a_tool(2, 1, attributes={"gen_ai.task.status": "failure"}),
        a_tool(2, 1, attributes={"langfuse.observation.level": "ERROR"}),
        a_tool(2, 1, result={"content": [{"type": "text", "text": "x"}], "isError": True}),
    ],
)
def test_a_failure_is_seen_whatever_the_status_says(span: Span) -> None:
    assert [ok for _, _, ok, _ in steps_of(an_agent(1), span)] == [False]


@pytest.mark.parametrize(
    "span",
    [
        a_tool(2, 1, raised="langgraph.errors.ParentCommand", error=True),
        a_tool(2, 1, raised="asyncio.exceptions.CancelledError"),
        a_tool(2, 1, attributes={"error.type": "ParentCommand"}),
        a_tool(2, 1, result={"status": "error", "message": "the tool's own way of saying no"}),
    ],
)
def test_control_flow_and_a_tools_own_answer_are_no_failures(span: Span) -> None:
    assert [ok for _, _, ok, _ in steps_of(an_agent(1), span)] == [True]


def test_a_failed_call_without_a_result_has_the_errors_text() -> None:
    raised = a_tool(2, 1, result=None, raised="ValueError", message="out of order", error=True)

    assert steps_of(an_agent(1), raised)[0][3] == "out of order"


def test_a_failed_call_has_the_result_that_the_model_was_told() -> None:
    spans = [
        an_agent(1),
        a_tool(2, 1, result=None, raised="ValueError", call_id="c1"),
        a_model(3, 1, heard=[told("try again", "c1")]),
    ]

    assert steps_of(*spans)[0][3] == "try again"
