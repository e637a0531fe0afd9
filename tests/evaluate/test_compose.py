"""Composites and guards."""

from itertools import product
from typing import Any

import pytest

from evaluate.runs import a_call, a_run, a_spec, a_view, judged
from surefoot.evaluate.calls import Forbidden, MaxSteps, Required
from surefoot.evaluate.compose import AllOf, AnyOf, Guard, Guarded, Not, parts
from surefoot.evaluate.matcher import Matcher
from surefoot.evaluate.names import Names
from surefoot.model import (
    ArgsQuality,
    Cut,
    Evidence,
    PathGrade,
    Run,
    Severity,
    Step,
    StepEvidence,
    Undecided,
    Verdict,
    Violation,
)

OK, BAD, OPEN = "ok", "violated", "inconclusive"
#: One tool for each child: called, called perhaps, not called.
CHILDREN: dict[str, dict[str, Any]] = {
    OK: {"forbidden": "nothing"},
    BAD: {"forbidden": "refund"},
    OPEN: {"forbidden": {"tool": "hidden", "args": {"x": {"eq": 1}}}},
}
RUN = a_run("lookup", "refund", a_call("hidden", quality=ArgsQuality.REDACTED))


def ruled(run: Run, **rule: Any) -> Verdict:
    return judged(run, rules=[{"id": "r"} | rule])


@pytest.mark.parametrize("first", CHILDREN)
@pytest.mark.parametrize("second", CHILDREN)
def test_composites_join_three_values(first: str, second: str) -> None:
    both = {first, second}
    children = [CHILDREN[first], CHILDREN[second]]

    every = BAD if BAD in both else OPEN if OPEN in both else OK
    assert ruled(RUN, all_of=children).path == every
    some = OK if OK in both else OPEN if OPEN in both else BAD
    assert ruled(RUN, any_of=children).path == some


@pytest.mark.parametrize(("child", "grade"), [(OK, BAD), (BAD, OK), (OPEN, OPEN)])
def test_not_turns_a_child_round_and_leaves_doubt_as_it_is(child: str, grade: str) -> None:
    assert ruled(RUN, **{"not": CHILDREN[child]}).path == grade


def test_what_all_children_find_goes_by_the_composites_id_and_severity() -> None:
    verdict = ruled(
        RUN, all_of=[{"forbidden": ["refund", "lookup"]}, {"max_steps": 1}], severity="warn"
    )

    assert [(one.check, one.severity, one.message, one.step) for one in verdict.violations] == [
        ("r", Severity.WARN, "called forbidden tool: refund", 1),
        ("r", Severity.WARN, "called forbidden tool: lookup", 0),
        ("r", Severity.WARN, "3 steps > max 1", 1),
    ]


def test_none_of_several_is_one_violation_that_names_them_all() -> None:
    verdict = ruled(RUN, any_of=[{"required": "ask"}, {"forbidden": ["refund", "lookup"]}])

    (one,) = verdict.violations
    assert one.message == (
        "none of 2 holds: missing required tool: ask; called forbidden tool: refund"
    )
    assert (one.step, one.expected) == (None, "a call of ask or no call of refund")
    assert one.observed == "none among 3 calls; refund called"
    assert (one.check, one.severity) == ("r", Severity.HARD)


def test_a_kept_child_that_must_be_broken_is_a_violation() -> None:
    (one,) = ruled(RUN, **{"not": {"forbidden": "ask"}}).violations

    assert (one.check, one.severity, one.step) == ("r", Severity.HARD, None)
    assert one.message == "holds and must not: forbidden"
    assert one.expected == "a run that breaks forbidden"
    assert one.observed == "a run that keeps forbidden"


def test_open_children_name_their_reasons() -> None:
    either = [CHILDREN[OPEN], {"forbidden": {"tool": "hidden", "result": {"eq": 1}}}]
    run = a_run(a_call("hidden", quality=ArgsQuality.REDACTED, result_known=False))

    for key in ("any_of", "all_of"):
        verdict = ruled(run, **{key: either})
        assert verdict.undecided == (Undecided("r", "args_redacted, results_missing"),)
    assert ruled(run, **{"not": either[0]}).undecided == (Undecided("r", "args_redacted"),)


def test_composites_nest() -> None:
    inner = {"any_of": [CHILDREN[BAD], {"not": CHILDREN[BAD]}]}

    assert ruled(RUN, all_of=[inner, CHILDREN[OK]]).path is PathGrade.OK
    assert ruled(RUN, all_of=[inner, CHILDREN[BAD]]).path is PathGrade.VIOLATED


