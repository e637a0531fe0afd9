from typing import Any

import pytest
from hypothesis import given

from evaluate.orders import (
    SHAPES,
    Named,
    doubtful_runs,
    found,
    growth,
    is_broken_in_any_order,
    is_mixed,
    meant,
    orders,
    small_runs,
    told,
    violations,
)
from evaluate.runs import a_call, a_run, a_view, judged, messages, steps_of
from surefoot.model import PathGrade, Run, Severity, Violation

BEFORE = [["a", "b"]]
#: Calls of `x` are both of a pair.
BOTH = [["a", "x"], ["b", "x"]]
BETWEEN = {"absent": "a", "from": "b", "to": "c"}
#: Each of the three is of two sides.
SIDES = {"absent": ["a", "x", "y"], "from": ["b", "x", "z"], "to": ["c", "y", "z"]}


def one(run: Run, **rule: Any) -> Violation:
    """The only violation by one rule."""
    (violation,) = violations(run, **rule)
    return violation


def at(run: Run, **rule: Any) -> list[int | None]:
    """At which steps one rule is violated."""
    return [one.step for one in violations(run, **rule)]


def has_a_before_b(calls: Named, first: str = "a", then: str = "b") -> bool:
    """By the first of each; a call that is both is no earlier than itself and stands for it."""
    firsts = [place for place, call in enumerate(calls) if call in first]
    thens = [place for place, call in enumerate(calls) if call in then]
    return not thens or bool(firsts and firsts[0] <= thens[0])


def has_an_own_a_before_each_b(calls: Named, first: str = "a", then: str = "b") -> bool:
    unused = 0
    for call in calls:
        if call in then and not unused:
            return False
        unused += (call in first) - (call in then)
    return True


def has_no_a_after_b(calls: Named, unwanted: str = "a", once: str = "b") -> bool:
    return not any(
        call in unwanted and any(earlier in once for earlier in calls[:place])
        for place, call in enumerate(calls)
    )


def has_no_a_between(calls: Named, absent: str = "a", start: str = "b", end: str = "c") -> bool:
    is_open = caught = False
    for call in calls:
        if call in end:
            if caught:
                return False
            is_open = False
        elif call in absent and is_open:
            caught = True
        is_open = is_open or call in start
    return True


def has_ended(run: Run) -> bool:
    """Whether in every order an a that has ended without an error stands before all b."""
    view = a_view(run)
    thens = [index for index, step in enumerate(run.steps) if step.tool == "b"]
    places = [{index: at for at, index in enumerate(order)} for order in orders(run)]
    return not thens or any(
        step.tool == "a"
        and step.ok
        and all(view.spans[index][1] <= view.spans[then][0] for then in thens)
        and all(place[index] < place[then] for place in places for then in thens)
        for index, step in enumerate(run.steps)
    )


@given(small_runs())
def test_before_is_violated_only_if_no_order_satisfies_it(run: Run) -> None:
    broken = is_broken_in_any_order(run, has_a_before_b)

    assert bool(messages(run, before=BEFORE)) == broken
    assert (found(run, before=BEFORE[0]) is PathGrade.VIOLATED) == broken


@given(small_runs("abx"))
def test_before_with_calls_of_both_sides_too(run: Run) -> None:
    broken = is_broken_in_any_order(run, lambda calls: has_a_before_b(calls, "ax", "bx"))

    assert (found(run, before=BOTH) is PathGrade.VIOLATED) == broken


@given(small_runs())
def test_ended_is_kept_only_if_every_order_satisfies_it(run: Run) -> None:
    for index, step in enumerate(run.steps):
        step.ok = index % 3 > 0

    assert (found(run, before=BEFORE[0], ended=True) is PathGrade.OK) == has_ended(run)


@given(small_runs())
def test_precede_each_is_violated_only_if_no_order_satisfies_it(run: Run) -> None:
    broken = is_broken_in_any_order(run, has_an_own_a_before_each_b)
    grade = found(run, precede_each=BEFORE[0])

    assert (grade is PathGrade.VIOLATED) == broken or (broken and is_mixed(run))


@given(small_runs("abx"))
def test_precede_each_with_calls_of_both_sides_too(run: Run) -> None:
    broken = is_broken_in_any_order(
        run, lambda calls: has_an_own_a_before_each_b(calls, "ax", "bx")
    )
    grade = found(run, precede_each=BOTH)

    assert (grade is PathGrade.VIOLATED) == broken or (broken and is_mixed(run))


@given(small_runs())
def test_never_after_is_violated_only_if_no_order_satisfies_it(run: Run) -> None:
    broken = is_broken_in_any_order(run, has_no_a_after_b)

    assert (found(run, never_after=BEFORE[0]) is PathGrade.VIOLATED) == broken


@given(small_runs("abx"))
def test_never_after_with_calls_of_both_sides_too(run: Run) -> None:
    broken = is_broken_in_any_order(run, lambda calls: has_no_a_after_b(calls, "ax", "bx"))

    assert (found(run, never_after=BOTH) is PathGrade.VIOLATED) == broken


