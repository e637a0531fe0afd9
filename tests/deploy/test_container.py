"""deploy/Dockerfile: the image at work, run as hardened as a cluster runs it."""

import json
import shlex
import signal
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from containers import (
    HOST,
    IMAGE,
    NETWORK,
    ROOT,
    Contained,
    Podman,
    handles,
)
from readmes import blocks
from sinks import Sink, a_dead_port
from walking import wait_for_verdicts
from worlds import requests

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

#: What a run of it is allowed: to read its files, and loopback ports.
HARDENED = (
    "--read-only", "--read-only-tmpfs=false", "--cap-drop=all",
    "--security-opt=no-new-privileges", "--memory=512m", NETWORK,
    *(word for port in (4317, 4318, 8888, 13133) for word in ("-p", f"127.0.0.1::{port}")),
)  # fmt: skip
RUNS = ["langgraph/good", "openaiagents/skips", "crewai/loops"]
BUDGET_S = 15


def contained(
    podman: Podman, sink: Sink | str, *options: object
) -> AbstractContextManager[Contained]:
    """The image with its own configuration, and a backend at a port of this machine."""
    endpoint = sink if isinstance(sink, str) else sink.endpoint
    backend = f"http://{HOST}:{endpoint.rpartition(':')[2]}"
    return podman.running(
        IMAGE, *HARDENED, f"--env=OTEL_EXPORTER_OTLP_ENDPOINT={backend}", *options
    )


def bodies_of(*recordings: str) -> list[bytes]:
    return [body for recording in recordings for body in requests(recording)]


def test_a_recording_sent_into_the_container_comes_out_judged(podman: Podman) -> None:
    """By the specs that the image brings, with nothing that could be written."""
    bodies = bodies_of("crewai/loops")
    with Sink() as sink, contained(podman, sink) as child:
        child.wait_until_ready()
        child.send(*bodies)
        came = wait_for_verdicts(sink, 1)
        page = httpx.get(f"http://127.0.0.1:{child.port(8888)}/metrics").text
        ready = httpx.get(f"http://127.0.0.1:{child.port(13133)}/readyz")
        status = Path(f"/proc/{child.first_process()}/status").read_text("utf-8")
        assert child.terminate() == 0

    [(_, told)] = came.verdicts
    assert (told["surefoot.spec.name"], told["surefoot.outcome"]) == ("starter", "lucky")
    assert {one["surefoot.violation.check"] for _, one in came.violations} == {
        "no_repeat",
        "no-loop",
    }
    assert sorted(b for b in sink.taken["traces"] if b in set(bodies)) == sorted(bodies)
    assert "surefoot_verdicts_total{" in page
    assert ready.status_code == 200
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["Uid"].split() == ["10001"] * 4
    assert int(fields["CapBnd"], 16) == 0


def test_it_takes_otlp_over_http_too(podman: Podman) -> None:
    with Sink() as sink, contained(podman, sink) as child:
        child.wait_until_ready()
        for body in bodies_of("langgraph/good"):
            answer = httpx.post(
                f"http://127.0.0.1:{child.port(4318)}/v1/traces",
                content=body, headers={"content-type": "application/x-protobuf"},
            )  # fmt: skip
            assert answer.status_code == 200
        came = wait_for_verdicts(sink, 1)
        assert child.terminate() == 0

    assert [told["surefoot.outcome"] for _, told in came.verdicts] == ["pass"]


def test_the_pages_commands_build_and_run_it(podman: Podman, folder: Path) -> None:
    """But for the engine's name, free ports, and where specs and backend are."""
    told = blocks(ROOT / "deploy" / "README.md")
    engine_name, *words = shlex.split(told["command", "run"])
    assert shlex.split(told["command", "build"]) == [
        "docker", "build", "-t", IMAGE, "-f", "deploy/Dockerfile", ".",
    ]  # fmt: skip
    assert (engine_name, words[:2], words[-1]) == ("docker", ["run", "--rm"], IMAGE)
    assert words[2:5] == ["--read-only", "--cap-drop", "all"]
    (folder / "desk.yaml").write_text("specs: [{name: desk, forbidden: [issue_refund]}]")
    with Sink() as sink:
        put = {
            "./specs:": f"{folder}:",
            "http://jaeger:4317": f"http://{HOST}:{sink.port}",
            **{f"127.0.0.1:{port}:": "127.0.0.1::" for port in (4317, 4318, 8888)},
        }
        options = []
        for word in words[2:-1]:
            for old, new in put.items():
                word = word.replace(old, new)  # noqa: PLW2901 - one after the other
            options.append(word)
        with podman.running(IMAGE, NETWORK, *options) as child:
            child.wait_until_ready()
            child.send(*bodies_of("crewai/skips"))
            assert child.terminate() == 0
        came = wait_for_verdicts(sink, 1)

    assert [one["surefoot.spec.name"] for _, one in came.verdicts] == ["desk"]
    assert [one["surefoot.violation.check"] for _, one in came.violations] == ["forbidden"]


