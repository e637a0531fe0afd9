"""examples/langgraph/Dockerfile: the agent of deploy/compose.yaml, beside its Surefoot.

Each has a network of its own, so they meet at ports of this machine.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
import yaml

from containers import HOST, NETWORK, ROOT, Contained, Podman, wheels
from sinks import Sink
from walking import wait_for_verdicts

DEPLOY = ROOT / "deploy"
EXAMPLE = ROOT / "examples" / "langgraph"
SERVICES = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
#: What has no meaning where one container runs.
APART = {"build", "depends_on", "restart", "stop_grace_period"}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def agents_image(podman: Podman) -> Iterator[str]:
    image = SERVICES["agent"]["image"]
    wanted = (EXAMPLE / "requirements.txt").read_text("utf-8").split()
    podman.done(
        "build", "--format=docker", "--network=none", "--pull-never", "--no-cache",
        f"--volume={wheels('agent-wheels', wanted)}:/wheels:ro",
        "--env=PIP_NO_INDEX=1", "--env=PIP_FIND_LINKS=/wheels",
        f"--tag={image}", EXAMPLE,
    )  # fmt: skip
    yield image
    podman("rmi", "--force", image)


def options(service: dict[str, Any], backend: str) -> Iterator[str]:
    """A service's keys as podman's options; it sends to `backend`, on any free ports."""
    for key in set(service) - APART - {"image", "command"}:
        match key, service[key]:
            case "environment", {"OTEL_EXPORTER_OTLP_ENDPOINT": _, **others}:
                assert not others
                yield f"--env=OTEL_EXPORTER_OTLP_ENDPOINT={backend}"
            case "read_only", True:
                yield from ("--read-only", "--read-only-tmpfs=false")
            case "mem_limit", limit:
                yield f"--memory={limit}"
            case "volumes", mounts:
                yield from (f"--volume={DEPLOY}/{mount}" for mount in mounts)
            case "ports", ports:
                yield from (f"--publish=127.0.0.1::{one.split(':')[2]}" for one in ports)
            case "cap_drop" | "security_opt" | "tmpfs", words:
                yield from (f"--{key.replace('_', '-')}={word}" for word in words)
            case _:
                raise AssertionError(f"what is {key} to podman?")


def composed(podman: Podman, name: str, port: int) -> AbstractContextManager[Contained]:
    """A service's container, as compose would run it, that sends to a port of this machine."""
    service = SERVICES[name]
    given = options(service, f"http://{HOST}:{port}")
    return podman.running(service["image"], NETWORK, *given, command=service.get("command", ()))


def asleep(child: Contained) -> int:
    """The process id of the agent's pause, once there is one."""
    while True:
        assert child.process.poll() is None, child.said()
        for line in child.podman("top", child.name, "hpid", "comm").stdout.splitlines():
            process, _, command = line.partition(" ")
            if command.strip() == "sleep":
                assert int(process) > 0
                return int(process)


def test_its_runs_are_judged_and_it_stops_when_told(podman: Podman, agents_image: str) -> None:
    """Also within its pause, which here does not end."""
    assert agents_image == SERVICES["agent"]["image"]
    with Sink() as sink, composed(podman, "surefoot", sink.port) as surefoot:
        surefoot.wait_until_ready()
        with composed(podman, "agent", surefoot.grpc_port) as agent:
            came = wait_for_verdicts(sink, 2)
            os.kill(asleep(agent), signal.SIGSTOP)
            agent.signal(signal.SIGTERM)
            assert agent.process.wait(30) == 0, agent.said()
        assert surefoot.terminate() == 0

    assert [
        (told["surefoot.spec.name"], told["surefoot.outcome"], told["surefoot.evidence"])
        for _, told in came.verdicts
    ] == [("refund-desk", "pass", "complete"), ("refund-desk", "lucky", "complete")]
    assert [told["surefoot.violation.check"] for _, told in came.violations] == ["before"]
    assert agent.said() == ""
