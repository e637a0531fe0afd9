"""A text that was meant as a comparison is refused wherever a predicate stands."""

from typing import Any

import pytest

from specs.rules.said import said
from surefoot.specs.comparisons import refuse_comparison

TOLD = "'<= 10' is compared as text; write {le: 10}"


def refused(value: Any) -> str:
    with pytest.raises(ValueError, match="is compared as text") as caught:
        refuse_comparison(value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("<= 10", "{le: 10}"),
        ("=< 10", "{le: 10}"),
        ("≤ 10", "{le: 10}"),
        (">=10", "{ge: 10}"),
        ("=> 10", "{ge: 10}"),
        ("≥10", "{ge: 10}"),
        ("< -0.5", "{lt: -0.5}"),
        ("> 5", "{gt: 5}"),
        ("!= 3", "{ne: 3}"),
        ("<> 3", "{ne: 3}"),
        ("≠3", "{ne: 3}"),
        ("== 3", "{eq: 3}"),
        ("=3", "{eq: 3}"),
        ("  > 1,000.50 EUR", "{gt: 1000.50}"),
        ("> +1_000", "{gt: 1000}"),
        ("< .5", "{lt: 0.5}"),
        ("< -.5", "{lt: -0.5}"),
        ("> 5.", "{gt: 5}"),
    ],
)
def test_the_operator_that_was_meant_is_named(value: str, right: str) -> None:
    assert refused(value) == f"{value.strip()!r} is compared as text; write {right}"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "10",
        "a > 5",
        "<b>",
        "> quoted",
        ">",
        "->5",
        "<-- 5",
        "=== 5",
        "-5",
        5,
        None,
        ["> 5"],
        "!3",
    ],
)
def test_another_value_is_a_value(value: Any) -> None:
    refuse_comparison(value)


@pytest.mark.parametrize(
    ("rule", "at"),
    [
        ({"forbidden": {"args": {"n": "<= 10"}}}, "forbidden.args.n"),
        ({"forbidden": {"tool": "a", "result": "<= 10"}}, "forbidden.result"),
        ({"forbidden": {"args": {"n": {"len": "<= 10"}}}}, "forbidden.args.n"),
        ({"forbidden": "a", "when": {"input": "<= 10"}}, "when.input"),
        ({"forbidden": "a", "when": {"args": {"n": "<= 10"}}}, "when.args.n"),
        ({"forbidden": "a", "when": {"step": {"args": {"n": "<= 10"}}}}, "when.step.args.n"),
        ({"args": {"step": "a", "where": {"n": "<= 10"}}}, "args.where.n"),
        ({"any_of": [{"forbidden": {"args": {"n": "<= 10"}}}]}, "any_of[0].forbidden.args.n"),
    ],
)
def test_it_is_refused_where_a_predicate_stands(rule: dict[str, Any], at: str) -> None:
    assert said({"id": "r"} | rule) == [f"rules[0].{at}: {TOLD}"]


@pytest.mark.parametrize(
    ("source", "at"),
    [({"output": "<= 10"}, "output"), ({"evaluation": {"pass": "<= 10"}}, "evaluation.pass")],
)
def test_of_an_answer_too(source: dict[str, Any], at: str) -> None:
    (told,) = said(output_ok=[source])

    assert told.endswith(f"{at}: {TOLD}")


@pytest.mark.parametrize(
    "rule",
    [
        {"forbidden": {"args": {"n": {"eq": "<= 10"}}}},
        {"forbidden": {"args": {"n": {"ne": "<= 10"}}}},
        {"forbidden": {"args": {"n": {"in": ["<= 10"]}}}},
        {"args": {"step": "a", "equals": {"n": "<= 10"}}},
        {"args": {"step": "a", "values": {"n": ["<= 10"]}}},
    ],
    ids=str,
)
def test_who_means_the_text_may_write_it_so(rule: dict[str, Any]) -> None:
    assert said({"id": "r"} | rule) == []
