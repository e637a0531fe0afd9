"""A real Prometheus scrapes a real `surefoot run`, and answers each query of the dashboard."""

import math
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from children import Child, surefoot
from dashboards import ALL, Asked, chosen, filled, queries, variables
from prometheus import Prometheus, free_port, prometheus
from sinks import Sink
from surefoot.cli.replay import SPEC, recordings

CONFIG = Path(__file__).parents[2] / "deploy" / "prometheus.yaml"
STEP_S = 5
BACK_S = 120
#: Whose runs no spec judges here.
UNJUDGED = "refund-strands"
#: All of whose runs crashed or hid what they did, so that none is green.
NEVER_GREEN = "refund-openaiagents-hidden"
LUCKY = {"service": "refund-langgraph", "agent": "refund_agent", "spec": "refund-desk"}
#: What may be empty, and the choice for which it must not be.
EMPTY_FOR_LUCKY = {
    "Who is not judged A": UNJUDGED,
    "Luck Rate of each agent D": NEVER_GREEN,
}
VERDICT = re.compile(r"verdict (\w+): ")
VIOLATION = re.compile(r"violation (?:\(\w+\) )?(.+)")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@dataclass
class Scraped:
    """A Prometheus that has seen all traffic, and what Surefoot sent to its backend."""

    server: Prometheus
    sent: Counter[str]

    def answer(self, asked: Asked, values: dict[str, str]) -> dict[tuple[str, ...], float]:
        """Each series' labels and its value; over time the sum of its points. NaN is no point."""
        query, end_s = filled(asked.expr, values), step_end()
        if asked.instant:
            series = [[row] for row in self.server.rows(query, at_s=end_s)]
        else:
            times = {"start_s": end_s - BACK_S, "end_s": end_s, "step_s": STEP_S}
            series = self.server.points(query, **times)
        sums: dict[tuple[str, ...], float] = {}
        for rows in series:
            for row in rows:
                if not math.isnan(row.value):
                    labels = tuple(row.labels.values())
                    sums[labels] = sums.get(labels, 0) + row.value
        return sums


