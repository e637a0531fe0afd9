"""The processes under measurement: started, watched through /proc, stopped."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_RECEIVER = Path(__file__).parent / "receiver.py"
_STOP_S = 20
_START_S = 20
#: A process that takes less than this share of a core does no work any more.
_QUIET_SHARE = 0.05
_LOOK_S = 0.5


@dataclass(frozen=True)
class Watched:
    """A running process that takes OTLP/gRPC."""

    process: subprocess.Popen[str]
    port: int

    def cpu_s(self) -> float:
        """CPU seconds it has taken so far, user and system."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND

    def rss_bytes(self, *, peak: bool = False) -> int:
        """Resident memory, now or at its highest."""
        wanted = "VmHWM:" if peak else "VmRSS:"
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(wanted))
        return int(line.split()[1]) * 1024

    def wait_until_quiet(self, for_s: float) -> None:
        """Return when it has done nothing for so long.

        Longer than any timer that may still give it work: a quiet process may be one
        that waits for its traces to settle.
        """
        before, quiet_s = self.cpu_s(), 0.0
        while quiet_s < for_s:
            time.sleep(_LOOK_S)
            now = self.cpu_s()
            quiet_s = quiet_s + _LOOK_S if now - before < _QUIET_SHARE * _LOOK_S else 0.0
            before = now


@contextmanager
def receiver(work: str) -> Iterator[Watched]:
    """The receiver of `receiver.py`."""
    with _running([sys.executable, str(_RECEIVER), work]) as process:
        assert process.stdout is not None
        yield Watched(process, int(process.stdout.readline()))


@contextmanager
def surefoot(folder: Path, backend_port: int, **judging: object) -> Iterator[Watched]:
    """`surefoot run` with the demo's spec and a backend."""
    port = _free_port()
    config = folder / f"{port}.yaml"
    keys = "".join(f"    {key}: {value}\n" for key, value in judging.items())
    config.write_text(
        f"receivers: {{otlp: {{protocols: {{grpc: {{endpoint: 127.0.0.1:{port}}}}}}}}}\n"
        f"exporters: {{otlp: {{endpoint: 127.0.0.1:{backend_port}, tls: {{insecure: true}}}}}}\n"
        "service: {telemetry: {logs: {level: error}}}\n"
        f"processors:\n  surefoot:\n{keys}"
    )
    command = [sys.executable, "-m", "surefoot", "run", "-c", str(config)]
    with _running(command) as process:
        _wait_for(port)
        yield Watched(process, port)


@contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")
