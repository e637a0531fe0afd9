"""What the dashboard asks Prometheus, as text.

Owns the selectors and the one idea about counters. Knows no panel.

Surefoot's counters by service, agent and check are born with their first event and end
when nothing touches them for 15 minutes. `increase()` sees neither the first event nor
one that comes after such an end, so an agent that runs once an hour would never show.
So what is new in a step is written out (`new`): the counter now less what it was a step
ago, all of it where there was none, and all of it where it has become less (a restart).
A counter that one failed scrape hides is looked for up to 5 minutes back. The steps add
up to the total, in whole numbers. The price: what was counted before Prometheus first
scraped, or during more than 5 minutes without a scrape, stands in one step.
`increase()` of VictoriaMetrics counts births and Prometheus' does not; this is the same
in both.

No query names `job` or `instance`: metrics that come by OTLP may have neither.
"""

from typing import Final

#: Runs have no `spec`: whether one met a spec is known after they are counted.
RUN: Final = 'service=~"$service",agent=~"$agent"'
VERDICT: Final = RUN + ',spec=~"$spec"'
STEP: Final = "$__interval"
#: Enough for a rate: four scrapes or more.
WINDOW: Final = "$__rate_interval"
_LOOK_BACK: Final = "5m"


def new(counter: str, step: str = STEP) -> str:
    """What each series of a counter has gained within `step`."""
    before = f"last_over_time({counter}[{_LOOK_BACK}] offset {step})"
    return f"({counter} - {before} >= 0 or {counter})"


def per_step(by: str, counter: str) -> str:
    """What a counter has gained in each step, by labels: bars that add up."""
    return f"sum by ({by}) {new(counter)}"


def in_all(by: str, counter: str) -> str:
    """What a counter has gained in the selected time, by labels; only what did."""
    return f"sum_over_time({per_step(by, counter)}[$__range:{STEP}]) > 0"


def share(part: str, whole: str) -> str:
    """The share of one counter's gain in another's; nothing where there was no gain."""
    some, all_of_it = in_all("", part), in_all("", whole)
    return f"(({some}) or 0 * ({all_of_it})) / ({all_of_it})"


def per_second(counter: str) -> str:
    """For counters that stand at 0 from the start and never end."""
    return f"sum(rate({counter}[{WINDOW}]))"


def quantile(share_below: float, histogram: str) -> str:
    """A quantile of what a histogram gained; nothing where it gained nothing."""
    gained = f"sum by (le) {new(histogram, WINDOW)}"
    return f"histogram_quantile({share_below}, {gained})"


LUCKY: Final = f"surefoot_luck_lucky{{{VERDICT}}}"
GREEN: Final = f"surefoot_luck_green{{{VERDICT}}}"
VERDICTS: Final = f"surefoot_verdicts_total{{{VERDICT}}}"
VIOLATIONS: Final = f"surefoot_violations_total{{{VERDICT}}}"
RUNS: Final = f"surefoot_runs_total{{{RUN}}}"
UNMATCHED: Final = f'surefoot_runs_total{{{RUN},matched="false"}}'
LATENCY: Final = f"surefoot_verdict_latency_seconds_bucket{{{VERDICT}}}"


def verdicts(outcome: str) -> str:
    """The verdicts with that outcome."""
    return f'surefoot_verdicts_total{{{VERDICT},outcome="{outcome}"}}'


def outcome_per_step(outcome: str) -> str:
    """How many verdicts with that outcome came in each step; 0 where only others have been."""
    return f"{per_step('', verdicts(outcome))} or 0 * {per_step('', VERDICTS)}"


def luck_rate(by: str) -> str:
    """Lucky of green, from the two counts, so that several Surefoots make one rate."""
    return f"sum by ({by}) ({LUCKY}) / sum by ({by}) ({GREEN})"


#: Who was judged and has no green run: their Luck Rate is undefined.
WITHOUT_GREEN: Final = (
    f"count by (service, agent, spec) (last_over_time({VERDICTS}[$__range]))"
    f" unless on (service, agent, spec) {GREEN}"
)