def step_end() -> int:
    """The end of the step that is under way: what happens in it is not told before."""
    return (int(time.time()) // STEP_S + 1) * STEP_S  # noqa: TID251 - Prometheus' clock


def spec(folder: Path) -> Path:
    """The demo's spec, but for one service."""
    told = yaml.safe_load(SPEC.read_text("utf-8"))
    names = {f"refund-{one.framework}" for one in recordings()} | {NEVER_GREEN}
    told["specs"][0]["match"] = {"service": sorted(names - {UNJUDGED})}
    file = folder / "spec.yaml"
    file.write_text(yaml.safe_dump(told), encoding="utf-8")
    return file


def renamed(body: bytes, service: str, trace_id: bytes) -> bytes:
    """A request as another service's, in a trace of that id."""
    request = ExportTraceServiceRequest.FromString(body)
    for group in request.resource_spans:
        for attribute in group.resource.attributes:
            if attribute.key == "service.name":
                attribute.value.string_value = service
        for scope in group.scope_spans:
            for span in scope.spans:
                span.trace_id = trace_id
    return request.SerializeToString()


def play(child: Child) -> tuple[int, int]:
    """Send the demo's runs, one that is never green, a span without ids; the runs, the judged."""
    recorded = recordings()
    for one in recorded:
        child.send(*one.requests)
    [hidden] = [one for one in recorded if one.run == "hidden"]
    child.send(*(renamed(body, NEVER_GREEN, bytes(range(16))) for body in hidden.requests))
    child.send(renamed(recorded[0].requests[0], "nobody", b"short"))
    unjudged = sum(f"refund-{one.framework}" == UNJUDGED for one in recorded)
    return len(recorded) + 1, len(recorded) + 1 - unjudged


def sent(sink: Sink, verdicts: int) -> Counter[str]:
    """Outcomes and checks, by the names of the spans that left, once so many verdicts did."""
    bodies: list[bytes] = []
    while True:
        bodies = sink.wait_for(len(bodies) + 1)
        names = [
            span.name
            for body in bodies
            for group in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in group.scope_spans
            for span in scope.spans
        ]
        outcomes = [found[1] for name in names if (found := VERDICT.match(name))]
        checks = [found[1] for name in names if (found := VIOLATION.match(name))]
        if len(outcomes) >= verdicts:
            return Counter(outcomes + checks)


@contextmanager
def scraping(folder: Path, port: int) -> Iterator[Prometheus]:
    """Prometheus with deploy's configuration, but that port, and a scrape a second."""
    config = yaml.safe_load(CONFIG.read_text("utf-8"))
    config["global"]["scrape_interval"] = "1s"
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{port}"]
    with prometheus(folder, yaml.safe_dump(config)) as server:
        yield server


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    folder, port = tmp_path_factory.mktemp("scraped"), free_port()
    metrics = {"address": f"127.0.0.1:{port}"}
    with Sink() as sink:
        config = {
            "exporters": {"otlp": {"endpoint": sink.endpoint, "tls": {"insecure": True}}},
            "processors": {"surefoot": {"settle": "300ms", "idle_timeout": "1s"}},
            "service": {"telemetry": {"metrics": metrics}},
        }
        with surefoot(folder, config, spec(folder)) as child, scraping(folder, port) as server:
            server.once("surefoot_spans_received_total", lambda rows: len(rows) == 1)
            runs, judged = play(child)
            left = sent(sink, judged)
            for metric, count in (("runs", runs), ("verdicts", judged)):
                server.once(f"sum(surefoot_{metric}_total) == {count}", bool)
            server.once("rate(surefoot_spans_received_total[5s]) > 0", bool)
            yield Scraped(server, left)


ASKED = {asked.name: asked for asked in queries()}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_every_query_answers_with_points_of_all(asked: Asked, scraped: Scraped) -> None:
    assert scraped.answer(asked, ALL)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_every_query_answers_for_one_choice(asked: Asked, scraped: Scraped) -> None:
    values = {name: chosen(value) for name, value in LUCKY.items()}
    if asked.name in EMPTY_FOR_LUCKY:
        assert scraped.answer(asked, values) == {}
        values = {**ALL, "service": chosen(EMPTY_FOR_LUCKY[asked.name])}

    assert scraped.answer(asked, values)


def test_what_may_be_empty_is_a_query() -> None:
    assert set(EMPTY_FOR_LUCKY) <= set(ASKED)


def test_a_choice_that_nothing_meets_leaves_its_panels_empty(scraped: Scraped) -> None:
    nobody = {name: chosen("nobody.at.all") for name in ALL}
    for asked in ASKED.values():
        if "$agent" in asked.expr:
            assert scraped.answer(asked, nobody) == {}, asked.name


def test_the_bars_and_the_table_count_what_left_for_the_backend(scraped: Scraped) -> None:
    outcomes = scraped.answer(ASKED["Verdicts in the selected time A"], ALL)
    by_check: Counter[str] = Counter()
    table = filled(ASKED["Which check, which agent A"].expr, ALL)
    for row in scraped.server.rows(table, at_s=step_end()):
        by_check[row.labels["check"]] += int(row.value)
    counted = Counter({outcome: int(value) for (outcome,), value in outcomes.items()}) + by_check

    assert counted == scraped.sent
    assert counted["lucky"] > 0
    assert counted["inconclusive"] > 0


def test_the_two_counts_make_the_rate(scraped: Scraped) -> None:
    [lucky] = scraped.answer(ASKED["Its two counts A"], ALL).values()
    [green] = scraped.answer(ASKED["Its two counts B"], ALL).values()

    assert lucky == scraped.sent["lucky"]
    assert scraped.answer(ASKED["Luck Rate A"], ALL) == {("structural",): lucky / green}
    published = scraped.server.rows("surefoot_luck_rate_ratio")
    assert len(published) == len(scraped.answer(ASKED["Luck Rate of each agent C"], ALL))


def test_each_variable_offers_its_values(scraped: Scraped) -> None:
    offered = {}
    for name, query in variables().items():
        read = re.fullmatch(r"label_values\((.+), (\w+)\)", filled(query, ALL))
        assert read
        series = scraped.server.api("series", **{"match[]": read[1]})
        offered[name] = {one[read[2]] for one in series if read[2] in one}

    assert {UNJUDGED, NEVER_GREEN, LUCKY["service"]} <= offered["service"]
    assert LUCKY["agent"] in offered["agent"]
    assert offered["spec"] == {"refund-desk"}


def test_a_rejected_span_is_counted(scraped: Scraped) -> None:
    assert sum(scraped.answer(ASKED["Never judged, never delivered B"], ALL).values()) > 0
    assert sum(scraped.answer(ASKED["Never judged, never delivered A"], ALL).values()) == 0


def test_runs_without_a_spec_are_a_share_of_all(scraped: Scraped) -> None:
    [share] = scraped.answer(ASKED["Runs that no spec judges A"], ALL).values()
    whose = scraped.answer(ASKED["Who is not judged A"], ALL)
    [runs] = scraped.server.rows("sum(surefoot_runs_total)")

    assert share == pytest.approx(sum(whose.values()) / runs.value)
    assert {service for labels in whose for service in labels} >= {UNJUDGED}
