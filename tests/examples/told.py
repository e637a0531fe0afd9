"""Runs as a page tells them, a line each thing: what was asked, and each call.

Owns the grammar of these lines. A reader sees the very text that is judged, so that what a
page says of a run is true of it. Between the lines of a run nothing is hidden.

    user: Refund order 88213, please.
    lookup_order(order_id="88213") -> {"total": 80}
    0s-40s mail_desk: send_email(to="ann@example.com") -> failed: no such address
    answer: Your refund is on its way.

A call is written as Python writes it. Before it may stand when it was made (start, or
start and end), and by which agent. After the arrow stands its result; `failed`, with what
the tool said; `hands over to AGENT`; or `no result in the spans`. Without times the calls
follow each other, one every two seconds; each takes a second.
"""

import ast
import re
from dataclasses import dataclass, field, replace
from typing import Any

from evaluate.runs import a_call, a_run
from surefoot.model import Run, Step, StepEvidence, StepKind

_S = 1_000_000_000
_CALL = re.compile(
    r"(?:(?P<start>\d+)s(?:-(?P<end>\d+)s)? )?(?:(?P<agent>\w+): )?"
    r"(?P<tool>\w+)\((?P<args>.*?)\)(?: -> (?P<result>.+))?"
)
_FACT = re.compile(r"(?P<what>user|answer|ends with|model|tokens): (?P<text>.+)")


@dataclass(slots=True)
class _Facts:
    """What the lines say of the run as a whole. flaw: None where they say nothing."""

    task: str = ""
    output: str = ""
    flaw: str | None = None
    models: list[str] = field(default_factory=list)
    tokens: int | None = None


def a_told_run(text: str) -> Run:
    """The run that `text` tells.

    Raises:
        ValueError: A line is neither a call nor a fact.
    """
    facts = _Facts()
    calls: list[tuple[Step, StepEvidence]] = []
    for line in text.splitlines():
        if fact := _FACT.fullmatch(line):
            _add(facts, fact["what"], fact["text"])
        elif call := _CALL.fullmatch(line):
            calls.append(_call(call, len(calls)))
        else:
            raise ValueError(f"no call, and nothing that is said of a run: {line!r}")
    return replace(
        a_run(*calls, task=facts.task),
        output=facts.output,
        flaw=facts.flaw,
        models=tuple(facts.models),
        tokens=facts.tokens,
        end_ns=max((known.end_ns for _, known in calls), default=0),
    )


def _add(facts: _Facts, what: str, text: str) -> None:
    if what == "user":
        facts.task = text
    elif what == "answer":
        facts.output, facts.flaw = text, ""
    elif what == "ends with":
        facts.flaw = text
    elif what == "model":
        facts.models.append(text)
    else:
        facts.tokens = int(text)


def _call(told: re.Match[str], index: int) -> tuple[Step, StepEvidence]:
    start = int(told["start"] or 2 * index)
    span = start * _S, int(told["end"] or start + 1) * _S
    result = told["result"] or "done"
    known: dict[str, Any] = {}
    if target := re.fullmatch(r"hands over to (\w+)", result):
        known = {"kind": StepKind.HANDOFF, "hands_to": target[1]}
    if result == "no result in the spans":
        known = {"result_known": False}
    failed = re.fullmatch(r"failed(?:: (.+))?", result)
    if failed:
        result = failed[1] or ""
    elif known:
        result = ""
    return a_call(
        told["tool"],
        _arguments(told["args"]),
        result="" if result == '""' else result,
        ok=not failed,
        agent=told["agent"] or "main",
        span=span,
        **known,
    )


def _arguments(text: str) -> dict[str, Any]:
    call = ast.parse(f"f({text})", mode="eval").body
    if not isinstance(call, ast.Call) or call.args:
        raise ValueError(f"no arguments by name: {text!r}")
    return {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
