"""`surefoot check` from outside: what it prints, where to, and how it exits."""

import gzip
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from cli.commands import DESK, FORMATS, GOOD, HIDDEN, LOOPS, SKIPS, check
from cli.otlp_files import FIXTURES, as_json, recorded

#: Each test starts the program anew, or replays every recording.
pytestmark = pytest.mark.slow


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "specs" / "desk.yaml"
    path.parent.mkdir()
    path.write_text(DESK)
    return path


def spec_with(path: Path, keys: str) -> Path:
    path.write_text(f"{DESK}    {keys}\n")
    return path


# What it prints.


def test_a_clean_run_is_0_and_a_line(spec: Path) -> None:
    done = check(GOOD, "--specs", spec)

    assert done.returncode == 0
    assert done.stdout == "1 run: 1 pass; Luck Rate 0/1 = 0 %\n"
    assert done.stderr == ""


def test_a_hard_violation_is_1_and_told_with_its_file(spec: Path) -> None:
    done = check(SKIPS, "--specs", spec_with(spec, "forbidden: [issue_refund]"))

    assert done.returncode == 1
    told = "forbidden: hard: called forbidden tool: issue_refund, step 1 issue_refund"
    assert done.stdout.splitlines() == [
        f"{SKIPS}/000.binpb: c83eb5d670c3470804d46d21bd340e89: {told}",
        "1 run: 1 lucky; Luck Rate 1/1 = 100 %",
        "gate: desk: forbidden (hard) is violated in 1 run",
    ]
    assert done.stderr == ""


