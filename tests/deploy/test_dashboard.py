"""Grafana's dashboard: that it is what the code makes, and that Grafana and Prometheus can read it.

Nobody looked at it in Grafana: none can be had here. Its JSON is held against Grafana's own
schema, and every query against Prometheus' grammar here and a running one in
test_prometheus.py.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from cache import install, kept, needed, python_env
from dashboards import (
    ALL,
    FILE,
    GRAFANA,
    chosen,
    filled,
    page,
    queries,
    samples,
    selectors,
    variables,
)

SDK = "grafana-foundation-sdk==1769699379!11.6.0\n"
PARSER = "promql-parser==0.12.0\n"
STRICT = Path(__file__).parent / "strict"
#: Prints what cannot be parsed, of a JSON list of expressions on its standard input.
PARSE = """
import json, sys, promql_parser
for expr in json.load(sys.stdin):
    try:
        promql_parser.parse(expr)
    except ValueError as problem:
        print(f"{expr}: {problem}")
"""


def run(*words: object, given: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(word) for word in words], input=given, capture_output=True, text=True, check=False
    )


def strict() -> Path:
    """Grafana's schema as a program, by its own SDK for Go."""
    go = needed("go")
    sources = sorted(STRICT.iterdir())

    def make(place: Path) -> None:
        for source in sources:
            shutil.copy(source, place)
        install(go, "build", "-o", "strict", ".", cwd=place)

    key = "".join(source.read_text("utf-8") for source in sources)
    return kept("grafana-strict", key, make) / "strict"


def all_filled() -> list[str]:
    """Each query with everything chosen, and with one odd value chosen."""
    odd = {name: chosen("refund (v1.2) + more") for name in ALL}
    return [filled(asked.expr, values) for asked in queries() for values in (ALL, odd)]


