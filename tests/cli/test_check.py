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

from cli.otlp_files import FIXTURES, as_json, recorded

GOOD, SKIPS, LOOPS, HIDDEN = (
    FIXTURES / "crewai" / run for run in ("good", "skips", "loops", "hidden")
)
DESK = """
specs:
  - name: desk
    match: {service: "refund-*"}
    tools: [lookup_order, check_policy, escalate_to_human, issue_refund]
    ground: false
"""
FORMATS = ["text", "json", "junit", "sarif"]


def surefoot(*arguments: object, given: bytes = b"") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "surefoot", "check", *map(str, arguments)],
        input=given, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    out, err = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


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
    done = surefoot(GOOD, "--specs", spec)

    assert done.returncode == 0
    assert done.stdout == "1 run: 1 pass; Luck Rate 0/1 = 0 %\n"
    assert done.stderr == ""


def test_a_hard_violation_is_1_and_told_with_its_file(spec: Path) -> None:
    done = surefoot(SKIPS, "--specs", spec_with(spec, "forbidden: [issue_refund]"))

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

    alone = surefoot(LOOPS, "--specs", spec)
    among = surefoot(LOOPS, GOOD, "--specs", spec)

    assert alone.returncode == 1
    assert among.returncode == 0


def test_fail_on_replaces_what_gates(spec: Path) -> None:
    spec_with(spec, "no_repeat: true")
    strict = surefoot(LOOPS, GOOD, "--specs", spec, "--fail-on", "soft,warn")
    lenient = surefoot(LOOPS, "--specs", spec, "--fail-on", "hard")

    assert strict.returncode == 1
    assert lenient.returncode == 0


@pytest.mark.parametrize(("share", "code"), [("0.5", 0), ("50%", 0), ("51 %", 1), ("1", 1)])
def test_a_pass_rate_below_the_least_is_1(spec: Path, share: str, code: int) -> None:
    spec_with(spec, "no_repeat: true")

    done = surefoot(LOOPS, GOOD, "--specs", spec, "--min-pass-rate", share)

    assert done.returncode == code
    assert ("gate: 1 of 2 decided runs passed, 50 %" in done.stdout) is bool(code)


def test_an_undefined_pass_rate_is_1_and_said(spec: Path) -> None:
    done = surefoot(HIDDEN, "--specs", spec, "--min-pass-rate", "0.1")

    assert done.returncode == 1
    assert "gate: the pass rate is undefined, no run was decided; 10 % are asked" in done.stdout


def test_json_lines_carry_the_verdicts_and_gate_alike(spec: Path) -> None:
    spec_with(spec, "forbidden: [issue_refund]")

    done = surefoot(SKIPS, GOOD, "--specs", spec, "--format", "json")
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

    junit = surefoot(SKIPS, GOOD, "--specs", spec, "--format", "junit")
    sarif = surefoot(SKIPS, GOOD, "--specs", spec, "--format", "sarif")

    assert [junit.returncode, sarif.returncode] == [1, 1]
    assert ET.fromstring(junit.stdout).get("failures") == "1"  # noqa: S314 - our own
    (run,) = json.loads(sarif.stdout)["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["desk/forbidden"]
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]


def test_a_run_that_met_no_spec_among_others_is_told_of_and_does_not_gate(spec: Path) -> None:
    spec.write_text(DESK.replace("refund-*", "refund-crewai"))

    done = surefoot(GOOD, FIXTURES / "langgraph" / "good", "--specs", spec)

    assert done.returncode == 0
    assert "unmatched: refund-langgraph/refund_agent met no spec\n" in done.stdout
    assert done.stdout.endswith("2 runs, 1 unmatched: 1 pass; Luck Rate 0/1 = 0 %\n")


def test_unit_says_what_is_one_run(spec: Path) -> None:
    session = FIXTURES / "openaiagents" / "session"

    apart = surefoot(session, "--specs", spec, "--format", "json")
    joined = surefoot(session, "--specs", spec, "--format", "json", "--unit", "session")

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

    done = surefoot(*write(folder), "--specs", spec)

    assert done.returncode == 1
    assert "forbidden: hard: called forbidden tool: issue_refund, step 1" in done.stdout


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["json", "protobuf"])
def test_the_standard_input_is_read_for_what_it_is(spec: Path, kind: str, *, packed: bool) -> None:
    bodies = recorded("crewai", "skips")
    # Messages of protobuf, one after another, are one message.
    given = b"".join(bodies) if kind == "protobuf" else "\n".join(map(as_json, bodies)).encode()
    spec_with(spec, "forbidden: [issue_refund]")

    done = surefoot("-", "--specs", spec, given=gzip.compress(given) if packed else given)

    where = "<stdin>" if kind == "protobuf" else "<stdin>:1"
    assert done.returncode == 1
    assert done.stdout.startswith(f"{where}: c83eb5d670c3470804d46d21bd340e89: forbidden: hard: ")


# Where it writes.


