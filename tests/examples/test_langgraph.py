"""The LangGraph example as its README's reader runs it, against a child with a backend."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

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
)

EXAMPLE = ROOT / "examples" / "langgraph"
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return set_out(EXAMPLE, tmp_path_factory.mktemp("example"))


@pytest.fixture(scope="module")
def walked(walk: Walk) -> Iterator[Walked]:
    """Both runs; what the agent sends is written down on its way to Surefoot."""
    with ExitStack() as stack:
        sink, tap = stack.enter_context(Sink()), stack.enter_context(Sink())
        child = stack.enter_context(walk.surefoot(sink))
        tap.answers.extend([lambda: child.send(tap.attempts[-1])] * 100)
        both_runs(walk, child, sink, walk.exported("agent", tap.port, 0))
        yield Walked(tap.taken["traces"], sink.taken["traces"])


def test_it_prints_what_its_readme_shows(walk: Walk) -> None:
    assert printed(walk) == walk.blocks["output", "verdicts"]


def test_the_good_run_passes_and_the_lucky_one_is_lucky(walked: Walked) -> None:
    assert walked.came.outcomes() == OUTCOMES


def test_the_violation_hangs_below_the_call_that_broke_the_rule(walked: Walked) -> None:
    ((span, told),) = walked.came.violations
    by_id = {one.span_id: one.name for one, _ in walked.came.agents}

    assert (span.name, told["surefoot.violation.check"]) == ("violation before", "before")
    assert by_id[span.parent_span_id] == "issue_refund"


def test_its_readme_names_what_a_backend_gets(walked: Walked) -> None:
    spans = [walked.came.verdicts[-1], *walked.came.violations]

    assert [span.name for span, _ in spans if f"`{span.name}`" not in README] == []
    assert f"`{ANSWER.strip()}`" in README


def test_verdicts_stand_in_the_traces_that_they_judge(walked: Walked) -> None:
    roots, verdicts, violations = walked.came.traces()

    assert roots == verdicts
    assert violations == roots[1:]


def test_the_agents_requests_pass_as_they_came(walked: Walked) -> None:
    assert walked.sent
    assert walked.passed_on() == walked.sent
    assert len(came(walked.sent).agents) == len(walked.came.agents)


def test_every_call_is_understood_with_its_arguments(walked: Walked, tmp_path: Path) -> None:
    """Also that of a tool with one text argument, whose name its own span does not tell."""
    assert walked.steps(tmp_path) == STEPS


@pytest.mark.parametrize("name", RUNS)
def test_it_works_on_with_surefoot_down(walk: Walk, name: str) -> None:
    """The exporter complains, and nothing else."""
    with a_dead_port() as endpoint:
        port = int(endpoint.rpartition(":")[2])
        done = walk.run(name, walk.exported("agent", port, port))

    assert (done.returncode, done.stdout) == (0, ANSWER)
    assert f"Failed to export traces to {endpoint}" in done.stderr
    assert all("export" in line for line in done.stderr.splitlines())
    assert "`Failed to export traces`" in README


def test_it_needs_no_variable(walk: Walk) -> None:
    done = walk.run("good", {"OTEL_EXPORTER_OTLP_TIMEOUT": "1"})

    assert (done.returncode, done.stdout) == (0, ANSWER)
    assert "Traceback" not in done.stderr


def test_a_run_that_there_is_not_is_told(walk: Walk) -> None:
    done = subprocess.run(
        [walk.folder / ".venv" / "bin" / "python", "agent.py", "worse"],
        cwd=walk.folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (1, "usage: python agent.py good|lucky\n")


def test_the_agent_is_short_and_knows_nothing_of_surefoot() -> None:
    text = (EXAMPLE / "agent.py").read_text(encoding="utf-8")

    assert len(text.splitlines()) < 80
    assert "surefoot" not in text.lower()


def test_each_block_of_its_readme_is_run_or_compared(walk: Walk) -> None:
    assert unmarked(EXAMPLE / "README.md") == 0
    assert set(walk.blocks) == MARKED
