from dataclasses import replace
from typing import Any

import pytest

from evaluate.runs import a_call, a_run, judged, steps_of
from evaluate.test_repeats import of_recording
from surefoot.model import PathGrade, Run, Severity, Source, Verdict, Violation


def budget(run: Run, **bounds: Any) -> Verdict:
    return judged(run, rules=[{"id": "r", "budget": bounds}])


def only(verdict: Verdict) -> Violation:
    (violation,) = verdict.violations
    return violation


@pytest.mark.parametrize(
    ("key", "most", "kept", "over", "message"),
    [
        ("tokens", 10, 10, 11, "11 tokens > max 10"),
        ("llm_calls", 2, 2, 3, "3 LLM calls > max 2"),
        ("cost", 0.5, 0.5, 0.1 + 0.2 + 0.3, "0.6 of cost > max 0.5"),
        ("cost", 1, 1, 1.5, "1.5 of cost > max 1"),
    ],
)
def test_a_total_may_reach_its_bound_and_no_more(
    key: str, most: float, kept: Any, over: Any, message: str
) -> None:
    assert budget(replace(a_run(), **{key: kept}), **{key: most}).path is PathGrade.OK

    told = only(budget(replace(a_run(), **{key: over}), **{key: most}))

    assert str(told) == f"soft: {message}"
    assert (told.step, told.subject) == (None, key)
    spent, _, bound = message.partition(" > max ")
    assert (told.expected, told.observed) == (f"{key} of at most {bound}", spent)


def test_a_budget_without_data_warns() -> None:
    run = a_run("lookup", tokens=None, cost=None, llm_calls=0)

    verdict = budget(run, tokens=10, llm_calls=2, cost=1)

    assert [str(one) for one in verdict.violations] == [
        f"warn: budget {key} has no data: no span tells of any"
        for key in ("tokens", "llm_calls", "cost")
    ]
    assert [one.subject for one in verdict.violations] == ["tokens", "llm_calls", "cost"]
    assert verdict.violations[0].severity is Severity.WARN
    assert verdict.violations[0].expected == "spans that tell of tokens"
    assert verdict.violations[0].observed == "no span tells of any"
    assert budget(run, duration="1s").path is PathGrade.OK


def test_nothing_spent_is_data() -> None:
    assert budget(a_run(tokens=0, cost=0.0), tokens=0, cost=0).path is PathGrade.OK


def test_the_duration_is_from_the_first_span_to_the_last() -> None:
    run = a_run(start_ns=1_000_000_000, end_ns=3_500_000_000)

    assert budget(run, duration="2.5s").path is PathGrade.OK
    told = only(budget(run, duration="2.499999999s"))
    assert told.message == "2.5s > max 2.499999999s"
    assert (told.expected, told.observed) == ("duration of at most 2.499999999s", "2.5s")
    assert told.subject == "duration"


def test_each_call_that_takes_too_long_is_told() -> None:
    run = a_run(a_call("a", span=(0, 5)), a_call("b", span=(5, 11)), a_call("a", span=(20, 27)))

    verdict = budget(run, step_duration="5ns")

    assert steps_of(verdict) == [1, 2]
    assert [str(one) for one in verdict.violations] == [
        "soft: b took 6ns > max 5ns",
        "soft: a took 7ns > max 5ns",
    ]
    assert verdict.violations[0].expected == "a call takes at most 5ns"
    assert verdict.violations[0].observed == "6ns"
    assert verdict.violations[0].subject == "step_duration"


def test_each_tool_may_have_a_time_of_its_own_and_exact_names_go_first() -> None:
    run = a_run(*(a_call(tool, span=(0, 6)) for tool in ("fetch_page", "fetch_mail", "pay")))

    assert steps_of(budget(run, step_duration={"fetch_*": "5ns", "fetch_page": "6ns"})) == [1]
    assert steps_of(budget(run, step_duration={"*": "6ns", "pay": "5ns"})) == [2]
    assert steps_of(budget(run, step_duration={"*": "6ns", "fetch_*": "5ns"})) == []
    told = only(budget(run, step_duration={"pay": "5ns"}))
    assert told.expected == "pay takes at most 5ns"


def test_a_call_known_from_the_model_alone_has_no_duration() -> None:
    asked = a_call("a", span=(0, 100), source=Source.LLM)

    told = only(budget(a_run("b", a_call("a", span=(50, 55)), asked, asked), step_duration="10ns"))

    assert str(told) == (
        "warn: budget step_duration has no data: no span tells how long 2 of 4 calls took"
    )
    assert told.step == 2
    assert budget(a_run(asked), step_duration={"b": "5ns"}).path is PathGrade.OK


def test_a_call_that_no_tool_ran_took_no_time() -> None:
    idle = a_call("a", span=(0, 100), ran=False)

    assert budget(a_run(idle), step_duration="5ns").path is PathGrade.OK


def test_recorded_runs_tell_what_they_took() -> None:
    run = of_recording("pydanticai/loops")

    assert only(budget(run, tokens=363)).message == "364 tokens > max 363"
    assert only(budget(run, llm_calls=6)).message == "7 LLM calls > max 6"
    assert only(budget(run, cost=0.00009)).message == "9.24e-05 of cost > max 9e-05"
    assert budget(run, duration="10m", step_duration="1m").path is PathGrade.OK
    assert only(budget(of_recording("crewai/loops"), tokens=1)).severity is Severity.WARN


def test_minutes_are_told_as_minutes() -> None:
    run = a_run(a_call("pay", span=(0, 90 * 10**9)), start_ns=0, end_ns=601 * 10**9)

    assert only(budget(run, duration="10m")).message == "10m1s > max 10m"
    assert only(budget(run, step_duration="1m")).message == "pay took 1m30s > max 1m"
