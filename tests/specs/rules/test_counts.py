"""What a spec file may say of sums and rates, and what is refused."""

from fractions import Fraction
from typing import Any

import pytest

from specs.rules.said import said
from surefoot.evaluate.counts import Rate, Total
from surefoot.specs.rules.counts import RateRule, TotalRule


@pytest.mark.parametrize(
    ("rule", "at"),
    [
        ({"total": {"step": "x", "arg": "a", "max": float("inf")}}, "total.max"),
        ({"total": {"step": "x", "arg": "a", "max": float("nan")}}, "total.max"),
        ({"total": {"step": "x", "arg": "a", "max": True}}, "total.max"),
        ({"total": {"step": "x", "arg": "a[", "max": 1}}, "total.arg"),
        ({"total": {"step": "x", "max": 1}}, "total.arg"),
        ({"rate": {"step": "x", "max": 0, "per": "1s"}}, "rate.max"),
        ({"rate": {"step": "x", "max": 1, "per": 60}}, "rate.per"),
        ({"rate": {"step": "x", "max": 1, "per": "25h"}}, "rate.per"),
        ({"unique": {"step": "x"}}, "unique.arg"),
    ],
)
def test_what_is_no_bound_is_refused_where_it_stands(rule: dict[str, Any], at: str) -> None:
    (problem,) = said({"id": "a"} | rule)

    assert problem.startswith(f"rules[0].{at}: ")


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
