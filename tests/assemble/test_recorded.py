"""What every recording tells of its models, clocks, names and hand-overs."""

from fnmatch import fnmatch

import pytest

from golden.test_recordings import ALL, runs_of
from golden.truth import Recording
from surefoot.assemble.call import norm
from surefoot.model import StepKind

#: Recordings whose spans tell another number of model calls than were answered, and why.
_OTHER_CALLS = {
    "autogen-native/*": "no model's span",
    "crewai/*": "no model's span",
    "*/crash": "a call that failed was asked, and not answered",
    "*/dropped": "spans were lost on their way",
    "n8n/session": "one call has no span",
    "openaiagents/approval": "the exporter drops the resumed half",
}
#: Frameworks whose tools' spans have a name, and no attribute with it.
_UNNAMED = ("dspy",)

each = pytest.mark.parametrize("recording", ALL, ids=lambda recording: recording.name)


@each
def test_a_model_was_asked_as_often_as_it_answered(recording: Recording) -> None:
    if any(fnmatch(recording.name, pattern) for pattern in _OTHER_CALLS):
        return

    calls = sum(run.llm_calls for run in runs_of(recording))

    assert calls == len(recording.meta["llm_served"])


@each
def test_the_clock_of_one_host_is_not_skewed(recording: Recording) -> None:
    assert [run.skewed for run in runs_of(recording) if run.skewed] == []


@each
def test_tools_are_named_but_where_the_framework_does_not(recording: Recording) -> None:
    named = {known.named for run in runs_of(recording) for known in run.evidence}

    assert named <= {recording.folder.parent.name not in _UNNAMED}


@each
def test_a_hand_over_goes_to_the_agent_that_works_next(recording: Recording) -> None:
    for run in runs_of(recording):
        for at, known in enumerate(run.evidence):
            if known.kind is not StepKind.HANDOFF:
                assert known.hands_to == ""
                continue
            logged = [call["agent"] for call in recording.meta["tool_calls"] if call.get("agent")]
            assert norm(known.hands_to) == norm(logged[-1])
            later = {step.agent for step in run.steps[at + 1 : at + 2]}
            assert later <= {known.hands_to}  # spelled as the run spells it


def test_costs_are_told_where_the_sender_reckons_them() -> None:
    told = {
        recording.folder.parent.name
        for recording in ALL
        if any(run.cost is not None for run in runs_of(recording))
    }

    assert told == {"litellm", "pydanticai", "pydanticai-native"}
