"""Every recorded run, against what its tools logged when it was made."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from golden.truth import (
    Recording,
    admits,
    args_are_honest,
    equal,
    pairs,
    recordings,
    tight,
)
from surefoot import assemble
from surefoot.assemble.call import norm
from surefoot.buffer.whole import is_whole
from surefoot.model import Evidence, Reason, Run, Span
from surefoot.receive.decode import Decoder

ALL = recordings()
EXPECTED = Path(__file__).with_name("expected.json")


@cache
def runs_of(recording: Recording) -> tuple[Run, ...]:
    """Decode, reduce and assemble a recording's traces, in order of start."""
    decode = Decoder(assemble.WANTED, assemble.reduce)
    traces: dict[bytes, dict[bytes, Span]] = {}
    for body in recording.bodies:
        for span in decode(body).spans:
            traces.setdefault(span.trace_id, {})[span.span_id] = span
    named = {bytes.fromhex(trace) for trace in recording.meta["traces"]}
    runs = []
    for trace, spans in traces.items():
        whole = is_whole(spans)
        reason = Reason.ROOT if whole else Reason.IDLE
        if trace in named:
            runs += assemble.assemble(spans.values(), reason=reason, whole=whole)
    return tuple(sorted(runs, key=lambda run: run.start_ns))


each = pytest.mark.parametrize("recording", ALL, ids=lambda recording: recording.name)


@each
def test_steps_are_the_calls_that_were_made(recording: Recording) -> None:
    """In order, none missing, none twice, none invented."""
    if not recording.tells("calls"):
        pytest.skip("not in the spans")
    runs = runs_of(recording)

    for happened in pairs(recording.meta, runs):
        call, step = happened.call, happened.step
        if recording.tells("args"):
            assert args_are_honest(happened), (step.args, call["args"])
            if not (recording.is_hidden or recording.is_cut):
                assert equal(step.args, call["args"])
        if recording.tells("ok"):
            assert step.ok == call["ok"], step
        if recording.tells("agents") and call.get("agent"):
            assert norm(step.agent) == norm(call["agent"])
        shown = not (recording.is_hidden or recording.is_cut)
        if recording.tells("results") and shown and call["ok"]:
            assert tight(step.result) == tight(call["result"])


@each
def test_a_call_of_an_unknown_tool_is_a_step_that_failed(recording: Recording) -> None:
    logged = {norm(call["tool"]) for call in recording.meta["tool_calls"]}
    if recording.folder.name != "unknown" or not recording.tells("asked"):
        return
    served = recording.meta["llm_served"]
    asked = {norm(call["name"]) for turn in served for call in turn.get("calls", ())}

    in_vain = asked - logged - {"final_answer"}

    failed = {norm(step.tool) for run in runs_of(recording) for step in run.steps if not step.ok}
    assert in_vain <= failed


@each
def test_the_task_and_the_answer_are_found(recording: Recording) -> None:
    if recording.is_hidden or recording.is_cut:
        return
    meta, runs = recording.meta, runs_of(recording)

    if recording.tells("task"):
        assert tight(meta["task_input"]) in " ".join(tight(run.task) for run in runs)
    if recording.tells("answer") and meta["final_output"]:
        assert tight(meta["final_output"]) in " ".join(tight(run.output) for run in runs)


@each
def test_what_is_hidden_cut_or_lost_is_admitted(recording: Recording) -> None:
    runs = runs_of(recording)
    shown = json.dumps([[step.args for step in run.steps] for run in runs])

    assert "__REDACTED__" not in shown
    if recording.folder.name == "dropped":
        assert not admits(runs, Evidence.COMPLETE)
    if recording.folder.parent.name == "n8n-langchain":
        assert admits(runs, Evidence.ARGS_MISSING)


@each
def test_a_run_that_ended_well_has_no_flaw_and_one_that_raised_has(recording: Recording) -> None:
    """As far as its spans tell at all; the loss of spans and attributes hides it."""
    lost = recording.folder.name in ("dropped", "long", "approval")
    if lost or recording.is_hidden or not recording.tells("answer"):
        return
    flaws = [run.flaw for run in runs_of(recording)]

    if recording.meta["raised"]:
        assert any(flaws)
    else:
        assert not any(flaws)


def test_stored_runs_are_as_they_were() -> None:
    """A few runs in full, so that a change of what is told cannot go unseen."""
    expected: dict[str, Any] = json.loads(EXPECTED.read_text())
    by_name = {recording.name: recording for recording in ALL}

    assert {name: shown(by_name[name]) for name in expected} == expected


def shown(recording: Recording) -> list[dict[str, Any]]:
    """Show the runs of a recording, without what is made of a clock or by chance."""
    return [
        {
            "agent": run.agent,
            "levels": sorted(run.levels),
            "task": run.task,
            "output": run.output,
            "flaw": run.flaw,
            "users": list(run.told.user),
            "history": [list(pair) for pair in run.told.history],
            "models": list(run.models),
            "tokens": run.tokens,
            "steps": [
                f"{step.agent}: {step.tool}({json.dumps(step.args, sort_keys=True)}) "
                f"{'ok' if step.ok else 'failed'} {step.result!r} "
                f"[{known.kind} {known.source} {known.args_quality} turn {known.turn} "
                f"x{known.attempts}{'' if known.ran else ' never ran'} merged {len(known.merged)}]"
                for step, known in zip(run.steps, run.evidence, strict=True)
            ],
        }
        for run in runs_of(recording)
    ]
