"""Runs and verdicts as JSON lines: the output contract of `steps` and `check`.

Owns the keys and their order. `steps`, `input` and `output` are the input itself;
every other text has passed the mask that is handed in.
"""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from surefoot.model import Run, Verdict


def run_line(run: Run, mask: Callable[[str], str]) -> dict[str, Any]:
    """One line of `surefoot steps`."""
    return {
        "trace_id": run.trace_id.hex(),
        "service": mask(run.service),
        "agent": mask(run.agent),
        "session": None if run.session is None else mask(run.session),
        "input": run.task,
        "output": run.output,
        "evidence": sorted(level.value for level in run.levels),
        "steps": [
            {
                "tool": step.tool,
                "args": step.args,
                "ok": step.ok,
                "result": step.result,
                "t": step.t,
                "agent": step.agent,
            }
            for step in run.steps
        ],
        "step_evidence": [
            {
                "span_id": one.span_id.hex(),
                "start_ns": one.start_ns,
                "end_ns": one.end_ns,
                "call_id": mask(one.call_id),
                "args_quality": one.args_quality.value,
                "source": one.source.value,
                "attempts": one.attempts,
            }
            for one in run.evidence
        ],
    }


def judged_line(
    run: Run, verdicts: Sequence[Verdict], mask: Callable[[str], str]
) -> dict[str, Any]:
    """One line of `surefoot check --format json`."""
    return run_line(run, mask) | {"verdicts": [_verdict(verdict, mask) for verdict in verdicts]}


def dump(line: dict[str, Any]) -> bytes:
    """One line of JSON, without its end. What JSON cannot say becomes null or a text."""
    try:
        return orjson.dumps(line)
    except TypeError:  # a number beyond 64 bits, half a surrogate pair
        return json.dumps(_plain(line), ensure_ascii=True, separators=(",", ":")).encode()


def _verdict(verdict: Verdict, mask: Callable[[str], str]) -> dict[str, Any]:
    return {
        "spec": verdict.spec,
        "path": verdict.path.value,
        "output": verdict.output.value,
        "outcome": verdict.outcome.value,
        "output_source": verdict.output_source,
        "violations": [
            {
                "check": one.check,
                "severity": one.severity.value,
                "message": mask(one.message),
                "step": one.step,
            }
            for one in verdict.violations
        ],
        "inconclusive": [{"check": one.check, "reason": one.reason} for one in verdict.undecided],
    }


def _plain(value: Any) -> Any:
    """The value in JSON's own types."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return value.hex() if isinstance(value, bytes) else str(value)