def test_a_childs_own_guard_counts() -> None:
    child = CHILDREN[BAD] | {"when": {"step": "ask"}}

    assert ruled(RUN, all_of=[child]).path is PathGrade.OK


def test_a_child_weighs_what_the_rule_around_it_weighs() -> None:
    (one,) = ruled(RUN, all_of=[{"max_steps": 0}]).violations

    assert one.severity is Severity.HARD


GUARDS = [
    ({"input": {"regex": "refund"}}, True),
    ({"input": {"regex": "invoice"}}, False),
    ({"step": "lookup"}, True),
    ({"step": "ask"}, False),
    ({"input": {"regex": "refund"}, "step": "lookup"}, True),
    ({"input": {"regex": "refund"}, "step": "ask"}, False),
    ({"input": {"regex": "invoice"}, "step": "lookup"}, False),
    ({"args": {"currency": "EUR"}}, True),
    ({"args": {"currency": "USD"}}, False),
    ({"args": {"currency": "EUR", "amount": {"gt": 5}}}, True),
    ({"args": {"currency": "EUR", "amount": {"gt": 500}}}, False),
    ({"step": "lookup", "args": {"currency": "USD"}}, False),
]


@pytest.mark.parametrize(
    ("wanted", "counts"),
    [
        ({"type": "object"}, True),
        ({"eq": {"id": 5}}, True),
        ({"regex": '"id"'}, True),
        ({"type": "string"}, False),
        ({"ne": {"id": 5}}, False),
    ],
)
def test_what_a_run_was_asked_is_read_as_json_where_it_is(
    wanted: dict[str, Any], *, counts: bool
) -> None:
    run = a_run("refund", task='{"id": 5}')

    path = ruled(run, forbidden="refund", when={"input": wanted}).path

    assert path == (BAD if counts else OK)


@pytest.mark.parametrize(("guard", "counts"), GUARDS)
def test_a_rule_counts_where_all_of_its_guard_holds(guard: dict[str, Any], *, counts: bool) -> None:
    run = a_run("lookup", a_call("refund", {"currency": "EUR", "amount": 9}), task="refund 5")

    for rule in ({"forbidden": "refund"}, {"required": "ask"}):
        assert ruled(run, **rule, when=guard).path == (BAD if counts else OK)
    assert ruled(run, forbidden="ask", when=guard).path is PathGrade.OK


def test_arguments_guard_each_offending_call_for_itself() -> None:
    calls = [a_call("refund", {"order": n, "currency": c}) for n, c in enumerate(("EUR", "USD"))]
    run = a_run(*calls, a_call("refund", {"order": 0, "currency": "USD"}))

    verdict = ruled(
        run, all_of=[{"forbidden": {"tool": "refund", "args": {"order": n}}} for n in (0, 1)],
        when={"args": {"currency": "USD"}},
    )  # fmt: skip

    assert [one.step for one in verdict.violations] == [2, 1]


def paid(n: int, currency: str, **known: Any) -> tuple[Step, StepEvidence]:
    return a_call("refund", {"order": n, "currency": currency, "n": 7}, **known)


#: One violation of these stands for several calls, the first of which is in EUR.
ONE_FOR_SEVERAL: list[dict[str, Any]] = [
    {"forbidden": "refund"},
    {"effects": {}},
    {"effects": {"tools": "refund", "authorised": "look"}},
    {"calls": {"step": "refund", "max": 0}},
    {"max_steps": 0},
    {"exclusive": [{"args": {"order": 0}}, {"args": {"order": {"gt": 0}}}]},
    {"before": ["ask", "refund"]},
    {"before": ["ask", "refund"], "ended": True},
    {"any_of": [{"forbidden": "refund"}, {"required": "ask"}]},
    {"unique": {"step": "refund", "arg": "n"}},
    {"total": {"step": "refund", "arg": "n", "max": 1}},
    {"rate": {"step": "refund", "max": 1, "per": "1m"}},
    {"trifecta": {"untrusted": "look", "private": "look", "egress": "refund"}},
]


@pytest.mark.parametrize("rule", ONE_FOR_SEVERAL, ids=lambda rule: next(iter(rule)))
@pytest.mark.parametrize(("currency", "grade"), [("USD", BAD), ("GBP", OK)])
def test_a_guard_means_a_violation_if_it_means_any_of_the_calls_for_which_it_stands(
    rule: dict[str, Any], currency: str, grade: str
) -> None:
    calls = [paid(n, "USD" if n == 4 else "EUR") for n in range(6)]
    verdict = ruled(a_run("look", "look", *calls), **rule, when={"args": {"currency": currency}})

    assert verdict.path == grade
    assert [one.step for one in verdict.violations] == [6] * (grade == BAD)


