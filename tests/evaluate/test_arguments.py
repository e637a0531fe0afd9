"""What `args` demands of calls, with the messages in which it says so."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.levels import a_rule
from evaluate.runs import a_call, a_run, grade, judged, messages, steps_of
from surefoot.evaluate.arguments import MOST
from surefoot.evaluate.paths import Path
from surefoot.model import ArgsQuality, PathGrade, Run, Severity

HIDDEN: dict[str, Any] = {"quality": ArgsQuality.REDACTED}
NAMELESS: dict[str, Any] = {"quality": ArgsQuality.WRAPPED_TEXT}


def args(**keys: Any) -> dict[str, Any]:
    return a_rule(args={"step": "refund"} | keys)


def refund(**given: Any) -> Run:
    return a_run(a_call("refund", given))


def reasons(run: Run, spec: dict[str, Any]) -> list[str]:
    return [one.reason for one in judged(run, **spec).undecided]


def test_a_call_that_was_never_made_breaks_nothing() -> None:
    spec = args(required=["a"], where={"b": 1}, only=True)

    assert messages(a_run("lookup"), **spec) == []
    assert messages(a_run(a_call("refund", ran=False)), **spec) == []


def test_every_call_is_looked_at_and_each_argument_told_with_its_step() -> None:
    spec = args(required=["id"], equals={"currency": "EUR"}, where={"amount": {"gt": 0, "le": 9}})
    run = a_run(
        a_call("refund", {"id": 1, "currency": "EUR", "amount": 9}),
        a_call("refund", {"currency": "USD", "amount": 10}),
        a_call("lookup", {}),
        a_call("refund", {"id": None, "amount": "x"}),
    )

    verdict = judged(run, **spec)

    assert [str(one) for one in verdict.violations] == [
        "refund: id is not there, expected a value",
        "refund: currency is 'USD', expected 'EUR'",
        "refund: amount is 10, expected > 0 and <= 9",
        "refund: currency is not there, expected 'EUR'",
        "refund: amount is 'x', expected > 0 and <= 9",
    ]
    assert steps_of(verdict) == [1, 1, 1, 3, 3]
    assert [one.subject for one in verdict.violations[:3]] == ["id", "currency", "amount"]
    assert [one.arg for one in verdict.violations[:3]] == ["id", "currency", "amount"]
    assert verdict.violations[2].expected == "> 0 and <= 9"
    assert verdict.violations[2].observed == "10"
    assert {one.severity for one in verdict.violations} == {Severity.HARD}
    assert verdict.path is PathGrade.VIOLATED


def test_an_argument_that_breaks_several_demands_is_told_once() -> None:
    spec = args(required=["id"], equals={"id": 1}, schema={"required": ["id"]}, only=["x", "id"])

    assert messages(refund(), **spec) == ["refund: id is not there, expected a value"]


@pytest.mark.parametrize(
    ("spec", "fine", "wrong"),
    [
        (args(equals={"n": 200}), [200, 200.0], ["200", 201, None]),
        (args(equals={"n": 1}), [1, True], [2, False, "1"]),
        (args(equals={"n": {"a": [1]}}), [{"a": [1]}, {"a": [1.0]}], [{"a": 1}, {}]),
        (args(where={"n": {"type": "integer"}}), [1, 2.0], [True, "1"]),
        (args(where={"n": {"exists": True}}), [None, 0], []),
        (args(where={"n": {"exists": False}}), [], [None, 0]),
        (args(where={"n": {"regex": "^ORD-"}}), ["ORD-1"], ["1", 1, ["ORD-1"]]),
        (args(values={"n": ["EUR", 1]}), ["EUR", 1, 1.0], ["eur", "1", None]),
        (args(schema={"properties": {"n": {"type": "integer"}}}), [1, 2.0], [True, "1"]),
    ],
)
def test_a_value_is_as_it_must_be(spec: dict[str, Any], fine: list[Any], wrong: list[Any]) -> None:
    for value in fine:
        assert grade(refund(n=value), **spec) is PathGrade.OK, value
    for value in wrong:
        assert grade(refund(n=value), **spec) is PathGrade.VIOLATED, value


def test_what_is_not_there() -> None:
    assert messages(refund(), **args(required=["n"])) != []
    assert messages(refund(), **args(equals={"n": 0})) != []
    assert messages(refund(), **args(equals={"n": None})) == []
    assert messages(refund(), **args(where={"n": {"ne": 1}})) == [
        "refund: n is not there, expected not 1"
    ]
    assert messages(refund(), **args(where={"n": {"exists": False}})) == []
    assert messages(refund(), **args(values={"n": [1]})) == []


def test_a_path_with_a_star_asks_of_every_item() -> None:
    spec = args(required=["items[*].id"], where={"items[*].n": {"ge": 1}})
    run = refund(items=[{"id": 1, "n": 1}, {"n": 0}, {"id": 3}, "x"])

    assert messages(run, **spec) == [
        "refund: items[1].id is not there, expected a value",
        "refund: items[3].id is not there, expected a value",
        "refund: items[1].n is 0, expected >= 1",
        "refund: items[2].n is not there, expected >= 1",
        "refund: items[3].n is not there, expected >= 1",
    ]
    assert messages(refund(items=[]), **spec) == []
    assert messages(refund(), **spec) == [
        "refund: items[*].id is not there, expected a value",
        "refund: items[*].n is not there, expected >= 1",
    ]


def test_no_other_arguments_than_those_listed() -> None:
    run = refund(id=1, note="x")

    assert messages(run, **args(only=["id", "note"])) == []
    assert messages(run, **args(only=["id"])) == [
        "refund: note is 'x', expected no argument but id"
    ]
    assert messages(run, **args(only=[])) == [
        "refund: id is 1, expected no argument",
        "refund: note is 'x', expected no argument",
    ]


def test_true_means_those_that_are_named_beside_it() -> None:
    spec = args(
        required=["a.b"],
        equals={"e": 1},
        where={"items[*].id": {"exists": True}},
        values={"v": [1]},
        schema={"properties": {"s": {}}, "required": ["t"]},
        only=True,
    )
    given_ = {"a": {"b": 1}, "e": 1, "items": [], "v": 1, "s": 1, "t": 1}

    assert messages(refund(**given_), **spec) == []
    assert messages(refund(**given_, x=2), **spec) == [
        "refund: x is 2, expected no argument but a, e, items, v, s, t"
    ]


def test_a_schema_tells_each_place_and_the_arguments_as_a_whole() -> None:
    spec = args(schema={"properties": {"n": {"maximum": 9}}, "maxProperties": 1})

    assert sorted(messages(refund(n=10, m=1), **spec)) == [
        "refund: n is 10, expected maximum 9",
        "refund: what is given is {'n': 10, 'm': 1}, expected maxProperties 1",
    ]


def test_of_very_many_places_the_first_are_told() -> None:
    run = refund(items=[{"id": index} for index in range(MOST + 5)])

    told = messages(run, **args(where={"items[*].id": {"lt": 0}}))

    assert len(told) == MOST
    assert told[-1] == f"refund: items[{MOST - 1}].id is {MOST - 1}, expected < 0"


@pytest.mark.parametrize(
    "spec",
    [
        args(required=["n"]),
        args(equals={"n": 1}),
        args(where={"m": {"exists": False}}),
        args(values={"n": [1]}),
        args(schema={"required": ["n"]}),
        args(only=["n"]),
    ],
)
def test_hidden_arguments_leave_every_demand_open(spec: dict[str, Any]) -> None:
    for given_ in ({}, {"m": 2}):
        run = a_run(a_call("refund", given_, **HIDDEN))

        assert reasons(run, spec) == ["args_redacted"]
        assert messages(run, **spec) == []


def test_what_is_there_is_there_though_the_rest_is_hidden() -> None:
    run = a_run(a_call("refund", {"n": 1, "items": [{"n": 1}]}, **HIDDEN))

    assert grade(run, **args(required=["n"])) is PathGrade.OK
    assert grade(run, **args(required=["items[0].n"])) is PathGrade.OK
    assert grade(run, **args(required=["items[*].n"])) is PathGrade.INCONCLUSIVE
    assert grade(run, **args(required=["n", "m"])) is PathGrade.INCONCLUSIVE


def test_a_violation_of_one_call_stands_beside_hidden_arguments_of_another() -> None:
    run = a_run(a_call("refund", **HIDDEN), a_call("refund", {"n": 2}))

    assert messages(run, **args(equals={"n": 1})) == ["refund: n is 2, expected 1"]


def test_an_argument_whose_name_the_spans_lost_may_be_any() -> None:
    run = a_run(a_call("refund", {"input": "7"}, **NAMELESS))

    assert reasons(run, args(required=["n"])) == ["args_unnamed"]
    assert reasons(run, args(equals={"n": "7"})) == ["args_unnamed"]
    assert reasons(run, args(only=["n"])) == ["args_unnamed"]
    assert reasons(run, args(only=[])) == ["args_unnamed"]
    assert reasons(run, args(schema={"required": ["n"]})) == ["args_unnamed"]
    assert reasons(run, args(values={"n": ["8"]})) == ["args_unnamed"]
    assert grade(run, **args(only=["input"], equals={"input": "7"})) is PathGrade.OK
    assert grade(run, **args(equals={"input": "8"})) is PathGrade.VIOLATED
    assert grade(run, **args(schema={"maxProperties": 1})) is PathGrade.OK


def test_arguments_that_no_schema_can_read_are_open() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    run = refund(d=deep)

    assert reasons(run, args(schema={"maxProperties": 3})) == ["args_unreadable"]
    assert grade(run, **args(required=["d"], equals={"d": 1})) is PathGrade.VIOLATED


def test_numbers_of_any_length_are_read() -> None:
    run = refund(n=10**6_000)

    assert grade(run, **args(where={"n": {"gt": 1}})) is PathGrade.OK
    assert grade(run, **args(where={"n": {"lt": 1}})) is PathGrade.VIOLATED


def test_a_call_that_only_may_be_meant_is_open_if_it_would_break_the_rule() -> None:
    spec = a_rule(args={"step": {"tool": "refund", "result": {"regex": "ok"}}, "equals": {"n": 1}})
    wrong = a_run(a_call("refund", {"n": 2}, result="", result_known=False))
    right = a_run(a_call("refund", {"n": 1}, result="", result_known=False))

    assert reasons(wrong, spec) == ["results_missing"]
    assert messages(wrong, **spec) == []
    assert grade(right, **spec) is PathGrade.OK


def test_the_nth_call_alone_is_meant() -> None:
    run = a_run(*(a_call("refund", {"n": n}) for n in (1, 2, 3)))

    assert messages(run, **args(equals={"n": 2}, occurrence=2)) == []
    verdict = judged(run, **args(equals={"n": 9}, occurrence=2))
    assert [str(one) for one in verdict.violations] == ["refund: n is 2, expected 9"]
    assert steps_of(verdict) == [1]
    assert steps_of(judged(run, **args(equals={"n": 9}, occurrence=1))) == [0]
    assert steps_of(judged(run, **args(equals={"n": 9}, occurrence="last"))) == [2]
    assert messages(run, **args(equals={"n": 9}, occurrence=4)) == []
    assert messages(a_run(), **args(equals={"n": 9}, occurrence="last")) == []


def test_of_unordered_calls_any_may_be_the_nth() -> None:
    run = a_run(
        a_call("refund", {"n": 1}, span=(0, 10)),
        a_call("refund", {"n": 2}, span=(5, 15)),
        a_call("refund", {"n": 3}, span=(20, 30)),
    )

    for occurrence in (1, 2):
        assert grade(run, **args(equals={"n": 1}, occurrence=occurrence)) is PathGrade.OK
        assert grade(run, **args(equals={"n": 2}, occurrence=occurrence)) is PathGrade.OK
        assert messages(run, **args(equals={"n": 3}, occurrence=occurrence)) == [
            f"refund: n is {occurrence}, expected 3"
        ]
    assert grade(run, **args(equals={"n": 2}, occurrence="last")) is PathGrade.VIOLATED


def test_an_nth_call_with_hidden_arguments_is_open_unless_another_may_be_it() -> None:
    hidden = a_call("refund", span=(0, 10), **HIDDEN)
    wrong = a_call("refund", {"n": 2}, span=(5, 15))
    right = a_call("refund", {"n": 1}, span=(5, 15))
    spec = args(equals={"n": 1}, occurrence=1)

    assert reasons(a_run(hidden), spec) == ["args_redacted"]
    assert reasons(a_run(hidden, wrong), spec) == ["args_redacted"]
    assert grade(a_run(hidden, right), **spec) is PathGrade.OK


def test_a_call_that_only_may_be_meant_may_shift_the_count() -> None:
    step = {"tool": "refund", "result": {"regex": "ok"}}
    unsure = a_call("refund", {"n": 2}, result_known=False)
    right, wrong = (a_call("refund", {"n": n}, result="ok") for n in (1, 2))
    first = a_rule(args={"step": step, "equals": {"n": 1}, "occurrence": 1})
    second = a_rule(args={"step": step, "equals": {"n": 1}, "occurrence": 2})
    last = a_rule(args={"step": step, "equals": {"n": 1}, "occurrence": "last"})

    assert reasons(a_run(unsure, right), first) == ["results_missing"]
    assert messages(a_run(unsure, wrong), **first) == ["refund: n is 2, expected 1"]
    assert grade(a_run(right, unsure), **first) is PathGrade.OK
    assert reasons(a_run(right, unsure), second) == ["results_missing"]
    assert reasons(a_run(right, unsure), last) == ["results_missing"]
    assert reasons(a_run(unsure), last) == ["results_missing"]
    assert grade(a_run(unsure, right), **last) is PathGrade.OK


@given(st.lists(st.integers(0, 3), max_size=6), st.integers(1, 7))
def test_the_nth_call_is_the_nth_of_those_that_match(numbers: list[int], occurrence: int) -> None:
    run = a_run(
        *(a_call("refund" if n else "lookup", {"n": n}) for n in numbers),
    )
    refunds = [n for n in numbers if n]
    breaks = len(refunds) >= occurrence and refunds[occurrence - 1] != 1

    found = grade(run, **args(equals={"n": 1}, occurrence=occurrence))

    assert found is (PathGrade.VIOLATED if breaks else PathGrade.OK)


@pytest.mark.parametrize(
    ("path", "value", "gaps"),
    [
        ("a.b", {}, ["a.b"]),
        ("a.b", {"a": 1}, ["a.b"]),
        ("a.b", {"a.b": 1}, []),
        ("a.b", {"a": {"b": None}}, []),
        ("a[1]", {"a": [1]}, ["a[1]"]),
        ("a[1].b", {"a": [1, {}]}, ["a[1].b"]),
        ("a[*]", {"a": []}, []),
        ("a[*]", {"a": {}}, ["a[*]"]),
        ("a[*][0]", {"a": [[1], [], [2]]}, ["a[1][0]"]),
        (
            "a[*].b[*].c",
            {"a": [{"b": [{"c": 1}, {}]}, {"b": []}, {}]},
            ["a[0].b[1].c", "a[2].b[*].c"],
        ),
        ("a[2].b[0]", {}, ["a[2].b[0]"]),
    ],
)
def test_the_gaps_of_a_path(path: str, value: Any, gaps: list[str]) -> None:
    assert sorted(Path.of(path).gaps(value)) == sorted(gaps)


def test_a_name_with_dots_that_a_rule_asks_for_is_no_argument_too_many() -> None:
    spec = args(required=["a.b"], only=True)

    assert messages(refund(**{"a.b": 1}), **spec) == []
    assert messages(refund(**{"a.b": 1, "a.c": 1}), **spec) == [
        "refund: a.c is 1, expected no argument but a"
    ]


def test_values_are_told_as_a_list() -> None:
    (told,) = judged(refund(n="GBP"), **args(values={"n": ["EUR", "USD"]})).violations

    assert told.message == "refund: n is 'GBP', expected one of ['EUR', 'USD']"
    assert told.expected == "one of ['EUR', 'USD']"
