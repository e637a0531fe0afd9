from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.orders import (
    SHAPES,
    Named,
    doubtful_runs,
    found,
    growth,
    is_broken_in_any_order,
    is_mixed,
    meant,
    orders,
    small_runs,
    told,
    violations,
)
from evaluate.runs import a_call, a_run
from surefoot.model import PathGrade, Run, Severity

AFTER = ["a", "b"]
#: Calls of `x` are both of the pair.
BOTH = [["a", "x"], ["b", "x"]]
S = 1_000_000_000


def at(run: Run, **rule: Any) -> list[int | None]:
    """At which steps one rule is violated."""
    return [one.step for one in violations(run, **rule)]


def has_b_after_each_a(calls: Named, first: str = "a", then: str = "b", steps: int = 99) -> bool:
    return all(
        any(later in then for later in calls[place + 1 : place + 1 + steps])
        for place, call in enumerate(calls)
        if call in first
    )


@given(small_runs())
def test_after_is_violated_only_if_no_order_satisfies_it(run: Run) -> None:
    broken = is_broken_in_any_order(run, has_b_after_each_a)

    assert (found(run, after=AFTER) is PathGrade.VIOLATED) == broken


@given(small_runs("abx"))
def test_after_with_calls_of_both_sides_too(run: Run) -> None:
    broken = is_broken_in_any_order(run, lambda calls: has_b_after_each_a(calls, "ax", "bx"))

    assert (found(run, after=BOTH) is PathGrade.VIOLATED) == broken


@given(small_runs(), st.integers(1, 3))
def test_after_within_steps_is_violated_only_if_no_order_satisfies_it(run: Run, steps: int) -> None:
    """If, too, where there is one a: else each is looked at alone."""
    broken = is_broken_in_any_order(run, lambda calls: has_b_after_each_a(calls, steps=steps))
    alone = sum(step.tool == "a" for step in run.steps) == 1
    violated = found(run, after=AFTER, within_steps=steps) is PathGrade.VIOLATED

    assert violated <= broken
    assert violated or not broken or not alone or is_mixed(run)


@given(st.text("abc", max_size=8), st.integers(1, 4))
def test_after_within_steps_of_calls_in_a_row(tools: str, steps: int) -> None:
    kept = has_b_after_each_a(tuple(tools), steps=steps)

    assert (found(a_run(*tools), after=AFTER, within_steps=steps) is PathGrade.OK) == kept


@given(small_runs(), st.integers(0, 4))
def test_after_within_a_time_is_violated_only_if_no_order_satisfies_it(
    run: Run, seconds: int
) -> None:
    for known in run.evidence:
        known.start_ns, known.end_ns = known.start_ns * S, known.end_ns * S

    def keeps(order: tuple[int, ...]) -> bool:
        return all(
            any(
                run.steps[then].tool == "b"
                and run.evidence[then].start_ns - run.evidence[first].end_ns <= seconds * S
                for then in order[place + 1 :]
            )
            for place, first in enumerate(order)
            if run.steps[first].tool == "a"
        )

    broken = not any(map(keeps, orders(run)))
    alone = sum(step.tool == "a" for step in run.steps) == 1
    within = {"within": f"{seconds}s"} if seconds else {"within": "1ms"}
    violated = found(run, after=AFTER, **within) is PathGrade.VIOLATED

    assert violated <= broken
    assert violated or not broken or not alone or is_mixed(run)


@given(small_runs())
def test_next_is_violated_only_if_no_order_satisfies_it(run: Run) -> None:
    broken = is_broken_in_any_order(run, lambda calls: has_b_after_each_a(calls, steps=1))
    grade = found(run, next=AFTER)

    assert (grade is PathGrade.VIOLATED) == broken or (broken and is_mixed(run))


@given(small_runs("abx"))
def test_next_with_calls_of_both_sides_too(run: Run) -> None:
    broken = is_broken_in_any_order(run, lambda calls: has_b_after_each_a(calls, "ax", "bx", 1))
    grade = found(run, next=BOTH)

    assert (grade is PathGrade.VIOLATED) == broken or (broken and is_mixed(run))


@given(doubtful_runs())
def test_calls_that_only_may_be_meant_decide_nothing(doubtful: tuple[Run, list[Run]]) -> None:
    run, may_be = doubtful
    pair = [meant("a"), meant("b")]

    assert found(run, after=pair) is told(may_be, has_b_after_each_a)
    assert found(run, next=pair) is told(may_be, lambda calls: has_b_after_each_a(calls, steps=1))


