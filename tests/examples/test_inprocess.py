"""The example of an agent that is judged in its own process does what its page says."""

import subprocess
import sys
from pathlib import Path

from readmes import blocks, unmarked

EXAMPLE = Path(__file__).parents[2] / "examples" / "inprocess"


def test_it_prints_what_its_page_shows() -> None:
    told = blocks(EXAMPLE / "README.md")
    (command,) = told["command", "run"].splitlines()
    python, *rest = command.split()
    done = subprocess.run(
        [sys.executable, *rest], cwd=EXAMPLE, capture_output=True, text=True, check=True, timeout=60
    )

    assert python == ".venv/bin/python"
    assert done.stdout == told["output", "run"]
    assert done.stderr == ""


def test_all_on_its_page_is_run_or_compared() -> None:
    """Its first command is what every other test of this repository needs done."""
    page = EXAMPLE / "README.md"
    (command,) = blocks(page)["command", "install"].splitlines()

    assert command == "python3 -m venv .venv && .venv/bin/pip install -q ../.."

    assert unmarked(page) == 0
    assert set(blocks(page)) == {("command", "install"), ("command", "run"), ("output", "run")}
