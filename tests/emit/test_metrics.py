import threading

import pytest

from emit.builders import IDENTITY, MS, START, a_run, a_verdict, a_violation, plain
from emit.readings import MINUTE, WALL, MovedClock, S, points_of, values_of
from surefoot.emit import instruments as of
from surefoot.emit.metrics import Metrics
from surefoot.emit.sent import plan, plan_early
from surefoot.luck import LuckWindow, Series
from surefoot.model import OutputGrade, Reason, Severity


def made(clock: MovedClock | None = None) -> Metrics:
    return Metrics(clock or MovedClock(), IDENTITY, plain)


def test_counts_add_up_by_attributes() -> None:
    metrics = made()
    metrics.add(of.SPANS_RECEIVED, amount=512)
    metrics.add(of.SPANS_RECEIVED, amount=8)
    metrics.add(of.REQUESTS, ("traces", "grpc", "OK"))

    data = metrics.read()

    assert values_of(data, "surefoot.spans.received") == {(): 520}
    assert points_of(data, "surefoot.requests")[0].attributes == {
        "signal": "traces",
        "transport": "grpc",
        "code": "OK",
    }


def test_what_counts_our_own_work_stands_at_zero_from_the_start() -> None:
    """Prometheus' `increase` does not see a count that a counter is born with."""
    data = made().read()

    assert values_of(data, "surefoot.spans.lost") == {("shutdown",): 0, ("fault",): 0}
    assert values_of(data, "surefoot.spans.judged") == {(): 0}
    assert points_of(data, "surefoot.verdicts") == []


def test_a_plan_counts_its_first_verdict_and_each_violation_once() -> None:
    metrics = made()
    run = a_run("a", "b", tokens=700)
    early = plan_early(run, "refunds", [a_violation("x", 0)])
    first = plan(run, a_verdict(a_violation("x", 0)), early.after)
    amended = plan(
        run, a_verdict(a_violation("x", 0), a_violation("y", 1, Severity.WARN)), first.after
    )
    for one in (early, first, amended, plan(run, a_verdict(), amended.after)):
        metrics.add_plan(one)

    data = metrics.read()

    owners = ("shop", "order_desk", "refunds")
    assert values_of(data, "surefoot.verdicts") == {(*owners, "lucky", "ok", "violated"): 1}
    assert values_of(data, "surefoot.violations") == {
        (*owners, "x", "hard"): 1,
        (*owners, "y", "warn"): 1,
    }
    assert values_of(data, "surefoot.run.steps") == {owners: 1}
    assert points_of(data, "surefoot.run.steps")[0].sum == 2
    assert points_of(data, "surefoot.run.duration")[0].sum == pytest.approx(0.01)
    assert points_of(data, "surefoot.run.tokens")[0].sum == 700


def test_an_amendment_that_alters_nothing_counts_nothing() -> None:
    metrics = made()
    first = plan(a_run("a"), a_verdict())
    metrics.add_plan(first)
    metrics.add_plan(plan(a_run("a"), a_verdict(), first.after))

    assert list(values_of(metrics.read(), "surefoot.verdicts").values()) == [1]


def test_a_run_without_token_counts_has_no_tokens() -> None:
    metrics = made()
    metrics.add_plan(plan(a_run("a"), a_verdict(output=OutputGrade.UNKNOWN)))

    assert points_of(metrics.read(), "surefoot.run.tokens") == []


def test_a_run_whose_clock_ran_backwards_lasted_no_time() -> None:
    metrics = made()
    metrics.add_plan(plan(a_run("a", start_ns=START, end_ns=START - MS), a_verdict()))

    assert points_of(metrics.read(), "surefoot.run.duration")[0].sum == 0