@pytest.mark.parametrize("output_format", FORMATS)
def test_a_file_gets_what_stdout_would_and_the_log_a_summary(
    tmp_path: Path, spec: Path, output_format: str
) -> None:
    options = ("--specs", spec_with(spec, "forbidden: [issue_refund]"), "--format", output_format)
    plain = surefoot(SKIPS, *options)
    done = surefoot(SKIPS, *options, "-o", tmp_path / "report")

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

    done = surefoot(GOOD, broken, "--specs", spec, "--format", output_format, "-o", report)

    assert done.returncode == 2
    assert done.stdout == ""
    assert report.read_text() == "of yesterday"
    assert [path.name for path in report.parent.iterdir()] == ["report"]


def test_a_file_in_no_folder_is_refused_before_anything_is_read(tmp_path: Path, spec: Path) -> None:
    done = surefoot("nowhere", "--specs", spec, "-o", tmp_path / "none" / "report")

    assert done.returncode == 2
    assert done.stderr == (
        f"surefoot: {tmp_path}/none/report: cannot be written: there is no folder "
        f"{tmp_path}/none; make it first\n"
    )


def test_a_full_disk_is_2_and_said(spec: Path) -> None:
    done = surefoot(GOOD, "--specs", spec, "--format", "json",
                    "-o", "/dev/full")  # fmt: skip

    assert done.returncode == 2
    assert done.stderr == "surefoot: /dev/full: cannot be written: No space left on device\n"


# Bad input: a line that says which file and what would be right, 2, and no report.

CUT = recorded("crewai", "good")[0][:-5]
BAD: dict[str, tuple[str, bytes, str]] = {
    "no OTLP": ("a.binpb", b"hello", "no OTLP trace request; write one whole Export"),
    "another protobuf": ("a.binpb", b"\x0a\x03abc", "no OTLP trace request: "),
    "nothing": ("a.binpb", b"", "is empty; write one whole ExportTraceServiceRequest"),
    "cut": ("a.binpb", CUT, "no OTLP trace request: "),
    "no JSON": ("a.json", b"hello", "holds no OTLP trace request; one has a list resourceSpans"),
    "cut JSON": (
        "a.json", as_json(recorded("crewai", "good")[0]).encode()[:-9],
        "no JSON: ",
    ),
    "no gzip": ("a.binpb.gz", CUT, "no gzip, though it ends in .gz; rename it, or gzip it"),
    "cut gzip": (
        "a.binpb.gz", gzip.compress(CUT)[:-99],
        "the gzip ends too early; write it again, whole",
    ),
    "broken gzip": (
        "a.binpb.gz", gzip.compress(CUT)[:60] + b"\xff" * 99,
        "the gzip is broken; write it again, whole",
    ),
    "another ending": ("a.txt", CUT, "not an OTLP file; one ends in .binpb, .json, .jsonl, or "),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_2_and_a_line_that_names_it(tmp_path: Path, spec: Path, kind: str) -> None:
    name, body, told = BAD[kind]
    path = tmp_path / name
    path.write_bytes(body)

    done = surefoot(GOOD, path, "--specs", spec)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"surefoot: {path}: {told}")
    assert done.stderr.count("\n") == 1


def test_an_empty_folder_is_2_and_named(tmp_path: Path, spec: Path) -> None:
    (tmp_path / "none").mkdir()

    done = surefoot(tmp_path / "none", "--specs", spec)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"surefoot: {tmp_path}/none: holds no OTLP trace request; one ends in "
        ".binpb, .json, .jsonl, or one of these and .gz\n"
    )


@pytest.mark.parametrize("output_format", FORMATS)
def test_specs_that_match_nothing_are_2_and_named(
    tmp_path: Path, spec: Path, output_format: str
) -> None:
    spec.write_text(DESK.replace("refund-*", "sales-*"))
    report = tmp_path / "report"

    done = surefoot(GOOD, "--specs", spec, "--format", output_format, "-o", report)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"surefoot: {spec}: no spec meets any of the runs; let `match` fit a service/agent "
        "seen: refund-crewai/refund agent\n"
    )
    assert not report.exists()


def test_files_without_a_run_are_2_and_named(tmp_path: Path, spec: Path) -> None:
    path = tmp_path / "web.json"

    web = as_json(recorded("crewai", "good")[0])
    path.write_text(web.replace("openinference.", "another.").replace("gen_ai.", "another."))

    done = surefoot(path, "--specs", spec)

    assert done.returncode == 2
    assert done.stderr.startswith(f"surefoot: {path}: holds no run of an agent; ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["specs: [", "specs: [{name: a, tolls: [x]}]", "[]", ""])
def test_a_spec_error_is_2_and_names_the_file(spec: Path, text: str) -> None:
    spec.write_text(text)

    done = surefoot(GOOD, "--specs", spec)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"surefoot: {spec}: ")


@pytest.mark.parametrize(
    "arguments",
    [["--format", "xml"], ["--fail-on", "anything"], ["--unit", "day"], ["-o"],
     *(["--min-pass-rate", share] for share in ("90", "-1", "x", "nan", "1e999999999", "101%"))],
)  # fmt: skip
def test_what_check_cannot_do_is_a_usage_error(spec: Path, arguments: list[str]) -> None:
    done = surefoot(GOOD, "--specs", spec, *arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
