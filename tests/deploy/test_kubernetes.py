"""deploy/kubernetes: what a cluster reads, and that it fits what Surefoot does."""

import copy
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cache import python_env
from containers import IMAGE, ROOT
from surefoot.config import Config, load_config
from surefoot.service.server import SHUTDOWN_NS
from surefoot.specs import load

FOLDER = ROOT / "deploy" / "kubernetes"
VALIDATE = "kubernetes-validate==1.37.0\n"
MIB = 1 << 20
UNITS = {"Mi": MIB, "Gi": MIB * 1024}


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))


@pytest.fixture
def pod() -> dict[str, Any]:
    [document] = documents("pod.yaml")
    return document


@pytest.fixture
def sidecar(pod: dict[str, Any]) -> dict[str, Any]:
    [container] = pod["spec"]["initContainers"]
    assert isinstance(container, dict)
    return container


@pytest.fixture
def agent(pod: dict[str, Any]) -> dict[str, Any]:
    [container] = pod["spec"]["containers"]
    assert isinstance(container, dict)
    return container


def config_maps() -> dict[str, dict[str, str]]:
    return {one["metadata"]["name"]: one["data"] for one in documents("configmaps.yaml")}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    file = tmp_path / "config.yaml"
    file.write_text(config_maps()["surefoot-config"]["config.yaml"], encoding="utf-8")
    return load_config(file, {})


def bytes_of(quantity: str) -> int:
    return int(quantity[:-2]) * UNITS[quantity[-2:]]


def not_restricted(pod: dict[str, Any]) -> Iterator[str]:
    """What Kubernetes' restricted profile would refuse of a Pod, and a root that can be written.

    Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/
    """
    spec = pod["spec"]
    for name in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(name):
            yield name
    for volume in spec.get("volumes", ()):
        if set(volume) - {"name", "configMap", "emptyDir", "secret", "projected", "downwardAPI"}:
            yield f"volume {volume['name']}"
    for container in [*spec.get("initContainers", ()), *spec["containers"]]:
        own = container.get("securityContext", {})
        both = {**spec.get("securityContext", {}), **own}
        wrong = {
            "allowPrivilegeEscalation": own.get("allowPrivilegeEscalation") is not False,
            "capabilities": own.get("capabilities") != {"drop": ["ALL"]},
            "readOnlyRootFilesystem": own.get("readOnlyRootFilesystem") is not True,
            "runAsNonRoot": both.get("runAsNonRoot") is not True,
            "runAsUser": both.get("runAsUser", 1) == 0,
            "seccompProfile": both.get("seccompProfile") != {"type": "RuntimeDefault"},
            "privileged": bool(own.get("privileged")),
            "hostPort": any("hostPort" in port for port in container.get("ports", ())),
        }
        yield from (f"{container['name']}: {name}" for name, is_so in wrong.items() if is_so)


def test_the_restricted_profile_takes_the_pod(pod: dict[str, Any]) -> None:
    assert list(not_restricted(pod)) == []


@pytest.mark.parametrize(
    ("loosen", "found"),
    [
        (lambda spec: spec["securityContext"].pop("runAsNonRoot"), "surefoot: runAsNonRoot"),
        (lambda spec: spec["securityContext"].update(runAsUser=0), "agent: runAsUser"),
        (lambda spec: spec["securityContext"].pop("seccompProfile"), "agent: seccompProfile"),
        (lambda spec: spec["containers"][0].pop("securityContext"), "agent: capabilities"),
        (
            lambda spec: spec["initContainers"][0]["securityContext"].update(privileged=True),
            "surefoot: privileged",
        ),
        (lambda spec: spec.update(hostNetwork=True), "hostNetwork"),
        (lambda spec: spec["volumes"].append({"name": "x", "hostPath": {}}), "volume x"),
    ],
)
def test_the_restricted_profile_would_notice(
    pod: dict[str, Any], loosen: Callable[[dict[str, Any]], object], found: str
) -> None:
    looser = copy.deepcopy(pod)
    loosen(looser["spec"])

    assert found in list(not_restricted(looser))


def test_surefoot_starts_before_the_agent_and_ends_after_it(
    pod: dict[str, Any], sidecar: dict[str, Any]
) -> None:
    assert sidecar["restartPolicy"] == "Always"
    assert sidecar["startupProbe"]["httpGet"]["path"] == "/readyz"
    assert pod["spec"]["terminationGracePeriodSeconds"] > 2 * SHUTDOWN_NS / 1e9


def test_the_sidecar_is_the_image_that_is_built_here(sidecar: dict[str, Any]) -> None:
    assert sidecar["image"] == IMAGE
    assert "command" not in sidecar


