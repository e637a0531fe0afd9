"""The exit table of the commands, each code through the installed program."""

import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from cli.otlp_files import FIXTURES

#: Each test starts the program anew, or replays every recording.
pytestmark = pytest.mark.slow

SPEC = FIXTURES.parent / "examples" / "refund-desk.yaml"
GOOD, SKIPS = FIXTURES / "crewai" / "good", FIXTURES / "crewai" / "skips"
CHECK = ("--specs", SPEC)
#: Command line, exit code.
TABLE: list[tuple[tuple[object, ...], int]] = [
    (("demo",), 0),
    (("steps", GOOD), 0),
    (("steps", "nowhere"), 2),
    (("check", GOOD, *CHECK), 0),
    (("check", GOOD, *CHECK, "--min-pass-rate", "100%"), 0),
    (("check", SKIPS, *CHECK), 1),
    (("check", SKIPS, *CHECK, "--fail-on", "warn"), 0),
    (("check", SKIPS, *CHECK, "--fail-on", "warn", "--min-pass-rate", "1%"), 1),
    (("check", FIXTURES / "crewai" / "hidden", *CHECK), 0),
    (("check", FIXTURES / "crewai" / "hidden", *CHECK, "--fail-on", "inconclusive"), 1),
    (("check", FIXTURES / "crewai" / "crash", *CHECK, "--fail-on", "output"), 1),
    (("check", SKIPS, "nowhere", *CHECK), 2),
    (("check", GOOD, "--specs", "nowhere"), 2),
    (("check", GOOD), 2),
    (("validate", SPEC), 0),
    (("validate", "nowhere"), 2),
    (("schema",), 0),
    (("run", "-c", "nowhere"), 2),
    (("--version",), 0),
    (("walk",), 2),
]


def program() -> list[str]:
    """The installed program; where only the source is there, the module that it starts."""
    found = shutil.which("surefoot", path=sysconfig.get_path("scripts"))
    return [found] if found else [sys.executable, "-m", "surefoot"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    TABLE,
    ids=[" ".join(Path(str(one)).name for one in row[0]) for row in TABLE],
)
def test_the_program_exits_with(arguments: tuple[object, ...], code: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [*program(), *map(str, arguments)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_a_server_that_is_stopped_exits_with_0(tmp_path: Path) -> None:
    config = tmp_path / "surefoot.yaml"
    config.write_text('receivers: {otlp: {protocols: {grpc: {endpoint: "127.0.0.1:0"}}}}')
    with subprocess.Popen(
        [*program(), "run", "-c", str(config)], stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr
        for line in server.stderr:
            if "gRPC on" in line:
                server.send_signal(signal.SIGTERM)
        code = server.wait(30)

    assert code == 0


def test_an_interrupt_is_130(tmp_path: Path) -> None:
    """It waits for its input; nothing is printed or written of what was not read."""
    report = tmp_path / "report"
    command = [*program(), "check", "-", *map(str, CHECK), "-o", str(report)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as waiting:
        assert waiting.stdin
        waiting.stdin.write(b'{"resourceSpans": []}\n' * 100_000)  # read by then, mostly
        waiting.stdin.flush()
        waiting.send_signal(signal.SIGINT)
        out, _ = waiting.communicate(timeout=30)

    assert waiting.returncode == 130
    assert out == b""
    assert list(tmp_path.iterdir()) == []
