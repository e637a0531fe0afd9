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
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.trace import SpanContext

from children import surefoot
from emit.mapped import prometheus_name
from examples.page import KIND_BY_OPTION
from readmes import blocks, unmarked
from sinks import Sink
from surefoot.config import load_config
from surefoot.emit.export import INTERVAL_S
from surefoot.emit.instruments import INSTRUMENTS
from surefoot.model import Evidence
from surefoot.specs import Spec, load
from surefoot.specs.build import checks
from surefoot.specs.rules import RULES
from worlds import SPEC

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = blocks(ROOT / "README.md")
#: Run elsewhere: by `.ci/run`, by the benchmark's own test, by e2e/test_readme_nothing.py.
ELSEWHERE = {"demo", "tests", "bench", "metrics"}
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
        "command", "environment", "config", "spec", "python", "javascript", "collector", "output",
    }  # fmt: skip


def test_every_snippet_has_its_test() -> None:
    """Here, or where foreign programs are installed: in e2e/test_readme_exporters.py."""
    kinds = ("environment", "python", "javascript", "collector")
    assert {block for block in BLOCKS if block[0] in kinds} == {
        ("environment", "agent"), ("python", "check"), ("python", "pytest"),
        ("python", "inprocess"),
        ("python", "exporter"), ("javascript", "exporter"), ("collector", "exporter"),
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
    """It takes the ports that the README names, or says that they are taken.

    With the specs that it says to write. A backend there is: a stop waits for one that does
    not answer.
    """
    (line,) = BLOCKS["command", name].splitlines()
    has_file = "-c surefoot.yaml" in line
    ports = (4317, 4318, 8888) if has_file else (4317, 4318)
    taken = any(is_taken(port) for port in ports)
    with Sink() as sink:
        if has_file:
            config = BLOCKS["config", "forward"].replace("jaeger:4317", sink.endpoint)
            (tmp_path / "surefoot.yaml").write_text(config, encoding="utf-8")
        (tmp_path / "specs").mkdir()
        (tmp_path / "specs" / "own.yaml").write_text(BLOCKS["spec", "own"], encoding="utf-8")
        with subprocess.Popen(
            in_this_python(line), cwd=tmp_path,
            stderr=subprocess.PIPE, text=True, env=plain_environment(),
        ) as server:  # fmt: skip
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
        assert "1 spec in force" in said


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
        sent = exporter.export([ReadableSpan("agent", SpanContext(1, 1, is_remote=False))])
        exporter.shutdown()
        assert child.terminate() == 0

    assert exports["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc"
    assert exports["OTEL_METRICS_EXPORTER"] == exports["OTEL_LOGS_EXPORTER"] == "none"
    assert sent is SpanExportResult.SUCCESS
    assert child.event("stopped")["received"] == 1


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
    ("block", "name"),
    [("own", "own-agent"), ("refund", "refund-desk"), ("rules", "refunds"), ("answers", "refunds")],
)
def test_the_spec_loads(block: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "spec.yaml"
    file.write_text(BLOCKS["spec", block], encoding="utf-8")

    assert [spec.name for spec in load([file]).specs] == [name]


def test_the_first_spec_is_met_by_the_agents_of_the_blocks_and_by_no_other(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(BLOCKS["spec", "own"], encoding="utf-8")
    (spec,) = load([file]).specs
    blocks = BLOCKS["python", "exporter"] + BLOCKS["javascript", "exporter"]
    services = re.findall(r'"service.name": "(.+?)"', blocks)

    assert len(services) == 2
    assert all(spec.fits_service(service) for service in services)
    assert not spec.fits_service("another")


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


#: An agent's run behind the README's span processor, with spans made by hand.
A_RUN = """
with provider.get_tracer("desk").start_as_current_span("desk") as root:
    root.set_attributes({"openinference.span.kind": "AGENT", "output.value": "Here you are."})
    with provider.get_tracer("desk").start_as_current_span("issue_refund") as step:
        step.set_attributes({"openinference.span.kind": "TOOL", "tool.name": "issue_refund"})
"""


def test_the_span_processor_judges_in_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKS["python", "inprocess"] + A_RUN],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60, env=plain_environment(),
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert re.findall(r'^    "name": "(.*)"', done.stdout, flags=re.MULTILINE) == [
        "verdict lucky: refund-desk",
        "violation required",
        "violation required",
        "violation forbidden",
    ]


def own_agent() -> str:
    """The section that leads from the demo to one's own agent."""
    return TEXT.partition("\n## Your own agent\n")[2].partition("\n## ")[0]


def test_what_is_to_be_installed_is_what_the_examples_install() -> None:
    """So what runs behind the blocks in e2e/test_readme_exporters.py is what is named."""
    requirements = (ROOT / "examples/langgraph/requirements.txt").read_text(encoding="utf-8")
    package = json.loads((ROOT / "examples/vercel/package.json").read_text(encoding="utf-8"))
    pip = re.findall(r"`pip install ([^`]+)`", own_agent())
    npm = re.findall(r"`npm install ([^`]+)`", own_agent())
    imported = re.findall(r'from "(.+)";', BLOCKS["javascript", "exporter"])

    assert set(pip[0].split()) <= set(re.findall(r"^[\w-]+", requirements, flags=re.MULTILINE))
    assert set(npm[0].split()) <= set(package["dependencies"])
    assert set(imported) == set(npm[0].split())
    assert (len(pip), len(npm)) == (1, 1)


def test_the_walk_names_metrics_that_there_are() -> None:
    named = set(re.findall(r"`(surefoot_\w+)", own_agent()))
    known = {prometheus_name(one.name, one.unit, one.kind.value) for one in INSTRUMENTS}

    assert len(named) > 5
    assert named <= known


def test_the_times_told_are_the_defaults() -> None:
    judging = load_config(None, {}).judging

    assert f"`settle` ({judging.settle_ns // 10**9} s)" in own_agent()
    assert f"`idle_timeout` ({judging.idle_timeout_ns // 10**9} s)" in own_agent()
    assert f"by OTLP every {INTERVAL_S:.0f} s" in own_agent()


def test_the_lines_that_switch_metrics_on_do() -> None:
    (line,) = re.findall(r"Add `(service: .+?)` to `surefoot\.yaml`", own_agent())
    telemetry = yaml.safe_load(BLOCKS["config", "forward"])["service"]["telemetry"]

    assert yaml.safe_load(line)["service"]["telemetry"] == telemetry
    assert load_config(None, {}).metrics is None


def test_every_word_of_evidence_is_explained() -> None:
    assert [level for level in Evidence if f"`{level.value}`" not in TEXT] == []
