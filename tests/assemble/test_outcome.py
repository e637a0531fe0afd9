"""What the run ended with, and whether it looks right."""

import pytest

from assemble.runs_of import a_chain, a_model, a_tool, an_agent, asks, run_of, words
from surefoot.model import Evidence, Span, Value


@pytest.mark.parametrize(
    "given",
    [
        "bye",
        '"bye"',
        '{"raw": "bye", "tasks_output": []}',
        '{"messages": [{"type": "human", "data": {"content": "hi"}}, {"type": "ai", "data": {"content": "bye"}}]}',  # noqa: E501 - a shape as it is sent
        '{"messages": [["user", "hi"], ["assistant", "bye"]]}',
        '{"content": {"parts": [{"text": "bye"}], "role": "model"}, "finish_reason": "STOP"}',
        '[{"role": "assistant", "parts": [{"type": "text", "content": "bye"}]}]',
        '{"choices": 1, "message": {"role": "assistant", "content": "bye"}}',
        '{"output": "bye", "cost": 3}',
        '{"agent": {"messages": ["ChatMessage(_role=<R.ASSISTANT: \'assistant\'>, _content=[TextContent(text=\'bye\')])"]}}',  # noqa: E501 - a shape as it is sent
        '{"outputs": {"messages": [["ai", "bye"]]}, "kwargs": {}}',
    ],
)
def test_an_answer_is_read_out_of_what_the_run_gave(given: Value) -> None:
    run = run_of(an_agent(1, attributes={"output.value": given}))

    assert (run.output, run.flaw) == ("bye", "")


def test_an_answer_of_its_own_shape_is_the_whole_text() -> None:
    given = '{"refund": true, "amount": 5}'

    assert run_of(an_agent(1, attributes={"output.value": given})).output == given


def test_without_a_root_that_tells_the_last_model_does() -> None:
    run = run_of(
        an_agent(1, end=9),
        a_model(2, 1, said=[words("assistant", "let me see"), asks(("c", "look", {}))]),
        a_tool(3, 1, call_id="c"),
        a_model(4, 1, said=[words("assistant", "bye")]),
    )

    assert (run.output, run.flaw) == ("bye", "")


def test_what_a_tools_model_says_is_no_answer() -> None:
    run = run_of(
        an_agent(1, end=9),
        a_tool(2, 1, end=8),
        a_model(3, 2, said=[words("assistant", "inner")], end=7),
        a_model(4, 1, said=[words("assistant", "bye")], end=6),
    )

    assert run.output == "bye"


def test_an_error_on_the_chain_of_agents_is_a_flaw() -> None:
    """Though the root is always OK, and though there is an answer."""
    inner = an_agent(2, 1, "inner", error=True)

    run = run_of(an_agent(1, attributes={"output.value": "sorry"}), inner)

    assert run.flaw == "error in span 2"


def test_an_error_under_a_tool_is_no_flaw() -> None:
    inner = [a_tool(2, 1), an_agent(3, 2, "inner", error=True)]

    assert run_of(an_agent(1, attributes={"output.value": "bye"}), *inner).flaw == ""


def test_a_failed_step_that_the_agent_got_over_is_no_flaw() -> None:
    run = run_of(
        an_agent(1, attributes={"output.value": "bye"}),
        a_chain(2, 1, error=True),
        a_tool(3, 2, error=True),
    )

    assert run.flaw == ""


def test_no_answer_is_a_flaw_where_answers_can_be_seen() -> None:
    silent = a_model(2, 1, heard=[words("user", "hi")], said=[words("assistant")])

    assert run_of(an_agent(1), silent).flaw == "no answer"


def test_without_an_answer_an_error_below_is_the_flaw() -> None:
    run = run_of(an_agent(1), a_model(2, 1, said=[asks(("c", "x", {}))]), a_chain(3, 1, error=True))

    assert run.flaw == "error in span 3"


@pytest.mark.parametrize("reason", ["length", "content_filter", "MAX_TOKENS", "error"])
def test_an_answer_that_was_cut_or_refused_is_a_flaw(reason: str) -> None:
    said = [words("assistant", "by")]
    run = run_of(an_agent(1), a_model(2, 1, said=said, attributes={"llm.finish_reason": reason}))

    assert run.flaw == f"finish reason {reason.lower()}"


def test_many_finish_reasons_end_with_the_last() -> None:
    attributes: dict[str, Value] = {"gen_ai.response.finish_reasons": ("length", "stop")}
    said = [words("assistant", "bye")]

    assert run_of(an_agent(1), a_model(2, 1, said=said, attributes=attributes)).flaw == ""


def test_a_hidden_answer_tells_nothing() -> None:
    run = run_of(
        an_agent(1, attributes={"output.value": "__REDACTED__"}),
        a_model(2, 1, said=[words("assistant", "leaked")]),
    )

    assert (run.output, run.flaw) == ("", None)


def test_spans_without_texts_tell_nothing() -> None:
    assert run_of(an_agent(1), a_tool(2, 1, result=None)).flaw is None


def test_a_run_that_is_not_over_tells_nothing_and_says_so() -> None:
    """The last model still asks, nobody failed: it waits, or its end was lost."""
    run = run_of(
        an_agent(1),
        a_model(2, 1, said=[asks(("c", "look", {}))]),
        a_tool(3, 1, call_id="c"),
    )

    assert run.flaw is None
    assert Evidence.CLOSED_EARLY in run.levels


@pytest.mark.parametrize(
    ("later", "goes_on"),
    [
        ([], True),
        ([an_agent(3, 1, name="refund_agent")], False),
        ([a_tool(3, 1, result=None)], False),
    ],
)
def test_a_run_whose_last_word_is_a_hand_over_goes_on_elsewhere(
    later: list[Span],
    goes_on: bool,  # noqa: FBT001 - a row of the table
) -> None:
    """Unless something began after it: then this trace is where it goes on."""
    run = run_of(an_agent(1, end=9), a_tool(2, 1, "transfer_to_refund_agent", result=None), *later)

    assert run.flaw is None
    assert (Evidence.CLOSED_EARLY in run.levels) == goes_on


def test_a_hand_over_after_which_there_is_an_answer_is_over() -> None:
    agent = an_agent(1, end=9, attributes={"output.value": "bye"})

    run = run_of(agent, a_tool(2, 1, "transfer_to_refund_agent"))

    assert (run.output, run.flaw) == ("bye", "")
    assert Evidence.CLOSED_EARLY not in run.levels


def test_the_end_of_a_run_without_its_root_is_not_known() -> None:
    model = a_model(2, 9, said=[words("assistant", "bye")])

    run = run_of(model, a_tool(3, 9), whole=False)

    assert (run.output, run.flaw) == ("bye", None)
