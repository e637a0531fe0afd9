"""SARIF: valid by its schema, and fingerprints that stay."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.builders import a_run, a_span, a_verdict, a_violation
from surefoot.cli.findings import Findings
from surefoot.cli.gate import FailOn, Gate, Judged
from surefoot.cli.origins import Origins
from surefoot.cli.read import STDIN_NAME, Request
from surefoot.cli.sarif import sarif
from surefoot.emit.texts import Texts
from surefoot.evaluate import mask
from surefoot.model import OutputGrade, Run, Severity, Violation
from surefoot.specs import Meaning, Spec, meanings

DATA = Path(__file__).parents[1] / "data"
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=20)
SPEC = Spec.model_validate(
    {
        "name": "desk",
        "tools": ["a", "b"],
        "forbidden": ["b"],
        "untrusted": ["a"],
        "privileged": ["b"],
        "rules": [
            {"id": "no-b", "forbidden": "b", "severity": "soft"},
            {"id": "few", "calls": {"step": "a", "max": 2}},
        ],
    }
)


@cache
def schema() -> jsonschema_rs.Draft4Validator:
    """The schema; of a language's pattern without a bracket too many, which few engines take."""
    text = (DATA / "sarif-2.1.0-rtm.5.json").read_text("utf-8")
    tree = json.loads(text.replace("{2}]?$", "{2}?$"))
    return jsonschema_rs.Draft4Validator(tree, validate_formats=True)


def written(
    judged: Sequence[Judged],
    *fail_on: FailOn,
    origins: Origins | None = None,
    told: Mapping[str, Sequence[Meaning]] | None = None,
) -> dict[str, Any]:
    """The report's one run, once it has passed the schema."""
    findings = Findings(Texts(mask), origins, Gate.of(judged, frozenset(fail_on)))
    report = json.loads(sarif(judged, told or {}, findings, 1))
    schema().validate(report)
    (run,) = report["runs"]
    assert isinstance(run, dict)
    return run


def results(judged: Sequence[Judged], *fail_on: FailOn, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = written(judged, *fail_on, **more)["results"]
    return found


def at(file: str, run: Run, line: int = 0) -> Origins:
    """Origins that know the run's spans in this file."""
    origins = Origins()
    ids = {run.root.span_id, *(one.span_id for one in run.evidence)}
    origins.note(Request(b"", file, line), [a_span(run.trace_id, span_id) for span_id in ids])
    return origins


def prints(run: Run, *violations: Violation, file: str = "a.binpb") -> list[str]:
    """The fingerprints of these violations of this run, in a file."""
    judged = [Judged(run, (a_verdict(*violations),))]
    found = results(judged, origins=at(file, run))
    return [one["partialFingerprints"]["surefoot/v1"] for one in found]


@settings(max_examples=50)
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_any_text_makes_a_valid_document(name: str, message: str, check: str) -> None:
    run = a_run(name, service=name, agent=name)
    verdict = a_verdict(a_violation(check, message=message, step=0), undecided=(check,), spec=name)
    told = {name: [Meaning(check, "forbidden", "No such call.", "hard", "final")]}

    found = written([Judged(run, (verdict,))], origins=at(f"f{name}", run), told=told)

    assert [one["ruleIndex"] for one in found["results"]] == [0, 0]


def test_each_check_of_a_spec_is_a_rule_with_its_help() -> None:
    rules = written([], told={"desk": tuple(meanings(SPEC))})["tool"]["driver"]["rules"]

    assert [(one["id"], one["name"], one["defaultConfiguration"]["level"]) for one in rules] == [
        ("desk/tools", "tools", "error"),
        ("desk/forbidden", "forbidden", "error"),
        ("desk/taint", "taint", "error"),
        ("desk/ground", "ground", "note"),
        ("desk/secrets", "secrets", "note"),
        ("desk/no-b", "forbidden", "warning"),
        ("desk/few", "calls", "error"),
    ]
    assert rules[1]["shortDescription"] == {"text": Spec.model_fields["forbidden"].description}
    assert all(one["help"]["text"].startswith(one["shortDescription"]["text"]) for one in rules)
    assert all(len(one["shortDescription"]["text"]) > 10 for one in rules)


@pytest.mark.parametrize(
    ("severity", "level"),
    [(Severity.HARD, "error"), (Severity.SOFT, "warning"), (Severity.WARN, "note")],
)
def test_a_violation_is_a_result_where_its_step_stands(severity: Severity, level: str) -> None:
    run = a_run("a", "b")
    verdict = a_verdict(a_violation(severity=severity, step=1))
    told = {"desk": tuple(meanings(SPEC))}

    (one,) = results([Judged(run, (verdict,))], origins=at("runs/a b.jsonl", run, 3), told=told)

    assert (one["ruleId"], one["ruleIndex"]) == ("desk/forbidden", 1)
    assert (one["kind"], one["level"]) == ("fail", level)
    assert one["message"] == {"text": "called forbidden tool issue_refund, step 1 b"}
    assert one["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "runs/a%20b.jsonl", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 3},
            },
            "logicalLocations": [
                {"name": "b", "fullyQualifiedName": f"{'0' * 31}1/{'02' * 8}", "kind": "span"}
            ],
        }
    ]


