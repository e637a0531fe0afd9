"""A real Prometheus scrapes a real `surefoot run`, and answers each query of the dashboard."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from children import surefoot
from dashboards import ALL, Asked, chosen, filled, variables
from expected import Answer, answer, answers, one, quantiles, rates, verdict_requests
from prometheus import Prometheus, free_port, prometheus
from sinks import Sink
from traffic import ASKED, HELD, LUCKY, NEVER_GREEN, UNJUDGED, Page, config, hold, play, spec
from walking import wait_for_verdicts

CONFIG = Path(__file__).parents[2] / "deploy" / "prometheus.yaml"
#: What is empty for the one choice, and the service for which it is not.
EMPTY_FOR_LUCKY = {
    "Who is not judged: runs": UNJUDGED,
    "Luck Rate of each agent: ": NEVER_GREEN,
}
#: The window holds all of the traffic, so that it is known what a rate must be.
STEP_S, WINDOW_S = 5, 120
HELD_NAMES = {f"Traces and memory held: {one}" for one in ("open traces", "memory of spans")}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@contextmanager
def scraping(folder: Path, port: int) -> Iterator[Prometheus]:
    """Prometheus with deploy's configuration, but that port, and a scrape a second."""
    told = yaml.safe_load(CONFIG.read_text("utf-8"))
    told["global"]["scrape_interval"] = "1s"
    told["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{port}"]
    with prometheus(folder, yaml.safe_dump(told)) as server:
        yield server


@dataclass(frozen=True)
class Asking:
    """The dashboard's answers, and what they must be."""

    page: Page
    due: dict[str, Answer]


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    folder, port = tmp_path_factory.mktemp("scraped"), free_port()
    with Sink() as sink:
        settings = config(sink, metrics={"address": f"127.0.0.1:{port}"})
        with surefoot(folder, settings, spec(folder)) as child, scraping(folder, port) as server:
            server.once("surefoot_spans_received_total", bool)
            played = play(child)
            wait_for_verdicts(sink, played.judged)
            server.once("surefoot_traces_open == 0", bool)
            played = hold(child, played)
            at = f"max_over_time(timestamp(surefoot_spans_open == {HELD})[1m:1s])"
            [opened] = server.once(at, bool)
            bodies = list(sink.taken["traces"])
            carry = verdict_requests(bodies)
            for due in (
                f"sum(surefoot_runs_total) == {played.runs}",
                f"sum(surefoot_verdicts_total) == {played.judged}",
                f"sum(surefoot_spans_ignored_total) == {played.apart}",
                f"sum(surefoot_forward_sent_total) == {played.requests + carry}",
                "surefoot_traces_open == 0",
            ):
                server.once(due, bool)
            below = server.rows("sum by (le) (surefoot_verdict_latency_seconds_bucket)")
            buckets = {float(row.labels["le"]): row.value for row in below}
            yield Asking(
                Page(server, STEP_S, WINDOW_S, opened.value),
                answers(played, bodies) | rates(played, carry, WINDOW_S) | quantiles(buckets),
            )


@pytest.fixture
def page(asking: Asking) -> Page:
    return asking.page


@pytest.mark.parametrize("name", sorted(set(ASKED) - HELD_NAMES))
def test_every_query_answers_what_happened(name: str, asking: Asking) -> None:
    assert answer(asking.page.rows(ASKED[name], ALL)) == asking.due[name]


def test_what_is_held_is_counted_while_it_is(page: Page) -> None:
    memory, traces = (answer(page.while_open(ASKED[name])) for name in sorted(HELD_NAMES))

    assert traces == one(1)
    assert memory[frozenset()] > 100 * HELD  # bytes


def test_a_legend_names_only_labels_that_are_there(asking: Asking) -> None:
    for name, due in asking.due.items():
        wanted = set(re.findall(r"\{\{(\w+)\}\}", name))
        assert all(wanted <= dict(labels).keys() for labels in due), name


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_every_query_answers_for_one_choice(asked: Asked, page: Page) -> None:
    values = {name: chosen(value) for name, value in LUCKY.items()}
    if asked.name in EMPTY_FOR_LUCKY:
        assert page.rows(asked, values) == []
        values = {**ALL, "service": chosen(EMPTY_FOR_LUCKY[asked.name])}

    assert page.rows(asked, values)


def test_what_may_be_empty_is_a_query() -> None:
    assert set(EMPTY_FOR_LUCKY) <= set(ASKED)


def test_a_choice_that_nothing_meets_leaves_its_panels_empty(page: Page) -> None:
    nobody = {name: chosen("nobody.at.all") for name in ALL}
    for asked in ASKED.values():
        if "$agent" in asked.expr:
            assert page.rows(asked, nobody) == [], asked.name


def test_each_variable_offers_its_values(page: Page) -> None:
    offered = {}
    for name, query in variables().items():
        read = re.fullmatch(r"label_values\((.+), (\w+)\)", filled(query, ALL))
        assert read
        series = page.server.api("series", **{"match[]": read[1]})
        offered[name] = {one[read[2]] for one in series if read[2] in one}

    assert {UNJUDGED, NEVER_GREEN, LUCKY["service"]} <= offered["service"]
    assert LUCKY["agent"] in offered["agent"]
    assert offered["spec"] == {"refund-desk"}
