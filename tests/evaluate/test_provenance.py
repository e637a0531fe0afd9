"""What counts as given to an agent, and from when on: seen through `ground`."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from evaluate.runs import a_call, a_run, a_spec, a_view, grade, judged, messages
from evaluate.test_flows import a_chance_run
from surefoot.evaluate import View
from surefoot.evaluate.provenance import Found
from surefoot.evaluate.values import Needle, needle, readable, seed_values, stands_in, values
from surefoot.model import ArgsQuality, Cut, Evidence, PathGrade, Run, Source, Told

CHECK = a_call("check", {"id": "88213"})
UNGROUNDED = ["warn: ungrounded arg check.id='88213'"]


def ungrounded(*calls: Any, **fields: Any) -> list[str]:
    fields.setdefault("told", Told(user=("hello",)))
    return messages(a_run(*calls, **fields), ground=True)


@pytest.mark.parametrize(
    "told",
    [
        Told(user=("hello", "it is order 88213")),
        Told(system=("The demo order is 88213.",)),
        Told(history=(("lookup", "order 88213"),)),
    ],
)
def test_what_user_system_and_earlier_turns_say_is_given(told: Told) -> None:
    assert ungrounded(CHECK, told=told) == []


def test_the_task_is_given() -> None:
    assert ungrounded(CHECK, task="refund 88213") == []


def test_the_system_prompt_may_be_left_out() -> None:
    run = a_run(CHECK, told=Told(system=("The demo order is 88213.",)))

    assert messages(run, ground=True, system_prompt=False) == UNGROUNDED


def test_results_of_earlier_calls_are_given_and_later_ones_are_not() -> None:
    lookup = a_call("lookup", result="order 88213")

    assert ungrounded(lookup, CHECK) == []
    assert ungrounded(CHECK, lookup) == UNGROUNDED


TAINT: dict[str, Any] = {"untrusted": ["lookup"], "privileged": ["check"]}
TAINTED = ["check.id carries data from untrusted lookup"]


def test_calls_at_once_may_and_need_not_know_each_others_results() -> None:
    """No violation hangs on the order of unordered calls."""
    lookup = a_call("lookup", result="order 88213", span=(0, 10))
    at_once = a_call("check", {"id": "88213"}, span=(5, 15))
    after = a_call("check", {"id": "88213"}, span=(10, 15))

    assert ungrounded(lookup, at_once) == []
    assert messages(a_run(lookup, at_once, task="t"), **TAINT) == []
    assert messages(a_run(lookup, after, task="t"), **TAINT) == TAINTED


@pytest.mark.parametrize("order", [1, -1])
def test_calls_of_one_turn_may_and_need_not_know_each_others_results(order: int) -> None:
    calls = [
        a_call("lookup", result="order 88213", turn=0),
        a_call("check", {"id": "88213"}, turn=0),
    ][::order]

    assert ungrounded(*calls) == []
    assert messages(a_run(*calls, task="t"), **TAINT) == []


def test_the_next_turn_knows_the_results_of_the_one_before() -> None:
    lookup = a_call("lookup", result="order 88213", turn=0)
    check = a_call("check", {"id": "88213"}, turn=1)

    assert messages(a_run(lookup, check, task="t"), **TAINT) == TAINTED


def test_a_call_without_a_span_says_when_a_turn_began_only_if_no_other_does() -> None:
    """Its start is its model span's, which may cover the whole run."""
    step, known = a_call("other", span=(0, 100), turn=1, ran=False)
    lookup = a_call("lookup", result="order 88213", span=(1, 2))
    check = a_call("check", {"id": "88213"}, span=(3, 4), turn=1)

    run = a_run((step, replace(known, source=Source.LLM)), lookup, check, task="t")

    assert messages(run, **TAINT) == TAINTED


def test_the_echo_of_a_call_is_no_source() -> None:
    """What an agent made up stays made up, though a tool repeats it."""
    invented = a_call("lookup", {"id": "48327"}, result="order 48327 of dana@example.com")
    mail = a_call("mail", {"to": "dana@example.com", "order": "48327"})

    assert ungrounded(invented, mail) == [
        "warn: ungrounded arg lookup.id='48327'",
        "warn: ungrounded arg mail.order='48327'",
    ]


def test_an_echo_hides_no_other_source() -> None:
    echo = a_call("lookup", {"id": "88213"}, result="order 88213")
    listing = a_call("list", result="order 88213")

    assert ungrounded(echo, listing, CHECK) == ["warn: ungrounded arg lookup.id='88213'"]