@pytest.mark.parametrize(
    ("file", "artifact"),
    [
        (STDIN_NAME, {"uri": "stdin"}),
        (str(Path.cwd() / "a" / "b.json"), {"uri": "a/b.json", "uriBaseId": "%SRCROOT%"}),
        ("./a/../b.json", {"uri": "b.json", "uriBaseId": "%SRCROOT%"}),
        ("/elsewhere/b.json", {"uri": "file:///elsewhere/b.json"}),
        (os.fsdecode(b"a\xff.json"), {"uri": "a%FF.json", "uriBaseId": "%SRCROOT%"}),
    ],
)
def test_a_file_is_named_from_the_working_folder(file: str, artifact: dict[str, str]) -> None:
    run = a_run("a")
    (one,) = results([Judged(run, (a_verdict(a_violation()),))], origins=at(file, run))

    assert one["locations"][0]["physicalLocation"] == {"artifactLocation": artifact}


def test_an_undecided_check_is_open_and_of_no_level() -> None:
    (one,) = results([Judged(a_run(), (a_verdict(undecided=("required",)),))])

    assert (one["ruleId"], one["kind"], one["level"]) == ("desk/required", "open", "none")
    assert one["message"] == {"text": "could not be decided: task_unknown"}


def test_a_failed_output_is_a_result_only_if_it_gates() -> None:
    judged = [Judged(a_run(), (a_verdict(output=OutputGrade.FAILED),))]

    assert results(judged) == []
    run = written(judged, FailOn.OUTPUT)
    assert [one["ruleId"] for one in run["results"]] == ["desk/output"]
    assert [one["level"] for one in run["results"]] == ["error"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["desk/output"]


def test_a_crashed_check_is_a_notification_and_no_result() -> None:
    run = written([Judged(a_run(), (a_verdict(undecided=("taint",), crashed=("taint",)),))])

    assert run["results"] == []
    assert run["invocations"] == [
        {
            "executionSuccessful": False,
            "exitCode": 1,
            "toolExecutionNotifications": [
                {
                    "level": "error",
                    "message": {"text": f"check taint crashed on {'0' * 31}1"},
                }
            ],
        }
    ]


def test_nothing_that_an_agent_wrote_becomes_a_link() -> None:
    verdict = a_verdict(a_violation(message="see [here](https://example.com)"))
    (one,) = results([Judged(a_run(), (verdict,))])

    assert one["message"]["text"] == "see [here] (https://example.com)"


def test_no_credential_leaves() -> None:
    key = "AKIA" + "Q" * 16
    run = a_run(key, service=key, agent=key)
    verdict = a_verdict(a_violation("c", message=f"saw {key}", step=0))

    assert key not in json.dumps(written([Judged(run, (verdict,))]))


# Fingerprints.

FOUND = a_violation(step=1)


@given(st.integers(0, 5), st.integers(1, 1000))
def test_a_fingerprint_stays_when_steps_shift_and_the_run_is_recorded_anew(
    before: int, number: int
) -> None:
    shifted = a_run(*["a"] * before, "b", number=number)
    shifted.evidence[before].span_id = b"\7" * 8

    assert prints(shifted, replace(FOUND, step=before)) == prints(a_run("a", "b"), FOUND)


@pytest.mark.parametrize(
    "other",
    [
        replace(FOUND, check="tools"),
        replace(FOUND, arg="order_id"),
        replace(FOUND, subject="a, b"),
        replace(FOUND, step=0),
        replace(FOUND, step=None),
    ],
)
def test_findings_that_differ_have_other_fingerprints(other: Violation) -> None:
    run = a_run("a", "b")

    assert prints(run, other) != prints(run, FOUND)


def test_another_file_another_agent_another_service_have_other_fingerprints() -> None:
    run = a_run("b")
    found = replace(FOUND, step=None)
    all_prints = [
        prints(run, found),
        prints(run, found, file="b.binpb"),
        prints(a_run("b", agent="other"), found),
        prints(a_run("b", service="other"), found),
    ]

    assert len({one for (one,) in all_prints}) == 4


def test_what_a_violation_weighs_and_says_does_not_change_its_fingerprint() -> None:
    run = a_run("a", "b")

    assert prints(run, replace(FOUND, severity=Severity.WARN, message="x")) == prints(run, FOUND)


def test_equal_findings_are_numbered() -> None:
    run = a_run("b", "b")
    first, second = prints(run, replace(FOUND, step=0), FOUND)

    assert first.split(":")[0] == second.split(":")[0]
    assert [first.split(":")[1], second.split(":")[1]] == ["0", "1"]
