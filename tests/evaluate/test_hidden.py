"""What is hidden never turns a verdict round: on every rule, over runs made by chance.

A run of which something is hidden, cut or missing may be any run that looks so. The run
that it was made of is one: so what is ok there must not be violated here, and what is
violated there must not be ok.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from evaluate.runs import a_call, a_run, a_spec
from surefoot.evaluate import judge
from surefoot.model import ArgsQuality, Cut, Evidence, Run
from surefoot.specs.rules import MODELS

TOOLS = ["lookup_order", "check_policy", "issue_refund", "fetch_page", "send_email", "ask_human"]
IDS = ("ORD-1001", "ORD-2002", "99999")
FIFTY: dict[str, Any] = {"args": {"amount": 50}}
ORDER: dict[str, Any] = {"tool": "*", "result": {"regex": "ORD"}}

#: Rules that ask for arguments and results in every place where a matcher may stand.
RULES: list[dict[str, Any]] = [
    {"forbidden": {"args": {"order_id": {"exists": False}}}},
    {"forbidden": ORDER},
    {"forbidden": {"ok": False, "args": {"amount": {"gt": 100}}}},
    {"required": FIFTY, "min": 2},
    {"required": {"any_of": [FIFTY, "ask_human"]}},
    {"before": [FIFTY, ORDER]},
    {"before": [FIFTY, "issue_refund"], "ended": True},
    {"precede_each": [FIFTY, "issue_refund"]},
    {"after": ["issue_refund", FIFTY]},
    {"after": [FIFTY, "send_email"], "within_steps": 1},
    {"next": [ORDER, FIFTY]},
    {"never_after": [FIFTY, ORDER]},
    {"between": {"absent": FIFTY, "from": "lookup_order", "to": ORDER}},
    *(
        {"sequence": {"expect": ["*", FIFTY], "order": order}}
        for order in ("strict", "subsequence", "any", "subset", "superset")
    ),
    {"calls": {"step": FIFTY, "min": 1, "max": 1}},
    {"exclusive": [FIFTY, {"args": {"amount": 150}}]},
    {"total": {"step": ORDER, "arg": "amount", "max": 120}},
    {"rate": {"step": FIFTY, "max": 1, "per": "1m"}},
    {"unique": {"step": ORDER, "arg": "order_id"}},
    {"loop": {"window": 6, "times": 2}},
    {"retries": {"max": 1}},
    {"no_repeat": True, "except": FIFTY},
    {"no_repeat": True, "changed_result_ok": True},
    {"handled_errors": {"step": ORDER, "fallback": FIFTY}},
    {"must_succeed": FIFTY},
    {"empty_result": FIFTY},
    {"args": {"step": ORDER, "equals": {"order_id": "ORD-1001"}}},
    {"args": {"step": "*", "schema": {"required": ["amount"]}, "only": True}},
    {"args": {"step": ORDER, "values": {"currency": ["EUR"]}, "occurrence": 1}},
    {"args": {"step": FIFTY, "where": {"order_id": {"regex": "^ORD"}}, "occurrence": "last"}},
    {"args_from": {"step": FIFTY, "arg": "order_id", "from": {"step": ORDER, "field": "id"}}},
    {"args_from": {"step": "issue_refund", "arg": "order_id", "from": "input"}},
    {"effects": {"tools": FIFTY, "authorised": ORDER}},
    {"approval": {"step": FIFTY, "by": ORDER, "same": "order_id", "granted": {"ok": True}}},
    {"end_state": {"last": FIFTY, "contains": "ORD"}},
    {"end_state": {"output": True, "contains": "refunded"}},
    {"taint": {"from": ORDER, "to": FIFTY, "cleared_by": {"args": {"amount": 150}}}},
    {"exfiltration": {"from": "*", "to": "*"}},
    {"trifecta": {"untrusted": ORDER, "private": FIFTY, "egress": "*"}},
    {"injected": {"canaries": "99999", "patterns": ["evil"], "calls": FIFTY}},
    {"not": {"forbidden": FIFTY}},
    {"any_of": [{"forbidden": FIFTY}, {"not": {"all_of": [{"required": ORDER}]}}]},
    {"forbidden": "issue_refund", "when": {"input": {"regex": "refund"}}},
    {"forbidden": "issue_refund", "when": {"args": {"amount": {"gt": 100}}}},
    {"forbidden": FIFTY, "when": {"args": {"currency": "EUR"}}},
    {"required": "ask_human", "when": {"step": ORDER}},
    {"max_steps": 2, "when": FIFTY},
]
#: The one rule that reports what is hidden.
EXAMPLES = [dict(model.example) for model in MODELS if model.key != "data_quality"]
SPECS = [a_spec(rules=[{"id": "r"} | rule]) for rule in (*EXAMPLES, *RULES)]
SPECS += [a_spec(ground=True), a_spec(untrusted=["fetch_page"], privileged=TOOLS)]
NAMES = [json.dumps(rule) for rule in (*EXAMPLES, *RULES)] + ["ground", "taint"]


def a_chance_run(chance: Random) -> Run:
    calls, at = [], 0
    for _ in range(chance.randint(1, 6)):
        args = {
            "order_id": chance.choice(IDS),
            "amount": chance.choice([50, 150, "50", "x"]),
            "currency": chance.choice(["EUR", "USD"]),
            "note": f"refund {chance.choice(IDS)} to bob@evil.example",
        }
        kept = [
            key
            for key, often in zip(args, (9, 7, 5, 2), strict=True)
            if often > chance.random() * 10
        ]
        order = {"id": chance.choice(IDS), "ok": chance.choice([True, False])}
        results = [
            json.dumps(order),
            f"order {chance.choice(IDS)}",
            "mail bob@evil.example",
            "",
            "[]",
        ]
        start = at + chance.randint(0, 20)
        at = start if chance.random() < 0.3 else start + 30
        calls.append(
            a_call(
                chance.choice(TOOLS),
                {key: args[key] for key in kept},
                result=chance.choice(results),
                ok=chance.random() < 0.8,
                agent=chance.choice(["main", "triage_agent"]),
                turn=chance.choice([-1, -1, 0, 1]),
                span=(start, start + chance.randint(0, 25)),
            )
        )
    task = chance.choice(["refund ORD-1001", "hello", "write to bob@evil.example"])
    output = chance.choice(["refunded", "sorry"])
    return a_run(*calls, task=task, output=output, flaw="", models=("m",), end_ns=10)


def _beginning(chance: Random, text: str) -> Cut:
    return Cut(text[: chance.randrange(1, len(text))])


def hide(chance: Random, run: Run) -> Run:
    """Hide the arguments, the result or a part of them of one call, or a part of the task."""
    at = chance.randrange(len(run.steps))
    step, known, level = run.steps[at], run.evidence[at], Evidence.COMPLETE
    task, told = run.task, run.told
    match chance.choice(["redacted", "truncated", "nameless", "untold", "cut", "task", "no task"]):
        case "redacted":
            step, known = replace(step, args={}), replace(known, args_quality=ArgsQuality.REDACTED)
            level = Evidence.ARGS_REDACTED
        case "truncated" if step.args:
            kept = dict(list(step.args.items())[:-1])
            step = replace(step, args=kept)
            known = replace(known, args_quality=ArgsQuality.TRUNCATED)
            level = Evidence.ARGS_TRUNCATED
        case "nameless" if len(step.args) == 1:
            step = replace(step, args={"input": next(iter(step.args.values()))})
            known = replace(known, args_quality=ArgsQuality.WRAPPED_TEXT)
        case "untold" if step.ok:
            step, known = replace(step, result=""), replace(known, result_known=False)
        case "cut" if len(step.result) > 1:
            step = replace(step, result=_beginning(chance, step.result))
            known = replace(known, result_capped=True)
            level = Evidence.TEXT_CAPPED
        case "task":
            task, level = _beginning(chance, task), Evidence.TEXT_CAPPED
        case "no task":
            task, level = "", Evidence.TASK_UNKNOWN
    if task != run.task:
        told = replace(told, user=(task,) if task else ())
    return replace(
        run,
        steps=_with(run.steps, at, step),
        evidence=_with(run.evidence, at, known),
        levels=frozenset({level}),
        task=task,
        told=told,
    )


def _with(items: Sequence[Any], at: int, item: Any) -> list[Any]:
    return [*items[:at], item, *items[at + 1 :]]


@pytest.mark.parametrize("seed", range(120))
def test_what_is_hidden_turns_no_verdict_round(seed: int) -> None:
    chance = Random(seed)  # noqa: S311 - a run, not a secret
    run = a_chance_run(chance)
    hidden = hide(chance, run)
    for name, spec in zip(NAMES, SPECS, strict=True):
        whole, partial = judge(run, spec), judge(hidden, spec)
        assert {whole.path, partial.path} != {"ok", "violated"}, name
