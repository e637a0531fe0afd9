"""`total`, `rate` and `unique`: sums, windows and values, on both sides of each bound."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.levels import a_rule
from evaluate.runs import a_call, a_run, grade, judged, messages, steps_of
from surefoot.model import ArgsQuality, PathGrade, Run, Severity

HIDDEN: dict[str, Any] = {"quality": ArgsQuality.MISSING}
NAMELESS: dict[str, Any] = {"quality": ArgsQuality.WRAPPED_TEXT}
#: A matcher of which calls without a known result may be.
UNSURE: dict[str, Any] = {"tool": "pay", "result": {"regex": "ok"}}
SECOND = 1_000_000_000


def total(most: float = 100, arg: str = "amount", step: Any = "pay") -> dict[str, Any]:
    return a_rule(total={"step": step, "arg": arg, "max": most})


def unique(arg: str = "id", step: Any = "pay") -> dict[str, Any]:
    return a_rule(unique={"step": step, "arg": arg})


def rate(most: int = 2, per: str = "10s", step: Any = "pay") -> dict[str, Any]:
    return a_rule(rate={"step": step, "max": most, "per": per})


def pay(*amounts: Any, **known: Any) -> Run:
    return a_run(*(a_call("pay", {"amount": amount}, **known) for amount in amounts))


def paid(identity: Any, **known: Any) -> Any:
    return a_call("pay", {"id": identity}, **known)


def reasons(run: Run, spec: dict[str, Any]) -> list[str]:
    return [one.reason for one in judged(run, **spec).undecided]


@given(st.lists(st.integers(0, 10_000), max_size=8), st.integers(0, 20_000))
def test_a_total_is_exact(cents: list[int], most: int) -> None:
    verdict = judged(pay(*(one / 100 for one in cents)), **total(most / 100))

    sums = [sum(cents[: index + 1]) for index in range(len(cents))]
    over = [index for index, reached in enumerate(sums) if reached > most]
    assert steps_of(verdict) == over[:1]
    assert [float(one.observed) * 100 for one in verdict.violations] == [
        pytest.approx(reached) for reached in sums[-1:] if over
    ]


def test_the_total_is_told_where_it_passes_the_limit() -> None:
    verdict = judged(pay(60, 40, 0.5, 1), **total())

    (found,) = verdict.violations
    assert found.message == "amount of pay: 101.5 in all, at most 100 allowed"
    assert (found.expected, found.observed) == ("at most 100 in all", "101.5")
    assert (found.step, found.subject, found.arg) == (2, "amount", "amount")
    assert found.severity is Severity.HARD
    assert messages(pay(60, 40), **total()) == []


def test_failed_calls_count_and_other_tools_do_not() -> None:
    run = a_run(
        a_call("pay", {"amount": 60}, ok=False),
        a_call("lookup", {"amount": 90}),
        a_call("pay", {"amount": 90}, ran=False),
        a_call("pay", {"amount": "40"}),
    )

    assert messages(run, **total()) == []
    assert len(messages(run, **total(99))) == 1
    assert messages(run, **total(40, step={"tool": "pay", "ok": True})) == []


def test_what_is_paid_back_is_taken_off() -> None:
    assert messages(pay(150, -60), **total()) == []
    assert steps_of(judged(pay(150, -30), **total())) == [0]
    assert len(messages(pay(1), **total(-1))) == 1


def test_each_item_is_added_up() -> None:
    items = {"items": [{"amount": 60}, {"amount": "1,000.50"}]}
    run = a_run(a_call("pay", items), a_call("pay", {"items": []}))

    assert messages(run, **total(1060.5, "items[*].amount")) == []
    assert messages(run, **total(1060.4, "items[*].amount")) == [
        "items[*].amount of pay: 1060.5 in all, at most 1060.4 allowed"
    ]


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (True, "True"),
        (None, "None"),
        ("ten", "'ten'"),
        ("", "''"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
        ([1], "[1]"),
    ],
)
def test_an_amount_that_cannot_be_read_violates(amount: Any, shown: str) -> None:
    verdict = judged(pay(1, amount), **total())

    (found,) = verdict.violations
    assert found.message == f"pay: amount is {shown}, no amount to add up"
    assert (found.expected, found.observed) == ("a number", shown)
    assert (found.step, found.subject, found.arg) == (1, "amount", "amount")


def test_an_amount_that_is_not_there_violates() -> None:
    assert messages(a_run("pay"), **total()) == ["pay: amount is not there, no amount to add up"]
    run = a_run(a_call("pay", {"items": [{}, {"amount": 1}]}))
    assert messages(run, **total(5, "items[*].amount")) == [
        "pay: items[0].amount is not there, no amount to add up"
    ]


def test_a_sum_of_any_length_is_added_up_and_shown_short() -> None:
    (found,) = judged(pay(10**6_000, 0.5), **total()).violations

    assert found.observed == "1" + "0" * 79 + "..."
    (found,) = judged(pay(float(10**79), 0), **total()).violations
    assert found.observed == "1" + "0" * 79


def test_a_hidden_amount_is_open_unless_the_others_pass_the_limit() -> None:
    hidden = a_call("pay", **HIDDEN)
    known = a_call("pay", {"amount": 100})

    assert reasons(a_run(hidden), total()) == ["args_missing"]
    assert reasons(a_run(known, hidden), total()) == ["args_missing"]
    assert steps_of(judged(a_run(hidden, known, known), **total())) == [2]
    nameless = a_call("pay", {"input": "7"}, **NAMELESS)
    assert reasons(a_run(nameless), total()) == ["args_unnamed"]


def test_an_amount_of_a_call_that_only_may_be_meant_is_open_if_it_counts() -> None:
    sure = a_call("pay", {"amount": 60}, result="ok")

    def unsure(amount: Any) -> Any:
        return a_call("pay", {"amount": amount}, result_known=False)

    spec = total(step=UNSURE)
    assert grade(a_run(sure, unsure(40)), **spec) is PathGrade.OK
    assert reasons(a_run(sure, unsure(41)), spec) == ["results_missing"]
    assert reasons(a_run(sure, unsure(-60), unsure(41)), spec) == ["results_missing"]
    assert reasons(a_run(sure, unsure("ten")), spec) == ["results_missing"]
    assert steps_of(judged(a_run(sure, unsure(1), sure), **spec)) == [2]


def started(*seconds: float) -> Run:
    starts = [int(second * SECOND) for second in seconds]
    return a_run(*(a_call("pay", span=(start, start + 1)) for start in starts))


def test_a_window_that_rolls() -> None:
    assert messages(started(0, 1, 10, 11, 20), **rate()) == []
    assert messages(started(0, 5, 10), **rate()) == []

    verdict = judged(started(0, 5, 9.999999999, 9.9999999995, 30), **rate())
    (found,) = verdict.violations
    assert found.message == "pay called 4 times within 10s, at most 2 allowed"
    assert (found.expected, found.observed) == ("at most 2 calls within 10s", "4 calls")
    assert (found.step, found.subject) == (2, "pay")
    (found,) = judged(started(0, 5, 9), **rate(per="10m")).violations
    assert found.message == "pay called 3 times within 10m, at most 2 allowed"
    assert found.expected == "at most 2 calls within 10m"


def test_other_calls_are_not_in_the_window() -> None:
    run = a_run(
        a_call("pay", span=(0, 1)), a_call("x", span=(1, 2)), a_call("pay", ran=False, span=(2, 3))
    )
    assert messages(run, **rate(1)) == []


@given(st.lists(st.integers(0, 30), max_size=10), st.integers(1, 4), st.integers(1, 10))
def test_no_window_holds_more_than_the_rate(starts: list[int], most: int, per: int) -> None:
    run = a_run(*(a_call("pay", span=(start, start + 5)) for start in starts))
    windows = [sum(first <= other < first + per for other in starts) for first in starts]

    found = grade(run, **rate(most, f"{per}ns"))

    assert (found is PathGrade.VIOLATED) == any(count > most for count in windows)


def test_a_rate_of_calls_that_only_may_be_meant_is_open() -> None:
    calls = [a_call("pay", result_known=False), a_call("pay", result="ok")]

    assert reasons(a_run(*calls), rate(1, step=UNSURE)) == ["results_missing"]
    assert grade(a_run(*calls), **rate(2, step=UNSURE)) is PathGrade.OK


def test_a_second_success_for_a_value_is_told_once() -> None:
    verdict = judged(a_run(paid(200), paid(7), paid("200"), paid(200.0), paid(8)), **unique())

    (found,) = verdict.violations
    assert found.message == "pay succeeded 3 times for id '200'"
    assert found.expected == "at most one success for a value of id"
    assert found.observed == "3 successes, the first at step 0"
    assert (found.step, found.subject, found.arg) == (2, "id", "id")


def test_a_retry_after_a_failure_is_no_second_success() -> None:
    assert messages(a_run(paid(1, ok=False), paid(1)), **unique()) == []
    assert messages(a_run(paid(1), paid(1, ok=False)), **unique()) == []
    assert messages(a_run(paid(1), paid(1, ran=False)), **unique()) == []


def test_values_are_told_in_the_order_of_their_second_success() -> None:
    run = a_run(paid("a"), paid("b"), paid("b"), paid("a"))

    assert steps_of(judged(run, **unique())) == [2, 3]


def test_one_call_that_names_a_value_twice_is_one_success() -> None:
    def batch(*ids: Any) -> Any:
        return a_call("pay", {"items": [{"id": one} for one in ids]})

    assert messages(a_run(batch(1, 1), batch(2)), **unique("items[*].id")) == []
    assert messages(a_run(batch(1, 2), batch(3, 2)), **unique("items[*].id")) == [
        "pay succeeded 2 times for items[1].id 2"
    ]


def test_null_and_a_missing_argument_are_no_value() -> None:
    run = a_run(paid(None), paid(None), "pay", "pay")

    assert messages(run, **unique()) == []


def test_unordered_calls_are_two_successes_all_the_same() -> None:
    run = a_run(paid(1, span=(0, 10), turn=0), paid(1, span=(5, 15), turn=0))

    assert steps_of(judged(run, **unique())) == [1]


def test_a_hidden_value_is_open_beside_any_other_success() -> None:
    hidden = a_call("pay", **HIDDEN)

    assert grade(a_run(hidden), **unique()) is PathGrade.OK
    assert grade(a_run(hidden, paid(1, ok=False)), **unique()) is PathGrade.OK
    assert grade(a_run(a_call("pay", ok=False, **HIDDEN), paid(1)), **unique()) is PathGrade.OK
    assert grade(a_run(hidden, "pay"), **unique()) is PathGrade.OK
    assert reasons(a_run(hidden, paid(1)), unique()) == ["args_missing"]
    assert reasons(a_run(hidden, hidden), unique()) == ["args_missing"]
    assert steps_of(judged(a_run(hidden, paid(1), paid(1)), **unique())) == [2]


def test_a_success_that_only_may_be_meant_is_open_if_it_is_the_second() -> None:
    sure, unsure = paid(1, result="ok"), paid(1, result_known=False)
    spec = unique(step=UNSURE)

    assert reasons(a_run(sure, unsure), spec) == ["results_missing"]
    assert grade(a_run(sure, paid(2, result_known=False)), **spec) is PathGrade.OK
    verdict = judged(a_run(sure, unsure, sure), **spec)
    assert steps_of(verdict) == [2]
    assert verdict.violations[0].observed == "2 successes, the first at step 0"


@given(st.lists(st.tuples(st.sampled_from([1, "1", 1.0, 2, "x", "X"]), st.booleans()), max_size=7))
def test_a_value_has_one_success(calls: list[tuple[Any, bool]]) -> None:
    run = a_run(*(paid(value, ok=ok) for value, ok in calls))
    done = [str(value).upper().removesuffix(".0") for value, ok in calls if ok]

    found = grade(run, **unique())

    assert (found is PathGrade.VIOLATED) == (len(set(done)) < len(done))


def test_a_limit_is_exact() -> None:
    assert Fraction("0.3") == Fraction("0.1") * 3
    assert messages(pay(0.1, 0.1, 0.1), **total(0.3)) == []
    assert messages(pay(0.1, 0.1, "0.1000000000000000001"), **total(0.3)) == [
        "amount of pay: 0.3000000000000000001 in all, at most 0.3 allowed"
    ]


def test_a_rate_is_of_starts_however_long_the_calls_take() -> None:
    run = a_run(a_call("pay", span=(0, 20 * SECOND)), a_call("pay", span=(SECOND, 2 * SECOND)))

    assert steps_of(judged(run, **rate(1))) == [1]
    slow = a_run(
        a_call("pay", span=(0, 12 * SECOND)), a_call("pay", span=(11 * SECOND, 12 * SECOND))
    )
    assert messages(slow, **rate(1)) == []


def test_a_window_is_counted_without_its_end() -> None:
    (found,) = judged(started(0, 1, 2, 10), **rate()).violations

    assert found.observed == "3 calls"
    assert found.severity is Severity.HARD
    assert found.check == "r"


def test_amounts_that_may_count_are_added_up() -> None:
    def unsure(amount: Any) -> Any:
        return a_call("pay", {"amount": amount}, result_known=False)

    spec = total(step=UNSURE)
    assert reasons(a_run(unsure(60), unsure(41), unsure(-5)), spec) == ["results_missing"]
    assert reasons(a_run(unsure(41), unsure(60), unsure(0)), spec) == ["results_missing"]
    assert grade(a_run(unsure(60), unsure(40), unsure(-5)), **spec) is PathGrade.OK


def test_an_unreadable_amount_is_told_by_the_rule() -> None:
    (found,) = judged(pay("ten"), **total()).violations

    assert (found.check, found.severity) == ("r", Severity.HARD)


def test_a_doubtful_amount_below_zero_may_bring_a_sum_under_its_limit() -> None:
    step = {"tool": "pay", "result": {"regex": "yes"}}
    rules = [{"id": "t", "total": {"step": step, "arg": "amount", "max": 10}}]
    sure = a_call("pay", {"amount": 15}, result="yes")
    for amount, told in ((-5, "inconclusive"), (-4, "violated")):
        doubtful = a_call("pay", {"amount": amount}, result_known=False)
        assert grade(a_run(sure, doubtful), rules=rules) == told