def test_many_values_are_traced_like_few() -> None:
    """More values than are looked for one by one."""
    numbers = range(10_000, 10_040)
    listing = a_call("list", result=", ".join(map(str, numbers[:20])))
    calls = [a_call("check", {"id": number}) for number in numbers]
    echo = a_call("check", {"id": 10_030}, result="10030, 10031")

    assert ungrounded(echo, listing, *calls) == [
        "warn: ungrounded arg check.id='10030'",
        *[
            f"warn: ungrounded arg check.id='{number}'"
            for number in numbers[20:]
            if number != 10_031
        ],
    ]


def test_by_the_seeds_rule_any_row_of_characters_is_a_source() -> None:
    run = a_run(CHECK, task="order 1882134")

    assert messages(run, ground=True) == UNGROUNDED
    assert messages(run, ground=True, provenance="substring") == []


def ungrounded_by_brute_force(
    run: Run, holds: Callable[[str, str], bool], *, substring: bool
) -> set[tuple[int, str]]:
    """Step and path of each value that nothing gave, by the words of the contract alone."""
    view = a_view(run)
    found = set()
    for step, call in enumerate(run.steps):
        turn = run.evidence[step].turn
        mates = [i for i, other in enumerate(run.evidence) if other.turn == turn >= 0] or [step]
        start = min((run.evidence[i].start_ns, i) for i in mates)
        for value in seed_values(call.args) if substring else values(call.args):
            is_given = holds(value.shown, run.task) or any(
                ((run.evidence[i].end_ns, i) < start or (i != step and i <= max(mates)))
                and holds(value.shown, other.result)
                and (substring or not holds(value.shown, view.words(i)))
                for i, other in enumerate(run.steps)
            )
            if not is_given:
                found.add((step, value.path))
    return found


@pytest.mark.parametrize("substring", [False, True], ids=["boundary", "substring"])
@pytest.mark.parametrize("seed", range(8))
def test_what_nothing_gave_is_what_the_contract_says(seed: int, *, substring: bool) -> None:
    def stands(word: str, text: str) -> bool:
        return word in text if substring else stands_in(needle(word), readable(text))

    chance = random.Random(seed)  # noqa: S311 - for tests, not for secrets
    keys = {"ground": True, "provenance": "substring" if substring else "boundary"}
    for _ in range(150):
        run = a_chance_run(chance)
        verdict = judged(run, **keys)
        told = {(one.step, one.arg) for one in verdict.violations}

        assert verdict.crashed == ()
        assert told == ungrounded_by_brute_force(run, stands, substring=substring)


def test_the_same_value_may_be_given_to_one_call_and_not_to_another() -> None:
    listing = a_call("list", result="88213")

    assert ungrounded(CHECK, listing, CHECK) == UNGROUNDED
    slow = a_call("list", result="88213", span=(0, 90))
    first = a_call("check", {"id": "88213"}, span=(5, 8))
    assert ungrounded(slow, first, a_call("check", {"id": "88213"}, span=(95, 99))) == []


@pytest.mark.parametrize("more", [0, 12], ids=["few values", "many values"])
def test_where_a_value_was_found_first_is_kept(more: int) -> None:
    args = {f"n{at}": f"id-{at}" for at in range(more)}
    run = a_run(
        a_call("x", args),
        a_call("list", result="88213"),
        a_call("more", result="88213 and 88214"),
        a_call("check", {"id": "88213", "other": "88214", "none": "88215", "user": "88216"}),
        task="88216",
    )
    trace = a_view(run, ground=True).provenance

    first = trace.of(needle("88213"))
    assert (first.first, first.steps, first.users) == (2, (1,), False)
    assert (trace.of(needle("88214")).first, trace.of(needle("88214")).steps) == (3, (2,))
    assert trace.of(needle("88216")).users
    assert trace.of(needle("88215")) == Found()
    assert [trace.is_given(3, needle(word)) for word in ("88213", "88215", "88216")] == [
        True,
        False,
        True,
    ]
    assert not trace.is_given(1, needle("88213"))


def test_where_the_first_calls_alone_are_traced_the_others_give_and_carry_nothing() -> None:
    listing = a_call("list", result="88213", span=(0, 90))
    late = a_call("more", result="88214", span=(5, 9))
    run = a_run(listing, CHECK, a_call("check", {"id": "88214"}), late, CHECK, task="t")
    spec = a_spec(ground=True)
    scope = replace(spec.scope, tracing=replace(spec.scope.tracing, limit=3))
    view = View(run, scope)

    assert list(view.provenance.values) == [0, 1, 2]
    assert [text.step for text in view.given.texts] == [-1, 1, 2, 0]
    assert [str(one) for check in spec.checks for one in check(view)] == [
        "warn: ungrounded arg check.id='88214'"
    ]


