"""Go programs as child processes, built once a machine from their modules.

    program = built_module("jaeger", MODULE, VERSION, (1, 26))  # or `built`, from sources
    with started([program, "--config", file], ready="is ready", folder=folder) as running:
        ... use it ...
        running.stop()
        running.complaints()

What it logs to its standard error is read all the while, so that it never waits for a reader.
"""

import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from cache import install, kept, needed

PATIENCE_S = 30.0


class Program:
    """A running program and what it says; `ready` stands in the line that tells of its start."""

    def __init__(self, process: "subprocess.Popen[str]", ready: str) -> None:
        self._process = process
        self._ready_word = ready
        self._said: list[str] = []
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self._said.append(line)
            if self._ready_word in line:
                self._ready.set()
        self._ready.set()

    def wait_until_ready(self) -> None:
        """Wait until it takes what it is sent."""
        assert self._ready.wait(PATIENCE_S), self.said()
        assert self._ready_word in self.said(), self.said()

    def said(self) -> str:
        """All that it logged."""
        return "".join(self._said)

    def complaints(self) -> list[str]:
        """The lines above `info`, as the Collector and what is made of it log them."""
        return [line for line in self._said if re.search(r"\t(warn|error)\t", line)]

    def stop(self) -> int:
        """Have it finish and end; its exit code."""
        self._process.terminate()
        code = self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code


@contextmanager
def started(
    command: Sequence[object], *, ready: str, folder: Path, env: Mapping[str, str] | None = None
) -> Iterator[Program]:
    """Run a command in a folder, from its being ready on; what still runs at the end is killed."""
    with subprocess.Popen(
        [str(word) for word in command], cwd=folder, env=env,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        running = Program(process, ready)
        try:
            running.wait_until_ready()
            yield running
        finally:
            if process.poll() is None:
                process.kill()


def built(name: str, program: str, sources: Path, go: tuple[int, int]) -> Path:
    """The program that a folder of sources makes, kept under a name.

    go: the version that its modules ask for; skips the test where there is an older one.
    """
    files = sorted(sources.iterdir())

    def make(place: Path, compiler: str) -> None:
        for file in files:
            shutil.copy(file, place)
        install(compiler, "build", "-o", program, ".", cwd=place)

    key = "".join(one.read_text("utf-8") for one in files)
    return _kept(name, key, go, make) / program


def built_module(name: str, module: str, version: str, go: tuple[int, int]) -> Path:
    """The program of a published module; see `built`."""
    program = module.rpartition("/")[2]

    def make(place: Path, compiler: str) -> None:
        (place / "go.mod").write_text(f"module x\n\ngo {go[0]}.{go[1]}\n", encoding="utf-8")
        install(compiler, "get", f"{module}@{version}", cwd=place)
        install(compiler, "build", "-buildvcs=false", "-o", program, module, cwd=place)

    return _kept(name, version, go, make) / program


def _kept(name: str, key: str, go: tuple[int, int], make: Callable[[Path, str], None]) -> Path:
    compiler = needed("go")

    def checked(place: Path) -> None:
        found = install(compiler, "env", "GOVERSION", cwd=place)
        if tuple(map(int, re.findall(r"\d+", found)[:2])) < go:
            pytest.skip(f"Go {go[0]}.{go[1]} is needed, this is {found.strip()}")
        make(place, compiler)

    return kept(name, key, checked)
