"""The server as a child process, without a backend: verdicts on the console."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from surefoot.cli.replay import SPEC, recordings, send

CONFIG = """
receivers: {otlp: {protocols: {grpc: {endpoint: "127.0.0.1:0"}}}}
processors: {surefoot: {settle: 200ms, idle_timeout: 400ms}}
"""


@contextmanager
def running(
    *arguments: object, redirected: str = ""
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server, and the address at which it takes OTLP/gRPC."""
    command = [sys.executable, "-m", "surefoot", "run", *map(str, arguments)]
    with subprocess.Popen(
        ["/bin/sh", "-c", f'exec "$@" {redirected}', "sh", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"gRPC on (\S+:\d+)", line):
                yield process, found[1]
                break
        process.kill()


def test_verdicts_are_printed_and_sigterm_is_0(tmp_path: Path) -> None:
    config = tmp_path / "surefoot.yaml"
    config.write_text(CONFIG)
    skips = next(one for one in recordings() if one.run == "skips")
    with running("-c", config, "--specs", SPEC) as (process, address):
        send(skips, address)
        assert process.stdout is not None
        block = "".join(iter(process.stdout.readline, "\n"))
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)

    assert block.startswith("LUCKY ")
    assert "hard forbidden: called forbidden tool: issue_refund (step 1, issue_refund)" in block
    assert code == 0


def test_what_is_open_at_sigterm_is_judged_and_printed(tmp_path: Path) -> None:
    config = tmp_path / "surefoot.yaml"
    config.write_text(CONFIG.replace("settle: 200ms, idle_timeout: 400ms", "settle: 1h"))
    good = next(one for one in recordings() if one.run == "good")
    with running("-c", config, "--specs", SPEC) as (process, address):
        send(good, address)
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        printed = process.stdout.read()
        code = process.wait(30)

    assert printed.startswith("INCONCLUSIVE ")
    assert code == 0


def test_a_port_that_is_taken_is_2(tmp_path: Path) -> None:
    config = tmp_path / "surefoot.yaml"
    config.write_text(CONFIG)
    with running("-c", config) as (_process, address):
        second = tmp_path / "second.yaml"
        second.write_text(CONFIG.replace("127.0.0.1:0", address))
        done = subprocess.run(
            [sys.executable, "-m", "surefoot", "run", "-c", str(second)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    assert done.returncode == 2
    assert address in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("redirected", [">&-", ">/dev/full", ">&- <&-"])
def test_a_server_whose_verdicts_nobody_can_read_runs_and_stops_with_0(
    tmp_path: Path, redirected: str
) -> None:
    config = tmp_path / "surefoot.yaml"
    config.write_text(CONFIG)
    skips = next(one for one in recordings() if one.run == "skips")
    with running("-c", config, "--specs", SPEC, redirected=redirected) as (process, address):
        send(skips, address)
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)
        assert process.stderr is not None
        said = process.stderr.read()

    assert code == 0
    assert "Traceback" not in said
    assert "cannot write" not in said
