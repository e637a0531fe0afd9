"""Surefoot as the README's section "Your own agent" has it: its configuration, its spec, its look.

    with Sink() as sink, as_written(tmp_path, sink) as page:
        ... have spans sent to page.child ...
        page.once("surefoot_runs_total", lambda runs: runs)

Replaced are the ports, by free ones, and the waits, by short ones. `/metrics` is read by the
README's own command, so that what its table speaks of is what its reader sees.
"""

import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from cache import needed
from children import Child, surefoot
from readmes import blocks

README = Path(__file__).parents[1] / "README.md"
BLOCKS = blocks(README)
PATIENCE_S = 30.0
#: Between two looks at what only time can bring.
PACE_S = 0.1
SETTLE = "500ms"
_SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")


class Sample(NamedTuple):
    """A line of `/metrics`."""

    labels: dict[str, str]
    value: float


class Page:
    """A child and what the README's command shows of its `/metrics`."""

    def __init__(self, child: Child, address: str) -> None:
        self.child = child
        self._address = address

    def look(self) -> dict[str, list[Sample]]:
        """What the command prints, by name."""
        needed("curl")
        command = BLOCKS["command", "metrics"]
        assert "127.0.0.1:8888" in command
        done = subprocess.run(
            ["bash", "-c", command.replace("127.0.0.1:8888", self._address)],
            capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found: dict[str, list[Sample]] = {}
        for line in done.stdout.splitlines():
            told = _SAMPLE.match(line)
            assert told, f"no sample: {line}"
            labels = dict(re.findall(r'(\w+)="(.*?)"', told[2] or ""))
            found.setdefault(told[1], []).append(Sample(labels, float(told[3])))
        return found

    def value(self, name: str, **labels: str) -> float:
        """The sum of the samples with these labels, among others."""
        return summed(self.look(), name, labels)

    def once(self, name: str, good: Callable[[float], bool], **labels: str) -> float:
        """Look until the sum is good; what it was."""
        pace, last = threading.Event(), time.monotonic() + PATIENCE_S
        while not good(value := self.value(name, **labels)):
            assert time.monotonic() < last, f"{name} {labels} still is {value}"
            pace.wait(PACE_S)
        return value


def summed(found: dict[str, list[Sample]], name: str, labels: dict[str, str]) -> float:
    """The sum of a name's samples that have these labels."""
    return sum(one.value for one in found.get(name, ()) if labels.items() <= one.labels.items())


@contextmanager
def as_written(
    folder: Path, backend: str, *, spec: str = BLOCKS["spec", "refund"], **more: Any
) -> Iterator[Page]:
    """Run `config: forward` with a spec in its folder `./specs`.

    backend: `host:port`. more: further keys of `exporters.otlp`.
    """
    config: dict[str, Any] = yaml.safe_load(BLOCKS["config", "forward"])
    assert config["processors"]["surefoot"]["specs"] == ["./specs"]
    assert config["service"]["telemetry"]["metrics"]["address"] == "127.0.0.1:8888"
    config["exporters"]["otlp"] |= {"endpoint": backend, **more}
    config["processors"]["surefoot"] |= {"settle": SETTLE}
    address = free_address()
    config["service"]["telemetry"]["metrics"]["address"] = address
    (folder / "specs").mkdir()
    (folder / "specs" / "spec.yaml").write_text(spec, encoding="utf-8")
    with surefoot(folder, config) as child:
        yield Page(child, address)


def free_address() -> str:
    """An address of 127.0.0.1 that nobody listens on yet."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"