def rules(exprs: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """What promtool says of the expressions, each in a rule of its own."""
    group = [{"record": f"query:{place}", "expr": expr} for place, expr in enumerate(exprs)]
    file = folder / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": group}]}))
    return run(needed("promtool"), "check", "rules", file)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_committed_file_is_what_the_code_makes() -> None:
    made = run(python_env("grafana", SDK), GRAFANA / "dashboard.py")

    assert made.returncode == 0, made.stderr
    assert made.stdout == FILE.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_it_is_of_grafanas_schema() -> None:
    told = run(strict(), FILE)

    assert (told.returncode, told.stdout) == (0, "4 rows, 20 panels\n")


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('"refresh"', '"refresch"', "unexpected field 'refresch'"),
        ('"legendFormat"', '"legendFormatt"', "unexpected field 'legendFormatt'"),
        ('"graphMode"', '"grafMode"', "unexpected field 'grafMode'"),
        ('"w": 4', '"w": 40', "gridPos.w: must be <= 24"),
    ],
)
def test_another_word_would_be_noticed(right: str, wrong: str, said: str, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(FILE.read_text("utf-8").replace(right, wrong), encoding="utf-8")

    told = run(strict(), other)

    assert told.returncode == 1
    assert said in told.stdout


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_each_query_is_promql_by_a_parser_of_another_hand() -> None:
    python = python_env("promql", PARSER)

    good = run(python, "-c", PARSE, given=json.dumps(all_filled()))
    bad = run(python, "-c", PARSE, given=json.dumps(["sum by (agent ) rate(x[5m]", "up"]))

    assert (good.returncode, good.stdout) == (0, ""), good.stderr
    assert bad.returncode == 0
    assert bad.stdout.startswith("sum by (agent ) rate(x[5m]: ")


@pytest.mark.slow
def test_prometheus_takes_each_query_as_a_rule(tmp_path: Path) -> None:
    good = rules(all_filled(), tmp_path)
    bad = rules(["sum by (agent) (rate(surefoot_runs_total))"], tmp_path)

    assert good.returncode == 0, good.stderr
    assert f"{len(all_filled())} rules found" in good.stdout
    assert bad.returncode != 0
    assert "expected type range vector" in bad.stderr


@pytest.mark.slow
def test_prometheus_takes_its_configuration(tmp_path: Path) -> None:
    promtool, ours = needed("promtool"), GRAFANA.parent / "prometheus.yaml"
    misspelt = tmp_path / "prometheus.yaml"
    misspelt.write_text(ours.read_text("utf-8").replace("scrape_interval", "scrape_intervall"))

    assert run(promtool, "check", "config", ours).returncode == 0
    assert "scrape_intervall" in run(promtool, "check", "config", misspelt).stderr


def test_every_panel_has_a_description_a_source_and_a_place_of_its_own() -> None:
    panels = page()["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert {x for x, _ in taken} == set(range(24))
    assert len(taken) == 24 * (1 + max(y for _, y in taken))  # no hole
    for panel in panels:
        if panel["type"] != "row":
            assert len(panel["description"]) > 40, panel["title"]
            assert panel["datasource"]["uid"] == "${datasource}"
            assert all(one["datasource"]["uid"] == "${datasource}" for one in panel["targets"])


def test_no_query_needs_labels_that_only_a_scrape_gives() -> None:
    for asked in queries():
        assert "job" not in asked.expr, asked.name
        assert "instance" not in asked.expr, asked.name


def test_an_undefined_luck_rate_is_said_to_be_undefined() -> None:
    said = {
        panel["title"]: panel["fieldConfig"]["defaults"].get("noValue")
        for panel in page()["panels"]
        if panel["type"] != "row"
    }

    assert said["Luck Rate"] == "no green run: undefined, not 0"
    assert said["Luck Rate over time"] == "no green run: undefined, not 0"


def test_a_choice_filters_every_metric_that_can_be_filtered() -> None:
    """Each time that a query names it: with one filter for each of the choices that it has."""
    labels = samples()
    for asked in queries():
        for metric, matchers in selectors(asked.expr):
            due = {f'{name}=~"${name}"' for name in ALL if name in labels[metric]}
            assert {one for one in matchers if "$" in one} == due, f"{asked.name}: {metric}"
    assert set(variables()) == set(ALL)


def test_what_stays_0_in_the_traffic_is_asked_of_its_own_counter() -> None:
    """What the others answer tells whose counter they ask."""
    asks = {asked.name: {metric for metric, _ in selectors(asked.expr)} for asked in queries()}
    spans, left = "Spans: what came in, and where it went", "Requests to the backend"
    bad = "Never judged, never delivered"

    for way in ("duplicate", "late", "lost"):
        assert asks[f"{spans}: {way}"] == {f"surefoot_spans_{way}_total"}
    for way in ("failed", "dropped"):
        assert asks[f"{left}: {{{{signal}}}} {way}"] == {f"surefoot_forward_{way}_total"}
        assert asks[f"{bad}: requests {way}"] == {f"surefoot_forward_{way}_total"}
    assert asks[f"{bad}: spans lost"] == {"surefoot_spans_lost_total"}
    assert asks["Queue to the backend: {{signal}}"] == {"surefoot_forward_queue"}


def test_what_counts_a_step_is_summed_over_the_time_and_nothing_else_is() -> None:
    for asked in queries():
        counts = not asked.instant and "offset $__interval" in asked.expr
        assert asked.calc == ("sum" if counts else "lastNotNull"), asked.name


def test_what_is_painted_or_sorted_by_name_is_in_its_panel() -> None:
    shown: dict[str, set[str]] = {}
    for asked in queries():
        shown.setdefault(asked.panel, set()).add(asked.legend)
    for panel in page()["panels"]:
        names = shown.get(panel["title"], set())
        for one in panel.get("transformations", ()):
            names = names | set(one["options"].get("renameByName", {}).values())
        for override in panel.get("fieldConfig", {}).get("overrides", ()):
            if override["matcher"]["id"] == "byName":
                assert override["matcher"]["options"] in names, panel["title"]
        for sort in panel.get("options", {}).get("sortBy", ()):
            assert sort["displayName"] in names, panel["title"]
