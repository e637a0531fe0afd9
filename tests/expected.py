"""What each query of the dashboard must answer after the traffic, counted without any metric.

From what was sent (`traffic.Played`), and from the spans that reached the backend.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from prometheus import Row
from traffic import UNJUDGED, Played
from walking import came

#: Values by labels.
Answer = dict[frozenset[tuple[str, str]], float]
OUTCOMES = ("pass", "lucky", "violated", "fail", "inconclusive")
OWNER = ("service", "agent", "spec")
#: Panels whose figures depend on when Prometheus asked.
BY_TIME = {
    "Spans: what came in, and where it went", "Requests to the backend",
    "From the last span to the verdict", "Traces and memory held",
}  # fmt: skip
#: By how much a rate may miss the count that it stands for: it is drawn out to its window's ends.
RATE = 0.3


def answer(rows: Iterable[Row]) -> Answer:
    """Rows as an answer."""
    found = [(frozenset(row.labels.items()), row.value) for row in rows]
    assert len(dict(found)) == len(found), "two rows have the same labels"
    return dict(found)


def one(value: Any, **labels: str) -> Answer:
    """The answer that is one row; its value may be an approximate one."""
    return {frozenset(labels.items()): value}


def by(names: tuple[str, ...], counts: Mapping[Any, float]) -> Answer:
    """Rows with these labels, by their values in that order."""
    return {frozenset(zip(names, values, strict=True)): value for values, value in counts.items()}


def answers(played: Played, bodies: list[bytes]) -> dict[str, Answer]:
    """By the panel's title and the query's legend; all but what depends on time.

    bodies: what the backend got.
    """
    got = came(bodies)
    verdicts = [told for _, told in got.verdicts]
    of_trace = {span.trace_id: _owner(told) for span, told in got.verdicts}
    violations = Counter(
        (
            *of_trace[span.trace_id],
            told["surefoot.violation.check"],
            told["surefoot.violation.severity"],
        )
        for span, told in got.violations
    )
    outcomes = Counter(told["surefoot.outcome"] for told in verdicts)
    checks: Counter[tuple[str, ...]] = Counter()
    for (*_, check, severity), count in violations.items():
        checks[check, severity] += count
    by_outcome = {name: one(outcomes[name]) for name in OUTCOMES}
    [specs] = {told["surefoot.specs.hash"] for told in verdicts}
    return {
        **_luck(verdicts),
        **_named("Verdicts in the selected time", by_outcome),
        **_named("Verdicts by outcome", by_outcome),
        "Which check, which agent: violations": by((*OWNER, "check", "severity"), violations),
        "Violations by check and severity: {{check}} ({{severity}})": by(
            ("check", "severity"), checks
        ),
        "Runs that no spec judges: unmatched": one(played.unmatched / played.runs),
        "Inconclusive verdicts: inconclusive": one(outcomes["inconclusive"] / len(verdicts)),
        "Who is not judged: runs": one(played.unmatched, service=UNJUDGED, agent="refund_agent"),
        "Runs by what closed them: {{close_reason}}": {
            **one(1, close_reason="idle"), **one(played.runs - 1, close_reason="root"),
        },
        **_named(
            "Never judged, never delivered",
            {
                "spans lost": one(0), "spans rejected": one(played.rejected),
                "requests failed": one(0), "requests dropped": one(0),
            },
        ),
        "Requests by code: {{signal}} {{transport}} {{code}}": one(
            played.requests, signal="traces", transport="grpc", code="OK"
        ),
        "Queue to the backend: {{signal}}": by(
            ("signal",), {("traces",): 0, ("verdicts",): 0}
        ),
        "Specs in force: instances": one(1, hash=specs),
    }  # fmt: skip


def rates(played: Played, verdict_requests: int, window_s: int) -> dict[str, Answer]:
    """Of the panels of rates, when one window holds all of the traffic."""

    def rate(count: float) -> Any:
        return pytest.approx(count / window_s, rel=RATE)

    spans = {
        "received": played.spans, "judged": played.spans - played.rejected - played.apart,
        "ignored": played.apart, "duplicate": 0, "late": 0, "rejected": played.rejected,
        "lost": 0,
    }  # fmt: skip
    requests = {
        "sent": {"traces": played.requests, "verdicts": verdict_requests},
        "failed": {"traces": 0, "verdicts": 0},
        "dropped": {"traces": 0, "verdicts": 0},
    }
    return {
        **_named(
            "Spans: what came in, and where it went",
            {way: one(rate(count)) for way, count in spans.items()},
        ),
        **_named(
            "Requests to the backend",
            {
                f"{{{{signal}}}} {way}": {
                    **one(rate(counts["traces"]), signal="traces"),
                    **one(rate(counts["verdicts"]), signal="verdicts"),
                }
                for way, counts in requests.items()
            },
        ),
    }


def quantiles(buckets: Mapping[float, float]) -> dict[str, Answer]:
    """Of the panel of latencies. buckets: how many verdicts took no longer than a bound."""
    return _named(
        "From the last span to the verdict",
        {
            name: one(pytest.approx(_quantile(share, buckets)))
            for name, share in (("p50", 0.5), ("p99", 0.99))
        },
    )


def verdict_requests(bodies: list[bytes]) -> int:
    """How many of the backend's requests bring verdicts; they bring nothing else."""
    return sum(not came([body]).agents for body in bodies)


