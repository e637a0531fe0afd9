"""deploy/README.md: its commands name what is there, and what the tests beside this one run.

Its `build` and `run` are executed by test_container.py, as far as there is an engine.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from cache import python_env
from containers import IMAGE, NETWORK, VERSION, Podman
from deploy.test_compose import COMPOSE
from deploy.test_dashboard import SDK
from readmes import blocks, unmarked
from surefoot.config import load_config
from surefoot.specs import load
from walking import next_printed
from worlds import requests

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PAGE = DEPLOY / "README.md"
BLOCKS = blocks(PAGE)


def test_every_command_is_known_here() -> None:
    assert unmarked(PAGE) == 0
    assert set(BLOCKS) == {
        ("command", name) for name in ("build", "try", "run", "compose", "kubernetes", "dashboard")
    }


def test_every_file_that_it_names_is_there() -> None:
    text = PAGE.read_text("utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)

    assert links
    assert [link for link in links if not (PAGE.parent / link).exists()] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_first_try_prints_verdicts(podman: Podman) -> None:
    """But for the engine's name and free ports. By the starter spec, which fits any agent."""
    docker, *words = shlex.split(BLOCKS["command", "try"])
    assert (docker, words[:2], words[-1]) == ("docker", ["run", "--rm"], IMAGE)
    options = [re.sub(r"^127\.0\.0\.1:\d+:", "127.0.0.1::", word) for word in words[2:-1]]
    with podman.running(IMAGE, NETWORK, *options) as child:
        child.wait_until_ready()
        child.send(*requests("crewai/loops"))
        printed = next_printed(child)
        assert child.terminate() == 0

    assert printed.startswith("LUCKY ")
    assert "no-loop: " in printed


def test_what_a_configuration_of_ones_own_must_keep_is_in_the_one_to_copy() -> None:
    told = load_config(DEPLOY / "config.yaml", {})

    assert told.grpc
    assert told.http
    listens = [told.grpc.endpoint.host, told.http.endpoint.host]
    assert listens == ["0.0.0.0", "0.0.0.0"]  # noqa: S104 - in a container
    assert told.judging.specs == ("/etc/surefoot/specs",)
    assert told.health
    assert f"('127.0.0.1', {told.health.port})" in (DEPLOY / "Dockerfile").read_text("utf-8")


def test_composes_surefoot_judges_ones_own_agent_by_a_spec_beside_the_examples(
    tmp_path: Path,
) -> None:
    """In either of the two ways; until then it judges no other service than the example's."""
    example = (ROOT / "examples/langgraph/refund-desk.yaml").read_text("utf-8")
    item = "  - {name: own-agent, match: {service: own-agent}, max_steps: 20}\n"
    in_list, beside = tmp_path / "refund-desk.yaml", tmp_path / "own.yaml"
    beside.write_text(f"specs:\n{item}", "utf-8")

    in_list.write_text(example, "utf-8")
    assert [spec.fits_service("own-agent") for spec in load([in_list]).specs] == [False]
    assert [spec.name for spec in load([in_list, beside]).specs] == ["refund-desk", "own-agent"]
    in_list.write_text(example + item, "utf-8")
    assert [spec.name for spec in load([in_list]).specs] == ["refund-desk", "own-agent"]


def test_every_page_and_file_has_the_version_that_is_built() -> None:
    files = [path for path in DEPLOY.rglob("*") if path.suffix in (".md", ".yaml", "")]
    found = [
        (path.name, version)
        for path in files
        if path.is_file()
        for version in re.findall(
            r"(?:\bsurefoot(?:-[a-z-]+)?:|image\.version=\")(\d+\.[\w.]*)", path.read_text("utf-8")
        )
    ]

    assert {name for name, _ in found} == {"Dockerfile", "README.md", "compose.yaml", "pod.yaml"}
    assert {version for _, version in found} == {VERSION}
    assert len(found) >= 11


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_compose_finds_its_file_as_written() -> None:
    docker, compose, *words = shlex.split(BLOCKS["command", "compose"])
    assert (docker, compose, words[-2:]) == ("docker", "compose", ["up", "--build"])
    program = python_env("compose", COMPOSE).with_name("docker-compose")
    done = subprocess.run(
        [program, *words[:-2], "config", "--quiet"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")


def test_the_manifests_are_where_it_says() -> None:
    *words, folder = shlex.split(BLOCKS["command", "kubernetes"])

    assert words == ["kubectl", "apply", "-f"]
    assert sorted(path.name for path in (ROOT / folder).iterdir()) == [
        "configmaps.yaml",
        "pod.yaml",
    ]


def test_the_dashboard_is_made_as_the_tests_make_it() -> None:
    install, make = BLOCKS["command", "dashboard"].strip().split(" && ")

    assert shlex.split(install) == ["pip", "install", SDK.strip()]
    assert make == "python deploy/grafana/dashboard.py > deploy/grafana/surefoot.json"