def test_the_readme_shows_what_it_prints() -> None:
    readme = (FIXTURES.parent / "README.md").read_text("utf-8")
    shown = readme.split("<!-- output: findings -->\n```\n")[1].split("```")[0]
    done = subprocess.run(
        [sys.executable, "-m", "surefoot", "check", "proto_fixtures/crewai/skips",
         "proto_fixtures/crewai/good", "--specs", "examples/refund-desk.yaml"],
        cwd=FIXTURES.parent, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.stdout == shown
    assert done.returncode == 1


def test_a_soft_check_gates_by_majority(spec: Path) -> None:
    spec_with(spec, "no_repeat: true")

    alone = check(LOOPS, "--specs", spec)
    among = check(LOOPS, GOOD, "--specs", spec)

    assert alone.returncode == 1
    assert among.returncode == 0


def test_fail_on_replaces_what_gates(spec: Path) -> None:
    spec_with(spec, "no_repeat: true")
    strict = check(LOOPS, GOOD, "--specs", spec, "--fail-on", "soft,warn")
    lenient = check(LOOPS, "--specs", spec, "--fail-on", "hard")

    assert strict.returncode == 1
    assert lenient.returncode == 0


@pytest.mark.parametrize(("share", "code"), [("0.5", 0), ("50%", 0), ("51 %", 1), ("1", 1)])
def test_a_pass_rate_below_the_least_is_1(spec: Path, share: str, code: int) -> None:
    spec_with(spec, "no_repeat: true")

    done = check(LOOPS, GOOD, "--specs", spec, "--min-pass-rate", share)

    assert done.returncode == code
    assert ("gate: 1 of 2 decided runs passed, 50 %" in done.stdout) is bool(code)


def test_an_undefined_pass_rate_is_1_and_said(spec: Path) -> None:
    done = check(HIDDEN, "--specs", spec, "--min-pass-rate", "0.1")

    assert done.returncode == 1
    assert "gate: the pass rate is undefined, no run was decided; 10 % are asked" in done.stdout


def test_json_lines_carry_the_verdicts_and_gate_alike(spec: Path) -> None:
    spec_with(spec, "forbidden: [issue_refund]")

    done = check(SKIPS, GOOD, "--specs", spec, "--format", "json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.returncode == 1
    assert [line["verdicts"][0]["outcome"] for line in lines] == ["pass", "lucky"]
    assert lines[1]["verdicts"][0]["violations"] == [
        {"check": "forbidden", "severity": "hard", "message": "called forbidden tool: issue_refund",
         "step": 1}
    ]  # fmt: skip
    assert done.stderr.splitlines()[-1] == "gate: desk: forbidden (hard) is violated in 1 run"


def test_junit_and_sarif_are_whole_documents_and_gate_alike(spec: Path) -> None:
    spec_with(spec, "forbidden: [issue_refund]")

    junit = check(SKIPS, GOOD, "--specs", spec, "--format", "junit")
    sarif = check(SKIPS, GOOD, "--specs", spec, "--format", "sarif")

    assert [junit.returncode, sarif.returncode] == [1, 1]
    assert ET.fromstring(junit.stdout).get("failures") == "1"  # noqa: S314 - our own
    (run,) = json.loads(sarif.stdout)["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["desk/forbidden"]
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]


def test_a_run_that_met_no_spec_among_others_is_told_of_and_does_not_gate(spec: Path) -> None:
    spec.write_text(DESK.replace("refund-*", "refund-crewai"))

    done = check(GOOD, FIXTURES / "langgraph" / "good", "--specs", spec)

    assert done.returncode == 0
    assert "unmatched: refund-langgraph/refund_agent met no spec\n" in done.stdout
    assert done.stdout.endswith("2 runs, 1 unmatched: 1 pass; Luck Rate 0/1 = 0 %\n")


def test_unit_says_what_is_one_run(spec: Path) -> None:
    session = FIXTURES / "openaiagents" / "session"

    apart = check(session, "--specs", spec, "--format", "json")
    joined = check(session, "--specs", spec, "--format", "json", "--unit", "session")

    assert len(apart.stdout.splitlines()) == 2
    assert len(joined.stdout.splitlines()) == 1


def test_colours_are_for_a_terminal(spec: Path) -> None:
    """The same lines on a terminal and in a pipe, but for the colours."""
    spec_with(spec, "forbidden: [issue_refund]")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "surefoot", "check", str(SKIPS), "--specs", str(spec)]
    environment = os.environ | {"TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the other side is gone
            pass
        process.wait(60)
    os.close(ours)

    assert b"\x1b[31mhard: \x1b[0m" in shown
    assert b"\x1b[1;33m1 lucky\x1b[0m" in shown


# What it reads.


def read_gzip(folder: Path) -> list[object]:
    for number, body in enumerate(recorded("crewai", "skips")):
        (folder / f"{number}.binpb.gz").write_bytes(gzip.compress(body))
    return [folder]


def read_lines(folder: Path) -> list[object]:
    path = folder / "traces.json"
    path.write_text("\n".join(map(as_json, recorded("crewai", "skips"))) + "\n")
    return [path]


def read_lines_gzip(folder: Path) -> list[object]:
    lines = "\n".join(map(as_json, recorded("crewai", "skips"))) + "\n"
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return [folder / "a.jsonl.gz"]


@pytest.mark.parametrize("write", [read_gzip, read_lines, read_lines_gzip])
def test_files_of_every_kind_are_judged_alike(
    tmp_path: Path, spec: Path, write: Callable[[Path], list[object]]
) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    spec_with(spec, "forbidden: [issue_refund]")

    done = check(*write(folder), "--specs", spec)

    assert done.returncode == 1
    assert "forbidden: hard: called forbidden tool: issue_refund, step 1" in done.stdout


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["json", "protobuf"])
def test_the_standard_input_is_read_for_what_it_is(spec: Path, kind: str, *, packed: bool) -> None:
    bodies = recorded("crewai", "skips")
    # Messages of protobuf, one after another, are one message.
    given = b"".join(bodies) if kind == "protobuf" else "\n".join(map(as_json, bodies)).encode()
    spec_with(spec, "forbidden: [issue_refund]")

    done = check("-", "--specs", spec, given=gzip.compress(given) if packed else given)

    where = "<stdin>" if kind == "protobuf" else "<stdin>:1"
    assert done.returncode == 1
    assert done.stdout.startswith(f"{where}: c83eb5d670c3470804d46d21bd340e89: forbidden: hard: ")


# Where it writes.


@pytest.mark.parametrize("output_format", FORMATS)
def test_a_file_gets_what_stdout_would_and_the_log_a_summary(
    tmp_path: Path, spec: Path, output_format: str
) -> None:
    options = ("--specs", spec_with(spec, "forbidden: [issue_refund]"), "--format", output_format)
    plain = check(SKIPS, *options)
    done = check(SKIPS, *options, "-o", tmp_path / "report")

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("1 run: 1 lucky; Luck Rate 1/1 = 100 %\ngate: ")
    assert (tmp_path / "report").read_text() == plain.stdout


@pytest.mark.parametrize("output_format", FORMATS)
def test_an_error_leaves_the_file_as_it_was(tmp_path: Path, spec: Path, output_format: str) -> None:
    broken = tmp_path / "cut.binpb"
    broken.write_bytes(recorded("crewai", "good")[1][:-5])
    report = tmp_path / "out" / "report"
    report.parent.mkdir()
    report.write_text("of yesterday")

    done = check(GOOD, broken, "--specs", spec, "--format", output_format, "-o", report)

    assert done.returncode == 2
    assert done.stdout == ""
    assert report.read_text() == "of yesterday"
    assert [path.name for path in report.parent.iterdir()] == ["report"]


def test_a_file_in_no_folder_is_refused_before_anything_is_read(tmp_path: Path, spec: Path) -> None:
    done = check("nowhere", "--specs", spec, "-o", tmp_path / "none" / "report")

    assert done.returncode == 2
    assert done.stderr == (
        f"surefoot: {tmp_path}/none/report: cannot be written: there is no folder "
        f"{tmp_path}/none; make it first\n"
    )


def test_a_full_disk_is_2_and_said(spec: Path) -> None:
    done = check(GOOD, "--specs", spec, "--format", "json",
                    "-o", "/dev/full")  # fmt: skip

    assert done.returncode == 2
    assert done.stderr == "surefoot: /dev/full: cannot be written: No space left on device\n"
