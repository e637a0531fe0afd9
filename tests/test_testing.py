"""What a test of an agent has at hand is judged as `surefoot check` judges files."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from surefoot import Spec
from surefoot.cli.lines import judged_line
from surefoot.errors import InputError, SpecError
from surefoot.evaluate import mask
from surefoot.testing import Judgement, judgement
from worlds import FIXTURES, SPEC

GOOD, SKIPS = FIXTURES / "langgraph" / "good", FIXTURES / "langgraph" / "skips"
STRICT = {"name": "desk", "required": ["check_policy"], "forbidden": ["issue_refund"]}


def spans(*tools: str, service: str = "desk", kind: str = "AGENT") -> Sequence[ReadableSpan]:
    """The finished spans of an agent that calls these tools."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": service}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("tests")
    with tracer.start_as_current_span("agent") as agent:
        agent.set_attributes(
            {
                "openinference.span.kind": kind,
                "input.value": "A refund for order 88213",
                "output.value": "Done.",
            }
        )
        for tool in tools:
            with tracer.start_as_current_span(tool) as step:
                step.set_attributes(
                    {
                        "openinference.span.kind": "TOOL",
                        "tool.name": tool,
                        "input.value": '{"order_id": "88213"}',
                        "output.value": "fine",
                    }
                )
    return exporter.get_finished_spans()


def lines(found: Judgement) -> list[dict[str, Any]]:
    return [judged_line(one.run, one.verdicts, mask) for one in found.judged]


def messages(found: Judgement) -> list[str]:
    return [str(violation) for violation in found.violations]


# What may be judged.


def test_spans_in_memory_are_judged_as_if_they_had_been_sent(tmp_path: Path) -> None:
    recorded = spans("lookup_order", "issue_refund")
    file = tmp_path / "run.binpb"
    file.write_bytes(encode_spans(recorded).SerializeToString())

    from_memory = judgement(recorded, STRICT)

    assert lines(from_memory) == lines(judgement(file, STRICT))
    assert messages(from_memory) == [
        "missing required tool: check_policy",
        "called forbidden tool: issue_refund",
    ]
    assert from_memory.run.service == "desk"


def test_spans_in_memory_may_come_as_any_iterable() -> None:
    assert messages(judgement(iter(spans("issue_refund", "check_policy")), STRICT)) == [
        "called forbidden tool: issue_refund"
    ]


@pytest.mark.parametrize(
    "source", [GOOD, str(GOOD), [GOOD], sorted(GOOD.glob("*.binpb")), iter([GOOD])]
)
def test_files_and_folders_are_one_stream(source: object) -> None:
    found = judgement(source, SPEC)

    assert found.verdict.outcome == "pass"
    assert [step.tool for step in found.steps] == [
        "lookup_order",
        "check_policy",
        "escalate_to_human",
    ]


def test_several_runs_come_in_order_of_start() -> None:
    found = judgement([SKIPS, GOOD], SPEC)

    assert [verdict.outcome for verdict in found.verdicts] == ["pass", "lucky"]
    assert len(found.runs) == 2
    with pytest.raises(ValueError, match="too many"):
        _ = found.run
    with pytest.raises(ValueError, match="too many"):
        _ = found.verdict


def test_the_unit_is_that_of_the_command() -> None:
    two = FIXTURES / "langgraph" / "session"

    assert len(judgement(two, SPEC).runs) == 2
    assert len(judgement(two, SPEC, unit="session").runs) == 1
    with pytest.raises(ValueError, match="unit='turn' is none of trace, agent, session"):
        judgement(two, SPEC, unit="turn")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ([], "no span was given: nothing was recorded, or it was not flushed"),
        ((), "no span was given"),
        (7, "int is no source of runs; give OTLP files, folders of them, or the spans of"),
        ({"a": 1}, "dict is no source of runs"),
        ([7], "span 0: int is no span; give what InMemorySpanExporter.get_finished_spans()"),
        (["nowhere.binpb"], "nowhere.binpb: no such file"),
    ],
)
def test_what_is_no_source_is_refused(source: object, told: str) -> None:
    with pytest.raises(InputError) as refused:
        judgement(source, STRICT)

    assert str(refused.value).startswith(told)


def test_a_path_among_spans_is_refused() -> None:
    with pytest.raises(InputError, match="is no span"):
        judgement([*spans("lookup_order"), GOOD], STRICT)


# What it is judged by.


@pytest.mark.parametrize(
    "spec",
    [
        STRICT,
        {"specs": [STRICT]},
        {key: tuple(value) for key, value in STRICT.items() if key != "name"},
        [STRICT],
        Spec.model_validate(STRICT),
        (Spec.model_validate(STRICT),),
    ],
)
def test_a_spec_may_be_written_in_python(spec: object) -> None:
    assert messages(judgement(spans("issue_refund"), spec)) == [
        "missing required tool: check_policy",
        "called forbidden tool: issue_refund",
    ]


