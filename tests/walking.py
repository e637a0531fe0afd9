"""An example as the reader of its README meets it, with a recording backend behind Surefoot.

    walk = set_out(EXAMPLE, tmp_path)           # a copy, installed as its README says
    with Sink() as sink, walk.surefoot(sink) as child:
        done = walk.run("good", walk.environment("agent", child))
        came = wait_for_verdicts(sink, 1)
        assert child.terminate() == 0

What a README's blocks say is done: the install command from the cache of `cache.py`, the
server as a child with the example's own configuration and specs, the agent's commands by
a shell. Replaced are the ports, by free ones, and the waits, by short ones.

The agents of the examples are one agent in several languages: what its two runs are to
give stands here, too (`ANSWER` and below), and each example's tests compare with it.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

import children
from cache import node_env, python_env
from children import Child
from readmes import blocks
from sinks import Sink

ROOT = Path(__file__).parents[1]
#: What replaces the waits that live agents need.
SETTLE = "500ms"
PATIENCE_S = 60

RUNS = ("good", "lucky")
#: What the agent prints in either.
ANSWER = "Your refund of 80 for order 88213 is on its way.\n"
#: The verdict of each: its span's name, its outcome, its evidence.
OUTCOMES = [
    ("verdict pass: refund-desk", "pass", "complete"),
    ("verdict lucky: refund-desk", "lucky", "complete"),
]
_LOOK_UP = ("lookup_order", {"order_id": "88213"})
_CHECK = ("check_policy", {"amount": 80})
_REFUND = ("issue_refund", {"order_id": "88213", "amount": 80})
#: What each calls, with the arguments.
STEPS = [[_LOOK_UP, _CHECK, _REFUND], [_LOOK_UP, _REFUND]]
#: The blocks of a README that are run or compared.
MARKED = {
    ("command", "install"), ("command", "surefoot"), ("environment", "agent"),
    ("command", "good"), ("command", "lucky"), ("output", "verdicts"),
}  # fmt: skip


@dataclass(frozen=True)
class Walk:
    """An example's copy, ready to run, and the marked blocks of its README."""

    folder: Path
    blocks: dict[tuple[str, str], str]

    def surefoot(self, sink: Sink | None = None) -> AbstractContextManager[Child]:
        """Start the server as the block `surefoot` says; without a sink it prints verdicts."""
        words = shlex.split(self.blocks["command", "surefoot"])
        assert words[0].rpartition("/")[2] == "surefoot"
        assert words[1:] == ["run", "-c", "surefoot.yaml"]
        text = (self.folder / "surefoot.yaml").read_text(encoding="utf-8")
        config: dict[str, Any] = yaml.safe_load(text)
        config["processors"]["surefoot"]["settle"] = SETTLE
        config["service"]["telemetry"]["metrics"]["address"] = "127.0.0.1:0"
        config.pop("exporters", None)
        if sink:
            config["exporters"] = {"otlp": {"endpoint": sink.endpoint, "tls": {"insecure": True}}}
        return children.surefoot(self.folder, config)

    def environment(self, name: str, child: Child) -> dict[str, str]:
        """What a block of `export` lines sets, with the child's ports."""
        return self.exported(name, child.grpc_port, child.http_port)

    def exported(self, name: str, grpc_port: int, http_port: int) -> dict[str, str]:
        """The same, with any ports."""
        ports = {"4317": str(grpc_port), "4318": str(http_port)}
        return {
            key: re.sub(r"\b431[78]\b", lambda found: ports[found[0]], value)
            for key, value in re.findall(
                r"^export (\w+)=(.*)$", self.blocks["environment", name], flags=re.MULTILINE
            )
        }

    def run(self, name: str, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
        """Run a command block in the example's folder, with no OTEL_ variables but these."""
        plain = {key: value for key, value in os.environ.items() if not key.startswith("OTEL_")}
        return subprocess.run(
            ["bash", "-c", self.blocks["command", name]],
            cwd=self.folder, env=plain | environment,
            capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )  # fmt: skip


def set_out(example: Path, to: Path) -> Walk:
    """Copy an example and do what the block `install` of its README says."""
    folder = to / example.name
    shutil.copytree(
        example, folder, ignore=shutil.ignore_patterns("__pycache__", "node_modules", ".*")
    )
    walk = Walk(folder, blocks(folder / "README.md"))
    for command in re.split(r"&&|\n", walk.blocks["command", "install"].strip()):
        _install(shlex.split(command), folder)
    return walk


def _install(words: list[str], folder: Path) -> None:
    name = f"example-{folder.name}"
    match words:
        case ["python3", "-m", "venv", ".venv"]:
            pass  # the next command's, from the cache
        case [".venv/bin/pip", "install", *what]:
            if needed := _requirements(what, folder):
                python = python_env(name, needed)
                (folder / ".venv").symlink_to(python.parents[1])
        case ["npm", "install"]:
            package = (folder / "package.json").read_text(encoding="utf-8")
            (folder / "node_modules").symlink_to(node_env(name, package) / "node_modules")
        case _:
            raise AssertionError(f"how is this answered from the cache? {shlex.join(words)}")


def _requirements(what: list[str], folder: Path) -> str:
    """What pip is told to install. Of Surefoot itself, what it needs: the child runs it.

    So that a README which installs both into one environment promises what can be had.
    """
    own, others = "", ""
    words = iter(word for word in what if word != "-q")
    for word in words:
        if word == "../..":
            project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
            own = "\n".join(project["project"]["dependencies"]) + "\n"
        elif word == "-r":
            others += (folder / next(words)).read_text(encoding="utf-8")
        else:
            others += f"{word}\n"
    return others and own + others


def next_printed(child: Child) -> str:
    """Wait for the next verdict that a child without a backend prints."""
    assert child.process.stdout
    lines = takewhile(str.strip, iter(child.process.stdout.readline, ""))
    return re.sub(r"\b[0-9a-f]{32}\b", "<trace>", "".join(lines))


def printed(walk: Walk) -> str:
    """What a server without a backend prints of both runs."""
    verdicts = []
    with walk.surefoot() as child:
        for name in RUNS:
            done = walk.run(name, walk.environment("agent", child))
            assert done.stdout == ANSWER, done.stdout + done.stderr
            verdicts.append(next_printed(child))
        assert child.terminate() == 0
    return "\n".join(verdicts)


@dataclass(frozen=True)
class Came:
    """What a backend got: spans with their attributes, by who made them."""

    agents: list[tuple[Span, dict[str, Any]]]
    verdicts: list[tuple[Span, dict[str, Any]]]
    violations: list[tuple[Span, dict[str, Any]]]

    def outcomes(self) -> list[tuple[str, str, str]]:
        """The verdicts as in `OUTCOMES`."""
        return [
            (span.name, told["surefoot.outcome"], told["surefoot.evidence"])
            for span, told in self.verdicts
        ]

    def traces(self) -> tuple[list[bytes], list[bytes], list[bytes]]:
        """The ids of the traces in which the agents' roots, verdicts and violations stand."""
        roots = [span.trace_id for span, _ in self.agents if not span.parent_span_id]
        verdicts, violations = (
            [span.trace_id for span, _ in spans] for spans in (self.verdicts, self.violations)
        )
        return roots, verdicts, violations


@dataclass(frozen=True)
class Walked:
    """What the agent sent in both runs, and what the backend got."""

    sent: list[bytes]
    taken: list[bytes]

    @property
    def came(self) -> Came:
        """The spans that the backend got."""
        return came(self.taken)

    def passed_on(self) -> list[bytes]:
        """The agent's own requests among those that the backend got."""
        return [body for body in self.taken if body in self.sent]

    def steps(self, folder: Path) -> list[list[tuple[str, dict[str, Any]]]]:
        """What `surefoot steps` reads out of all that was sent, as in `STEPS`."""
        for n, body in enumerate(self.sent):
            (folder / f"{n:03}.binpb").write_bytes(body)
        done = subprocess.run(
            [sys.executable, "-m", "surefoot", "steps", str(folder)],
            capture_output=True, text=True, check=True, timeout=PATIENCE_S,
        )  # fmt: skip
        runs = [json.loads(line) for line in done.stdout.splitlines()]
        return [[(step["tool"], step["args"]) for step in run["steps"]] for run in runs]


def came(bodies: list[bytes]) -> Came:
    """Sort the spans of requests."""
    sorted_out = Came([], [], [])
    for body in bodies:
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            for span in (span for scope in group.scope_spans for span in scope.spans):
                told = _attributes(span)
                if "surefoot.outcome" in told:
                    sorted_out.verdicts.append((span, told))
                elif "surefoot.violation.check" in told:
                    sorted_out.violations.append((span, told))
                else:
                    sorted_out.agents.append((span, told))
    return sorted_out


def wait_for_verdicts(sink: Sink, count: int) -> Came:
    """Wait until a backend got so many verdicts; give all that it got."""
    for requests in range(1, 1000):
        so_far = came(sink.wait_for(requests))
        if len(so_far.verdicts) >= count:
            return so_far
    raise AssertionError("a thousand requests, and too few verdicts")


def both_runs(walk: Walk, child: Child, sink: Sink, environment: dict[str, str]) -> None:
    """Have the agent run twice and the server end: each run is silent and has its verdict."""
    for n, name in enumerate(RUNS):
        done = walk.run(name, environment)
        assert (done.returncode, done.stdout, done.stderr) == (0, ANSWER, ""), done
        wait_for_verdicts(sink, n + 1)
    assert child.terminate() == 0


def _attributes(span: Span) -> dict[str, Any]:
    return {
        one.key: getattr(one.value, kind)
        for one in span.attributes
        if (kind := one.value.WhichOneof("value"))
    }
