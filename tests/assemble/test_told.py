"""Whose words are whose: the task, users, system prompts, history."""

from typing import Any

import pytest

from assemble.runs_of import (
    OPENINFERENCE,
    a_chain,
    a_model,
    a_span,
    a_tool,
    an_agent,
    asks,
    run_of,
    words,
)
from surefoot.model import Evidence, Value


@pytest.mark.parametrize(
    "given",
    [
        "refund 7",
        '{"task": "refund 7"}',
        '{"messages": [["user", "refund 7"]]}',
        '{"messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "refund 7"}]}',  # noqa: E501 - a shape as it is sent
        '{"messages": [{"type": "human", "data": {"content": "refund 7"}}]}',
        '{"new_message": {"parts": [{"text": "refund 7"}], "role": "user"}, "run_config": {}}',
        '{"system": "be kind", "prompt": "refund 7"}',
        '{"kwargs": {"question": "refund 7"}}',
        '{"input_args": {"query": "refund 7"}}',
        '{"data": {"agent": {"messages": ["ChatMessage(_role=<R.USER: \'user\'>, _content=[TextContent(text=\'refund 7\')])"]}}}',  # noqa: E501 - a shape as it is sent
        '{"inputs": {"messages": [["user", "refund 7"]]}, "tags": []}',
        ({"role": "user", "content": "refund 7"},),
    ],
)
def test_a_task_is_read_out_of_what_the_run_was_given(given: Value) -> None:
    run = run_of(an_agent(1, attributes={"input.value": given}))

    assert run.task == "refund 7"
    assert run.told.user == ("refund 7",)


def test_a_task_of_its_own_shape_is_the_whole_text() -> None:
    assert run_of(an_agent(1, attributes={"input.value": '{"order": 7}'})).task == '{"order": 7}'


def test_without_a_root_that_tells_the_first_model_does() -> None:
    """Its last user message: those before are of earlier turns."""
    past = [words("system", "be kind"), words("user", "hello"), words("user", "refund 7")]
    run = run_of(an_agent(1), a_model(2, 1, heard=past))

    assert run.task == "refund 7"
    assert run.told.user == ("refund 7", "hello")
    assert run.told.system == ("be kind",)


def test_a_task_that_is_hidden_is_unknown_whatever_leaks() -> None:
    run = run_of(
        an_agent(1, attributes={"input.value": "__REDACTED__"}),
        a_model(2, 1, heard=[words("user", "leaked")]),
    )

    assert (run.task, run.told.user) == ("", ())
    assert Evidence.TASK_UNKNOWN in run.levels


def test_half_a_task_gives_way_to_the_models_whole_one() -> None:
    run = run_of(
        an_agent(1, attributes={"input.value": '{"messages": [["user", "refu'}),
        a_model(2, 1, heard=[words("user", "refund 7")]),
    )

    assert run.task == "refund 7"


def test_what_a_model_says_to_another_is_no_users_word() -> None:
    """Under a tool, or under an agent that an agent with models of its own called."""
    mine = [a_model(2, 1, heard=[words("user", "refund 7")])]
    under_tool = [a_tool(3, 1, "ask"), a_model(4, 3, heard=[words("user", "order 666")])]
    under_agent = [an_agent(5, 1, "helper"), a_model(6, 5, heard=[words("user", "order 667")])]

    run = run_of(an_agent(1), *mine, *under_tool, *under_agent)

    assert run.told.user == ("refund 7",)


def test_a_system_prompt_is_an_operators_word_wherever_it_stands() -> None:
    inner = [a_tool(2, 1, "ask"), a_model(3, 2, heard=[words("system", "be kind")])]

    assert run_of(an_agent(1), *inner).told.system == ("be kind",)


def test_an_agent_under_a_mere_wrapper_hears_the_user() -> None:
    wrapper = a_span(1, None, {OPENINFERENCE: "AGENT"}, name="Agent workflow")

    run = run_of(wrapper, an_agent(2, 1), a_model(3, 2, heard=[words("user", "refund 7")]))

    assert run.told.user == ("refund 7",)


def test_a_result_in_the_users_mouth_is_no_users_word() -> None:
    run = run_of(
        an_agent(1, attributes={"input.value": "refund 7"}),
        a_tool(2, 1, result="order 7 is 666"),
        a_model(3, 1, heard=[words("user", "order 7 is 666"), words("user", "Context: refund 7")]),
    )

    assert run.told.user == ("refund 7",)


def test_results_of_earlier_turns_are_history() -> None:
    past = [
        asks(("old", "look", {"id": 1})),
        words("tool", "order 7", tool_call_id="old"),
        asks(("new", "look", {"id": 2})),
        words("tool", "found", tool_call_id="new"),
    ]
    run = run_of(
        an_agent(1), a_tool(2, 1, args={"id": 2}, call_id="new"), a_model(3, 1, heard=past)
    )

    assert run.told.history == (("look", "order 7"),)


@pytest.mark.parametrize("rest", [{}, {"name": "look"}])
def test_a_result_without_an_id_that_is_the_runs_own_is_no_history(rest: dict[str, Any]) -> None:
    heard = [words("tool", '{"result": "found"}', **rest)]

    assert run_of(an_agent(1), a_tool(2, 1), a_model(3, 1, heard=heard)).told.history == ()


def test_a_root_that_is_no_agents_work_tells_no_task() -> None:
    run = run_of(a_chain(1), a_tool(2, 1, args={"input": "not a task"}))

    assert run.task == ""