def test_a_dict_without_a_name_gets_one() -> None:
    assert judgement(spans("a"), {"forbidden": ["b"]}).verdict.spec == "spec"


@pytest.mark.parametrize("as_given", [lambda path: path, str, lambda path: [path]])
def test_a_spec_may_be_a_file_or_a_folder(tmp_path: Path, as_given: Any) -> None:
    file = tmp_path / "desk.yaml"
    file.write_text("specs: [{name: desk, forbidden: [issue_refund]}]", encoding="utf-8")

    for path in (file, tmp_path):
        assert messages(judgement(spans("issue_refund"), as_given(path))) == [
            "called forbidden tool: issue_refund"
        ]


def test_each_spec_of_a_list_judges() -> None:
    other = {"name": "other", "forbidden": ["send_email"]}
    found = judgement(SKIPS, [STRICT, other])

    assert [verdict.spec for verdict in found.verdicts] == ["desk", "other"]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"forbiden": ["a"]}, "specs[0].forbiden: "),
        ({"before": ["a", "b"]}, "specs[0].before: "),
        ({"tools": ["a"], "required": ["b"]}, "specs[0].required[0]: "),
        ({"tools": {"a"}}, "no spec: Object of type set is not JSON serializable; write texts"),
        (7, "int is no spec; give spec files or folders, or dicts and surefoot.Specs"),
        ([SPEC, STRICT], "PosixPath is no spec"),
        ([], "no spec was given; give spec files"),
        ([STRICT, STRICT], "two specs are named 'desk'; names are unique in a set"),
        ("nowhere.yaml", "nowhere.yaml: no such file"),
    ],
)
def test_a_wrong_spec_is_told_with_its_place(spec: object, told: str) -> None:
    with pytest.raises(SpecError) as refused:
        judgement(spans("a"), spec)

    assert str(refused.value).startswith(told)


# What comes of it.


@pytest.mark.parametrize("arguments", [[GOOD], [SKIPS], [GOOD, SKIPS]])
def test_the_text_is_what_the_command_prints(arguments: list[Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "surefoot", "check", *map(str, arguments), "--specs", str(SPEC)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    found = judgement(arguments, SPEC)

    assert found.text == done.stdout
    assert bool(found.gating) == (done.returncode == 1)


def test_what_gates_is_the_commands_rule() -> None:
    """Hard gates, soft by more than half of its runs, a warning does not."""
    recorded = spans("lookup_order", "lookup_order")
    soft = judgement(recorded, {"name": "s", "no_repeat": True})
    warn = judgement(recorded, {"name": "s", "no_repeat": True, "severity": {"no_repeat": "warn"}})

    assert judgement(recorded, {"name": "s", "forbidden": ["lookup_order"]}).gating
    assert soft.gating == ("s: no_repeat (soft) is violated in 1 of 1 decided run",)
    assert warn.violations
    assert warn.gating == ()


@pytest.mark.parametrize("fail_on", ["warn", ["warn"], ("warn", "hard")])
def test_fail_on_replaces_what_gates(fail_on: Any) -> None:
    recorded = spans("lookup_order", "lookup_order")
    spec = {"name": "s", "no_repeat": True, "severity": {"no_repeat": "warn"}}

    assert judgement(recorded, spec, fail_on=fail_on).gating == (
        "s: no_repeat (warn) is violated in 1 run",
    )
    assert judgement(recorded, STRICT, fail_on="warn").gating == ()


def test_fail_on_takes_no_other_word() -> None:
    with pytest.raises(ValueError, match="fail_on='any' is none of hard, soft, warn, output,"):
        judgement(GOOD, SPEC, fail_on="any")


def test_no_run_and_no_match_are_faults() -> None:
    """Neither gates, so both must be seen apart."""
    none = judgement(spans(kind="EMBEDDING"), STRICT)
    unmatched = judgement(spans("a"), STRICT | {"match": {"service": "shop"}})

    assert none.judged == ()
    assert none.faults[0].startswith("nothing was judged: ")
    assert unmatched.verdicts == ()
    assert "desk/agent" in unmatched.faults[0]
    assert (none.gating, unmatched.gating) == ((), ())


def test_what_cannot_be_decided_is_told_with_its_reason() -> None:
    hidden = FIXTURES / "langgraph" / "hidden"

    assert judgement(hidden, SPEC).undecided == (
        "refund-desk: ground could not be decided (args_redacted) in 1 run",
        "refund-desk: secrets could not be decided (args_redacted) in 1 run",
    )
    twice = [hidden, FIXTURES / "crewai" / "hidden"]
    assert judgement(twice, {"name": "s", "secrets": False}).undecided == (
        "s: ground could not be decided (args_redacted) in 2 runs",
    )
    assert judgement(GOOD, SPEC).undecided == ()
