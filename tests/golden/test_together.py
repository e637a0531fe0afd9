"""Calls at once and hand-overs, on every recording of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from golden.truth import Recording, recordings
from surefoot.cli.offline import runs
from surefoot.cli.read import requests
from surefoot.evaluate import judge
from surefoot.model import PathGrade, Run, Verdict
from surefoot.specs import load

PARALLEL = [one for one in recordings() if one.folder.name == "parallel"]
AGENTS = [one for one in recordings() if one.folder.name.startswith("multiagent")]
#: Where the two look-ups ran one after the other, though asked for together.
IN_TURN = {
    "crewai/parallel",
    "googleadk/parallel",
    "langgraph-openllmetry/parallel",
    "llamaindex/parallel",
    "smolagents/parallel",
}
#: Where the first agent uses the second as a tool, or hands over in another way that is no call.
NO_HANDOVER = {
    "crewai/multiagent",
    "langgraph/multiagent",
    "langgraph-openllmetry/multiagent",
    "pydanticai/multiagent",
    "pydanticai-native/multiagent",
    "strands/multiagent",
    "vercel/multiagent",
}


def judged(recording: Recording, folder: Path, *rules: Any) -> list[tuple[Run, Verdict]]:
    """What a spec with these rules says of a recording."""
    file = folder / "s.json"  # JSON is YAML
    keys = {"name": "s", "ground": False, "secrets": False, "rules": rules}
    file.write_text(json.dumps({"specs": [keys]}))
    specs = load([file])
    found = runs(requests([recording.folder]), specs)
    return [(run, judge(run, spec)) for run in found for spec in specs.matching(run)]


def violated(verdicts: list[tuple[Run, Verdict]]) -> set[str]:
    """The ids of the violated rules."""
    return {one.check for _, verdict in verdicts for one in verdict.violations}


@pytest.mark.parametrize("recording", PARALLEL, ids=lambda one: one.name)
def test_calls_asked_for_together_break_no_order_and_are_at_once_if_they_overlap(
    recording: Recording, tmp_path: Path
) -> None:
    asked = [["lookup_order", "check_policy"], ["check_policy", "lookup_order"]]
    found = judged(
        recording,
        tmp_path,
        *({"id": f"before-{at}", "before": pair} for at, pair in enumerate(asked)),
        *({"id": f"ended-{at}", "before": p, "ended": True} for at, p in enumerate(asked)),
        *(
            {"id": f"strict-{at}", "sequence": {"expect": [*pair, "escalate_to_human"]}}
            for at, pair in enumerate(asked)
        ),
        {"id": "then", "next": [{"tool": asked[0]}, "escalate_to_human"]},
        {"id": "one", "parallel": {"max": 1}},
        {"id": "two", "parallel": {"max": 2}},
    )
    broken = violated(found) - {"then"}

    if recording.name == "googleadk/parallel":  # the spans of the first call name no turn
        assert broken == {"before-1", "ended-1", "strict-1"}
    else:
        assert broken == {"ended-0", "ended-1"} | (set() if recording.name in IN_TURN else {"one"})


@pytest.mark.parametrize("recording", AGENTS, ids=lambda one: one.name)
def test_agents_hand_over_to_whom_they_may(recording: Recording, tmp_path: Path) -> None:
    found = judged(
        recording,
        tmp_path,
        {"id": "right", "handoff": {"allow": [["triage?agent", "refund?agent"]]}},
        {"id": "wrong", "handoff": {"allow": [["refund?agent", "triage?agent"]]}},
        {"id": "other", "handoff": {"allow": [["triage?agent", "billing*"]]}},
        {"id": "at-once", "parallel": {"max": 1}},
        {
            "id": "its-tools",
            "agent_tools": {"triage?agent": ["lookup_order", "ask_*"], "refund?agent": ["*"]},
        },
        {"id": "no-tools", "agent_tools": {"refund?agent": ["lookup_order"]}},
    )
    handed = set() if recording.name in NO_HANDOVER else {"wrong", "other"}

    assert violated(found) == {"no-tools"} | handed
    assert all(
        verdict.path is not PathGrade.INCONCLUSIVE for _, verdict in found if not verdict.undecided
    )


def test_the_tables_name_only_recordings() -> None:
    names = {one.name for one in (*PARALLEL, *AGENTS)}

    assert names >= IN_TURN | NO_HANDOVER
