"""What counts as given to an agent, and from when on: seen through `ground`."""

from dataclasses import replace
from typing import Any

import pytest

from evaluate.runs import a_call, a_run, messages
from surefoot.model import Source, Told

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