@pytest.mark.parametrize(
    ("tools", "steps"),
    [("ab", []), ("aab", []), ("aba", [2]), ("baa", [1, 2]), ("a", [0]), ("b", []), ("", [])],
)
def test_each_call_that_none_follows_is_told(tools: str, steps: list[int]) -> None:
    assert at(a_run(*tools), after=AFTER) == steps


def test_what_none_follows_says_so() -> None:
    (violation,) = violations(a_run("b", "a"), after=AFTER)

    assert violation.severity is Severity.HARD
    assert violation.message == "a is not followed by b"
    assert violation.expected == "b after each a"
    assert violation.observed == "a at step 1, no b after it"
    assert violation.subject == "a, b"


def test_the_last_of_calls_that_are_both_is_followed_by_none() -> None:
    unordered = a_run(a_call("x", turn=0), a_call("x", turn=0))

    assert at(a_run("x", "x"), after=BOTH) == [1]
    assert at(unordered, after=BOTH) == [1]
    assert at(a_run("x", "a", "x", "b"), after=BOTH) == []


def test_a_call_that_comes_too_many_steps_later_is_told() -> None:
    run = a_run("a", "c", "b", "a", "b")

    (violation,) = violations(run, after=AFTER, within_steps=1)

    assert violation.step == 0
    assert violation.message == "a is not followed by b within 1 step"
    assert violation.expected == "b after each a within 1 step"
    assert violation.observed == "a at step 0, the next b at step 2, 2 steps later"
    assert violations(run, after=AFTER, within_steps=2) == ()


def test_a_call_that_starts_too_late_is_told() -> None:
    run = a_run(a_call("a", span=(0, S)), a_call("b", span=(4 * S, 9 * S)))

    (violation,) = violations(run, after=AFTER, within="2999ms")

    assert violation.message == "a is not followed by b within 2.999s"
    assert violation.observed == "a at step 0, the next b at step 1, 3s later"
    assert violations(run, after=AFTER, within="3s") == ()
    run = a_run(a_call("a", span=(0, S)), a_call("b", span=(91 * S, 92 * S)))
    (violation,) = violations(run, after=AFTER, within="60s")
    assert violation.message == "a is not followed by b within 1m"
    assert violation.observed == "a at step 0, the next b at step 1, 1m30s later"


def test_both_limits_hold_at_once() -> None:
    run = a_run(
        a_call("a", span=(0, S)), a_call("c", span=(2 * S, 3 * S)), a_call("b", span=(4 * S, 5 * S))
    )

    (violation,) = violations(run, after=AFTER, within="3s", within_steps=1)

    assert violation.message == "a is not followed by b within 3s and 1 step"
    assert violation.observed == "a at step 0, the next b at step 2, 3s and 2 steps later"
    assert at(run, after=AFTER, within="2s", within_steps=2) == [0]
    assert at(run, after=AFTER, within="3s", within_steps=2) == []


def test_a_call_that_overlaps_is_in_time() -> None:
    run = a_run(a_call("b", span=(0, 9)), a_call("a", span=(8, 50)), a_call("c", span=(60, 61)))

    assert at(run, after=AFTER, within="1ms", within_steps=1) == []


@pytest.mark.parametrize(
    ("tools", "steps"),
    [
        ("ab", []),
        ("aab", [0]),
        ("acb", [0]),
        ("aba", [2]),
        ("ax", [1]),
        ("axb", []),
        ("axcb", [1]),
        ("xxb", []),
        ("bab", []),
        ("cacc", [1]),
    ],
)
def test_each_call_with_another_next_step_is_told(tools: str, steps: list[int]) -> None:
    assert at(a_run(*tools), next=BOTH) == steps


def test_another_next_step_is_named() -> None:
    first, second = violations(a_run("a", "c", "b", "a"), next=AFTER)

    assert first.severity is Severity.SOFT
    assert first.message == "a is not followed at once by b"
    assert first.expected == "b as the step after each a"
    assert first.observed == "a at step 0, then c at step 1"
    assert first.subject == "a, b"
    assert second.observed == "a at step 3, the last step"


def test_two_calls_have_not_one_next_step() -> None:
    run = a_run(*(a_call(tool, turn=0) for tool in "aab"))

    (violation,) = violations(run, next=AFTER)

    assert violation.observed == "a at step 1, then b at step 2, which follows another"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "rule",
    [
        {"after": AFTER},
        {"after": AFTER, "within": "1s", "within_steps": 3},
        {"next": AFTER},
    ],
    ids=str,
)
def test_the_work_grows_with_the_calls(shape: str, rule: dict[str, Any]) -> None:
    assert growth(shape, **rule) < 12
