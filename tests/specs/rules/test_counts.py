"""What a spec file may say of sums and rates, and what is refused."""

from fractions import Fraction
from typing import Any

import pytest

from specs.rules.said import said
from surefoot.evaluate.counts import Rate, Total
from surefoot.specs.rules.counts import RateRule, TotalRule

NO_NUMBER = "no finite number; write one such as 200"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"total": {"step": "x", "arg": "a", "max": float("inf")}}, f"total.max: {NO_NUMBER}"),
        ({"total": {"step": "x", "arg": "a", "max": float("nan")}}, f"total.max: {NO_NUMBER}"),
        ({"total": {"step": "x", "arg": "a", "max": True}}, f"total.max: {NO_NUMBER}"),
        ({"total": {"step": "x", "arg": "a", "max": "200"}}, f"total.max: {NO_NUMBER}"),
        ({"total": {"step": "x", "arg": "a[", "max": 1}}, "total.arg: 'a[' is no path; write "),
        ({"total": {"step": "x", "max": 1}}, "total.arg: missing; write it"),
        (
            {"rate": {"step": "x", "max": 0, "per": "1s"}},
            "rate.max: too small; write at least 1",
        ),
        ({"rate": {"step": "x", "max": 1, "per": 60}}, "rate.per: no duration; write 500ms"),
        ({"rate": {"step": "x", "max": 1, "per": "25h"}}, "rate.per: 25h is out of range; "),
        ({"unique": {"step": "x"}}, "unique.arg: missing; write it"),
    ],
)
def test_what_is_no_bound_is_refused(rule: dict[str, Any], words: str) -> None:
    (problem,) = said({"id": "a"} | rule)

    assert problem.startswith(f"rules[0].{words}")


@pytest.mark.parametrize(("told", "most"), [(0, 0), (-5, -5), (0.1, Fraction(1, 10)), (200, 200)])
def test_the_largest_sum_is_exact(told: float, most: Fraction) -> None:
    rule = TotalRule.model_validate({"total": {"step": "x", "arg": "a", "max": told}})

    check = rule.check()

    assert isinstance(check, Total)
    assert check.most == most


def test_a_window_is_a_duration() -> None:
    check = RateRule.model_validate({"rate": {"step": "x", "max": 3, "per": "1m"}}).check()

    assert isinstance(check, Rate)
    assert (check.most, check.per_ns) == (3, 60_000_000_000)