def test_runs_say_whether_a_spec_judged_them_and_why_they_closed() -> None:
    metrics = made()
    metrics.add_run(a_run("a"), matched=True)
    metrics.add_run(a_run("a", reason=Reason.IDLE), matched=False)

    assert [point.attributes for point in points_of(metrics.read(), "surefoot.runs")] == [
        {"service": "shop", "agent": "order_desk", "matched": True, "close_reason": "root"},
        {"service": "shop", "agent": "order_desk", "matched": False, "close_reason": "idle"},
    ]


def test_a_histogram_counts_each_value_in_one_bucket() -> None:
    metrics = made()
    for steps in (0, 1, 4, 7, 1000):
        metrics.add(of.RUN_STEPS, ("s", "a", "x"), steps)

    (point,) = points_of(metrics.read(), "surefoot.run.steps")

    inf = float("inf")
    expected = dict.fromkeys((*of.RUN_STEPS.bounds, inf), 0) | {0: 1, 1: 1, 4: 1, 7: 1, inf: 1}
    assert dict(zip((*point.explicit_bounds, inf), point.bucket_counts, strict=True)) == expected
    assert (point.count, point.sum, point.min, point.max) == (5, 1012, 0, 1000)


def test_gauges_are_read_when_asked_for() -> None:
    held = {"spans": 3}
    metrics = Metrics(
        MovedClock(),
        IDENTITY,
        plain,
        gauges={
            of.SPANS_OPEN: lambda: held["spans"],
            of.FORWARD_QUEUE: lambda: {("traces",): 2, ("logs",): 0},
            of.SPECS_INFO: lambda: {("abc",): 1},
        },
    )
    held["spans"] = 5

    data = metrics.read()

    assert values_of(data, "surefoot.spans.open") == {(): 5}
    assert values_of(data, "surefoot.forward.queue") == {("traces",): 2, ("logs",): 0}
    assert values_of(data, "surefoot.specs.info") == {("abc",): 1}


def test_the_luck_rate_travels_with_both_its_counts() -> None:
    window = LuckWindow()
    series = Series("shop", "order_desk", "refunds", "structural")
    for run, lucky in enumerate([True, False, False, False]):
        window.record(series, run, green=True, lucky=lucky, now_ns=0)
    window.record(series._replace(agent="other"), "x", green=False, lucky=False, now_ns=0)
    metrics = Metrics(MovedClock(), IDENTITY, plain, luck=window.rates)

    data = metrics.read()

    assert values_of(data, "surefoot.luck.rate") == {tuple(series): 0.25}
    assert values_of(data, "surefoot.luck.lucky") == {tuple(series): 1}
    assert values_of(data, "surefoot.luck.green") == {tuple(series): 4}
    assert list(points_of(data, "surefoot.luck.rate")[0].attributes) == [
        "service",
        "agent",
        "spec",
        "output_source",
    ]


def test_without_a_green_run_there_is_no_luck_at_all() -> None:
    metrics = Metrics(
        MovedClock(), IDENTITY, plain, luck=lambda _now: [(("s", "a", "x", "none"), 0, 0)]
    )

    assert not any(points_of(metrics.read(), f"surefoot.luck.{one}") for one in ("rate", "green"))


def test_beyond_the_cap_new_series_count_in_one_that_says_so() -> None:
    metrics = made()
    for n in range(2500):
        metrics.add(of.RUNS, (f"s{n}", "a", True, "root"))
    metrics.add(of.RUNS, ("s0", "a", True, "root"))

    points = points_of(metrics.read(), "surefoot.runs")

    assert len(points) == 2000
    assert points[0].value == 2
    assert points[-1].attributes == {"otel.metric.overflow": True}
    assert points[-1].value == 2500 - 1999
    assert sum(point.value for point in points) == 2501


