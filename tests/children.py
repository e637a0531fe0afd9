"""Surefoot as a child process, on free ports of 127.0.0.1."""

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import yaml

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
LISTENING = re.compile(r"listening for OTLP over (gRPC|HTTP) on 127\.0\.0\.1:(\d+)")
PATIENCE_S = 30.0


class Child:
    """A running `surefoot run`, what it logs, and its ports."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []
        self.grpc_port = self.http_port = 0
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr
        for text in self.process.stderr:
            line = json.loads(text) if text.startswith("{") else {"message": text.rstrip()}
            with self._changed:
                self.lines.append(line)
                if found := LISTENING.search(line["message"]):
                    port = int(found[2])
                    if found[1] == "gRPC":
                        self.grpc_port = port
                    else:
                        self.http_port = port
                self._changed.notify_all()

    def wait_until_ready(self) -> None:
        """Wait until both receivers listen."""
        with self._changed:
            ready = self._changed.wait_for(lambda: self.http_port != 0, PATIENCE_S)
        assert ready, self.said()

    def said(self) -> str:
        """All that was logged, as text."""
        return "\n".join(line["message"] for line in self.lines)

    def event(self, name: str) -> dict[str, Any]:
        """The last logged event of that name."""
        return next(line for line in reversed(self.lines) if line.get("event") == name)

    def wait_for(self, name: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait until an event was logged so often; return all of that name."""

        def told() -> list[dict[str, Any]]:
            return [line for line in self.lines if line.get("event") == name]

        with self._changed:
            came = self._changed.wait_for(lambda: len(told()) >= count, PATIENCE_S)
        assert came, self.said()
        return told()

    @contextmanager
    def channel(self) -> Iterator[grpc.Channel]:
        """A channel to its gRPC receiver."""
        with grpc.insecure_channel(f"127.0.0.1:{self.grpc_port}") as channel:
            yield channel

    def send(self, *bodies: bytes) -> None:
        """Have requests accepted over gRPC."""
        send(f"127.0.0.1:{self.grpc_port}", *bodies)

    def terminate(self) -> int:
        """Send SIGTERM and wait; return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code


def send(address: str, *bodies: bytes) -> None:
    """Have requests accepted by whoever takes OTLP/gRPC there."""
    with grpc.insecure_channel(address) as channel:
        export = channel.unary_unary(EXPORT)
        for body in bodies:
            export(body, timeout=PATIENCE_S, wait_for_ready=True)


@contextmanager
def surefoot(folder: Path, config: dict[str, Any], *specs: Path) -> Iterator[Child]:
    """Run Surefoot with `config`, whose ports are left out: free ones are taken."""
    config["receivers"] = {
        "otlp": {
            "protocols": {
                "grpc": {"endpoint": "127.0.0.1:0"},
                "http": {"endpoint": "127.0.0.1:0"},
            }
        }
    }
    config.setdefault("service", {}).setdefault("telemetry", {})["logs"] = {"encoding": "json"}
    file = folder / "surefoot.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    command = [sys.executable, "-m", "surefoot", "run", "-c", str(file)]
    for spec in specs:
        command += ["--specs", str(spec)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        child = Child(process)
        try:
            child.wait_until_ready()
            yield child
        finally:
            if process.poll() is None:
                process.kill()