def test_a_backend_that_is_away_costs_no_exit_code_and_no_more_than_the_budget(
    podman: Podman,
) -> None:
    bodies = bodies_of(*RUNS)
    with a_dead_port() as endpoint, contained(podman, endpoint) as child:
        child.wait_until_ready()
        child.send(*bodies)
        assert child.terminate() == 0

    stopped = child.event("stopped")
    assert stopped["took_s"] < BUDGET_S
    assert (stopped["verdicts"], stopped["lost"]) == (len(RUNS), 0)
    assert stopped["undelivered"] >= len(bodies)


def test_sigterm_has_every_open_trace_judged_and_exits_0(podman: Podman) -> None:
    with Sink() as sink, contained(podman, sink) as child:
        child.wait_until_ready()
        child.send(*bodies_of(*RUNS))
        assert child.terminate() == 0
        came = wait_for_verdicts(sink, len(RUNS))

    assert len({span.trace_id for span, _ in came.verdicts}) == len(RUNS)
    last = [line for line in child.lines if "event" in line][-1]
    assert last["event"] == "stopped"
    assert last["took_s"] < BUDGET_S
    assert last["received"] == last["judged"] + last["apart"] > 0
    assert (last["verdicts"], last["lost"], last["undelivered"]) == (len(RUNS), 0, 0)


def test_a_container_that_is_gone_gets_no_signal(podman: Podman) -> None:
    """Its process would be 0, and a signal to 0 ends whoever sends it."""
    with pytest.raises(AssertionError, match="nobody does not run"):
        podman.signal("nobody", signal.SIGCONT)


def test_sigterm_while_the_program_loads_is_not_lost(podman: Podman) -> None:
    """A first process gets only the signals that it handles, so it must do so early."""
    with podman.running(IMAGE, "--network=none", "--read-only") as child:
        while not (process := child.first_process()):
            assert child.process.poll() is None, child.said()
        while not handles(process, signal.SIGTERM):
            assert child.process.poll() is None, child.said()
        child.signal(signal.SIGTERM)
        assert child.process.wait(30) == 0

    assert "listening" not in child.said()


def test_the_health_check_tells_well_from_stuck(podman: Podman) -> None:
    with podman.running(IMAGE, "--network=none", "--read-only") as child:
        child.wait_for("listening", 2)
        well = podman("healthcheck", "run", child.name)
        child.signal(signal.SIGSTOP)
        stuck = podman("healthcheck", "run", child.name)
        child.signal(signal.SIGCONT)

    assert well.returncode == 0
    assert stuck.returncode == 1


def test_a_full_tmp_does_not_matter(podman: Podman) -> None:
    with Sink() as sink, contained(podman, sink, "--tmpfs=/tmp:size=4k,mode=1777") as child:
        child.wait_until_ready()
        full = podman("exec", child.name, "dd", "if=/dev/zero", "of=/tmp/full")
        child.send(*bodies_of("langgraph/good"))
        came = wait_for_verdicts(sink, 1)
        assert child.terminate() == 0

    assert "No space left" in full.stderr
    assert [told["surefoot.outcome"] for _, told in came.verdicts] == ["pass"]


def as_kubelet(folder: Path, version: int, spec: dict[str, Any]) -> None:
    """Put a spec into a folder as a mounted ConfigMap stands there: behind two links."""
    data = folder / f"..{version}"
    data.mkdir(parents=True)
    (data / "own.yaml").write_text(yaml.safe_dump({"specs": [spec]}), encoding="utf-8")
    (folder / "..new").symlink_to(data.name)
    (folder / "..new").rename(folder / "..data")
    if version == 1:
        (folder / "own.yaml").symlink_to("..data/own.yaml")


