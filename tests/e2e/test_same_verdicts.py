"""The judge of live traffic and the one of `surefoot check` are one.

Every recording goes through the whole pipeline and, as files, through the command; by a
spec as people write one, and by one that has every rule of the schema. What is compared
is the command's whole line of JSON, to the byte: steps, evidence, verdicts, each
violation with its message and step, each reason of what could not be decided.

What differs by design has its own tests below: a trace that a shutdown cuts off, one
whose parts come minutes apart, and the step's number in a violation that left early.
"""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from children import surefoot
from emit.builders import attributes
from sinks import Sink
from surefoot.cli.lines import dump, judged_line
from surefoot.emit.sent import Plan
from surefoot.evaluate import mask
from surefoot.specs import load
from surefoot.specs.rules import MODELS
from worlds import FIXTURES, IDLE_NS, SPEC, World, requests

#: Each test starts the program anew, or replays every recording.
pytestmark = pytest.mark.slow

UNITS = ("trace", "agent", "session")
RECORDINGS = sorted(
    f"{path.parent.parent.name}/{path.parent.name}" for path in FIXTURES.glob("*/*/meta.json")
)
#: Quiet time after which everything is closed, and is let go, in seconds.
QUIET_S = IDLE_NS / 1e9 + 1
#: Parts so far apart are looked at, and amend nothing; so far apart, each is judged.
LOOKED_AT_S, JUDGED_S = 2, 130
#: Here a span that no AI convention knows stands between the agents, and is sent after the
#: first verdict. It is counted and not held, so the tree stays in two.
BETWEEN_AGENTS = {
    "autogen/multiagent",
    "autogen-native/multiagent",
    "haystack-v2/toolerror",
    "haystack-v2/unknown",
}


class Told(NamedTuple):
    """What spans at the backend say: each verdict, and each violation."""

    verdicts: Counter[tuple[str, ...]]
    violations: Counter[tuple[str, ...]]


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both specs; of the whole schema each rule's own example."""
    folder = tmp_path_factory.mktemp("specs")
    (folder / "desk.yaml").write_text(SPEC.read_text(encoding="utf-8"), encoding="utf-8")
    rules = [{**model.example, "id": f"{model.key}-example"} for model in MODELS]
    every = {"specs": [{"name": "every-rule", "rules": rules}]}
    (folder / "every.yaml").write_text(yaml.safe_dump(every), encoding="utf-8")
    return folder


@cache
def recording_of() -> dict[str, str]:
    """Trace id to recording."""
    metas = {name: json.loads((FIXTURES / name / "meta.json").read_bytes()) for name in RECORDINGS}
    return {trace: name for name, meta in metas.items() for trace in meta["traces"]}


def by_recording(lines: Iterable[bytes]) -> dict[str, list[bytes]]:
    found = defaultdict(list)
    for line in lines:
        found[recording_of()[json.loads(line)["trace_id"]]].append(line)
    return {name: sorted(lines) for name, lines in found.items()}


