"""Rules that can never fire, are never kept, or say what has no effect."""

from typing import Any

import pytest

from specs.rules.said import said

R = dict[str, Any]

NEVER = "so it can never fire"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            {"no_action": True, "when": {"args": {"n": 1}}},
            (
                f"when.args: only a run without calls breaks the rule, {NEVER}; guard it by input, "
                "or drop the guard"
            ),
        ),
        (
            {"all_of": [{"no_action": True}], "when": {"step": "a"}},
            (
                f"when.step: only a run without calls breaks the rule, {NEVER}; guard it by input, "
                "or drop the guard"
            ),
        ),
        (
            {"any_of": [{"no_action": True, "when": {"args": {"n": 1}}}, {"required": "a"}]},
            (
                f"any_of[0].when.args: only a run without calls breaks the rule, {NEVER}; guard it "
                "by input, or drop the guard"
            ),
        ),
        (
            {"effects": {"authorised": "*"}},
            f"effects.authorised: every call that is meant is authorised, {NEVER}; name fewer",
        ),
        (
            {"effects": {"tools": ["send_a", "send_b"], "authorised": "send_*"}},
            f"effects.authorised: every call that is meant is authorised, {NEVER}; name fewer",
        ),
        (
            {"models": ["gpt", "*"]},
            f"models: every model is among these, {NEVER}; name them",
        ),
        (
            {"handoff": {"allow": [["a", "b"], ["*", "*"]]}},
            f"handoff.allow[1]: anybody to anybody, {NEVER}; name who hands over to whom",
        ),
        (
            {"agent_tools": {"x": ["*"]}},
            f"agent_tools.x: every tool is allowed, {NEVER}; name the tools that x may call",
        ),
        (
            {"agent_tools": {"x": ["a"], "*": ["**"]}},
            f"agent_tools.*: every tool is allowed, {NEVER}; name the tools that * may call",
        ),
        (
            {"no_repeat": True, "except": "*"},
            f"except: every call may be repeated, {NEVER}; name fewer",
        ),
        (
            {"approval": {"step": "a", "by": {"tool": "b", "ok": False}}},
            "approval.by.ok: a call that failed approves nothing; leave ok out",
        ),
        (
            {"args": {"step": "a", "required": ["n"], "where": {"n": {"exists": False}}}},
            "args.where.n: no value is that and what required asks, so no run keeps it; drop one",
        ),
        (
            {"args": {"step": "a", "equals": {"n": 1}, "where": {"n": {"gt": 1}}}},
            "args.where.n: no value is that and what equals asks, so no run keeps it; drop one",
        ),
        (
            {"args": {"step": "a", "values": {"n": [1, 2]}, "where": {"n": {"gt": 2}}}},
            "args.where.n: no value is that and what values asks, so no run keeps it; drop one",
        ),
        (
            {"args": {"step": "a", "equals": {"n": 3}, "values": {"n": [1, 2]}}},
            "args.equals.n: not one of its values; write one, or drop values",
        ),
        (
            {"args": {"step": "a", "where": {"n": {"gt": 5, "lt": 3}}}},
            "args.where.n: no value can be > 5 and < 3; write what can be",
        ),
        (
            {"forbidden": {"args": {"n": {"in": []}}}},
            "forbidden.args.n: no value can be one of []; write what can be",
        ),
        (
            {"forbidden": {"tool": "a", "result": {"eq": "x", "ne": "x"}}},
            "forbidden.result: no text can be 'x' and not 'x'; write what can be",
        ),
        (
            {"forbidden": {"tool": "a", "result": {"exists": False}}},
            "forbidden.result: the text is always there, so this never holds; leave exists out",
        ),
        (
            {"forbidden": "a", "when": {"input": {"exists": False}}},
            "when.input: the text is always there, so this never holds; leave exists out",
        ),
        (
            {"forbidden": {"args": {"n": {"exists": False, "eq": 1}}}},
            (
                "forbidden.args.n: beside exists: false nothing else counts; write it alone, or "
                "drop it"
            ),
        ),
        (
            {"forbidden": {"args": {"n": {"exists": "false"}}}},
            "forbidden.args.n: exists: neither true nor false; write one of them",
        ),
        (
            {"any_of": [{"id": "x", "required": "a"}, {"required": "b"}]},
            (
                "any_of[0].id: goes by the id of the rule around it, so this has no effect; leave "
                "id out"
            ),
        ),
        (
            {"all_of": [{"required": "a", "severity": "warn"}]},
            (
                "all_of[0].severity: weighs what the rule around it weighs, so this has no effect; "
                "write it there"
            ),
        ),
    ],
)
def test_a_rule_without_sense_is_refused(rule: R, words: str) -> None:
    assert said({"id": "r"} | rule) == [f"rules[0].{words}"]


@pytest.mark.parametrize(
    "rule",
    [
        {"no_action": True, "when": {"input": "hello"}},
        {"all_of": [{"no_action": True}, {"required": "a"}], "when": {"step": "b"}},
        {"not": {"no_action": True}, "when": {"args": {"n": 1}}},
        {"max_steps": 0, "when": {"args": {"n": 1}}},
        {"effects": {"authorised": {"tool": "*", "ok": True}}},
        {"effects": {"authorised": {"tool": "*", "agent": "x"}}},
        {"effects": {"authorised": "?*"}},
        {"effects": {"tools": ["send_a", "b"], "authorised": "send_*"}},
        {"models": ["g*"]},
        {"handoff": {"allow": [["*", "b"], ["a", "*"]]}},
        {"agent_tools": {"x": ["a"], "y": ["*"]}},
        {"no_repeat": True, "except": "a*"},
        {"approval": {"step": "a", "by": ["b", {"tool": "c", "ok": True}]}},
        {"args": {"step": "a", "where": {"n": {"exists": False}}, "only": ["m"]}},
        {"args": {"step": "a", "equals": {"n": 2}, "where": {"n": {"gt": 1}}}},
        {"args": {"step": "a", "values": {"n": [1, 2]}, "where": {"n": {"gt": 1}}}},
        {"args": {"step": "a", "equals": {"n": 2}, "values": {"n": [1, 2.0]}}},
        {"forbidden": {"tool": "a", "result": {"eq": "3", "type": "number"}}},
        {"forbidden": {"args": {"n": {"exists": False}}}},
        {"not": {"id": "named in the message", "forbidden": "a"}},
    ],
    ids=str,
)
def test_one_that_nearly_has_none_is_let_be(rule: R) -> None:
    assert said({"id": "r"} | rule) == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"output": {"in": []}}, "output: no text can be one of []; write what can be"),
        (
            {"evaluation": {"pass": {"gt": 1, "lt": 0}}},
            (
                "evaluation.pass: no score can be > 1 and < 0; write labels or scores that pass, "
                "[correct, 1], or operators on the score, {ge: 0.5}"
            ),
        ),
    ],
)
def test_an_answer_that_can_never_be_good_is_refused(source: R, words: str) -> None:
    assert said(output_ok=[source]) == [f"output_ok[0].{words}"]
    assert said(output_ok=[{"output": {"exists": False}}]) == []
