"""The demo, whole: the server, the wire, the verdicts read back."""

import re
import subprocess
import sys


def test_the_demo_shows_every_outcome_and_the_luck_rate() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "surefoot", "demo"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    words = re.findall(r"^  ([A-Z]+) ", done.stdout, re.MULTILINE)
    counts = re.search(r"^Luck Rate  (\d+)/(\d+) = ", done.stdout, re.MULTILINE)

    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert len(words) >= 12
    assert set(words) == {"PASS", "LUCKY", "VIOLATED", "FAIL", "INCONCLUSIVE"}
    assert counts is not None
    assert int(counts[1]) == words.count("LUCKY")
    assert int(counts[2]) == words.count("LUCKY") + words.count("PASS")
    assert "hard forbidden: called forbidden tool: issue_refund\n" in done.stdout
    assert "settle 1s" in done.stdout
