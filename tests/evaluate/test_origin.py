"""Where `args_from` takes an argument from, and what leaves that open."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluate.levels import a_rule
from evaluate.runs import a_call, a_run, a_view, grade, judged, messages, steps_of
from surefoot.model import ArgsQuality, Cut, Evidence, PathGrade, Run, Source, Told

HIDDEN: dict[str, Any] = {"quality": ArgsQuality.MISSING}
LOOKUP: dict[str, Any] = {"step": "lookup", "field": "order.id"}


def rule(origin: Any = LOOKUP, arg: str = "id", step: Any = "refund") -> dict[str, Any]:
    return a_rule(args_from={"step": step, "arg": arg, "from": origin})


def lookup(value: Any, **known: Any) -> Any:
    return a_call("lookup", result=json.dumps({"order": {"id": value}, "other": "B-2"}), **known)


def refund(value: Any, **known: Any) -> Any:
    return a_call("refund", {"id": value}, **known)


def reasons(run: Run, spec: dict[str, Any]) -> list[str]:
    return [one.reason for one in judged(run, **spec).undecided]


def test_the_field_of_an_earlier_result_counts_and_no_other() -> None:
    assert messages(a_run(lookup("A-1"), refund("A-1")), **rule()) == []
    verdict = judged(a_run(lookup("A-1"), refund("A-1"), refund("B-2")), **rule())

    (found,) = verdict.violations
    assert found.message == "refund: id is 'B-2', expected order.id of an earlier lookup"
    assert (found.step, found.subject, found.arg) == (2, "id", "id")
    assert (found.expected, found.observed) == ("order.id of an earlier lookup", "'B-2'")


def test_the_result_of_a_later_call_or_of_another_tool_does_not_count() -> None:
    assert steps_of(judged(a_run(refund("A-1"), lookup("A-1")), **rule())) == [0]
    other = a_call("fetch", result='{"order": {"id": "A-1"}}')
    assert steps_of(judged(a_run(other, refund("A-1")), **rule())) == [1]


def test_any_earlier_call_will_do() -> None:
    run = a_run(lookup("A-1"), lookup("A-2"), refund("A-1"), refund("A-2"), refund("A-3"))

    assert steps_of(judged(run, **rule())) == [4]


def test_values_are_the_same_by_value() -> None:
    for told, used in ((1200, "1,200"), ("ORD-1", "ord-1"), (7, 7.0), ([1, "a"], ["1", "A"])):
        assert grade(a_run(lookup(told), refund(used)), **rule()) is PathGrade.OK
    assert grade(a_run(lookup(12), refund("0012")), **rule()) is PathGrade.VIOLATED


def test_a_plain_text_has_the_value_anywhere_between_non_alphanumerics() -> None:
    text = a_call("lookup", result="Order A-17 (1,200 EUR)")

    assert grade(a_run(text, refund("a-17")), **rule()) is PathGrade.OK
    assert grade(a_run(text, refund(1200)), **rule()) is PathGrade.OK
    for value in ("A-1", "17 (", "", [1200], None, 20):
        assert grade(a_run(text, refund(value)), **rule()) is (
            PathGrade.OK if value == "17 (" else PathGrade.VIOLATED
        )


def test_a_result_that_is_a_json_scalar_is_a_plain_text() -> None:
    assert grade(a_run(a_call("lookup", result='"A-17"'), refund("A-17")), **rule()) is PathGrade.OK
    assert grade(a_run(a_call("lookup", result="17"), refund(17)), **rule()) is PathGrade.OK


def test_each_item_of_a_list_must_come_from_there() -> None:
    spec = rule({"step": "lookup", "field": "ids[*]"}, "items[*].id")
    told = a_call("lookup", result='{"ids": [1, 2]}')
    run = a_run(told, a_call("refund", {"items": [{"id": 1}, {"id": 3}, {}, {"id": "2"}]}))

    assert messages(run, **spec) == [
        "refund: items[2].id is not there, expected ids[*] of an earlier lookup",
        "refund: items[1].id is 3, expected ids[*] of an earlier lookup",
    ]


def test_a_call_without_the_argument_is_a_violation() -> None:
    assert messages(a_run(lookup("A-1"), "refund"), **rule()) == [
        "refund: id is not there, expected order.id of an earlier lookup"
    ]


def test_of_unordered_calls_either_may_have_been_the_earlier_one() -> None:
    overlapping = a_run(refund("A-1", span=(0, 10)), lookup("A-1", span=(9, 20)))
    touching = a_run(refund("A-1", span=(0, 10)), lookup("A-1", span=(10, 20)))
    together = a_run(refund("A-1", span=(0, 10), turn=3), "x", lookup("A-1", span=(60, 70), turn=3))

    assert grade(overlapping, **rule()) is PathGrade.OK
    assert grade(touching, **rule()) is PathGrade.VIOLATED
    assert grade(together, **rule()) is PathGrade.OK


def test_a_call_is_no_origin_of_its_own_argument() -> None:
    spec = rule({"step": "refund", "field": "id"})
    echo = a_call("refund", {"id": 1}, result='{"id": 1}', turn=0)

    assert steps_of(judged(a_run(echo), **spec)) == [0]
    assert messages(a_run(echo, echo), **spec) == []


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(1, 3), st.integers(0, 9), st.integers(1, 6)),
        max_size=8,
    ),
    st.lists(st.integers(-1, 1), min_size=8, max_size=8),
)
def test_a_value_is_from_any_call_that_is_not_surely_later(
    calls: list[tuple[bool, int, int, int]], turns: list[int]
) -> None:
    """Against looking at each pair of calls."""
    made = sorted(calls, key=lambda call: call[2])
    run = a_run(
        *(
            (lookup if told else refund)(value, span=(start, start + long), turn=turn)
            for (told, value, start, long), turn in zip(made, turns, strict=False)
        )
    )
    view = a_view(run)
    expected = [
        index
        for index, (told, value, *_) in enumerate(made)
        if not told
        and not any(
            other_told and other == value and not view.are_ordered(index, at)
            for at, (other_told, other, *_) in enumerate(made)
        )
    ]

    assert steps_of(judged(run, **rule())) == expected


def test_the_input_is_what_the_user_said_at_any_time() -> None:
    spec = rule("input")
    run = a_run(
        refund("A-1"), refund("B-2"), task="Refund A-1", told=Told(user=("Refund A-1", "and C-3"))
    )

    assert messages(run, **spec) == ["refund: id is 'B-2', expected the input"]
    assert grade(a_run(refund("C-3"), told=run.told), **spec) is PathGrade.OK


def test_an_input_that_is_json_is_asked_for_its_field() -> None:
    spec = rule({"input": "order.id"})
    task = '{"order": {"id": "A-1"}, "other": "B-2"}'

    assert messages(a_run(refund("A-1"), refund("B-2"), task=task), **spec) == [
        "refund: id is 'B-2', expected order.id of the input"
    ]
    assert grade(a_run(refund("B-2"), task=task), **rule("input")) is PathGrade.OK
    assert grade(a_run(refund("B-2"), task="for B-2"), **spec) is PathGrade.OK


def test_hidden_arguments_are_open() -> None:
    assert reasons(a_run(lookup("A-1"), a_call("refund", **HIDDEN)), rule()) == ["args_missing"]
    nameless = a_call("refund", {"input": "A-1"}, quality=ArgsQuality.WRAPPED_TEXT)
    assert reasons(a_run(lookup("A-1"), nameless), rule()) == ["args_unnamed"]


def test_a_result_that_is_not_known_may_have_told_it() -> None:
    unknown = a_call("lookup", result_known=False)

    assert reasons(a_run(unknown, refund("A-1")), rule()) == ["results_missing"]
    assert grade(a_run(unknown, lookup("A-1"), refund("A-1")), **rule()) is PathGrade.OK
    assert steps_of(judged(a_run(refund("A-1"), unknown), **rule())) == [0]


def test_a_text_that_was_cut_may_have_told_it() -> None:
    text = a_call("lookup", result=Cut("Order A-17, and"))
    json_ = a_call("lookup", result=Cut(' {"other": "A-17", "order": {'))

    assert grade(a_run(text, refund("A-17")), **rule()) is PathGrade.OK
    assert reasons(a_run(text, refund("A-18")), rule()) == ["text_capped"]
    assert reasons(a_run(json_, refund("A-17")), rule()) == ["text_capped"]


def test_an_input_that_is_cut_or_unknown_may_have_told_it() -> None:
    cut = a_run(refund("A-1"), task=Cut("Refund"))
    unknown = a_run(refund("A-1"), levels={Evidence.TASK_UNKNOWN})

    assert reasons(cut, rule("input")) == ["text_capped"]
    assert reasons(unknown, rule("input")) == ["task_unknown"]
    assert steps_of(judged(cut, **rule())) == [0]


def test_a_call_that_only_may_be_meant_is_open() -> None:
    step = {"tool": "refund", "args": {"big": True}}
    run = a_run(lookup("A-1"), a_call("refund", {"input": "x"}, quality=ArgsQuality.WRAPPED_TEXT))
    assert reasons(run, rule(step=step)) == ["args_unnamed"]

    unsure = {"tool": "refund", "result": {"regex": "ok"}}
    wrong = a_run(lookup("A-1"), refund("A-2", result_known=False))
    bare = a_run(lookup("A-1"), a_call("refund", result_known=False))
    right = a_run(lookup("A-1"), refund("A-1", result_known=False))
    assert reasons(wrong, rule(step=unsure)) == ["results_missing"]
    assert reasons(bare, rule(step=unsure)) == ["results_missing"]
    assert grade(right, **rule(step=unsure)) is PathGrade.OK


def test_an_origin_that_only_may_be_meant_is_open_for_the_values_that_it_told() -> None:
    origin = {"step": {"tool": "lookup", "args": {"n": 1}}, "field": "order.id"}
    unsure = lookup("A-1", **HIDDEN)

    assert reasons(a_run(unsure, refund("A-1")), rule(origin)) == ["args_missing"]
    assert steps_of(judged(a_run(unsure, refund("A-2")), **rule(origin))) == [1]
    assert steps_of(judged(a_run(refund("A-1"), unsure), **rule(origin))) == [0]


def test_many_values_are_found_in_many_texts() -> None:
    """More than are looked for one by one."""
    texts = [a_call("lookup", result=f"order {n} word{'x' * n} n{n}@a.example") for n in range(60)]
    fine = [refund(value) for n in range(60) for value in (n, f"word{'x' * n}", f"n{n}@a.example")]
    wrong = [refund(value) for value in (60, "word" + "x" * 60, "n60@a.example", "ord")]

    verdict = judged(a_run(*texts, *fine, *wrong), **rule())

    assert steps_of(verdict) == list(range(240, 244))


def test_a_call_that_is_open_hides_no_violation_of_a_later_one() -> None:
    run = a_run(lookup("A-1"), a_call("refund", **HIDDEN), refund("B-2"))

    assert steps_of(judged(run, **rule())) == [2]


def test_a_cut_result_hides_no_other() -> None:
    cut = a_call("lookup", result=Cut('[{"order": '))

    assert grade(a_run(cut, lookup("A-1"), refund("A-1")), **rule()) is PathGrade.OK
    assert reasons(a_run(a_call("lookup", result=Cut("[B-2")), refund("B-2")), rule()) == [
        "text_capped"
    ]


def test_a_call_of_one_turn_is_no_origin_of_itself_but_of_the_others() -> None:
    spec = rule({"step": "*", "field": "id"}, step={"tool": "refund"})
    told = a_call("refund", {"id": 1}, result='{"id": 1}', span=(0, 10), turn=4)
    later = a_call("lookup", result='{"id": 1}', span=(20, 30), turn=4)
    other = a_call("lookup", result='{"id": 1}', span=(20, 30), turn=5)

    assert messages(a_run(told, later), **spec) == []
    assert steps_of(judged(a_run(told, other), **spec)) == [0]


def test_calls_known_from_the_model_alone_take_no_time() -> None:
    """One that starts with another does not overlap it: their order is that of the steps."""
    asked = refund("A-1", span=(5, 9), source=Source.LLM)

    assert steps_of(judged(a_run(asked, lookup("A-1", span=(5, 9))), **rule())) == [0]
    assert messages(a_run(lookup("A-1", span=(5, 9)), asked), **rule()) == []


def test_several_reasons_are_told_together() -> None:
    run = a_run(
        a_call("lookup", result_known=False),
        a_call("lookup", result=Cut("Order")),
        refund("A-1"),
    )

    assert reasons(run, rule()) == ["text_capped, results_missing"]