@cache
def checked(specs: Path, unit: str) -> dict[str, list[bytes]]:
    """What the command prints of all recordings, read as one stream."""
    done = subprocess.run(
        [sys.executable, "-m", "surefoot", "check", str(FIXTURES), "--specs", str(specs),
         "--format", "json", "--unit", unit],
        capture_output=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    return by_recording(done.stdout.splitlines())


def newest(plans: Iterable[Plan]) -> list[bytes]:
    """The line that the newest verdicts on each run make."""
    runs: dict[tuple[bytes, bytes], dict[str, Plan]] = {}
    for plan in plans:
        if plan.verdict is not None:
            runs.setdefault((plan.run.trace_id, plan.run.key), {})[plan.spec] = plan
    lines = []
    for by_spec in runs.values():
        last = max(by_spec.values(), key=lambda plan: plan.after.revision)
        verdicts = [plan.verdict for plan in by_spec.values() if plan.verdict]
        lines.append(dump(judged_line(last.run, verdicts, mask)))
    return lines


@cache
def sent(specs: Path, unit: str) -> World:
    """A pipeline that got every recording, and then nothing until all was judged."""
    world = World(load([specs]), unit=unit)
    for name in RECORDINGS:
        world.send(*requests(name))
    for _ in range(3):
        world.wait(QUIET_S)
    return world


@cache
def live(specs: Path, unit: str) -> dict[str, list[bytes]]:
    return by_recording(newest(sent(specs, unit).plans))


@pytest.mark.parametrize("unit", UNITS)
def test_live_and_offline_judge_the_same_runs(specs: Path, unit: str) -> None:
    """And every recording has one; each spec judged every run."""
    assert sorted(live(specs, unit)) == sorted(checked(specs, unit))
    assert set(recording_of().values()) == set(RECORDINGS)
    lines = [json.loads(line) for lines in live(specs, unit).values() for line in lines]
    assert {len(line["verdicts"]) for line in lines} == {2}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_gets_the_same_verdicts_live_and_offline(
    specs: Path, name: str, unit: str
) -> None:
    """To the byte."""
    assert live(specs, unit).get(name) == checked(specs, unit).get(name)


@pytest.mark.parametrize("unit", UNITS)
def test_traces_close_live_for_the_reason_that_the_end_of_the_input_gives(
    specs: Path, unit: str
) -> None:
    """`root` where the trace is whole, `idle` where it is not."""
    for plan in sent(specs, unit).plans:
        levels = {level.value for level in plan.run.levels}
        partial = bool(levels & {"root_missing", "parents_missing"})
        assert plan.run.reason in ("root", "idle")
        assert partial or plan.run.reason == "root"


# What the backend gets.


def told_in(bodies: Iterable[bytes]) -> dict[str, Told]:
    """What the spans in verdict requests say, by recording."""
    found: dict[str, Told] = defaultdict(lambda: Told(Counter(), Counter()))
    for span in ours(bodies):
        told = attributes(span)
        verdicts, violations = found[recording_of()[span.trace_id.hex()]]
        if "surefoot.violation.check" in told:
            violations[_of(told, *VIOLATION)] += 1
        else:  # the command sorts the levels by name
            levels = ", ".join(sorted(told["surefoot.evidence"].split(", ")))
            verdicts[(*_of(told, *VERDICT), levels)] += 1
    return found


VERDICT = (
    "surefoot.spec.name",
    "surefoot.outcome",
    "surefoot.path.grade",
    "surefoot.output.grade",
    "surefoot.output.source",
    "surefoot.inconclusive",
)
VIOLATION = (
    "surefoot.spec.name",
    "surefoot.violation.check",
    "surefoot.violation.severity",
    "surefoot.violation.message",
    "surefoot.step.index",
)


def ours(bodies: Iterable[bytes]) -> Iterator[Span]:
    for body in bodies:
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in group.scope_spans:
                yield from (
                    span
                    for span in scope.spans
                    if any(one.key == "surefoot.spec.name" for one in span.attributes)
                )


def _of(told: dict[str, Any], *keys: str) -> tuple[str, ...]:
    return tuple(str(told.get(key, "")) for key in keys)


def told_by(lines: Iterable[bytes]) -> Told:
    """The same, of the command's lines."""
    found = Told(Counter(), Counter())
    for line in map(json.loads, lines):
        for one in line["verdicts"]:
            inconclusive = "; ".join(f"{it['check']}: {it['reason']}" for it in one["inconclusive"])
            found.verdicts[
                one["spec"], one["outcome"], one["path"], one["output"], one["output_source"],
                inconclusive, ", ".join(line["evidence"]),
            ] += 1  # fmt: skip
            for it in one["violations"]:
                step = "" if it["step"] is None else str(it["step"])
                key = (one["spec"], it["check"], it["severity"], it["message"], step)
                found.violations[key] += 1
    return found


@pytest.mark.parametrize("unit", UNITS)
def test_the_spans_that_leave_say_what_the_command_prints(specs: Path, unit: str) -> None:
    """Of each verdict the grades and every reason, and one span a violation."""
    told = told_in(sent(specs, unit).verdicts.bodies)

    assert told == {name: told_by(lines) for name, lines in checked(specs, unit).items()}


@pytest.mark.slow
def test_a_real_server_says_what_the_command_prints(specs: Path, tmp_path: Path) -> None:
    """All recordings over gRPC into one `surefoot run`, all verdicts out of it over gRPC."""
    offline = checked(specs, "trace")
    runs = sum(map(len, offline.values()))
    with Sink() as sink:
        config = {
            "exporters": {"otlp": {"endpoint": sink.endpoint, "tls": {"insecure": True}}},
            "processors": {"surefoot": {"settle": "5s", "idle_timeout": "10s"}},
        }
        with surefoot(tmp_path, config, specs) as child:
            for name in RECORDINGS:
                child.send(*requests(name))
            assert wait_for_verdicts(sink, 2 * runs), child.said()
            assert child.terminate() == 0

    told = told_in(sink.taken["traces"])
    for name, lines in offline.items():
        assert told[name] == told_by(lines), name
    assert sorted(told) == sorted(offline)


def wait_for_verdicts(sink: Sink, count: int) -> bool:
    """Whether the backend got so many verdicts; each body is read once."""
    seen, verdicts = 0, 0

    def came() -> bool:
        nonlocal seen, verdicts
        bodies = sink.taken["traces"]
        fresh, seen = bodies[seen:], len(bodies)
        verdicts += sum(span.name.startswith("verdict ") for span in ours(fresh))
        return verdicts >= count

    with sink._changed:
        return sink._changed.wait_for(came, 60)


# What differs by design.


def in_parts(name: str, specs: Path, pause_s: float) -> World:
    """A pipeline that got a recording's requests with a pause after each."""
    world = World(load([specs]))
    for body in requests(name):
        world.send(body)
        world.wait(pause_s)
    world.wait(QUIET_S)
    return world


def without_step(violations: Counter[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    return Counter(one[:-1] for one in violations.elements())


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDINGS)
def test_looks_at_open_traces_change_no_verdict(specs: Path, name: str) -> None:
    """A violation that left early keeps the step's number of that moment, and no more."""
    world = in_parts(name, specs, LOOKED_AT_S)
    early = {
        out.span_id
        for plan in world.plans
        if plan.verdict is None
        for _, out in plan.new_violations
    }
    offline = checked(specs, "trace")[name]

    assert sorted(newest(world.plans)) == offline
    spans = list(ours(world.verdicts.bodies))
    told = told_in(world.verdicts.bodies)[name]
    assert without_step(told.violations) == without_step(told_by(offline).violations)
    moved = told.violations - told_by(offline).violations
    first = [span for span in spans if span.span_id in early]
    assert moved <= Counter(_of(attributes(span), *VIOLATION) for span in first)
    assert not any("surefoot.withdrawn" in attributes(span) for span in spans)


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDINGS)
def test_amended_verdicts_end_where_the_whole_input_does(specs: Path, name: str) -> None:
    """Each request comes after the verdict on those before it."""
    lines = sorted(newest(in_parts(name, specs, JUDGED_S).plans))
    offline = checked(specs, "trace")[name]

    differing = [pair for pair in zip(lines, offline, strict=True) if pair[0] != pair[1]]
    assert len(differing) == (name in BETWEEN_AGENTS)
    for line, whole in (map(json.loads, pair) for pair in differing):
        (level,) = set(line["evidence"]) - set(whole["evidence"])
        assert level in ("parents_missing", "root_missing")
        assert line["steps"] == whole["steps"]
        for partly, wholly in zip(line["verdicts"], whole["verdicts"], strict=True):
            only_less_sure(partly, wholly, level)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_run_that_a_shutdown_cuts_off_is_only_less_sure(specs: Path, name: str) -> None:
    """Offline the end of the input is the end of the run; a shutdown is not."""
    world = World(load([specs]))
    world.send(*requests(name))
    world.judge.drain(world.clock.now_ns() + IDLE_NS)
    offline = {line["trace_id"]: line for line in map(json.loads, checked(specs, "trace")[name])}

    cut = [json.loads(line) for line in newest(world.plans)]
    assert sorted(offline) == sorted(line["trace_id"] for line in cut)
    for line in cut:
        whole = offline[line["trace_id"]]
        assert set(line["evidence"]) == {"closed_early", *whole["evidence"]} - {"complete"}
        assert line["steps"] == whole["steps"]
        for partly, wholly in zip(line["verdicts"], whole["verdicts"], strict=True):
            only_less_sure(partly, wholly, "closed_early")


def only_less_sure(partly: dict[str, Any], wholly: dict[str, Any], level: str) -> None:
    """Whatever is not the same is undecided for `level`; nothing is made up."""
    undecided = {
        one["check"] for one in partly["inconclusive"] if level in one["reason"].split(", ")
    }
    violations, all_violations = but_evidence(partly), but_evidence(wholly)
    kept = [one for one in violations if one["check"] not in undecided]
    assert kept == [one for one in all_violations if one["check"] not in undecided]
    assert all(one in all_violations for one in violations)
    others = [one for one in partly["inconclusive"] if one["check"] not in undecided]
    assert others == [one for one in wholly["inconclusive"] if one["check"] not in undecided]


def but_evidence(verdict: dict[str, Any]) -> list[dict[str, Any]]:
    """A verdict's violations; one rule's are about the evidence itself."""
    return [one for one in verdict["violations"] if one["check"] != "data_quality-example"]
