"""The first screen: how lucky agents were, what was judged, and which checks were broken.

Owns the words, units and colours of these rows. What they ask is in `queries`.
"""

from typing import Any, Final

from grafana_foundation_sdk.models import common as look

import panels as put
import queries as ask

UNDEFINED: Final = "no green run: undefined, not 0"
OUTCOMES: Final = {
    "pass": "green",
    "lucky": "orange",
    "violated": "red",
    "fail": "purple",
    "inconclusive": "#8e8e8e",
}
SEVERITIES: Final = {"hard": "red", "soft": "orange", "warn": "yellow"}
#: A search in Jaeger's own page, within the selected time; its words are of that page.
JAEGER: Final = (
    "${jaeger}/search?service=surefoot&lookback=custom&start=${__from}000&end=${__to}000"
    "&tags=%7B%22TAG%22%3A%22VALUE%22%7D"
)


def _by_outcome(panel: Any) -> Any:
    for outcome, name in OUTCOMES.items():
        panel.override_by_name(outcome, [put.color(name)])
    return panel


def luck(layout: put.Layout) -> None:
    """How many good answers came by a bad path, and whose."""
    owners = "service, agent, spec, output_source"
    rate_steps = put.thresholds((None, "green"), (0.01, "yellow"), (0.05, "orange"), (0.2, "red"))
    rate = put.tiles(
        "Luck Rate",
        "Of the answers that looked good, the share reached on a bad path: lucky runs / green "
        "runs. One figure for each kind of evidence that an answer was good: `structural` is "
        "weak (it looked like an answer), `attribute` and `evaluation` are what somebody said "
        "of it. Surefoot counts the last 200 judged runs of a series, at most 24 hours old. "
        "Without a green run there is no rate: undefined, not 0.",
        put.now(ask.luck_rate("output_source"), "{{output_source}}"),
    )
    rate.unit("percentunit").decimals(0).min(0).max(1).thresholds(rate_steps).no_value(UNDEFINED)
    counts = put.tiles(
        "Lucky and green runs",
        "Runs in the same window. Green: the answer looked good and the path could be decided. "
        "Lucky: green, on a path that broke the spec. A rate of few runs says little.",
        put.now(f"sum({ask.LUCKY})", "lucky"),
        put.now(f"sum({ask.GREEN})", "green"),
    )
    counts.decimals(0).no_value("no green run")
    counts.override_by_name("lucky", [put.color("orange")]).override_by_name(
        "green", [put.color("text")]
    )
    whose = put.rows(
        "Luck Rate of each agent",
        "The same by service, agent and spec, highest first. `rests on` says what told that "
        "answers were good. An agent that was judged in the selected time and has no green run "
        "is listed with its rate undefined.",
        {
            "service": "service", "agent": "agent", "spec": "spec", "output_source": "rests on",
            "Value #A": "lucky", "Value #B": "green", "Value #C": "Luck Rate",
        },
        "Luck Rate",
        put.as_rows(f"sum by ({owners}) ({ask.LUCKY})"),
        put.as_rows(f"sum by ({owners}) ({ask.GREEN})"),
        put.as_rows(ask.luck_rate(owners)),
        put.as_rows(ask.WITHOUT_GREEN),
    )  # fmt: skip
    whose.thresholds(rate_steps).no_value("no run was judged")
    whose.override_by_name(
        "Luck Rate",
        [
            put.setting("unit", "percentunit"),
            put.setting("decimals", 0),
            put.setting("max", 1),
            put.setting("min", 0),
            put.setting("noValue", "undefined"),
            put.setting("custom.cellOptions", {"type": "gauge", "mode": "basic"}),
            put.setting("custom.minWidth", 130),
        ],
    )
    for narrow in ("lucky", "green"):
        whose.override_by_name(
            narrow, [put.setting("custom.width", 65), put.setting("noValue", "0")]
        )
    course = put.lines(
        "Luck Rate over time",
        "The same rate by service, agent and spec as the window moved. A gap means undefined: "
        "no green run in the window.",
        put.over_time(
            ask.luck_rate(owners), "{{service}} / {{agent}} / {{spec}} ({{output_source}})"
        ),
        calcs=["lastNotNull"],
    )
    course.unit("percentunit").decimals(0).min(0).max(1).no_value(UNDEFINED)
    layout.row("Luck: good answers that came by a bad path")
    layout.line(9, (4, [rate, counts]), (11, [whose]), (9, [course]))


def verdicts(layout: put.Layout) -> None:
    """What was judged, which check was broken, and by whom."""
    by_outcome = [(ask.outcome_per_step(outcome), outcome) for outcome in OUTCOMES]
    summed = put.tiles(
        "Verdicts in the selected time",
        "One verdict a run and spec. pass: path and answer fine. lucky: a good answer on a bad "
        "path. violated: a bad path, and nobody knows about the answer. fail: a bad answer. "
        "inconclusive: the spans do not tell; it counts as neither.",
        *(put.over_time(query, outcome) for query, outcome in by_outcome),
        calc="sum",
    )
    _by_outcome(summed).decimals(0).no_value("no verdict")
    summed.orientation(look.VizOrientation.HORIZONTAL)
    which = put.rows(
        "Which check, which agent",
        "Violations found in the selected time, most first. A check is named by its key in the "
        "spec, a rule by its id. Click one to find its spans in Jaeger.",
        {
            "check": "check", "severity": "severity", "service": "service", "agent": "agent",
            "spec": "spec", "Value": "violations",
        },
        "violations",
        put.as_rows(ask.in_all("service, agent, spec, check, severity", ask.VIOLATIONS)),
    )  # fmt: skip
    colors = [
        {
            "type": "value",
            "options": {name: {"color": color} for name, color in SEVERITIES.items()},
        }
    ]
    which.override_by_name(
        "severity",
        [
            put.setting("mappings", colors),
            put.setting("custom.cellOptions", {"type": "color-text"}),
            put.setting("custom.width", 80),
        ],
    )
    where = JAEGER.replace("TAG", "surefoot.violation.check")
    link = {
        "title": "its spans in Jaeger",
        "url": where.replace("VALUE", "${__value.raw}"),
        "targetBlank": True,
    }
    which.override_by_name("check", [put.setting("links", [link])])
    which.override_by_name(
        "violations", [put.setting("custom.width", 90), put.setting("decimals", 0)]
    )
    which.no_value("no violation in the selected time")
    course = _by_outcome(
        put.bars(
            "Verdicts by outcome",
            "Verdicts in each step of time; the legend has their sum. What Surefoot had counted "
            "before Prometheus first asked stands in one bar.",
            *(put.over_time(query, outcome) for query, outcome in by_outcome),
        )
    )
    checks = put.bars(
        "Violations by check and severity",
        "Violations in each step of time; the legend has their sum. Severity says what gates a "
        "build and what alerts; it does not change a verdict.",
        put.over_time(ask.per_step("check, severity", ask.VIOLATIONS), "{{check}} ({{severity}})"),
        right=True,
    )
    for severity, name in SEVERITIES.items():
        checks.override_by_regexp(rf"/\({severity}\)$/", [put.color(name, "shades")])
    layout.row("Verdicts: what was judged, and what was broken")
    layout.line(10, (4, [summed]), (11, [which]), (9, [course.no_value("no verdict")]))
    layout.line(8, (24, [checks.no_value("no violation in the selected time")]))
