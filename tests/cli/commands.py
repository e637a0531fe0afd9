"""`surefoot check` as a child process, and a spec for the recordings."""

import subprocess
import sys

from cli.otlp_files import FIXTURES

GOOD, SKIPS, LOOPS, HIDDEN = (
    FIXTURES / "crewai" / run for run in ("good", "skips", "loops", "hidden")
)
FORMATS = ("text", "json", "junit", "sarif")
DESK = """
specs:
  - name: desk
    match: {service: "refund-*"}
    tools: [lookup_order, check_policy, escalate_to_human, issue_refund]
    ground: false
"""


def check(*arguments: object, given: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run it; given: its standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "surefoot", "check", *map(str, arguments)],
        input=given, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    out, err = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)
