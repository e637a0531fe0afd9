"""Side effects, approvals and models: who may do what."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.levels import a_rule
from evaluate.runs import a_call, a_run, grade, judged, messages, steps_of
from surefoot.evaluate.authority import WORDS, Effects, Words
from surefoot.evaluate.check import Kind
from surefoot.evaluate.matcher import Matcher
from surefoot.evaluate.names import Names, aliases
from surefoot.model import ArgsQuality, Evidence, PathGrade, Run, Severity, StepKind

HIDDEN: dict[str, Any] = {"quality": ArgsQuality.MISSING}
DEFAULT = Words(frozenset(WORDS))


def effects(**keys: Any) -> dict[str, Any]:
    return a_rule(effects=keys)


def approval(**keys: Any) -> dict[str, Any]:
    return a_rule(approval={"step": "refund", "by": "ask"} | keys)


def ask(value: Any = 1, **known: Any) -> Any:
    return a_call("ask", {"id": value}, **known)


def refund(value: Any = 1, **known: Any) -> Any:
    return a_call("refund", {"id": value}, **known)


def reasons(run: Run, spec: dict[str, Any]) -> list[str]:
    return [one.reason for one in judged(run, **spec).undecided]


@pytest.mark.parametrize(
    "tool",
    [
        *WORDS,
        "send_email",
        "SendEmail",
        "sendEmail",
        "email.send",
        "issue_refund",
        "issueRefund",
        "HTTPSend",
        "DELETE_user",
        "delete-user",
        "Delete User",
        "mcp__mail__send_message",
        "functions.run_sql",
        "run2",
    ],
)
def test_a_name_with_such_a_word_speaks_of_a_side_effect(tool: str) -> None:
    assert messages(a_run(tool), **effects()) == [f"side effect without authority: {tool}"]


@pytest.mark.parametrize(
    "tool",
    [
        "list_runs",
        "payload_size",
        "rewrite",
        "prune",
        "trunk",
        "runtime_info",
        "sender",
        "get_payment",
        "unsend",
        "lookup_order",
        "mcp__email__list_folders",
        "lookup.run",
        "",
        "123",
    ],
)
def test_a_name_with_such_letters_inside_a_word_does_not(tool: str) -> None:
    assert messages(a_run(tool), **effects()) == []


@given(st.sampled_from(WORDS), st.text("abcXYZ", min_size=1, max_size=3))
def test_a_word_counts_as_a_whole(word: str, more: str) -> None:
    assert DEFAULT.covers(f"{more}_{word}")
    assert DEFAULT.covers(f"{word}-{more}", aliases(f"{word}-{more}"))
    assert not DEFAULT.covers(f"{more.lower()}{word}")
    assert not DEFAULT.covers(f"{word}{more.lower()}")


def test_each_tool_is_told_at_its_first_call() -> None:
    verdict = judged(a_run("lookup", "send", "pay", "send"), **effects())

    assert steps_of(verdict) == [1, 2]
    first, second = verdict.violations
    assert (first.subject, first.observed) == ("send", "send called, 2 times")
    assert (second.subject, second.observed) == ("pay", "pay called")
    assert first.expected == "no call of a tool with side effects"
    assert first.severity is Severity.HARD


def test_a_call_that_never_ran_had_no_effect() -> None:
    assert messages(a_run(a_call("send_email", ran=False)), **effects()) == []


def test_a_handoff_moves_nothing_unless_it_is_named() -> None:
    run = a_run(a_call("transfer_to_billing", kind=StepKind.HANDOFF))

    assert messages(run, **effects()) == []
    assert len(messages(run, **effects(tools="transfer_*"))) == 1


def test_own_tools_stand_in_for_the_usual_names() -> None:
    spec = effects(tools=["wire*", {"tool": "sql", "args": {"q": {"regex": "DROP"}}}])
    run = a_run(
        "send_email", "wire_money", a_call("sql", {"q": "DROP x"}), a_call("sql", {"q": "x"})
    )

    assert steps_of(judged(run, **spec)) == [1, 2]


def test_an_authorised_call_may_be_made_all_the_same() -> None:
    spec = effects(authorised=["send_email", {"tool": "pay", "args": {"amount": {"le": 10}}}])
    run = a_run(
        "send_email",
        a_call("pay", {"amount": 10}),
        a_call("pay", {"amount": 11}),
        a_call("pay", {"amount": 12}),
    )

    verdict = judged(run, **spec)

    (found,) = verdict.violations
    assert (found.step, found.observed) == (2, "pay called, 2 times")
    assert found.expected == (
        "no call of a tool with side effects but send_email or pay (amount <= 10)"
    )


def test_hidden_arguments_leave_open_whether_a_call_is_authorised() -> None:
    spec = effects(authorised={"tool": "pay", "args": {"amount": {"le": 10}}})

    assert reasons(a_run(a_call("pay", **HIDDEN)), spec) == ["args_missing"]
    assert steps_of(judged(a_run(a_call("pay", **HIDDEN), "send"), **spec)) == [1]
    assert grade(a_run(a_call("pay", {"amount": 1})), **spec) is PathGrade.OK


def test_the_kind_is_what_can_undo_a_violation() -> None:
    by_result = Matcher.named("x", Names.of(["x"]))

    assert Effects("e").kind is Kind.FINAL
    assert Effects("e", by_result).kind is Kind.FINAL
    assert Effects("e", authorised=by_result).kind is Kind.ABSENT
    failed = a_run(a_call("x", ok=False), levels={Evidence.PARENTS_MISSING})
    assert reasons(failed, effects(tools={"tool": "x", "ok": False})) == ["parents_missing"]


def test_an_approval_ended_ok_before() -> None:
    assert messages(a_run("ask", "refund", "refund"), **approval()) == []
    verdict = judged(a_run("refund", "ask", "refund"), **approval())

    (found,) = verdict.violations
    assert found.message == "refund without approval: no ask that had ended ok"
    assert (found.expected, found.observed) == ("ask ended ok before", "no ask that had ended ok")
    assert (found.step, found.subject) == (0, "refund")
    assert found.severity is Severity.HARD


def test_what_never_ran_or_failed_approves_nothing() -> None:
    assert steps_of(judged(a_run(a_call("ask", ran=False), "refund"), **approval())) == [1]
    assert steps_of(judged(a_run(a_call("ask", ok=False), "refund"), **approval())) == [1]


def test_an_approval_has_ended_when_the_call_starts() -> None:
    at = a_run(a_call("ask", span=(0, 10)), a_call("refund", span=(10, 20)))
    before = a_run(a_call("ask", span=(0, 10)), a_call("refund", span=(9, 20)))

    assert messages(at, **approval()) == []
    assert steps_of(judged(before, **approval())) == [1]


def test_no_call_approves_itself() -> None:
    spec = approval(step="*", by=["ask", "boss"])
    run = a_run(a_call("ask", span=(5, 5)), a_call("boss", span=(5, 5)), a_call("x", span=(6, 7)))

    assert messages(a_run(a_call("ask", span=(5, 5))), **spec) == [
        "ask without approval: no ask or boss that had ended ok"
    ]
    assert messages(run, **spec) == []


def test_an_approval_is_for_the_same_values() -> None:
    spec = approval(same=["id"])

    assert messages(a_run(ask(200), ask("x"), refund("200"), refund(200.0)), **spec) == []
    verdict = judged(a_run(ask(1), ask(2), refund(3)), **spec)
    (found,) = verdict.violations
    assert found.message == "refund without approval: ask at step 1 does not cover it"
    assert found.expected == "ask ended ok before, for the same id"
    assert steps_of(judged(a_run(refund(1)), **spec)) == [0]


def test_all_the_values_are_the_same() -> None:
    spec = approval(same=["id", "to.name"])
    run = a_run(
        a_call("ask", {"id": 1, "to": {"name": "A"}}),
        a_call("refund", {"id": 1, "to": {"name": "a"}}),
        a_call("refund", {"id": 1, "to": {"name": "b"}}),
        a_call("refund", {"id": 2, "to": {"name": "a"}}),
    )

    assert steps_of(judged(run, **spec)) == [2, 3]
    assert judged(run, **spec).violations[0].expected.endswith("for the same id, to.name")


def test_of_lists_all_items_are_the_same() -> None:
    spec = approval(same="ids[*]")

    def call(tool: str, *ids: int) -> Any:
        return a_call(tool, {"ids": list(ids)})

    run = a_run(call("ask", 1, 2), call("refund", 2, 1), call("refund", 1), call("refund", 1, 2, 3))
    assert steps_of(judged(run, **spec)) == [2, 3]


def test_a_value_that_either_lacks_is_not_the_same() -> None:
    spec = approval(same=["id"])

    assert steps_of(judged(a_run("ask", "refund"), **spec)) == [1]
    assert steps_of(judged(a_run("ask", refund(1)), **spec)) == [1]
    assert steps_of(judged(a_run(ask(1), "refund"), **spec)) == [1]


def test_an_approval_holds_as_long_as_it_says() -> None:
    second = 1_000_000_000
    spec = approval(same=["id"], max_age="10s")

    def at(start: int, *asked: tuple[int, int]) -> Run:
        return a_run(*(ask(span=span) for span in asked), refund(span=(start, start + 1)))

    assert messages(at(12 * second, (0, 2 * second)), **spec) == []
    verdict = judged(at(12 * second + 500_000_000, (0, 2 * second)), **spec)
    (found,) = verdict.violations
    assert found.observed == "ask at step 0 ended 10.5s before"
    assert found.expected == "ask ended ok before, for the same id, at most 10s before"
    (found,) = judged(
        at(92 * second, (0, 2 * second)), **approval(same=["id"], max_age="60s")
    ).violations
    assert found.observed == "ask at step 0 ended 1m30s before"
    assert found.expected == "ask ended ok before, for the same id, at most 1m before"
    assert messages(at(20 * second, (0, 2 * second), (0, 10 * second)), **spec) == []
    assert messages(at(20 * second, (0, 2 * second), (0, 21 * second)), **spec) != []


def test_a_result_may_say_no() -> None:
    spec = approval(same=["id"], granted={"approved": True, "by": {"exists": False}})

    def said(value: Any, **result: Any) -> Any:
        return ask(value, result=json.dumps(result))

    assert messages(a_run(said(1, approved=True), refund(1)), **spec) == []
    for no in ({"approved": False}, {}, {"approved": True, "by": "me"}, {"approved": "yes"}):
        (found,) = judged(a_run(said(2), said(1, **no), refund(1)), **spec).violations
        assert found.observed == "ask at step 1 did not grant it"
    assert messages(a_run(said(1, approved=True), said(1), refund(1)), **spec) == []
    plain = a_run(ask(1, result="approved"), refund(1))
    assert len(messages(plain, **spec)) == 1


def test_of_several_answers_one_yes_is_enough() -> None:
    spec = approval(granted={"answers[*]": "yes"})

    assert messages(a_run(ask(result='{"answers": ["no", "yes"]}'), "refund"), **spec) == []
    assert len(messages(a_run(ask(result='{"answers": []}'), "refund"), **spec)) == 1


def test_a_hidden_argument_of_the_call_is_open_if_an_approval_may_cover_it() -> None:
    spec = approval(same=["id"], max_age="1s")
    hidden = a_call("refund", span=(2_000_000_000, 2_000_000_001), **HIDDEN)

    assert reasons(a_run(ask(span=(0, 1_000_000_000)), hidden), spec) == ["args_missing"]
    assert steps_of(judged(a_run(ask(span=(0, 999_999_999)), hidden), **spec)) == [1]
    assert steps_of(judged(a_run(ask(ok=False, span=(0, 1_500_000_000)), hidden), **spec)) == [1]
    assert messages(a_run(ask(span=(0, 1_500_000_000)), hidden), **approval()) == []


def test_a_hidden_argument_of_an_approval_is_open_unless_another_covers_the_call() -> None:
    spec = approval(same=["id"])
    hidden = a_call("ask", **HIDDEN)

    assert reasons(a_run(hidden, refund(1)), spec) == ["args_missing"]
    assert reasons(a_run(hidden, ask(2), refund(1)), spec) == ["args_missing"]
    assert grade(a_run(hidden, ask(1), refund(1)), **spec) is PathGrade.OK
    assert steps_of(judged(a_run(refund(1), hidden), **spec)) == [0]
    assert grade(a_run(hidden, refund(1)), **approval()) is PathGrade.OK


def test_an_answer_that_is_not_known_is_open_unless_it_is_for_something_else() -> None:
    spec = approval(same=["id"], granted={"approved": True})
    unknown = ask(1, result_known=False)

    assert reasons(a_run(unknown, refund(1)), spec) == ["results_missing"]
    assert steps_of(judged(a_run(unknown, refund(2)), **spec)) == [1]
    both = a_call("ask", result_known=False, **HIDDEN)
    assert reasons(a_run(both, refund(1)), spec) == ["args_missing, results_missing"]
    assert grade(a_run(unknown, refund(1)), **approval(same=["id"])) is PathGrade.OK


def test_an_answer_that_came_too_long_ago_decides_nothing() -> None:
    spec = approval(granted={"approved": True}, max_age="1s")
    old = ask(result_known=False, span=(0, 1))

    (found,) = judged(a_run(old, refund(span=(2_000_000_001, 2_000_000_002))), **spec).violations
    assert found.observed == "ask at step 0 ended 2s before"


def test_calls_that_only_may_be_meant_are_open() -> None:
    step = {"tool": "refund", "args": {"amount": {"gt": 5}}}
    by = {"tool": "ask", "args": {"whom": "boss"}}
    unsure = a_call("refund", **HIDDEN)

    assert reasons(a_run(unsure), approval(step=step)) == ["args_missing"]
    assert grade(a_run("ask", unsure), **approval(step=step)) is PathGrade.OK
    assert reasons(a_run(a_call("ask", **HIDDEN), "refund"), approval(by=by)) == ["args_missing"]
    yes = a_call("ask", {"whom": "boss"})
    assert grade(a_run(a_call("ask", **HIDDEN), yes, "refund"), **approval(by=by)) is PathGrade.OK


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(1, 2), st.integers(0, 20), st.integers(0, 5)),
        max_size=8,
    ),
    st.none() | st.integers(1, 6),
)
def test_each_call_has_an_approval(
    calls: list[tuple[bool, int, int, int]], max_age: int | None
) -> None:
    """Against looking at each pair of calls."""
    made = sorted(calls, key=lambda call: call[2])
    run = a_run(
        *(
            (ask if asks else refund)(value, span=(start, start + long))
            for asks, value, start, long in made
        )
    )
    age = {} if max_age is None else {"max_age": f"{max_age}ns"}
    longest = 100 if max_age is None else max_age
    expected = [
        index
        for index, (asks, value, start, _) in enumerate(made)
        if not asks
        and not any(
            other_asks and other == value and 0 <= start - (at + long) <= longest
            for other_asks, other, at, long in made
        )
    ]

    assert steps_of(judged(run, **approval(same=["id"], **age))) == expected


def test_each_model_outside_the_list_is_told() -> None:
    spec = a_rule(models=["gpt-4o*", "claude-*"])
    run = a_run("x", models=("gpt-4o-mini", "o3", "gpt-4", "claude-3", "o3"))

    verdict = judged(run, **spec)

    assert [str(one) for one in verdict.violations] == [
        "soft: model outside the list: o3",
        "soft: model outside the list: gpt-4",
    ]
    first = verdict.violations[0]
    assert (first.step, first.subject, first.observed) == (None, "o3", "o3")
    assert first.expected == "one of gpt-4o*, claude-*"
    assert messages(a_run(models=("gpt-4o",)), **spec) == []


def test_nothing_can_be_said_of_models_that_no_span_names() -> None:
    assert reasons(a_run("x"), a_rule(models="gpt-*")) == ["models_missing"]


def test_an_approval_after_one_that_failed_counts() -> None:
    assert messages(a_run(ask(ok=False), ask(), refund()), **approval()) == []


def test_an_approvals_age_is_told_at_the_start_of_the_call() -> None:
    late = refund(span=(3_000_000_000, 9_000_000_000))

    (found,) = judged(a_run(ask(span=(0, 0)), late), **approval(max_age="1s")).violations

    assert found.observed == "ask at step 0 ended 3s before"


@pytest.mark.parametrize("tool", ["mcp__email__list_inbox", "lookup.run", "functions.look"])
def test_what_stands_around_a_name_tells_no_effect_though_the_spec_names_it(tool: str) -> None:
    rules = [{"id": "e", "effects": {}}]
    assert messages(a_run(tool), rules=rules) == []
    assert messages(a_run(tool), rules=rules, tools=[tool]) == []
