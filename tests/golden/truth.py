"""What a recording's `meta.json` says happened, and what its spans can tell of it.

The comparing is by facet, so that a failure says what is wrong: which calls, their
arguments, whether they went well, their results, who made them, what was asked for in
vain, the task, the answer, and whether what is hidden or cut is admitted.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from surefoot.assemble.call import norm
from surefoot.model import ArgsQuality, Evidence, Run, Step, StepEvidence, StepKind

FIXTURES = Path(__file__).parents[2] / "proto_fixtures"
#: What spans do not carry, by pattern of `framework/run`, and why.
UNTOLD = [
    ("openaiagents/approval", "calls results agents answer", "the exporter drops the resumed half"),
    ("*/dropped", "calls results agents task answer", "spans were lost on their way"),
    ("*/session", "task answer", "two turns, each with its own"),
    ("openaiagents*/unknown", "answer", "the run raises before there is one"),
    ("openaiagents/long", "answer", "attributes were dropped"),
    ("mcp/*", "agents", "the server's tools log no agent"),
    ("llamaindex/*", "agents", "agents have no span"),
    ("dspy/*", "agents", "no span names an agent"),
    ("haystack-v2/*", "agents", "no span names an agent"),
    ("autogen-native/*", "args results task answer", "names and ids alone"),
    ("autogen-native/unknown", "asked", "no span tells of it"),
    ("googleadk-native/*", "args results task answer", "names and ids alone"),
    ("googleadk/toolerror", "ok", "the tool returned an error as its result"),
    (
        "smolagents/crash",
        "agents task answer",
        "the root is never ended, and no other span names it",
    ),
    ("n8n-langchain/*", "args results task answer asked", "nodes carry no content"),
    ("openllmetry-openai/*", "results", "a trace a model call: the next one tells the result"),
]


@dataclass(frozen=True)
class Recording:
    """One recorded run."""

    folder: Path

    @property
    def name(self) -> str:
        """`framework/run`."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def bodies(self) -> list[bytes]:
        """The requests in order of arrival."""
        return [path.read_bytes() for path in sorted(self.folder.glob("*.binpb"))]

    @property
    def meta(self) -> dict[str, Any]:
        """What truly happened."""
        loaded: dict[str, Any] = json.loads((self.folder / "meta.json").read_text())
        return loaded

    def tells(self, facet: str) -> bool:
        """Whether the spans carry a facet."""
        return not any(
            fnmatch(self.name, pattern) and facet in facets.split() for pattern, facets, _ in UNTOLD
        )

    @property
    def is_hidden(self) -> bool:
        """Whether the sender was told to hide contents."""
        return "hidden" in self.folder.name

    @property
    def is_cut(self) -> bool:
        """Whether the sender was told to cut values."""
        return "truncated" in self.folder.name


def recordings() -> list[Recording]:
    """Every recording there is."""
    return [Recording(path.parent) for path in sorted(FIXTURES.glob("*/*/meta.json"))]


@dataclass(frozen=True)
class Happened:
    """A call that a tool logged, and the step that stands for it."""

    call: dict[str, Any]
    step: Step
    known: StepEvidence


def pairs(meta: dict[str, Any], runs: Iterable[Run]) -> Iterator[Happened]:
    """Pair the logged calls with the steps of their tools.

    In order; calls that the model asked for together may have run in any order.

    Raises:
        AssertionError: There is no step for a call, or a step for no call.
    """
    steps = [
        (step, known)
        for run in runs
        for step, known in zip(run.steps, run.evidence, strict=True)
        if known.kind is not StepKind.FINAL
    ]
    logged = sorted(meta["tool_calls"], key=lambda call: call["start_ns"])
    names = [norm(call["tool"]) for call in logged]
    ran = [(step, known) for step, known in steps if norm(step.tool) in names]
    if any(len(turn.get("calls", ())) > 1 for turn in meta["llm_served"]):
        logged.sort(key=lambda call: norm(call["tool"]))
        ran.sort(key=lambda pair: norm(pair[0].tool))
    assert [norm(step.tool) for step, _ in ran] == [norm(call["tool"]) for call in logged]
    asked = {norm(call["name"]) for turn in meta["llm_served"] for call in turn.get("calls", ())}
    invented = [step.tool for step, _ in steps if norm(step.tool) not in asked.union(names)]
    assert not invented
    for call, (step, known) in zip(logged, ran, strict=True):
        yield Happened(call, step, known)


def equal(one: object, other: object) -> bool:
    """Equal by value and type, but 200 and 200.0 are one number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return type(one) is type(other) and one == other


def tight(text: object) -> str:
    """The text without differences of space."""
    return re.sub(r"\s+", " ", str(text)).strip()


def admits(runs: Iterable[Run], level: Evidence) -> bool:
    """Whether a run names a level."""
    return any(level in run.levels for run in runs)


def is_part_of(found: dict[str, Any], true: dict[str, Any]) -> bool:
    """Whether cut arguments hold nothing but whole pairs of the true ones."""
    return all(key in true and equal(value, true[key]) for key, value in found.items())


def args_are_honest(happened: Happened) -> bool:
    """Whether arguments are the true ones, or none and said to be unknown."""
    unknown = (ArgsQuality.REDACTED, ArgsQuality.MISSING, ArgsQuality.TRUNCATED)
    if equal(happened.step.args, happened.call["args"]):
        return True
    admitted = happened.known.args_quality in unknown
    return admitted and is_part_of(happened.step.args, happened.call["args"])
