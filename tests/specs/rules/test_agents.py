"""What a spec file may say of agents, and what is refused."""

from typing import Any

import pytest

from specs.rules.said import said
from surefoot.evaluate.agents import Handoff, Parallel
from surefoot.model import Severity
from surefoot.specs.rules.agents import AgentToolsRule, HandoffRule, ParallelRule


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"parallel": {"max": 0}}, "parallel.max: too small; write at least "),
        ({"parallel": {}}, "parallel.max: missing; write it"),
        (
            {"handoff": {"allow": ["a"]}},
            "handoff.allow[0]: no pair; write [from, to], names or globs of agents",
        ),
        ({"handoff": {"allow": [["a", "b", "c"]]}}, "handoff.allow[0]: no pair; write [from, to]"),
        ({"handoff": {"allow": [["a", ""]]}}, "handoff.allow[0][1]: empty; write a name"),
        ({"agent_tools": {}}, "agent_tools: empty; write at least one, or leave the key out"),
        ({"agent_tools": {"a": [1]}}, "agent_tools.a"),
        ({"agent_tools": ["a"]}, "agent_tools: not a section; write its keys below it"),
    ],
)
def test_what_is_wrong_is_said(rule: dict[str, Any], words: str) -> None:
    (problem,) = said({"id": "r"} | rule)

    assert problem.startswith(f"rules[0].{words}")


@pytest.mark.parametrize(
    "rule",
    [
        {"handoff": {"allow": []}},
        {"agent_tools": {"a": [], "b*": ["x_*"], "c": "x_y"}},
        {"parallel": {"max": 1}},
    ],
)
def test_what_may_fire_is_taken(rule: dict[str, Any]) -> None:
    assert said({"id": "r"} | rule) == []


def test_an_agents_tool_outside_the_vocabulary_is_refused() -> None:
    (problem,) = said({"id": "r", "agent_tools": {"a": ["x", "q"], "b": ["y*"]}}, tools=["x", "y"])

    assert problem.startswith("rules[0].agent_tools.a[1]: 'q' is not in this spec's tools")


def test_what_is_said_reaches_the_checks() -> None:
    parallel = ParallelRule.model_validate({"parallel": {"max": 3}}).check()
    handoff = HandoffRule.model_validate({"handoff": {"allow": [["a", "b"]]}}).check()
    tools = AgentToolsRule.model_validate({"agent_tools": {"a": "x"}}).check()

    assert parallel == Parallel("parallel", 3, Severity.SOFT)
    assert handoff == Handoff("handoff", (("a", "b"),), Severity.HARD)
    assert tools.severity is Severity.HARD
