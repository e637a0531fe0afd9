"""How far to trust the first screen: what was not judged, and Surefoot's own health.

Owns the words, units and colours of these rows. What they ask is in `queries`.
"""

import panels as put
import queries as ask


def coverage(layout: put.Layout) -> None:
    """What was not judged, and why."""
    unmatched = put.tiles(
        "Runs that no spec judges",
        "The share of runs that closed in the selected time and met no spec's `match`. They "
        "were passed on and not judged: nothing on this page speaks of them.",
        put.now(ask.share(ask.UNMATCHED, ask.RUNS), "unmatched"),
    )
    inconclusive = put.tiles(
        "Inconclusive verdicts",
        "The share of verdicts that the spans do not decide: arguments hidden by the "
        "instrumentation, spans lost, a root that never came. `surefoot.inconclusive` on the "
        "verdict's span names the reasons.",
        put.now(ask.share(ask.verdicts("inconclusive"), ask.VERDICTS), "inconclusive"),
    )
    steps = put.thresholds((None, "green"), (0.05, "yellow"), (0.25, "orange"))
    for panel, without in ((unmatched, "no run"), (inconclusive, "no verdict")):
        panel.unit("percentunit").decimals(0).thresholds(steps).no_value(without)
    whose = put.rows(
        "Who is not judged",
        "Runs of the selected time that met no spec, by service and agent.",
        {"service": "service", "agent": "agent", "Value": "runs"},
        "runs",
        put.as_rows(ask.in_all("service, agent", ask.UNMATCHED)),
    )
    whose.override_by_name("runs", [put.setting("custom.width", 80), put.setting("decimals", 0)])
    whose.no_value("every run met a spec")
    reasons = put.bars(
        "Runs by what closed them",
        "root: all of the run was there. idle: nothing came for idle_timeout. Anything else "
        "cut the run off (age, a limit, shutdown), so checks that need all of it are "
        "inconclusive.",
        put.over_time(ask.per_step("close_reason", ask.RUNS), "{{close_reason}}"),
    )
    layout.row("Coverage: what the figures above do not speak of")
    layout.line(8, (4, [unmatched, inconclusive]), (11, [whose]), (9, [reasons.no_value("no run")]))


def health(layout: put.Layout) -> None:
    """Whether Surefoot keeps up, and whether anything was lost."""
    went = ("received", "judged", "ignored", "duplicate", "late", "rejected", "lost")
    spans = put.lines(
        "Spans: what came in, and where it went",
        "Received is the sum of the others and of the spans that are open. Ignored: of "
        "Surefoot itself, or of traces without an agent. Late: after the verdict, which they "
        "amend. Rejected: ids that are none. Lost: never judged, because of a shutdown or a "
        "fault.",
        *(put.over_time(ask.per_second(f"surefoot_spans_{way}_total"), way) for way in went),
        calcs=["lastNotNull"],
    ).unit("cps")
    spans.override_by_name("lost", [put.color("red")]).override_by_name(
        "rejected", [put.color("orange")]
    )
    bad = put.tiles(
        "Never judged, never delivered",
        "In the selected time: spans lost, spans with ids that are none, requests that the "
        "backend refused for good, and requests given up. All should be 0.",
        *(
            put.over_time(f"sum {ask.new(counter)}", name)
            for name, counter in (
                ("spans lost", "surefoot_spans_lost_total"),
                ("spans rejected", "surefoot_spans_rejected_total"),
                ("requests failed", "surefoot_forward_failed_total"),
                ("requests dropped", "surefoot_forward_dropped_total"),
            )
        ),
        calc="sum",
    )
    bad.decimals(0).thresholds(put.thresholds((None, "green"), (1, "red"))).no_value("no data")
    held = put.lines(
        "Traces and memory held",
        "Traces that are not judged yet, and the estimated memory of their spans. Near the "
        "limit new requests are refused, and their senders try again.",
        put.over_time("sum(surefoot_traces_open)", "open traces"),
        put.over_time("sum(surefoot_buffer_bytes)", "memory of spans"),
    ).min(0)
    held.override_by_name(
        "memory of spans",
        [put.setting("unit", "bytes"), put.setting("custom.axisPlacement", "right")],
    )
    latency = (
        put.lines(
            "From the last span to the verdict",
            "Half of the verdicts, and 99 of 100, took no longer than this after the run's last "
            "span came, less the time waited for stragglers (`settle`). No point where no verdict "
            "left.",
            put.over_time(ask.quantile(0.5, ask.LATENCY), "p50"),
            put.over_time(ask.quantile(0.99, ask.LATENCY), "p99"),
            calcs=["lastNotNull"],
        )
        .unit("s")
        .min(0)
        .no_value("no verdict")
    )
    requests = put.bars(
        "Requests by code",
        "OTLP requests answered, by transport and status code. Refused ones (UNAVAILABLE, 503) "
        "are sent again by their senders.",
        put.over_time(
            ask.per_step("signal, transport, code", "surefoot_requests_total"),
            "{{signal}} {{transport}} {{code}}",
        ),
    ).no_value("no request")
    queue = (
        put.lines(
            "Queue to the backend",
            "Requests that wait: traces as they came, and verdicts. A queue that grows means that "
            "the backend is slow or down.",
            put.over_time("sum by (signal) (surefoot_forward_queue)", "{{signal}}"),
        )
        .decimals(0)
        .min(0)
        .no_value("no backend is configured")
    )
    forwarded = put.lines(
        "Requests to the backend",
        "Sent: delivered. Failed: refused for good, or retries spent. Dropped: given up.",
        *(
            put.over_time(
                f"sum by (signal) (rate(surefoot_forward_{way}_total[{ask.WINDOW}]))",
                f"{{{{signal}}}} {way}",
            )
            for way in ("sent", "failed", "dropped")
        ),
    ).unit("reqps")
    forwarded.override_by_regexp("/(failed|dropped)$/", [put.color("red", "shades")])
    specs = put.rows(
        "Specs in force",
        "The hash of the set of specs in force, as `surefoot.specs.hash` on verdicts names it, "
        "and how many Surefoots have it. Two for long means that one was not reloaded.",
        {"hash": "set of specs", "Value": "instances"},
        "instances",
        put.as_rows("count by (hash) (surefoot_specs_info)"),
    ).no_value("no Surefoot answers")
    layout.row("Surefoot's own health")
    layout.line(8, (4, [bad]), (11, [spans]), (9, [held]))
    layout.line(7, (8, [requests]), (8, [latency]), (8, [queue]))
    layout.line(6, (15, [forwarded]), (9, [specs]))
