"""deploy/README.md: its commands name what is there, and what the tests beside this one run.

Its `build` and `run` are executed by test_image.py, as far as there is an engine.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from cache import python_env
from deploy.test_compose import COMPOSE
from deploy.test_dashboard import SDK
from readmes import blocks, unmarked

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "deploy" / "README.md"
BLOCKS = blocks(PAGE)


def test_every_command_is_known_here() -> None:
    assert unmarked(PAGE) == 0
    assert set(BLOCKS) == {
        ("command", name) for name in ("build", "run", "compose", "kubernetes", "dashboard")
    }


def test_every_file_that_it_names_is_there() -> None:
    text = PAGE.read_text("utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)

    assert links
    assert [link for link in links if not (PAGE.parent / link).exists()] == []


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