def test_a_failure_or_a_call_at_once_is_meant_wherever_it_stands_among_its_like() -> None:
    guard = {"args": {"currency": "USD"}}
    failed = [paid(n, "USD" if n == 1 else "EUR", ok=False) for n in range(3)]
    (one,) = ruled(a_run(*failed), handled_errors=True, when=guard).violations
    assert one.step == 1

    at_once = [paid(n, "USD" if n == 2 else "EUR", span=(n, 90)) for n in range(4)]
    (two,) = ruled(a_run(*at_once), parallel={"max": 1}, when=guard).violations
    assert (two.step, two.observed) == (2, "4 at once, more than 1 from step 1 on")


def test_only_a_call_without_the_earlier_one_is_a_guarded_pairs_offence() -> None:
    calls = [paid(0, "EUR"), a_call("ask"), paid(1, "USD")]
    for ended in (False, True):
        rule = {"before": ["ask", "refund"], "ended": ended}
        assert ruled(a_run(*calls), **rule).path == BAD
        assert ruled(a_run(*calls), **rule, when={"args": {"currency": "USD"}}).path == OK


def test_what_is_hidden_beside_violations_that_a_guard_does_not_mean_stays_open() -> None:
    """The hidden call may be a large one in USD."""
    large = {"forbidden": {"tool": "refund", "args": {"order": {"gt": 0}}}}
    run = a_run(paid(1, "EUR"), a_call("refund", quality=ArgsQuality.REDACTED))
    verdict = ruled(run, **large, when={"args": {"currency": "USD"}})

    assert (verdict.path, verdict.undecided) == (OPEN, (Undecided("r", "args_redacted"),))


@pytest.mark.parametrize("tells", ["refund", "delete"])
def test_a_guard_on_a_cut_input_is_open(tells: str) -> None:
    run = a_run("refund", task=Cut("please refund"), levels={Evidence.TEXT_CAPPED})
    verdict = ruled(run, forbidden="refund", when={"input": {"regex": tells}})

    assert (verdict.path, verdict.undecided) == (OPEN, (Undecided("r", "text_capped"),))


@pytest.mark.parametrize(
    ("guard", "reason"),
    [
        ({"input": {"regex": "x"}}, "task_unknown"),
        ({"step": {"tool": "hidden", "args": {"x": {"eq": 1}}}}, "args_missing"),
        ({"args": {"x": 1}}, "args_missing"),
        (
            {"input": {"regex": "x"}, "step": {"tool": "hidden", "args": {"x": {"eq": 1}}}},
            "args_missing, task_unknown",
        ),
        ({"input": {"regex": "x"}, "args": {"x": 1}}, "args_missing, task_unknown"),
    ],
)
def test_a_guard_in_doubt_leaves_open_what_is_found(guard: dict[str, Any], reason: str) -> None:
    levels = {Evidence.TASK_UNKNOWN, Evidence.ARGS_MISSING}
    run = a_run(a_call("hidden", quality=ArgsQuality.MISSING), levels=levels)

    found = ruled(run, forbidden="hidden", when=guard)
    assert found.undecided == (Undecided("r", reason),)
    assert found.violations == ()
    assert ruled(run, forbidden="nothing", when=guard).path is PathGrade.OK


def test_a_guard_that_surely_fails_outweighs_one_in_doubt() -> None:
    run = a_run("refund", levels={Evidence.TASK_UNKNOWN})

    for guard in ({"step": "ask"}, {"args": {"x": 1}}):
        verdict = ruled(run, forbidden="refund", when={"input": {"regex": "x"}} | guard)
        assert verdict.path is PathGrade.OK


def test_what_no_call_offends_is_guarded_by_any_calls_arguments() -> None:
    hidden = a_call("lookup", quality=ArgsQuality.MISSING)
    plain = a_call("lookup", {"x": 2})
    for calls, grade in (
        ((plain,), OK),
        ((plain, a_call("lookup", {"x": 1})), BAD),
        ((plain, hidden), OPEN),
        ((hidden, a_call("lookup", {"x": 1})), BAD),
        ((), OK),
    ):
        assert ruled(a_run(*calls), required="ask", when={"args": {"x": 1}}).path == grade


def test_what_is_open_in_a_guarded_rule_stays_open() -> None:
    verdict = ruled(RUN, **CHILDREN[OPEN], when={"step": "lookup"})

    assert verdict.undecided == (Undecided("r", "args_redacted"),)


