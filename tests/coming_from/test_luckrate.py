"""luckrate's specs and ours find the same, message for message, on made and recorded runs."""

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import metadata
from typing import Any

import luckrate
import pytest
import yaml
from luckrate.adapters.otel import from_otel
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from coming_from.courses import GOOD, TASK, Made, courses, run_of, verdict_of
from coming_from.page import TEXT, Pair, of
from surefoot.model import OutputGrade
from surefoot.testing import judgement
from worlds import FIXTURES, requests

PAIRS = of("luckrate")
#: Whole runs with all arguments and results told; an error's own words are in both.
RECORDED = [
    f"{framework}/{run}"
    for framework in ("langgraph", "crewai", "openaiagents", "n8n")
    for run in ("good", "skips", "loops", "fabricates", "injected")
    if (FIXTURES / framework / run).is_dir()
]


def spec_of(pair: Pair) -> dict[str, Any]:
    told: dict[str, Any] = {}
    exec(pair.theirs, told)  # noqa: S102 - our own page
    spec: dict[str, Any] = told["spec"]
    return spec


def theirs(pair: Pair, course: Sequence[Any], task: str = TASK) -> list[str]:
    steps = [luckrate.Step(one.tool, dict(one.args), one.ok, one.result) for one in course]
    found: list[str] = luckrate.check(steps, spec_of(pair), task)
    return found


def ours(pair: Pair, course: Sequence[Made], **more: Any) -> list[str]:
    verdict = verdict_of(run_of(course), pair.specs(**more))
    return [str(one) for one in verdict.violations]


def test_their_sides_are_those_of_luckrates_readme() -> None:
    readme = metadata("luckrate")["Description"]
    written = [
        re.findall(r"^spec = (\{.*?^\})", block, re.DOTALL | re.MULTILINE)
        for block in re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    ]
    specs = [eval(spec) for found in written for spec in found]  # noqa: S307 - pinned package

    assert specs == [spec_of(pair) for pair in PAIRS]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_they_find_the_same(pair: Pair) -> None:
    found = [(theirs(pair, course), ours(pair, course)) for course in courses(400)]

    for their, our in found:
        assert sorted(their) == sorted(our)
    assert len({tuple(their) for their, _ in found}) > 10
    assert any(not their for their, _ in found)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("recording", RECORDED)
def test_they_find_the_same_in_recordings(pair: Pair, recording: str) -> None:
    judged = judgement(FIXTURES / recording, dict(pair.ours))
    run = judged.run
    found = theirs(pair, run.steps, run.task)

    assert sorted(str(one) for one in judged.violations) == sorted(found)
    assert not judged.undecided


def spans_of(recording: str) -> list[dict[str, Any]]:
    """A recording's spans in the shape that luckrate reads, the SDK's `span.to_json()`."""
    return [
        {
            "name": span.name,
            "context": {"span_id": span.span_id.hex()},
            "parent_id": span.parent_span_id.hex() or None,
            "start_time": f"{span.start_time_unix_nano:020}",
            "status": {"status_code": "ERROR" if span.status.code == 2 else "UNSET"},
            "attributes": {one.key: one.value.string_value for one in span.attributes},
        }
        for body in requests(recording)
        for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    ]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("recording", ["good", "skips", "loops", "fabricates", "injected"])
def test_its_own_reader_of_spans_finds_the_same(pair: Pair, recording: str) -> None:
    """LangChain writes a lone argument without its name, and luckrate calls it `input`."""
    steps = from_otel(spans_of(f"langgraph/{recording}"))
    found = theirs(pair, steps, "I want a refund for order 88213, it arrived broken.")
    judged = judgement(FIXTURES / "langgraph" / recording, dict(pair.ours))
    lone = {"fabricates": "order_id", "injected": "url"}.get(recording, "")

    assert sorted(str(one) for one in judged.violations) == sorted(
        one.replace(".input=", f".{lone}=") for one in found
    )


def test_a_call_that_nothing_ran_is_told_by_us_alone() -> None:
    steps = from_otel(spans_of("langgraph/unknown"))
    judged = judgement(FIXTURES / "langgraph/unknown", dict(PAIRS[0].ours))

    assert theirs(PAIRS[0], steps) == []
    assert [str(one) for one in judged.violations] == ["unknown tool: delete_customer"]


@pytest.mark.parametrize("name", ["Lookup Order", "LOOKUP_ORDER", "mcp__desk__lookup_order"])
def test_a_name_means_what_frameworks_make_of_it_with_us_alone(name: str) -> None:
    course = [replace(GOOD[0], tool=name), GOOD[1]]

    assert f"unknown tool: {name}" in theirs(PAIRS[0], course)
    assert ours(PAIRS[0], course) == []


PART = [Made("lookup_order", {"order_id": "882"}), GOOD[1]]
ECHO = [
    Made("lookup_order", {"order_id": "48327"}, "order 48327: total 200"),
    GOOD[1],
    Made("escalate_to_human", {"order_id": "48327"}),
]


@pytest.mark.parametrize(
    ("course", "told"),
    [
        (PART, "warn: ungrounded arg lookup_order.order_id='882'"),
        (ECHO, "warn: ungrounded arg escalate_to_human.order_id='48327'"),
    ],
)
def test_our_own_provenance_finds_more(course: list[Made], told: str) -> None:
    """What the page says of `provenance: substring` being left out."""
    found = theirs(PAIRS[0], course)

    assert sorted(ours(PAIRS[0], course, provenance="boundary")) == sorted([*found, told])


@pytest.mark.parametrize("answer", ["Escalated to a human.", "I escalate it.", "Refunded."])
def test_what_was_expected_of_the_output_is_output_ok(answer: str) -> None:
    (written,) = re.findall(r"`(output_ok: .*?)` in the spec", TEXT)
    (expect,) = re.findall(r'`"expect": (lambda.*?)`', TEXT)
    verdict = verdict_of(run_of(GOOD, output=answer), PAIRS[0].specs(**yaml.safe_load(written)))

    assert (verdict.output is OutputGrade.OK) is eval(expect)(answer)  # noqa: S307 - our page