def test_a_mounted_folder_of_specs_judges_and_its_changes_come_into_force(
    podman: Podman, folder: Path
) -> None:
    as_kubelet(folder, 1, {"name": "own", "forbidden": ["lookup_order"]})
    mount = f"--volume={folder}:/etc/surefoot/specs:ro"
    with Sink() as sink, contained(podman, sink, mount) as child:
        child.wait_until_ready()
        as_kubelet(folder, 2, {"name": "changed", "forbidden": ["lookup_order"]})
        child.wait_for("specs_loaded", 2)
        child.send(*bodies_of("langgraph/good"))
        assert child.terminate() == 0
        came = wait_for_verdicts(sink, 1)

    assert [told["surefoot.spec.name"] for _, told in came.verdicts] == ["changed"]
    assert [told["surefoot.violation.check"] for _, told in came.violations] == ["forbidden"]


SPEC_TYPO = "specs:\n  - name: own\n    requird: [a]\n"
CONFIG, SPECS = "/etc/surefoot/config.yaml", "/etc/surefoot/specs"


@pytest.mark.parametrize(
    ("inside", "text", "said"),
    [
        pytest.param(CONFIG, None, "no such file", id="no-config"),
        pytest.param(CONFIG, "receivers:\n  otlp: [\n", "line 3", id="config-no-yaml"),
        pytest.param(CONFIG, "service:\n  helth: {}\n", "(line 2)", id="config-unknown-key"),
        pytest.param(f"{SPECS}/own.yaml", "specs:\n  - name: [\n", "line 3", id="spec-no-yaml"),
        pytest.param(f"{SPECS}/own.yaml", SPEC_TYPO, "(line 3)", id="spec-key"),
    ],
)
def test_what_cannot_be_read_ends_with_2_and_one_line_that_says_where(
    podman: Podman, folder: Path, inside: str, text: str | None, said: str
) -> None:
    file = folder / Path(inside).name
    if text is not None:
        file.write_text(text, encoding="utf-8")
    mount = f"--volume={folder}:{Path(inside).parent}:ro"
    done = podman("run", "--rm", "--network=none", "--read-only", mount, IMAGE)

    lines = [line for line in done.stderr.splitlines() if "level=error" not in line]  # podman's own
    assert done.returncode == 2
    assert len(lines) == 1
    assert lines[0].startswith(f"surefoot: {inside}: ")
    assert said in lines[0]


#: Stands for an agent: what it exports and where, the SDK is told by its environment alone.
AGENT = """
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
with provider.get_tracer("agent").start_as_current_span("agent") as span:
    span.set_attributes({"openinference.span.kind": "AGENT", "output.value": "done"})
provider.shutdown()
"""


def test_the_pods_containers_work_together(podman: Podman, folder: Path) -> None:
    """As Kubernetes runs them, but for what this podman does not know: sidecars, named ports."""
    kubernetes = ROOT / "deploy" / "kubernetes"
    pod = yaml.safe_load((kubernetes / "pod.yaml").read_text("utf-8"))
    [sidecar], [agent] = pod["spec"].pop("initContainers"), pod["spec"]["containers"]
    for key in ("restartPolicy", "startupProbe", "livenessProbe", "readinessProbe", "ports"):
        del sidecar[key]
    agent |= {"image": IMAGE, "command": ["python", "-c", AGENT.strip()]}
    pod["spec"] |= {"containers": [sidecar, agent], "restartPolicy": "Never"}
    (folder / "pod.json").write_text(json.dumps(pod), encoding="utf-8")
    play = ["play", "kube", NETWORK]
    with Sink() as sink:
        backend = f"{HOST}:{sink.port}"
        maps = (kubernetes / "configmaps.yaml").read_text("utf-8")
        told = maps.replace("otel-collector.observability:4317", backend)
        assert told.count(backend) == 1
        for one in yaml.safe_load_all(told):
            file = folder / f"{one['metadata']['name']}.json"
            file.write_text(json.dumps(one), encoding="utf-8")
            play.append(f"--configmap={file}")
        try:
            podman.done(*play, folder / "pod.json")
            agents_code = podman.done("wait", "refund-desk-agent")
            # Not `podman stop`: this version's cleanup of the agent may then send a second SIGTERM.
            podman.signal("refund-desk-surefoot", signal.SIGTERM)
            sidecars_code = podman.done("wait", "refund-desk-surefoot")
            came = wait_for_verdicts(sink, 1)
        finally:
            podman("pod", "rm", "--force", "--time=0", "refund-desk")

    [(_, verdict)] = came.verdicts
    assert verdict["surefoot.spec.name"] == "starter"
    assert (agents_code, sidecars_code) == ("0", "0")