def _quantile(share: float, buckets: Mapping[float, float]) -> float:
    """Within its bucket a quantile is taken to lie as if values were spread evenly."""
    bounds = sorted(buckets)
    rank = share * buckets[bounds[-1]]
    at = next(place for place, bound in enumerate(bounds) if buckets[bound] >= rank)
    low, below = (bounds[at - 1], buckets[bounds[at - 1]]) if at else (0.0, 0.0)
    return low + (bounds[at] - low) * (rank - below) / (buckets[bounds[at]] - below)


def _owner(told: Mapping[str, Any]) -> tuple[str, str, str]:
    return told["surefoot.service"], told["surefoot.agent"], told["surefoot.spec.name"]


def _luck(verdicts: list[dict[str, Any]]) -> dict[str, Answer]:
    """Green: a good output, and a path that could be decided."""
    names = (*OWNER, "output_source")
    lucky: Counter[tuple[str, ...]] = Counter()
    green: Counter[tuple[str, ...]] = Counter()
    kinds = defaultdict(set)
    for told in verdicts:
        output, path = told["surefoot.output.grade"], told["surefoot.path.grade"]
        kinds[_owner(told)].add((told["surefoot.outcome"], output, path))
        key = (*_owner(told), told["surefoot.output.source"])
        green[key] += output == "ok" and path != "inconclusive"
        lucky[key] += output == "ok" and path == "violated"
    green = +green
    rate = {key: lucky[key] / green[key] for key in green}
    never = {key: len(found) for key, found in kinds.items() if key not in {k[:3] for k in green}}
    [source] = {key[3] for key in green}
    all_lucky, all_green = sum(lucky.values()), sum(green.values())
    return {
        "Luck Rate: {{output_source}}": one(all_lucky / all_green, output_source=source),
        "Lucky and green runs: lucky": one(all_lucky),
        "Lucky and green runs: green": one(all_green),
        "Luck Rate of each agent: lucky": by(names, {key: lucky[key] for key in green}),
        "Luck Rate of each agent: green": by(names, green),
        "Luck Rate of each agent: Luck Rate": by(names, rate),
        "Luck Rate of each agent: ": by(OWNER, never),
        "Luck Rate over time: {{service}} / {{agent}} / {{spec}} ({{output_source}})": by(
            names, rate
        ),
    }


def _named(panel: str, found: Mapping[str, Answer]) -> dict[str, Answer]:
    return {f"{panel}: {legend}": rows for legend, rows in found.items()}
