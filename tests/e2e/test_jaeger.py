"""The stack of deploy/compose.yaml without containers: an agent, Surefoot, and a real Jaeger.

Each with the configuration that deploy/ has, on free ports. The module of Jaeger that can be
built has no UI: what its UI asks the server is asked here, by the same parameters.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml

import children
from children import Child
from dashboards import page
from jaeger import Jaeger, Trace, jaeger, tags
from prometheus import free_port
from walking import ROOT, Walk, set_out

EXAMPLE = ROOT / "examples" / "langgraph"
README = (ROOT / "README.md").read_text(encoding="utf-8")
OURS, AGENTS = "surefoot", "refund-desk"
LUCKY = '{"surefoot.outcome":"lucky"}'
PASSED = '{"surefoot.outcome":"pass"}'
BEFORE = '{"surefoot.violation.check":"before"}'
HOUR_MS = 3_600_000

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


@dataclass(frozen=True)
class Seen:
    """A good run, then a lucky one, in Jaeger, and all that Surefoot logged until its end."""

    backend: Jaeger
    good: Trace
    lucky: Trace
    logged: list[dict[str, Any]]


def settings() -> dict[str, Any]:
    """The image's configuration; /metrics and health on free ports."""
    text = (ROOT / "deploy" / "config.yaml").read_text(encoding="utf-8")
    config: dict[str, Any] = yaml.safe_load(
        re.sub(r"0\.0\.0\.0:\d+", lambda _: f"127.0.0.1:{free_port()}", text)
    )
    return config


def run(walk: Walk, name: str, child: Child, backend: Jaeger, by: str) -> Trace:
    """Have the agent run; its trace, once Jaeger has its verdict."""
    done = walk.run(name, walk.environment("agent", child))
    assert done.returncode == 0, done.stderr
    [found] = backend.once(bool, service=OURS, tags=by)
    return found


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """The lucky run is made when Jaeger has said that it takes no metrics."""
    folder = tmp_path_factory.mktemp("stack")
    with jaeger(folder) as backend, pytest.MonkeyPatch.context() as patch:
        walk = set_out(EXAMPLE, folder)
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://{backend.otlp}")
        with children.surefoot(folder, settings(), walk.folder / "refund-desk.yaml") as child:
            good = run(walk, "good", child, backend, PASSED)
            child.wait_for("signal_unsupported")
            lucky = run(walk, "lucky", child, backend, LUCKY)
            assert child.terminate() == 0
        yield Seen(backend, good, lucky, child.lines)


def ours(trace: Trace, kind: str) -> list[dict[str, Any]]:
    return [span for span in trace.of(OURS) if span["operationName"].startswith(f"{kind} ")]


def test_it_lists_the_agent_and_surefoot_and_not_itself(seen: Seen) -> None:
    """Its own spans of each search would fill the list of whoever looks for an agent's."""
    assert sorted(seen.backend.api("services")) == [AGENTS, OURS]


def test_the_agents_run_and_its_verdict_are_one_trace(seen: Seen) -> None:
    for trace, tools in (
        (seen.good, ["lookup_order", "check_policy", "issue_refund"]),
        (seen.lucky, ["lookup_order", "issue_refund"]),
    ):
        agents = sorted(trace.of(AGENTS), key=lambda span: span["startTime"])
        of_tools = [one for one in agents if tags(one)["openinference.span.kind"] == "TOOL"]
        assert [one["operationName"] for one in of_tools] == tools
        assert len(agents) + len(trace.of(OURS)) == len(trace.spans)
        assert seen.backend.api(f"traces/{trace.id}")[0]["traceID"] == trace.id
    assert seen.good.id != seen.lucky.id


def test_each_verdict_stands_below_the_root(seen: Seen) -> None:
    for trace, name in (
        (seen.good, "verdict pass: refund-desk"),
        (seen.lucky, "verdict lucky: refund-desk"),
    ):
        [root] = [span for span in trace.of(AGENTS) if not span["references"]]
        [verdict] = ours(trace, "verdict")
        assert verdict["operationName"] == name
        assert trace.parent(verdict) == root


