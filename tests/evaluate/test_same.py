"""When two values are the same, and what amount one is."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.evaluate.same import amount_of, key_of, written

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(JSON)
def test_every_value_is_the_same_as_itself(value: Any) -> None:
    assert key_of(value) == key_of(value)
    assert hash(key_of(value)) == hash(key_of(value))


@given(st.integers())
def test_a_number_is_the_same_however_it_is_written(number: int) -> None:
    spellings = [number, str(number), f"{number:,}", f"{number}.0", f" {number}.00 "]
    if abs(number) < 2**53:
        spellings.append(float(number))

    assert {key_of(one) for one in spellings} == {key_of(number)}


@pytest.mark.parametrize(
    "same",
    [
        [200, 200.0, "200", "200.00", "+200"],
        [1200, "1,200", 1.2e3],
        [0, -0.0, "0", "-0"],
        [1e22, 10**22, f"{10**22:,}"],
        [1e-07, "0.0000001"],
        ["ORD-1", "ord-1", " ORD-1 "],
        [True, "true", "True"],
        [[1, "A"], [1.0, "a"], (1, "a")],
        [{"a": 1, "b": [2]}, {"b": ["2"], "a": "1"}],
    ],
)
def test_the_same(same: list[Any]) -> None:
    assert len({key_of(one) for one in same}) == 1


def test_not_the_same() -> None:
    different: list[Any] = [
        200, 2, "0200", "200 EUR", -200, True, 1, False, None, "", [], {}, [200], {"a": 200},
        {"b": 200}, [1, 2], [2, 1], 0.1, "ORD-1", "ORD1", 1e22, 1e-7, float("inf"), "1,20",
    ]  # fmt: skip

    assert len({key_of(one) for one in different}) == len(different)


def test_no_value_is_too_long_or_too_deep() -> None:
    deep: Any = 1
    for _ in range(2_000):
        deep = [deep]

    assert key_of(deep) == key_of(deep)
    assert key_of(10**6_000) == key_of(10**6_000)
    assert key_of(10**6_000) != key_of(10**6_000 + 1)
    assert key_of("a" * 2_000 + "B") == key_of("a" * 2_000 + "b") != key_of("a" * 2_000 + "c")


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (200, 200),
        (-3, -3),
        (0.1, Fraction(1, 10)),
        (1e22, 10**22),
        ("1,200.50", Fraction(2401, 2)),
        (" 7 ", 7),
    ],
)
def test_an_amount_is_exact(value: Any, amount: Any) -> None:
    assert amount_of(value) == amount


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        None,
        "",
        "ten",
        "7 EUR",
        "1e3",
        "NaN",
        "inf",
        [1],
        {"a": 1},
        b"1",
        math.nan,
        math.inf,
        -math.inf,
    ],
)
def test_what_is_no_finite_number_is_no_amount(value: Any) -> None:
    assert amount_of(value) is None


def test_no_number_is_too_long_to_be_an_amount() -> None:
    """A text of more digits than Python reads is none."""
    assert amount_of(10**6_000) == 10**6_000
    assert amount_of("9" * 5_000) is None


@given(st.lists(st.integers(-(10**6), 10**6)))
def test_cents_add_up(cents: list[int]) -> None:
    total = sum((amount_of(one / 100) or Fraction(0) for one in cents), Fraction(0))

    assert total * 100 == sum(cents)
    assert Decimal(written(total)) * 100 == sum(cents)


def test_an_amount_is_written_in_decimal() -> None:
    assert written(Fraction(1200)) == "1200"
    assert written(Fraction(1, 10)) == "0.1"
    assert written(Fraction(3, 2) + 10**20) == "100000000000000000001.5"
    assert written(Fraction(1, 3)) == "0." + "3" * 28
    assert written(Fraction(10**6_000)) == "1" + "0" * 6_000


def test_what_an_object_has_at_no_key_is_not_what_it_has_at_another() -> None:
    assert key_of({"": 1}) != key_of({"XXXX": 1})
    assert key_of([[1]]) != key_of([1])