def test_the_agent_sends_to_surefoot_and_surefoot_not_to_itself(
    sidecar: dict[str, Any], agent: dict[str, Any], config: Config
) -> None:
    environment = {one["name"]: one["value"] for one in agent["env"]}
    assert config.grpc
    assert config.exporter

    assert environment["OTEL_EXPORTER_OTLP_ENDPOINT"] == f"http://{config.grpc.endpoint}"
    assert environment["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc"
    assert "env" not in sidecar
    assert "envFrom" not in sidecar
    assert config.exporter.origin == "exporters.otlp.endpoint"


def test_probes_and_prometheus_ask_where_surefoot_answers(
    pod: dict[str, Any], sidecar: dict[str, Any], config: Config
) -> None:
    ports = {port["name"]: port["containerPort"] for port in sidecar["ports"]}
    assert config.health
    assert config.metrics

    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        asked = sidecar[probe]["httpGet"]
        assert ports[asked["port"]] == config.health.port
        assert asked["path"] in ("/healthz", "/readyz")
    annotations = pod["metadata"]["annotations"]
    assert annotations["prometheus.io/scrape"] == "true"
    assert annotations["prometheus.io/port"] == str(config.metrics.port) == str(ports["metrics"])
    assert annotations["prometheus.io/path"] == "/metrics"
    assert {config.health.host, config.metrics.host} == {"0.0.0.0"}  # noqa: S104 - the kubelet asks the Pod's address


def test_the_pod_monitor_in_a_comment_finds_the_pod_and_its_metrics(
    pod: dict[str, Any], sidecar: dict[str, Any]
) -> None:
    text = (FOLDER / "pod.yaml").read_text(encoding="utf-8")
    (block,) = re.findall(r"^#   apiVersion: .+\n(?:#   .+\n)+", text, flags=re.MULTILINE)
    monitor = yaml.safe_load(re.sub(r"^#   ", "", block, flags=re.MULTILINE))
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]

    assert (monitor["apiVersion"], monitor["kind"]) == ("monitoring.coreos.com/v1", "PodMonitor")
    assert monitor["spec"]["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    assert endpoint == {"port": "metrics", "honorLabels": True}
    assert endpoint["port"] in {port["name"] for port in sidecar["ports"]}


def test_surefoot_holds_itself_below_what_the_kernel_allows(
    sidecar: dict[str, Any], config: Config
) -> None:
    """By as much again: memory is measured once a second, and requests may be large."""
    limit = bytes_of(sidecar["resources"]["limits"]["memory"])

    assert config.judging.memory_limit_bytes * 2 <= limit
    assert bytes_of(sidecar["resources"]["requests"]["memory"]) <= limit


def test_config_and_specs_are_mounted_as_folders(
    pod: dict[str, Any], sidecar: dict[str, Any], config: Config
) -> None:
    mounts = {mount["name"]: mount for mount in sidecar["volumeMounts"]}
    maps = {one["name"]: one["configMap"]["name"] for one in pod["spec"]["volumes"][:2]}

    assert not any("subPath" in mount for mount in mounts.values())
    assert {maps[name] for name in mounts} == set(config_maps())
    at = mounts["config"]["mountPath"]
    assert sidecar["args"] == ["run", "-c", f"{at}/{next(iter(config_maps()[maps['config']]))}"]
    assert config.judging.specs == (mounts["specs"]["mountPath"],)


def test_the_specs_in_the_config_map_are_those_of_the_image(tmp_path: Path) -> None:
    for name, text in config_maps()["surefoot-specs"].items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    assert load([tmp_path]).hash == load([ROOT / "deploy" / "specs"]).hash


def validated(text: str, version: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    file = folder / "checked.yaml"
    file.write_text(text, encoding="utf-8")
    program = python_env("kubernetes-validate", VALIDATE).with_name("kubernetes-validate")
    return subprocess.run(
        [program, "--strict", "-k", version, str(file)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("version", ["1.28", "1.29", "1.37"])
@pytest.mark.parametrize("name", ["configmaps.yaml", "pod.yaml"])
def test_kubernetes_schema_takes_the_manifests(name: str, version: str, tmp_path: Path) -> None:
    done = validated((FOLDER / name).read_text("utf-8"), version, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("version", "right", "wrong"),
    [
        ("1.29", "restartPolicy: Always", "restartPolcy: Always"),
        ("1.29", "drop: [ALL]", "drop: ALL"),
        ("1.27", "", ""),  # knows no native sidecar
    ],
)
def test_kubernetes_schema_would_notice(
    version: str, right: str, wrong: str, tmp_path: Path
) -> None:
    text = (FOLDER / "pod.yaml").read_text("utf-8").replace(right, wrong, 1)

    done = validated(text, version, tmp_path)

    assert done.returncode == 1
    assert "did not validate" in done.stdout
