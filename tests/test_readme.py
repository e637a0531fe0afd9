"""The README is a promise: each command, configuration and spec in it is run here.

Blocks are marked by a comment of their own (`<!-- command: check -->`). The two commands
that install Surefoot on a fresh machine are run by `.ci/run`, which reads them from the
README as this file does.
"""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

from children import surefoot
from examples.page import KIND_BY_OPTION
from readmes import blocks, unmarked
from surefoot.config import load_config
from surefoot.model import Evidence
from surefoot.specs import Spec, load
from surefoot.specs.build import checks
from surefoot.specs.rules import RULES
from worlds import SPEC, requests

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = blocks(ROOT / "README.md")
#: Run elsewhere: by `.ci/run`, and by the benchmark's own test.
ELSEWHERE = {"demo", "tests", "bench"}
SERVERS = {"run", "run with a file"}


def commands() -> list[str]:
    return [name for kind, name in BLOCKS if kind == "command" and name not in ELSEWHERE | SERVERS]


def in_this_python(line: str) -> list[str]:
    """The words of a command, with the `surefoot` of the Python that runs the tests.

    What it would write into a file is taken from its output instead.
    """
    words = shlex.split(line.partition(" > ")[0])
    assert words[0] == "surefoot"
    return [sys.executable, "-m", "surefoot", *words[1:]]


def test_every_block_of_code_is_marked() -> None:
    assert unmarked(ROOT / "README.md") == 0
    assert {kind for kind, _ in BLOCKS} == {
        "command", "environment", "config", "spec", "python", "output",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["demo", "tests"])
def test_ci_runs_the_commands_for_a_fresh_machine(name: str) -> None:
    assert f"readme_command {name}" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", commands())
def test_the_command_works_as_written(name: str) -> None:
    (line,) = BLOCKS["command", name].splitlines()
    done = subprocess.run(
        in_this_python(line), cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout
    if name in ("schema", "steps"):
        assert json.loads(done.stdout)


@pytest.mark.parametrize("name", sorted(SERVERS))
def test_the_server_starts_as_written(name: str, tmp_path: Path) -> None:
    """It takes the ports that the README names, or says that they are taken."""
    (line,) = BLOCKS["command", name].splitlines()
    folder = ROOT
    if "-c surefoot.yaml" in line:
        folder = tmp_path
        (folder / "surefoot.yaml").write_text(BLOCKS["config", "forward"], encoding="utf-8")
        (folder / "specs").mkdir()
        (folder / "specs" / "spec.yaml").write_text(BLOCKS["spec", "refund"], encoding="utf-8")
    taken = any(is_taken(port) for port in (4317, 4318))
    with subprocess.Popen(
        in_this_python(line), cwd=folder, stderr=subprocess.PIPE, text=True, env=plain_environment()
    ) as server:
        assert server.stderr
        said = ""
        for text in server.stderr:
            said += text
            if "over HTTP on 127.0.0.1:4318" in text:
                server.send_signal(signal.SIGTERM)
        code = server.wait(30)

    if taken:
        assert (code, "cannot listen" in said) == (2, True), said
    else:
        assert code == 0, said
        assert "over gRPC on 127.0.0.1:4317" in said


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def plain_environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("OTEL_")}


def test_an_agent_reaches_it_by_its_environment_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports: Mapping[str, str] = dict(
        line.removeprefix("export ").split("=", 1)
        for line in BLOCKS["environment", "agent"].splitlines()
    )
    with surefoot(tmp_path, {}, SPEC) as child:
        for key, value in exports.items():
            monkeypatch.setenv(key, value.replace("4317", str(child.grpc_port)))
        exporter = OTLPSpanExporter()
        exporter.export([])
        exporter.shutdown()
        child.send(*requests("langgraph/good"))
        assert child.terminate() == 0

    assert exports["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc"
    assert child.event("stopped")["received"] == 15


@pytest.mark.parametrize("name", [name for kind, name in BLOCKS if kind == "config"])
def test_the_configuration_loads(name: str, tmp_path: Path) -> None:
    file = tmp_path / "surefoot.yaml"
    file.write_text(BLOCKS["config", name], encoding="utf-8")
    config = load_config(file, {})

    assert config.exporter
    assert str(config.exporter.endpoint) == "jaeger:4317"


def test_the_table_names_every_key_of_the_whole_configuration() -> None:
    def leaves(value: object, path: str = "") -> list[str]:
        if isinstance(value, dict):
            return [leaf for key, inner in value.items() for leaf in leaves(inner, f"{path}.{key}")]
        return [path.removeprefix(".")]

    table = set(re.findall(r"^\| `([\w.]+)` \|", TEXT, flags=re.MULTILINE))
    for leaf in leaves(yaml.safe_load(BLOCKS["config", "whole"])):
        assert any(leaf == key or leaf.startswith(f"{key}.") for key in table), leaf


@pytest.mark.parametrize(
    ("block", "name"), [("refund", "refund-desk"), ("rules", "refunds"), ("answers", "refunds")]
)
def test_the_spec_loads(block: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "spec.yaml"
    file.write_text(BLOCKS["spec", block], encoding="utf-8")

    assert [spec.name for spec in load([file]).specs] == [name]


def test_the_table_of_rules_tells_each_rules_kind_and_severity() -> None:
    _, table = TEXT.split("| rule | ")
    table = table.partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| .+? \| ([^|]+ \| \w+) \|$", table, flags=re.MULTILINE))

    assert set(rows) == set(RULES)
    for key, row in rows.items():
        rule = {name: told for name, told in RULES[key].example.items() if name != "when"}
        spec = {"name": "s", "ground": False, "secrets": False, "rules": [rule]}
        (check,) = checks(Spec.model_validate(spec))
        kind = KIND_BY_OPTION.get(key, check.kind.value)
        assert row == f"{kind} | {RULES[key].usual.value}"


def test_the_table_names_every_check() -> None:
    """Each key of the spec that is a check has its row."""
    (spec,) = yaml.safe_load(BLOCKS["spec", "refund"])["specs"]
    checks = set(spec) - {"name", "match", "severity", "output_ok"}
    keys = "".join(re.findall(r"^\| `\w+`.*?\|", TEXT, flags=re.MULTILINE))
    rows = set(re.findall(r"`(\w+)`", keys))

    assert checks <= rows


def test_the_tables_name_every_key_of_a_spec() -> None:
    """Or the text around them: its name, the list of rules and their weights."""
    named = set(re.findall(r"`(\w+)`", TEXT)) | {"name", "rules"}

    assert {info.alias or key for key, info in Spec.model_fields.items()} <= named


def test_the_python_prints_what_is_written() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKS["python", "check"]],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.stdout == BLOCKS["output", "check"], done.stderr


def test_the_test_suite_does_what_is_written(tmp_path: Path) -> None:
    """Where Surefoot is installed the plugin needs no `-p`; a source tree names it."""
    (tmp_path / "test_agent.py").write_text(BLOCKS["python", "pytest"], encoding="utf-8")
    (tmp_path / "pytest.ini").touch()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "surefoot.pytest_plugin", "-rs",
         "-p", "no:cacheprovider", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
    assert "1 passed, 1 skipped" in done.stdout
    assert "ground could not be decided (args_redacted)" in done.stdout


def test_every_word_of_evidence_is_explained() -> None:
    assert [level for level in Evidence if f"`{level.value}`" not in TEXT] == []