def test_a_series_that_nothing_touches_for_a_quarter_of_an_hour_ends() -> None:
    clock = MovedClock()
    metrics = made(clock)
    metrics.add(of.RUNS, ("old", "a", True, "root"), 7)
    clock.ns = 10 * MINUTE
    metrics.add(of.RUNS, ("new", "a", True, "root"))

    clock.ns = 15 * MINUTE - 1
    assert len(points_of(metrics.read(), "surefoot.runs")) == 2
    clock.ns = 15 * MINUTE
    (left,) = points_of(metrics.read(), "surefoot.runs")
    assert left.attributes["service"] == "new"


def test_a_counter_that_comes_back_starts_anew_and_says_when() -> None:
    clock = MovedClock()
    metrics = made(clock)
    metrics.add(of.RUNS, ("s", "a", True, "root"), 7)
    clock.ns = 20 * MINUTE
    metrics.read()
    metrics.add(of.RUNS, ("s", "a", True, "root"))
    clock.ns = 21 * MINUTE

    (point,) = points_of(metrics.read(), "surefoot.runs")

    assert point.value == 1
    assert point.start_time_unix_nano == WALL + 20 * MINUTE
    assert point.time_unix_nano == WALL + 21 * MINUTE


def test_what_joins_in_a_law_never_ends() -> None:
    clock = MovedClock()
    metrics = made(clock)
    metrics.add(of.SPANS_RECEIVED, amount=4)
    clock.ns = 24 * 60 * MINUTE
    metrics.add(of.SPANS_JUDGED, amount=4)

    assert values_of(metrics.read(), "surefoot.spans.received") == {(): 4}


def test_room_of_ended_series_is_used_again_though_nobody_reads() -> None:
    clock = MovedClock()
    metrics = made(clock)
    for n in range(1999):
        metrics.add(of.RUNS, (f"s{n}", "a", True, "root"))
    clock.ns = 16 * MINUTE
    metrics.add(of.RUNS, ("late", "a", True, "root"))

    points = points_of(metrics.read(), "surefoot.runs")

    assert [point.attributes["service"] for point in points] == ["late"]


def test_attribute_values_pass_the_mask_and_become_one_series_where_it_makes_them_equal() -> None:
    def mask(text: str) -> str:
        return "***" if text.startswith("key-") else text

    metrics = Metrics(
        MovedClock(),
        IDENTITY,
        mask,
        luck=lambda _now: [
            (("key-1", "a", "x", "o"), 1, 2),
            (("key-2", "a", "x", "o"), 0, 2),
        ],
    )
    metrics.add(of.RUNS, ("key-1", "a", True, "root"))
    metrics.add(of.RUNS, ("key-2", "a", True, "root"))

    data = metrics.read()

    assert values_of(data, "surefoot.runs") == {("***", "a", True, "root"): 2}
    assert values_of(data, "surefoot.luck.rate") == {("***", "a", "x", "o"): 0.25}


def test_no_count_is_lost_between_threads() -> None:
    metrics = made()

    def count() -> None:
        for n in range(2000):
            metrics.add(of.SPANS_RECEIVED)
            metrics.add(of.RUNS, (f"s{n % 7}", "a", True, "root"))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    metrics.read()
    for thread in threads:
        thread.join()

    data = metrics.read()
    assert values_of(data, "surefoot.spans.received") == {(): 8000}
    assert sum(values_of(data, "surefoot.runs").values()) == 8000


def test_the_resource_is_ours() -> None:
    resource = made().read().resource_metrics[0].resource

    assert dict(resource.attributes) == IDENTITY.attributes()


def test_the_luck_gauge_of_an_idle_series_ends_when_its_window_is_read_so() -> None:
    clock = MovedClock()
    window = LuckWindow()
    window.record(Series("s", "a", "x", "o"), 1, green=True, lucky=True, now_ns=0)
    metrics = Metrics(
        clock, IDENTITY, plain, luck=lambda now_ns: window.rates(now_ns, idle_ns=900 * S)
    )

    assert points_of(metrics.read(), "surefoot.luck.rate")
    clock.ns = 900 * S
    assert not points_of(metrics.read(), "surefoot.luck.rate")
