"""What others copy into their CI: the hook and the workflow say what the program can do."""

import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from worlds import FIXTURES, SPEC

ROOT = Path(__file__).parents[1]
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / "examples" / "github-actions.yaml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["judge"]["steps"]
COMMANDS = [step["run"] for step in STEPS if step.get("run", "").startswith("surefoot ")]


def done(command: str, *arguments: object, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command line with the `surefoot` of the Python that runs the tests."""
    words = shlex.split(command)
    assert words[0] == "surefoot"
    return subprocess.run(
        [sys.executable, "-m", "surefoot", *words[1:], *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


# The hook.


def test_the_hook_passes_a_good_file_and_stops_a_bad_one(tmp_path: Path) -> None:
    """pre-commit puts the names of the files behind the entry."""
    bad = tmp_path / "bad.yaml"
    bad.write_text("specs: [{name: desk, forbiden: [a]}]", encoding="utf-8")

    assert done(HOOK["entry"], SPEC).returncode == 0
    stopped = done(HOOK["entry"], SPEC, bad)
    assert stopped.returncode != 0
    assert "forbiden" in stopped.stdout


@pytest.mark.parametrize(
    ("path", "is_meant"),
    [
        ("specs/desk.yaml", True),
        ("agents/refund/specs/desk.yml", True),
        ("docs/desk.yaml", False),
        ("myspecs/desk.yaml", False),
        ("specs/desk.json", False),
    ],
)
def test_the_hook_takes_the_files_in_folders_of_specs(path: str, *, is_meant: bool) -> None:
    assert bool(re.search(HOOK["files"], path)) == is_meant


# The workflow.


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository as the workflow expects it, with a good and a lucky run."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "specs").mkdir()
    shutil.copy(SPEC, folder / "specs")
    for run in ("good", "skips"):
        shutil.copytree(FIXTURES / "langgraph" / run, folder / "recordings" / run)
    return folder


@pytest.fixture(scope="module")
def codes(checkout: Path) -> list[int]:
    """How each command of the workflow exits there, run as written."""
    return [done(command, folder=checkout).returncode for command in COMMANDS]


def uploaded() -> list[str]:
    given = [step.get("with", {}) for step in STEPS]
    return [one[key] for one in given for key in ("sarif_file", "path") if key in one]


def test_every_command_of_the_workflow_runs_as_written(checkout: Path, codes: list[int]) -> None:
    """The lucky run gates, and the files are there all the same."""
    assert codes == [0, 1, 1]
    assert {path.name for path in checkout.iterdir()} == {"specs", "recordings", *uploaded()}


@pytest.mark.usefixtures("codes")
def test_what_is_uploaded_is_what_it_is_called(checkout: Path) -> None:
    sarif, junit = uploaded()

    assert orjson.loads((checkout / sarif).read_bytes())["version"] == "2.1.0"
    suites = ET.parse(checkout / junit).getroot()  # noqa: S314 - we wrote it
    assert [len(list(suites.iter(tag))) for tag in ("testcase", "failure")] == [2, 1]


def test_the_gate_is_the_last_word_and_uploads_do_not_hang_on_it() -> None:
    """Annotations are made before the job fails; the report is uploaded though it did."""
    ways = {step.get("run") or step["uses"]: step for step in STEPS}
    sarif = next(step for run, step in ways.items() if "sarif -o" in run)
    gate = next(step for run, step in ways.items() if "junit -o" in run)
    upload = next(step for run, step in ways.items() if "upload-artifact" in run)

    assert sarif["continue-on-error"]
    assert "continue-on-error" not in gate
    assert upload["if"] == "${{ !cancelled() }}"
    assert STEPS.index(sarif) < STEPS.index(gate) < STEPS.index(upload)
