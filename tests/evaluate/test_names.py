import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, messages
from surefoot.evaluate.names import Exactly, Names, aliases, normal


@pytest.mark.parametrize(
    ("spec", "tool"),
    [
        ("get_order", "Get Order"),
        ("Get Order", "get_order"),
        ("lookup", "functions.lookup"),
        ("lookup", "mcp__desk__lookup"),
        ("lookup", "lookup.run"),
        ("lookup", "lookup.__call__"),
        ("lookup", "lookup.acall"),
        ("delete_*", "functions.delete_order"),
        ("lookup_*", "lookup_order"),
    ],
)
def test_a_name_means_its_other_spellings(spec: str, tool: str) -> None:
    assert messages(a_run(tool), forbidden=[spec]) == [f"called forbidden tool: {tool}"]


@pytest.mark.parametrize(
    ("spec", "tool"),
    [("mcp__prod__delete", "mcp__test__delete"), ("lookup", "lookup_order"), ("run", "run.run.x")],
)
def test_a_name_means_no_other_tool(spec: str, tool: str) -> None:
    assert messages(a_run(tool), forbidden=[spec]) == []


def test_a_tool_that_the_spec_names_itself_is_no_alias() -> None:
    run = a_run("Get Order")

    assert messages(run, tools=["Get Order", "get_order"], required=["get_order"]) == [
        "missing required tool: get_order"
    ]


def test_a_name_without_a_latin_letter_stays_itself() -> None:
    assert normal("查询订单") == "查询订单"
    assert messages(a_run("退款"), forbidden=["查询订单"]) == []


@given(st.text())
def test_any_text_is_a_tool_name(name: str) -> None:
    assert Names.of([name]).covers(name, aliases(name)) or any(char in name for char in "*?[")
    assert Exactly((name,)).covers(name)


def test_a_handoff_may_be_named_like_any_tool() -> None:
    run = a_run(a_call("transfer_to_refund_agent"))

    assert messages(run, forbidden=["transfer_to_*"]) == [
        "called forbidden tool: transfer_to_refund_agent"
    ]