@given(small_runs())
def test_between_is_violated_only_if_no_order_satisfies_it(run: Run) -> None:
    broken = is_broken_in_any_order(run, has_no_a_between)
    grade = found(run, between=BETWEEN)

    assert (grade is PathGrade.VIOLATED) == broken or (broken and is_mixed(run))


@given(small_runs("abcxyz"))
def test_between_with_calls_of_two_sides_too(run: Run) -> None:
    broken = is_broken_in_any_order(run, lambda calls: has_no_a_between(calls, "axy", "bxz", "cyz"))
    grade = found(run, between=SIDES)

    assert (grade is PathGrade.VIOLATED) == broken or (broken and is_mixed(run))


@given(doubtful_runs())
def test_calls_that_only_may_be_meant_decide_nothing(doubtful: tuple[Run, list[Run]]) -> None:
    run, may_be = doubtful
    pair = [meant("a"), meant("b")]
    between = found(run, between={"absent": meant("a"), "from": meant("b"), "to": meant("c")})

    assert found(run, before=pair) is told(may_be, has_a_before_b)
    assert found(run, precede_each=pair) is told(may_be, has_an_own_a_before_each_b)
    assert found(run, never_after=pair) is told(may_be, has_no_a_after_b)
    assert between in (told(may_be, has_no_a_between), PathGrade.INCONCLUSIVE)


@pytest.mark.parametrize(
    ("calls", "grade"),
    [
        ("ba?c", PathGrade.VIOLATED),
        ("b?ac", PathGrade.INCONCLUSIVE),
        ("bac?", PathGrade.VIOLATED),
        ("ba?", PathGrade.INCONCLUSIVE),
        ("b?a", PathGrade.OK),
        ("?bac", PathGrade.VIOLATED),
    ],
)
def test_a_call_that_only_may_be_an_end(calls: str, grade: PathGrade) -> None:
    run = a_run(*(a_call("c", {"k": "?"}) if call == "?" else call for call in calls))
    ends = [{"tool": "c", "args": {"k": {"exists": False}}}, {"tool": "c", "result": "?"}]
    for index, step in enumerate(run.steps):
        run.evidence[index].result_known = "k" not in step.args

    assert found(run, between=BETWEEN | {"to": ends}) is grade


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ("ab", []),
        ("aba", []),
        ("ba", ["a must come before b"]),
        ("bab", ["a must come before b"]),
        ("b", ["b called without a"]),
        ("a", []),
        ("", []),
    ],
)
def test_the_first_a_precedes_the_first_b(tools: str, message: list[str]) -> None:
    assert messages(a_run(*tools), before=BEFORE) == message


def test_the_violation_is_at_the_first_b() -> None:
    verdict = judged(a_run("c", "b", "a", "b"), before=BEFORE)

    assert steps_of(verdict) == [1]
    assert verdict.violations[0].subject == "a, b"
    assert verdict.violations[0].observed == "b at step 1, a at step 2"


def test_calls_of_one_turn_break_no_order() -> None:
    run = a_run(a_call("b", turn=0), a_call("a", turn=0))

    assert messages(run, before=BEFORE) == []


def test_the_observed_is_what_is_there() -> None:
    (missing,) = judged(a_run("b"), before=BEFORE).violations

    assert missing.observed == "b at step 0, no a"
    assert missing.expected == "a before b"


@pytest.mark.parametrize("run", [a_run("b", "a"), a_run("b")])
def test_a_rule_says_the_same_as_the_key(run: Run) -> None:
    violation = one(run, before=["a", "b"])
    (by_key,) = judged(run, before=BEFORE).violations

    assert violation.check == "r"
    assert violation.severity is by_key.severity is Severity.HARD
    assert (violation.message, violation.step) == (by_key.message, by_key.step)


def test_an_overlapping_call_has_not_ended() -> None:
    run = a_run(a_call("a", span=(0, 5)), a_call("b", span=(4, 9)))

    violation = one(run, before=["a", "b"], ended=True)

    assert violation.message == "a must have ended well before b starts"
    assert violation.expected == "a ended well before b"
    assert violation.observed == "b at step 1, a at step 0"
    assert violation.step == 1


def test_a_call_that_ends_as_the_other_starts_has_ended() -> None:
    run = a_run(a_call("a", span=(0, 5)), a_call("b", span=(5, 9)))

    assert found(run, before=["a", "b"], ended=True) is PathGrade.OK


def test_what_one_turn_asked_for_was_asked_for_before_it_ended() -> None:
    run = a_run(a_call("a", turn=0), a_call("b", turn=0))

    assert found(run, before=["a", "b"], ended=True) is PathGrade.VIOLATED
    assert found(run, before=["a", "b"]) is PathGrade.OK


def test_a_call_that_failed_has_not_ended_well() -> None:
    violation = one(a_run(a_call("a", ok=False), "b"), before=["a", "b"], ended=True)

    assert violation.observed == "b at step 1, a at step 0, which failed"
    assert found(a_run(a_call("a", ok=False), "b"), before=["a", "b"]) is PathGrade.OK


