"""The JSON lines."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cli.builders import a_run, a_verdict, a_violation
from surefoot.cli.lines import dump, judged_line, run_line
from surefoot.evaluate import mask
from surefoot.model import Evidence, Severity, StepEvidence

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text(st.characters(exclude_categories=[])), JSON))
def test_every_json_value_survives_being_dumped(args: dict[str, object]) -> None:
    run = a_run("a")
    run.steps[0].args = args

    line = dump(run_line(run, mask))

    assert b"\n" not in line
    assert json.loads(line)["steps"][0]["args"] == args


def test_what_json_cannot_say_does_not_stop_a_line() -> None:
    run = a_run("a")
    run.steps[0].args = {"nan": float("nan"), "big": 2**70, "bytes": b"\1", "set": (1, 2)}

    args = json.loads(dump(run_line(run, mask)))["steps"][0]["args"]

    assert args == {"nan": None, "big": 2**70, "bytes": "01", "set": [1, 2]}


def test_a_run_has_the_keys_of_the_contract() -> None:
    run = a_run("lookup_order")
    run.levels = frozenset({Evidence.TASK_UNKNOWN, Evidence.ARGS_MISSING})
    run.evidence = [StepEvidence(b"\2" * 8, 5, 6, call_id="call_1")]

    assert json.loads(dump(run_line(run, mask))) == {
        "trace_id": "00000000000000000000000000000001",
        "service": "desk",
        "agent": "clerk",
        "session": None,
        "input": "",
        "output": "",
        "evidence": ["args_missing", "task_unknown"],
        "steps": [
            {"tool": "lookup_order", "args": {}, "ok": True, "result": "", "t": 0.0,
             "agent": "main"}
        ],
        "step_evidence": [
            {"span_id": "0202020202020202", "start_ns": 5, "end_ns": 6, "call_id": "call_1",
             "args_quality": "exact", "source": "span", "attempts": 1}
        ],
    }  # fmt: skip


def test_a_judged_run_adds_its_verdicts_with_masked_messages() -> None:
    verdict = a_verdict(a_violation("ground", Severity.WARN, step=0), undecided=("required",))

    line = judged_line(a_run("a"), [verdict], str.upper)

    assert json.loads(dump(line))["verdicts"] == [
        {
            "spec": "desk",
            "path": "violated",
            "output": "ok",
            "outcome": "lucky",
            "output_source": "structural",
            "violations": [
                {
                    "check": "ground",
                    "severity": "warn",
                    "message": "CALLED FORBIDDEN TOOL ISSUE_REFUND",
                    "step": 0,
                }
            ],
            "inconclusive": [{"check": "required", "reason": "task_unknown"}],
        }
    ]


def test_an_unmatched_run_has_no_verdicts() -> None:
    assert judged_line(a_run("a"), [], str)["verdicts"] == []


def test_names_pass_the_mask_and_the_input_itself_does_not() -> None:
    key = "AKIA" + "Q" * 16
    line = run_line(replace(a_run(service=f"shop {key}", agent=key), session=key), mask)

    assert key not in f"{line['service']} {line['agent']} {line['session']}"
