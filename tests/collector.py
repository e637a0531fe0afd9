"""An OpenTelemetry Collector as a child process, built from its Go modules.

with collector(folder, config_text) as running:
    ... send to the port that the configuration names ...
    running.warnings()

It has OTLP on both sides and nothing between: `data/collector`.
"""

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cache import install, kept, needed

SOURCES = Path(__file__).parent / "data" / "collector"
#: What its modules ask for.
GO = (1, 26)
PATIENCE_S = 30.0


class Collector:
    """A running Collector and what it says."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._said: list[str] = []
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self._said.append(line)
            if "Everything is ready" in line:
                self._ready.set()
        self._ready.set()

    def wait_until_ready(self) -> None:
        """Wait until it takes spans."""
        assert self._ready.wait(PATIENCE_S)
        assert "Everything is ready" in self._said[-1], "".join(self._said)

    def stop(self) -> int:
        """Have it send what it holds, and end."""
        self._process.terminate()
        code = self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code

    def complaints(self) -> list[str]:
        """The lines above `info`."""
        return [line for line in self._said if re.search(r"\t(warn|error)\t", line)]


@contextmanager
def collector(folder: Path, config: str) -> Iterator[Collector]:
    """Run it with a configuration's text; skips where it cannot be built."""
    program = _program()
    file = folder / "collector.yaml"
    file.write_text(config, encoding="utf-8")
    with subprocess.Popen(
        [program, f"--config={file}"], stderr=subprocess.PIPE, text=True
    ) as process:
        running = Collector(process)
        try:
            running.wait_until_ready()
            yield running
        finally:
            if process.poll() is None:
                process.kill()


def _program() -> Path:
    go = needed("go")
    sources = sorted(SOURCES.iterdir())

    def make(place: Path) -> None:
        found = install(go, "env", "GOVERSION", cwd=place)
        if tuple(map(int, re.findall(r"\d+", found)[:2])) < GO:
            pytest.skip(f"Go {GO[0]}.{GO[1]} is needed, this is {found.strip()}")
        for source in sources:
            shutil.copy(source, place)
        install(go, "build", "-o", "otelcol", ".", cwd=place)

    return kept("collector", "".join(one.read_text("utf-8") for one in sources), make) / "otelcol"
