"""Bad input: a line that says which file and what would be right, 2, and no report."""

import gzip
from pathlib import Path

import pytest

from cli.commands import DESK, FORMATS, GOOD, check
from cli.otlp_files import as_json, recorded

#: Each test starts the program anew, or replays every recording.
pytestmark = pytest.mark.slow


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "specs" / "desk.yaml"
    path.parent.mkdir()
    path.write_text(DESK)
    return path


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

    done = check(GOOD, path, "--specs", spec)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"surefoot: {path}: {told}")
    assert done.stderr.count("\n") == 1


def test_an_empty_folder_is_2_and_named(tmp_path: Path, spec: Path) -> None:
    (tmp_path / "none").mkdir()

    done = check(tmp_path / "none", "--specs", spec)

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

    done = check(GOOD, "--specs", spec, "--format", output_format, "-o", report)

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

    done = check(path, "--specs", spec)

    assert done.returncode == 2
    assert done.stderr.startswith(f"surefoot: {path}: holds no run of an agent; ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["specs: [", "specs: [{name: a, tolls: [x]}]", "[]", ""])
def test_a_spec_error_is_2_and_names_the_file(spec: Path, text: str) -> None:
    spec.write_text(text)

    done = check(GOOD, "--specs", spec)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"surefoot: {spec}: ")


@pytest.mark.parametrize(
    "arguments",
    [["--format", "xml"], ["--fail-on", "anything"], ["--unit", "day"], ["-o"],
     *(["--min-pass-rate", share] for share in ("90", "-1", "x", "nan", "1e999999999", "101%"))],
)  # fmt: skip
def test_what_check_cannot_do_is_a_usage_error(spec: Path, arguments: list[str]) -> None:
    done = check(GOOD, "--specs", spec, *arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