def test_the_violation_stands_below_the_call_that_broke_the_rule(seen: Seen) -> None:
    [violation] = ours(seen.lucky, "violation")
    call = seen.lucky.parent(violation)

    assert violation["operationName"] == "violation before"
    assert call is not None
    assert call["operationName"] == "issue_refund"
    assert tags(violation)["error"] is True
    assert ours(seen.good, "violation") == []


def test_the_tags_say_why(seen: Seen) -> None:
    [verdict], [violation] = ours(seen.lucky, "verdict"), ours(seen.lucky, "violation")

    assert tags(verdict)["surefoot.trajectory"] == "lookup_order → issue_refund"
    assert tags(verdict)["surefoot.violated"] == "before"
    assert tags(verdict)["surefoot.evidence"] == "complete"
    assert tags(violation)["surefoot.step.index"] == 1


def test_jaeger_warns_of_nothing(seen: Seen) -> None:
    """Such as of clock skew, or a duration below 0."""
    assert seen.good.warnings() + seen.lucky.warnings() == []


@pytest.mark.parametrize("by", [LUCKY, BEFORE])
def test_the_tags_that_the_readme_names_find_the_lucky_run_alone(seen: Seen, by: str) -> None:
    key, value = by.strip('{}"').split('":"')

    assert f"`{key}={value}`" in README
    assert [one.id for one in seen.backend.traces(service=OURS, tags=by)] == [seen.lucky.id]
    assert seen.backend.traces(service=AGENTS, tags=by) == []


def links() -> list[str]:
    """The addresses in Jaeger's page to which the dashboard leads."""
    told = page()
    panels = [
        setting["value"]
        for panel in told["panels"]
        for override in panel.get("fieldConfig", {}).get("overrides", ())
        for setting in override["properties"]
        if setting["id"] == "links"
    ]
    found = [one["url"] for some in [told["links"], *panels] for one in some]
    return [url for url in found if url.startswith("${jaeger}")]


@pytest.mark.parametrize("link", links(), ids=["lucky runs", "a check's spans"])
def test_the_dashboards_links_search_for_the_lucky_run(seen: Seen, link: str) -> None:
    start_ms = seen.lucky.spans[0]["startTime"] // 1000

    def found(from_ms: int, to_ms: int) -> list[str]:
        """By what the page at this address hands to the server."""
        address = link.replace("${jaeger}", seen.backend.url).replace("${__value.raw}", "before")
        address = address.replace("${__from}", str(from_ms)).replace("${__to}", str(to_ms))
        assert "$" not in address
        parts = urlsplit(address)
        assert parts.path == "/search"
        assert seen.backend.get(f"/search?{parts.query}").is_success
        return [one.id for one in seen.backend.traces(**dict(parse_qsl(parts.query)))]

    assert found(start_ms - HOUR_MS, start_ms + HOUR_MS) == [seen.lucky.id]
    assert found(start_ms - HOUR_MS, start_ms - HOUR_MS // 2) == []


def test_both_links_of_the_dashboard_are_tried() -> None:
    assert len(links()) == 2
    assert str(page()).count("/search?") == 2


def test_its_page_has_surefoots_words_first(seen: Seen) -> None:
    assert 'JAEGER_CONFIG = {"topTagPrefixes":["surefoot."]};' in seen.backend.get("/").text


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("config_file", "cannot read UI config file"),
        ("config_fille", "has invalid keys: config_fille"),
    ],
)
def test_it_would_not_start_without_that_file(tmp_path: Path, key: str, said: str) -> None:
    with (
        pytest.raises(AssertionError, match=said),
        jaeger(tmp_path, ui={key: str(tmp_path / "ui.json")}),
    ):
        pass


def test_it_stops_with_no_complaint_but_of_its_page(tmp_path: Path) -> None:
    """Spans of its own would wait for a receiver that is closed."""
    with jaeger(tmp_path) as backend:
        assert backend.traces(service=OURS) == []
        assert backend.program.stop() == 0

    assert ["placeholder" in line for line in backend.program.complaints()] == [True]


def test_surefoot_says_once_that_jaeger_takes_no_metrics(seen: Seen) -> None:
    """Were they still tried, the last export at its end would say it again."""
    told = [one["message"] for one in seen.logged if one["level"] != "info"]

    assert told == [f"{seen.backend.otlp} does not take metrics: no more are sent to it"]
