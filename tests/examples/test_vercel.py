"""The Vercel AI SDK example as its README's reader runs it, against a child with a backend."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from children import Child
from readmes import unmarked
from sinks import Sink, a_dead_port
from walking import (
    ANSWER,
    MARKED,
    OUTCOMES,
    ROOT,
    RUNS,
    STEPS,
    Walk,
    Walked,
    both_runs,
    came,
    printed,
    set_out,
    wait_for_verdicts,
)

EXAMPLE = ROOT / "examples" / "vercel"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@contextmanager
def a_tap(child: Child, sent: list[bytes]) -> Iterator[int]:
    """The port of a listener that writes down what it passes on to the child over HTTP."""

    class Tap(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Pass on the body, which comes in chunks as Node sends it."""
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            assert self.rfile.readline() == b"\r\n"
            sent.append(body)
            onward = HTTPConnection("127.0.0.1", child.http_port, timeout=30)
            onward.request("POST", self.path, body, {"content-type": self.headers["content-type"]})
            self.send_response(onward.getresponse().status)
            self.end_headers()
            onward.close()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Tap) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return set_out(EXAMPLE, tmp_path_factory.mktemp("example"))


@pytest.fixture(scope="module")
def walked(walk: Walk) -> Iterator[Walked]:
    """Both runs; what the agent sends is written down on its way to Surefoot."""
    sent: list[bytes] = []
    with ExitStack() as stack:
        sink = stack.enter_context(Sink())
        child = stack.enter_context(walk.surefoot(sink))
        port = stack.enter_context(a_tap(child, sent))
        both_runs(walk, child, sink, walk.exported("agent", 0, port))
        yield Walked(sent, sink.taken["traces"])


def test_it_prints_what_its_readme_shows(walk: Walk) -> None:
    assert printed(walk) == walk.blocks["output", "verdicts"]


def test_the_good_run_passes_and_the_lucky_one_is_lucky(walked: Walked) -> None:
    assert walked.came.outcomes() == OUTCOMES


def test_the_violation_hangs_below_the_call_that_broke_the_rule(walked: Walked) -> None:
    ((span, told),) = walked.came.violations
    tools = {one.span_id: its.get("tool.name") for one, its in walked.came.agents}

    assert (span.name, told["surefoot.violation.check"]) == ("violation before", "before")
    assert tools[span.parent_span_id] == "issue_refund"


def test_verdicts_stand_in_the_traces_that_they_judge(walked: Walked) -> None:
    roots, verdicts, violations = walked.came.traces()

    assert roots == verdicts
    assert violations == roots[1:]


def test_the_agents_requests_pass_as_they_came(walked: Walked) -> None:
    """They came over HTTP and leave over gRPC."""
    assert walked.sent
    assert walked.passed_on() == walked.sent
    assert len(came(walked.sent).agents) == len(walked.came.agents)


def test_every_call_is_understood_with_its_arguments(walked: Walked, tmp_path: Path) -> None:
    assert walked.steps(tmp_path) == STEPS


def test_in_a_web_app_the_spec_needs_the_root_that_the_readme_names(
    walk: Walk, tmp_path: Path
) -> None:
    """A request's span around the agent's is never sent, and the run is judged all the same."""
    app = Walk(tmp_path / "app", walk.blocks)
    shutil.copytree(walk.folder, app.folder, symlinks=True)
    agent, spec = app.folder / "agent.mjs", app.folder / "refund-desk.yaml"
    text = agent.read_text(encoding="utf-8")
    (generates,) = (line for line in text.splitlines() if "agent.generate" in line)
    agent.write_text(
        text.replace(
            generates,
            'await provider.getTracer("http").startActiveSpan("POST /chat", async (request) => {\n'
            f"{generates}\nrequest.end();\n}});",
        ),
        encoding="utf-8",
    )
    assert "`root: agent`" in (EXAMPLE / "README.md").read_text(encoding="utf-8")
    with spec.open("a", encoding="utf-8") as more:
        more.write("    root: agent\n")
    with Sink() as sink, app.surefoot(sink) as child:
        assert app.run("lucky", app.environment("agent", child)).stdout == ANSWER
        judged = wait_for_verdicts(sink, 1)

    assert [span.name for span, _ in judged.agents if not span.parent_span_id] == []
    assert len(judged.agents) == 6
    assert [told["surefoot.outcome"] for _, told in judged.verdicts] == ["lucky"]


@pytest.mark.parametrize("name", RUNS)
def test_it_works_on_with_surefoot_down(walk: Walk, name: str) -> None:
    """The exporter complains, and nothing else."""
    with a_dead_port() as endpoint:
        port = int(endpoint.rpartition(":")[2])
        done = walk.run(
            name, walk.exported("agent", port, port) | {"OTEL_EXPORTER_OTLP_TIMEOUT": "1000"}
        )

    assert (done.returncode, done.stdout) == (0, ANSWER)
    assert done.stderr == f"spans were not sent: connect ECONNREFUSED {endpoint}\n"


def test_a_run_that_there_is_not_is_told(walk: Walk) -> None:
    done = subprocess.run(
        ["node", "agent.mjs", "worse"],
        cwd=walk.folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (1, "usage: node agent.mjs good|lucky\n")


def test_it_is_short(walk: Walk) -> None:
    text = (EXAMPLE / "agent.mjs").read_text(encoding="utf-8")

    assert len(text.splitlines()) < 80
    assert "surefoot" not in text.lower()
    assert unmarked(EXAMPLE / "README.md") == 0
    assert set(walk.blocks) == MARKED
