"""A real Prometheus scrapes a real `surefoot run`, and answers each query of the dashboard."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from children import surefoot
from dashboards import ALL, Asked, chosen, filled, variables
from prometheus import Prometheus, free_port, prometheus
from sinks import Sink
from traffic import ASKED, LUCKY, NEVER_GREEN, UNJUDGED, Page, config, play, sent, spec

CONFIG = Path(__file__).parents[2] / "deploy" / "prometheus.yaml"
#: What is empty for the one choice, and the service for which it is not.
EMPTY_FOR_LUCKY = {
    "Who is not judged A": UNJUDGED,
    "Luck Rate of each agent D": NEVER_GREEN,
}
STEP_S = WINDOW_S = 5

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@contextmanager
def scraping(folder: Path, port: int) -> Iterator[Prometheus]:
    """Prometheus with deploy's configuration, but that port, and a scrape a second."""
    told = yaml.safe_load(CONFIG.read_text("utf-8"))
    told["global"]["scrape_interval"] = "1s"
    told["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{port}"]
    with prometheus(folder, yaml.safe_dump(told)) as server:
        yield server


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder, port = tmp_path_factory.mktemp("scraped"), free_port()
    with Sink() as sink:
        settings = config(sink, metrics={"address": f"127.0.0.1:{port}"})
        with surefoot(folder, settings, spec(folder)) as child, scraping(folder, port) as server:
            server.once("surefoot_spans_received_total", bool)
            runs, judged = play(child)
            left = sent(sink, judged)
            for metric, count in (("runs", runs), ("verdicts", judged)):
                server.once(f"sum(surefoot_{metric}_total) == {count}", bool)
            server.once(f"rate(surefoot_spans_received_total[{WINDOW_S}s]) > 0", bool)
            yield Page(server, left, STEP_S, WINDOW_S)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_every_query_answers_with_points_of_all(asked: Asked, page: Page) -> None:
    assert page.rows(asked, ALL)


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


def test_the_bars_and_the_table_count_what_left_for_the_backend(page: Page) -> None:
    outcomes = page.legend("Verdicts in the selected time")
    checks = page.counts("Which check, which agent A", "check")

    assert outcomes + checks == page.sent
    assert page.legend("Verdicts by outcome") == outcomes
    assert page.counts("Violations by check and severity A", "check") == checks
    assert {"lucky", "violated", "pass", "fail", "inconclusive"} == set(outcomes)


def test_the_two_counts_make_the_rate(page: Page) -> None:
    [lucky] = page.values("Lucky and green runs A")
    [green] = page.values("Lucky and green runs B")

    assert lucky == page.sent["lucky"]
    assert page.values("Luck Rate A") == [lucky / green]
    published = page.server.rows("surefoot_luck_rate_ratio")
    assert sorted(page.values("Luck Rate of each agent C")) == sorted(r.value for r in published)


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


def test_a_rejected_span_is_counted(page: Page) -> None:
    assert sum(page.values("Never judged, never delivered A")) == 0
    assert sum(page.values("Never judged, never delivered B")) > 0


def test_runs_without_a_spec_are_a_share_of_all(page: Page) -> None:
    whose = page.counts("Who is not judged A", "service")
    runs = page.counts("Runs by what closed them A", "close_reason")

    assert set(whose) == {UNJUDGED}
    assert page.values("Runs that no spec judges A") == [whose.total() / runs.total()]