def test_every_pair_of_kinds_has_the_stricter_one() -> None:
    kinds: dict[str, dict[str, Any]] = {
        "final": {"forbidden": "x"},
        "seen": {"max_steps": 9},
        "absent": {"required": "y"},
    }
    order = ["final", "seen", "absent"]

    for one, two in product(order, order):
        for key in ("all_of", "any_of"):
            rule = {"id": "r", key: [kinds[one], kinds[two]]}
            (check,) = a_spec(rules=[rule]).checks
            assert check.kind == max(one, two, key=order.index)


def calling(*tools: str) -> tuple[Matcher, ...]:
    return tuple(Matcher.named(tool, Names.of([tool])) for tool in tools)


def hidden_forbidden() -> Forbidden:
    """A check of its own name that the run leaves open."""
    (check,) = a_spec(rules=[{"id": "own"} | CHILDREN[OPEN]]).checks
    assert isinstance(check, Forbidden)
    return check


def test_what_a_child_finds_goes_by_the_name_of_what_it_is_in() -> None:
    view = a_view(RUN)
    broken = Forbidden(calling("refund"), Severity.SOFT)

    for make in (AllOf, AnyOf):
        (found,) = make("whole", (broken,), Severity.WARN)(view)
        assert isinstance(found, Violation)
        assert (found.check, found.severity) == ("whole", Severity.WARN)
        (question,) = make("whole", (hidden_forbidden(),))(view)
        assert question == Undecided("whole", "args_redacted")
    assert list(Not("whole", hidden_forbidden(), "it")(view)) == [
        Undecided("whole", "args_redacted")
    ]
    assert Guarded(broken, Guard()).id == "forbidden"
    assert Guarded(broken, Guard()).severity is Severity.SOFT


def test_parts_are_all_checks_inside() -> None:
    one, two, three = Forbidden(calling("a")), Required(calling("b")), MaxSteps(1)
    inner = Guarded(AnyOf("x", (one, two)), Guard())
    whole = AllOf("y", (Not("z", inner, "x"), three))

    found = list(parts(whole))
    assert [type(one) for one in found] == [
        AllOf,
        Not,
        Guarded,
        AnyOf,
        Forbidden,
        Required,
        MaxSteps,
    ]
    assert found[2] is inner
    assert list(parts(three)) == [three]


def test_none_of_several_stands_at_the_first_childs_first_call_and_tells_all_others() -> None:
    run = a_run("x", "refund", "lookup", "refund", "lookup")
    (one,) = ruled(run, any_of=[{"forbidden": "refund"}, {"forbidden": "lookup"}]).violations

    assert (one.step, one.also) == (1, (2, 3, 4))
    assert one.message == (
        "none of 2 holds: called forbidden tool: refund; called forbidden tool: lookup"
    )


def test_a_guard_may_ask_that_an_argument_is_not_there() -> None:
    absent = {"args": {"currency": {"exists": False}}}

    for args, path in (({"amount": 1}, BAD), ({"currency": "EUR"}, OK)):
        assert ruled(a_run(a_call("refund", args)), forbidden="refund", when=absent).path == path


def test_a_call_that_is_not_meant_hides_no_other() -> None:
    calls = [a_call(f"refund_{c}", {"currency": c}) for c in ("EUR", "USD", "GBP", "USD")]
    when = {"args": {"currency": "USD"}}
    verdict = ruled(a_run(*calls), forbidden="refund_*", when=when)

    assert [(one.step, one.subject) for one in verdict.violations] == [(1, "refund_USD")]


def test_an_input_and_a_call_in_doubt_are_both_named() -> None:
    guard = {"input": {"regex": "x"}, "step": {"tool": "hidden", "args": {"x": {"eq": 1}}}}
    run = a_run(a_call("hidden", quality=ArgsQuality.MISSING), levels={Evidence.TASK_UNKNOWN})
    (check,) = a_spec(rules=[{"id": "r", "forbidden": "hidden", "when": guard}]).checks

    assert list(check(a_view(run))) == [Undecided("r", "task_unknown, args_missing")]


def test_of_two_guards_around_each_other_a_call_must_meet_both() -> None:
    refunds = [("EUR", 1), ("USD", 900)]
    run = a_run(*(a_call("refund", {"currency": c, "amount": n}) for c, n in refunds))
    child = {"forbidden": "refund", "when": {"args": {"currency": "EUR"}}}

    def guarded(**bounds: int) -> list[int | None]:
        verdict = ruled(run, all_of=[child], when={"args": {"amount": bounds}})
        return [one.step for one in verdict.violations]

    assert guarded(lt=100) == [0]
    assert guarded(gt=100) == []
