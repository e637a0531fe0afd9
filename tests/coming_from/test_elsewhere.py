"""What is too heavy to be installed for tests is fetched for its own test: these are slow.

Each tool is installed in a Python of its own, or unpacked, in the version that the page
names, and asked in a child process.
"""

import dataclasses
import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from coming_from.courses import GOOD, Made, courses, run_of, verdict_of
from coming_from.page import GIVEN, TEXT, Pair, of

HERE = Path(__file__).parent
#: How pip and npm say that they reached nobody.
UNREACHED = ("connection broken", "ProxyError", "ReadTimeout", "timed out", "ENOTFOUND",
             "ECONNREFUSED", "ETIMEDOUT", "EAI_AGAIN", "ECONNRESET", "EHOSTUNREACH")  # fmt: skip
COURSES = courses(400)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def fetched(command: Sequence[str | Path], what: str) -> None:
    """Run a package manager; skip if it reached nobody, fail if something else is wrong."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and any(word in done.stderr for word in UNREACHED):
        pytest.skip(f"{what} is fetched, and no package index was reached")
    assert not done.returncode, done.stderr


def a_python(folder: Path, *installs: Sequence[str]) -> Path:
    """A Python with what these calls of pip install."""
    fetched([sys.executable, "-m", "venv", folder], "a Python")
    python = folder / "bin" / "python"
    for wanted in installs:
        command: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--retries",
            "1",
            *wanted,
        ]
        fetched(command, " ".join(wanted))
    return python


def ask(command: Sequence[str | Path], asked: dict[str, Any]) -> list[list[bool]]:
    """Whether each run passes, for each row."""
    done = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    told: list[list[bool]] = json.loads(done.stdout)
    return told


def plain(course: Sequence[Made]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(one) for one in course]


def turns(course: Sequence[Made]) -> list[list[dict[str, Any]]]:
    """One call a message."""
    return [[one] for one in plain(course)]


def passes(pair: Pair, course: Sequence[Made]) -> bool:
    """Whether a run keeps our side."""
    return not verdict_of(run_of(course), pair.specs()).violations


def version(package: str) -> str:
    """The version that the page says the tests ask."""
    (found,) = re.findall(rf"^{re.escape(package)} (\d[\d.]*\d)", TEXT, re.MULTILINE)
    return str(found)


def agree(pairs: Sequence[Pair], told: Sequence[Sequence[bool]]) -> None:
    """Both say the same of every course, and each pair has courses of both kinds."""
    assert len(told) == len(pairs)
    for pair, passed in zip(pairs, told, strict=True):
        for course, one in zip(COURSES, passed, strict=True):
            assert passes(pair, course) is one, (pair.name, course)
        assert {True, False} == set(passed), pair.name


@pytest.fixture(scope="module")
def agentevals(tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    folder = tmp_path_factory.mktemp("agentevals")
    wanted = f"agentevals=={version('agentevals')}"
    return [a_python(folder, [wanted]), HERE / "their_agentevals.py"]


def test_agentevals_agrees(agentevals: list[str | Path]) -> None:
    pairs = of("agentevals")
    asked = {
        "given": GIVEN["agentevals"],
        "rows": [pair.theirs for pair in pairs],
        "runs": [turns(course) for course in COURSES],
    }

    agree(pairs, ask(agentevals, asked))


def test_agentevals_asks_for_the_same_messages(agentevals: list[str | Path]) -> None:
    """The difference that the page names: both calls in one message."""
    pairs = [pair for pair in of("agentevals") if '"strict"' in pair.theirs]
    asked = {
        "given": GIVEN["agentevals"],
        "rows": [pair.theirs for pair in pairs],
        "runs": [turns(GOOD), [plain(GOOD)]],
    }

    assert ask(agentevals, asked) == [[True, False]] * 3
    assert all(passes(pair, GOOD) for pair in pairs)


def test_agentevals_cli_agrees(tmp_path: Path) -> None:
    """Without what its other metrics need; the trajectory's score is Google ADK's."""
    pairs = of("agentevals-cli")
    wanted = f"agentevals-cli=={version('agentevals-cli')}"
    python = a_python(tmp_path, ["google-adk==2.13.0"], ["--no-deps", wanted])
    asked = {
        "given": GIVEN["agentevals-cli"],
        "rows": [pair.theirs for pair in pairs],
        "runs": [plain(course) for course in COURSES],
    }

    agree(pairs, ask([python, HERE / "their_agentevals_cli.py"], asked))


@pytest.fixture(scope="module")
def promptfoo(tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        pytest.skip("promptfoo is run by Node, which is not installed")
    folder = tmp_path_factory.mktemp("promptfoo")
    wanted = f"promptfoo@{version('promptfoo')}"
    fetched([npm, "pack", "--silent", "--pack-destination", str(folder), wanted], wanted)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return [node, HERE / "their_promptfoo.mjs", folder / "package"]


def test_promptfoo_agrees(promptfoo: list[str | Path]) -> None:
    pairs = of("promptfoo")
    asked = {
        "rows": [yaml.safe_load(pair.theirs) for pair in pairs],
        "runs": [plain(course) for course in COURSES],
    }

    agree(pairs, ask(promptfoo, asked))


def test_promptfoo_takes_a_spans_name_for_a_tools(promptfoo: list[str | Path]) -> None:
    """The difference that the page names."""
    rows = [{"type": "trajectory:tool-used", "value": "execute_tool"}]

    assert ask(promptfoo, {"rows": rows, "runs": [plain(GOOD)]}) == [[True]]
