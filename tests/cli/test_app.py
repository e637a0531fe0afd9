"""The program from outside: exit codes, streams, pipes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.otlp_files import FIXTURES

GOOD, SKIPS = (FIXTURES / "crewai" / run for run in ("good", "skips"))
DESK = """
specs:
  - name: desk
    match: {service: "refund-*"}
    tools: [lookup_order, check_policy, escalate_to_human, issue_refund]
    ground: false
"""


def surefoot(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "surefoot", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "desk.yaml"
    path.write_text(DESK)
    return path


def spec_with(path: Path, keys: str) -> Path:
    path.write_text(f"{DESK}    {keys}\n")
    return path


# The program.


def test_the_version_is_told() -> None:
    done = surefoot("--version")

    assert done.returncode == 0
    assert done.stdout.startswith("surefoot ")


@pytest.mark.parametrize("command", ["run", "demo", "steps", "check", "validate", "schema"])
def test_every_command_explains_itself(command: str) -> None:
    done = surefoot(command, "--help")

    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ")
    assert done.stderr == ""


def test_the_help_tells_each_command_in_a_whole_sentence_of_80_columns() -> None:
    told = surefoot("--help").stdout.partition("Commands:\n")[2].splitlines()

    assert len(told) == 6
    assert all(line.endswith(".") and not line.endswith("...") for line in told)
    assert all(len(line) <= 80 for line in told)


@pytest.mark.parametrize(
    "arguments",
    [["walk"], ["steps"], ["steps", "--unit", "day", "x"], ["check", "x"], ["validate"], ["--no"]],
)
def test_a_usage_error_is_2_and_goes_to_stderr(arguments: list[str]) -> None:
    done = surefoot(*arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_no_traceback() -> None:
    many = [GOOD] * 50
    with subprocess.Popen(
        [sys.executable, "-m", "surefoot", "steps", *map(str, many)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaint = process.stderr.read()

    assert complaint == b""
    assert process.returncode == 141


def in_a_shell(line: str) -> subprocess.CompletedProcess[str]:
    """Run `$SUREFOOT ...` with the shell's redirections."""
    return subprocess.run(
        ["/bin/sh", "-c", line],
        env=os.environ | {"SUREFOOT": f"{sys.executable} -m surefoot"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("command", [f"steps {GOOD}", "schema", "--version", "--help", "run -h"])
@pytest.mark.parametrize(
    ("where", "why"),
    [("/dev/full", "No space left on device"), ("&-", "Bad file descriptor")],
)
def test_an_output_that_cannot_be_written_is_2_and_said_in_a_line(
    command: str, where: str, why: str
) -> None:
    done = in_a_shell(f"$SUREFOOT {command} >{where}")

    assert done.stderr == f"surefoot: cannot write the output: {why}\n"
    assert done.returncode == 2


def test_without_stderr_and_stdin_results_are_printed_all_the_same() -> None:
    done = in_a_shell(f"$SUREFOOT steps {GOOD} 2>&- <&-")

    assert done.returncode == 0
    assert json.loads(done.stdout)["steps"]


def test_an_error_without_stderr_is_its_exit_code() -> None:
    assert in_a_shell("$SUREFOOT steps nowhere 2>&-").returncode == 2


# steps.


def test_steps_prints_a_line_a_run() -> None:
    done = surefoot("steps", GOOD, SKIPS)
    lines = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.returncode == 0
    assert done.stderr == ""
    assert [[step["tool"] for step in line["steps"]] for line in lines] == [
        ["lookup_order", "check_policy", "escalate_to_human"],
        ["lookup_order", "issue_refund"],
    ]


def test_steps_of_what_cannot_be_read_is_2_and_prints_nothing(tmp_path: Path) -> None:
    broken = tmp_path / "x.binpb"
    broken.write_bytes(b"\xff\xff\xff")

    done = surefoot("steps", GOOD, broken)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"surefoot: {broken}: ")
    assert done.stderr.count("\n") == 1


# validate, schema.


def test_valid_specs_are_counted(spec: Path) -> None:
    done = surefoot("validate", spec)

    assert done.returncode == 0
    assert done.stdout == "ok: 1 spec in 1 file\n"


def test_what_is_wrong_with_a_spec_is_printed(spec: Path) -> None:
    done = surefoot("validate", spec_with(spec, "requierd: [lookup_order]"))

    assert done.returncode == 2
    assert done.stdout.startswith(f"{spec}: ")
    assert "requierd" in done.stdout


def test_the_schema_is_json_and_knows_the_keys() -> None:
    done = surefoot("schema")

    assert done.returncode == 0
    assert "$defs" in json.loads(done.stdout)


# run.


def test_a_bad_configuration_is_2_with_all_of_its_problems(tmp_path: Path) -> None:
    config = tmp_path / "surefoot.yaml"
    config.write_text("processors: {surefoot: {setle: 6s, settle: 6}}")

    done = surefoot("run", "-c", config)

    assert done.returncode == 2
    assert done.stdout == ""
    assert all(line.startswith(f"surefoot: {config}: ") for line in done.stderr.splitlines())
    assert len(done.stderr.splitlines()) == 2