def test_nothing_ended_where_nothing_was_called() -> None:
    violation = one(a_run("b"), before=["a", "b"], ended=True)

    assert violation.message == "b called without a"


def test_the_first_to_start_need_not_end_before_itself() -> None:
    """The calls of several traces may stand otherwise."""
    run = a_run(a_call("b", span=(5, 6)), a_call("a", span=(0, 1)))

    assert found(run, before=["a", ["a", "b"]], ended=True) is PathGrade.OK


def test_a_call_need_not_end_before_itself() -> None:
    assert found(a_run("a", "b", "a"), before=["a", ["a", "b"]], ended=True) is PathGrade.OK
    assert found(a_run("b", "a"), before=["a", ["a", "b"]], ended=True) is PathGrade.VIOLATED


@pytest.mark.parametrize(
    ("tools", "steps"),
    [("ab", []), ("abb", [2]), ("bab", [0]), ("aabb", []), ("b", [0]), ("abbab", [2]), ("", [])],
)
def test_each_call_without_an_own_one_before_it_is_told(tools: str, steps: list[int]) -> None:
    assert at(a_run(*tools), precede_each=["a", "b"]) == steps


def test_what_has_none_of_its_own_says_what_was_used() -> None:
    first, second = violations(a_run("b", "a", "b", "b"), precede_each=["a", "b"])

    assert (first.step, second.step) == (0, 3)
    assert first.message == "b has no a of its own before it"
    assert first.expected == "an unused a before each b"
    assert first.observed == "b at step 0, no a before it"
    assert second.observed == "b at step 3, after 1 of a, each used"
    assert one(a_run(*"aabbb"), precede_each=["a", "b"]).observed.startswith("b at step 4, after 2")
    assert second.severity is Severity.HARD
    assert second.subject == "a, b"


def test_a_call_that_is_both_serves_the_next_one() -> None:
    assert at(a_run("x", "x", "b"), precede_each=BOTH) == [0]
    assert at(a_run("x", "b", "b"), precede_each=BOTH) == [0, 2]
    assert at(a_run("a", "x", "b", "b"), precede_each=BOTH) == [3]
    assert one(a_run("a", "x", "b", "b"), precede_each=BOTH).observed == (
        "b or x at step 3, after 2 of a or x, each used"
    )


def test_each_call_after_the_other_is_told() -> None:
    first, second = violations(a_run("a", "b", "a", "c", "a"), never_after=["a", "b"])

    assert (first.step, second.step) == (2, 4)
    assert first.message == "a called after b"
    assert first.expected == "no a after b"
    assert second.observed == "a at step 4, b at step 1"
    assert first.subject == "a, b"


def test_never_after_itself_is_never_twice() -> None:
    assert at(a_run("a", "a", "a"), never_after=["a", "a"]) == [1, 2]
    unordered = a_run(a_call("a", turn=0), a_call("a", turn=0))
    assert one(unordered, never_after=["a", "a"]).observed == "a at step 1, a at step 0"
    assert at(a_run("a"), never_after=["a", "a"]) == []


def test_a_call_that_is_both_is_told_after_the_first_that_ended() -> None:
    told = [one.observed for one in violations(a_run("b", "x", "x"), never_after=BOTH)]

    assert told == [f"a or x at step {step}, b or x at step 0" for step in (1, 2)]


@pytest.mark.parametrize(
    ("tools", "steps"),
    [
        ("bac", [1]),
        ("ba", []),
        ("bca", []),
        ("bcac", []),
        ("abca", []),
        ("baac", [1, 2]),
        ("bcbac", [3]),
        ("bacbac", [1, 4]),
        ("bbac", [2]),
        ("babc", [1]),
        ("ac", []),
    ],
)
def test_each_call_between_is_told(tools: str, steps: list[int]) -> None:
    assert at(a_run(*tools), between=BETWEEN) == steps


def test_what_is_between_says_after_what() -> None:
    violation = one(a_run("b", "b", "a", "c"), between=BETWEEN)

    assert violation.message == "a between b and c"
    assert violation.expected == "no a between b and c"
    assert violation.observed == "a at step 2, b at step 0"
    assert violation.subject == "a, b, c"


def test_a_second_start_may_be_what_is_absent() -> None:
    assert at(a_run("b", "b", "c"), between={"absent": "b", "from": "b", "to": "c"}) == [1]


def test_an_end_may_be_the_next_start() -> None:
    between = {"absent": "a", "from": "b", "to": "b"}

    assert at(a_run("b", "a", "b", "a"), between=between) == [1]
    assert at(a_run("b", "a", "b", "a", "b"), between=between) == [1, 3]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "rule",
    [
        {"before": ["b", "a"]},
        {"before": ["a", "b"], "ended": True},
        {"precede_each": ["a", "b"]},
        {"never_after": ["a", "b"]},
        {"between": BETWEEN},
    ],
    ids=str,
)
def test_the_work_grows_with_the_calls(shape: str, rule: dict[str, Any]) -> None:
    assert growth(shape, **rule) < 12
