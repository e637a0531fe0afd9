"""Containers on a machine without an engine: podman in a storage of its own.

    with engine(folder) as podman:               # skips where podman cannot run anything
        build(podman)                            # our Dockerfile, unchanged
        with podman.running(IMAGE, "-p", "127.0.0.1::4317") as child:
            child.send(...)

No registry can be reached, so the base image is imitated: Debian with its own Python under
the real one's name, pruned as that one is (no documentation, no bytecode). RUN has no network
either: packages come as wheels. slirp4netns makes each container's network, since it leaves no
bridge and no firewall rule behind; the machine's 127.0.0.1 is `HOST` in there.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from cache import install, kept, needed
from children import Child

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
VERSION = PROJECT["project"]["version"]
IMAGE = f"surefoot:{VERSION}"
BASE = "docker.io/library/python:3.11-slim-bookworm"
#: The address of this machine's loopback in a container.
HOST = "10.0.2.2"
NETWORK = "--network=slirp4netns:allow_host_loopback=true"
PATIENCE_S = 600

CONTAINERS_CONF = """\
[containers]
default_ulimits=["nofile=4096:4096","nproc=4096:4096"]
[engine]
runtime="runc"
cgroup_manager="cgroupfs"
events_logger="file"
tmp_dir="{folder}/tmp"
[network]
network_backend="netavark"
"""
STORAGE_CONF = """\
[storage]
driver="overlay"
graphroot="{folder}/images"
runroot="{folder}/run"
"""
#: What makes Debian's files those of a slim image.
MMDEBSTRAP = (
    "--quiet", "--variant=minbase", "--include=python3,python3-pip,ca-certificates,netbase,tzdata",
    "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
    *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "info", "locale", "man")),
    """--customize-hook=find "$1/usr" -name '*.pyc' -delete""",
    "bookworm", "base.tar",
)  # fmt: skip


@dataclass(frozen=True)
class Podman:
    """The program, with a storage and a configuration in a folder."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Where it finds them."""
        return {
            **{key: value for key, value in os.environ.items() if not key.startswith("OTEL_")},
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
        }

    def __call__(self, *words: object) -> "subprocess.CompletedProcess[str]":
        """Run a command of it to the end."""
        return subprocess.run(
            ["podman", *map(str, words)], env=self.environment, cwd=self.folder,
            capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )  # fmt: skip

    def done(self, *words: object) -> str:
        """Run a command that must succeed; what it printed."""
        ran = self(*words)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout.strip()

    def first_process(self, name: str) -> int:
        """The process id, on this machine, of a container's first process; 0: there is none."""
        told = self("inspect", "--format={{.State.Pid}}", name)
        return int(told.stdout or 0)

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a container's first process, past podman."""
        process = self.first_process(name)
        # To 0 it would go to the whole group of this one.
        assert process > 0, f"{name} does not run"
        os.kill(process, number)

    @contextmanager
    def running(
        self, image: str, *options: object, command: Sequence[object] = ()
    ) -> Iterator["Contained"]:
        """A container whose log is read as a child's, and whose signals podman passes on."""
        name = f"surefoot-{uuid4().hex[:12]}"
        words = ["podman", "run", "--rm", f"--name={name}", "--log-driver=none", *options, image]
        with subprocess.Popen(
            [str(word) for word in [*words, *command]], env=self.environment, cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            try:
                yield Contained(process, self, name)
            finally:
                if process.poll() is None:
                    self("rm", "--force", "--time=0", name)
                    process.kill()


class Contained(Child):
    """A `surefoot run` in a container."""

    def __init__(self, process: "subprocess.Popen[str]", podman: Podman, name: str) -> None:
        super().__init__(process)
        self.podman = podman
        self.name = name

    def wait_until_ready(self) -> None:
        """Wait until both receivers listen; then the published gRPC port is known."""
        self.wait_for("listening", 2)
        self.grpc_port = self.port(4317)

    def port(self, inside: int) -> int:
        """The port of 127.0.0.1 under which one in the container is published."""
        return int(self.podman.done("port", self.name, inside).rpartition(":")[2])

    def first_process(self) -> int:
        """See `Podman.first_process`."""
        return self.podman.first_process(self.name)

    def signal(self, number: signal.Signals) -> None:
        """See `Podman.signal`."""
        self.podman.signal(self.name, number)


@contextmanager
def engine() -> Iterator[Podman]:
    """Podman with the base image, in a folder that is gone afterwards.

    Skips the test, with the reason, where containers cannot be run.
    """
    for program in ("podman", "mmdebstrap", "slirp4netns"):
        needed(program)
    base = kept("base-image", " ".join(MMDEBSTRAP), _make_base) / "base.tar"
    folder = Path(tempfile.mkdtemp(prefix="surefoot-"))
    podman = Podman(folder)
    (folder / "containers.conf").write_text(CONTAINERS_CONF.format(folder=folder))
    (folder / "storage.conf").write_text(STORAGE_CONF.format(folder=folder))
    try:
        _probe(podman, base)
        yield podman
    finally:
        podman("rm", "--all", "--force", "--time=0")
        podman("rmi", "--all", "--force")
        shutil.rmtree(folder, ignore_errors=True)


def build(podman: Podman, *options: object) -> None:
    """Build the image as the Dockerfile says where there is no package index."""
    wanted = PROJECT["project"]["dependencies"] + PROJECT["build-system"]["requires"]
    # Not from a cache: podman's does not notice that a named context changed.
    podman.done(
        "build", "--format=docker", "--network=none", "--pull-never", "--no-cache",
        f"--build-context=wheels={wheels('image-wheels', wanted)}", "--build-arg=PIP_NO_INDEX=1",
        *options, f"--tag={IMAGE}", f"--file={ROOT}/deploy/Dockerfile", ROOT,
    )  # fmt: skip


def wheels(name: str, wanted: Sequence[str]) -> Path:
    """A folder of wheels, for the base image's Python: all that installing these takes."""

    def make(place: Path) -> None:
        install(
            sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check",
            "--only-binary=:all:", "--python-version=3.11", "--dest=.", *wanted, cwd=place,
        )  # fmt: skip

    return kept(name, "\n".join(wanted), make)


def handles(process: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for a signal."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:  # not there yet, or gone
        return False
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def _probe(podman: Podman, base: Path) -> None:
    """Run something in the base image, as the tests will run theirs."""
    told = podman("import", base, BASE)
    if told.returncode == 0:
        safe = ("--read-only", "--cap-drop=all", "--memory=64m", NETWORK, "-p", "127.0.0.1::4317")
        told = podman("run", "--rm", *safe, BASE, "python3", "-c", "print('it runs')")
    if told.returncode != 0 or "it runs" not in told.stdout:
        pytest.skip(f"podman cannot run containers here: {_last_line(told.stderr)}")


def _make_base(place: Path) -> None:
    made = subprocess.run(
        ["mmdebstrap", *MMDEBSTRAP],
        cwd=place, capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    if made.returncode:
        shutil.rmtree(place)
        pytest.skip(f"mmdebstrap can make no base image here: {_last_line(made.stderr)}")


def _last_line(said: str) -> str:
    return (said.strip().splitlines() or ["it said nothing"])[-1]