def test_hidden_arguments_are_traced_as_none() -> None:
    hidden = a_call("check", {"id": "88213"}, quality=ArgsQuality.TRUNCATED)

    assert a_view(a_run(hidden, CHECK), ground=True).provenance.values[0] == []


def test_what_an_unordered_call_returned_and_nobody_recorded_may_have_given_a_value() -> None:
    def check(**known: Any) -> Any:
        return a_call("check", {"id": "88213"}, **known)

    unknown = a_call("list", result_known=False, span=(0, 50))
    later = a_call("list", result_known=False, span=(6, 50))
    for calls, path in (
        ((unknown, check(span=(5, 9))), PathGrade.INCONCLUSIVE),
        ((check(span=(5, 9)), later), PathGrade.VIOLATED),
        ((check(span=(5, 9), result_known=False),), PathGrade.VIOLATED),
        ((check(span=(5, 9), result_known=False), later), PathGrade.VIOLATED),
        ((unknown, check(span=(5, 9), result_known=False)), PathGrade.INCONCLUSIVE),
        (
            (check(turn=1, result_known=False), a_call("list", turn=1, result_known=False)),
            PathGrade.INCONCLUSIVE,
        ),
        ((check(turn=1), a_call("list", turn=2, result_known=False)), PathGrade.VIOLATED),
    ):
        verdict = judged(a_run(*calls, task="t"), ground=True)
        assert verdict.path is path
        missing = path is PathGrade.INCONCLUSIVE
        assert [one.reason for one in verdict.undecided] == ["results_missing"] * missing


def test_texts_stand_in_the_order_in_which_they_became_known() -> None:
    told = Told(user=("hi", "t"), system=("be kind",), history=(("page", "x"),))
    slow, quick = a_call("a", result="1", span=(0, 30)), a_call("b", result="2", span=(5, 10))
    view = a_view(a_run(slow, quick, a_call("c", result="3", span=(20, 30)), task="t", told=told))
    given = view.given

    assert [(one.text, one.step, one.tool) for one in given.texts] == [
        ("t", -1, None),
        ("hi", -1, None),
        ("be kind", -1, None),
        ("x", -1, "page"),
        ("2", 1, "b"),
        ("1", 0, "a"),
        ("3", 2, "c"),
    ]
    assert given.horizon == [4, 4, 5]
    assert given.reach == [0, 1, 2]
    without = a_view(view.run, system_prompt=False, ground=True)
    assert "be kind" not in [one.text for one in without.given.texts]


def test_a_turn_knows_what_was_known_as_its_first_call_started() -> None:
    view = a_view(
        a_run(
            a_call("a", result="1", span=(0, 10), turn=0),
            a_call("b", span=(5, 30), turn=1),
            a_call("c", span=(20, 30), turn=1),
            a_call("d", span=(25, 40)),
        )
    )

    assert view.given.horizon == [1, 1, 1, 2]
    assert view.given.reach == [0, 2, 2, 3]


def test_why_the_user_or_a_result_may_have_told_more_is_told_for_each() -> None:
    capped = a_call("a", result="x", result_capped=True)
    cut = {Evidence.TEXT_CAPPED}
    for run, users, results, any_text in (
        (a_run(capped, "b", task="t", levels=cut), "", "text_capped", "text_capped"),
        (a_run("a", "b", task=Cut("t"), levels=cut), "text_capped", "", "text_capped"),
        (a_run(a_call("a", result_known=False), "b"), "", "results_missing", "results_missing"),
        (a_run("a", "b", levels={Evidence.TASK_UNKNOWN}), "task_unknown", "", ""),
        (a_run("a", "b", levels=cut), "text_capped", "text_capped", "text_capped"),
        (a_run("a", "b"), "", "", ""),
    ):
        view = a_view(run)
        assert view.given.users_gap(view, 1) == users
        assert view.given.results_gap(view, 1) == results
        assert view.given.gap(view, 1) == any_text
    view = a_view(a_run(capped, "b", task="t", levels=cut))
    assert (view.given.results_gap(view, 0), view.given.gap(view, 0)) == ("", "")


def test_values_are_told_apart_by_how_they_are_looked_for() -> None:
    run = a_run(a_call("check", {"id": "ORD-7"}), task="order ord-7")

    assert grade(run, ground=True) is PathGrade.OK
    assert messages(run, ground=True, provenance="substring") == [
        "warn: ungrounded arg check.id='ORD-7'"
    ]
    trace = a_view(run, ground=True, provenance="substring").provenance
    assert [one.needle for one in trace.values[0]] == [Needle("ORD-7")]
