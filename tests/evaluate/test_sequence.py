from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from random import Random
from typing import Any

import pytest
from gaitcheck.checks import ToolSequence
from gaitcheck.trace import Step, Trace
from hypothesis import given
from hypothesis import strategies as st

from evaluate.orders import (
    SHAPES,
    Named,
    doubtful_runs,
    found,
    growth,
    is_broken_in_any_order,
    is_mixed,
    meant,
    small_runs,
    told,
    violations,
)
from evaluate.runs import a_call, a_run
from surefoot.evaluate.sequence import How
from surefoot.model import PathGrade, Run, Severity, Violation

#: What a call of each letter is expected to be: one of these.
Expected = Sequence[str]

names = st.text("abc", max_size=5)
plain = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)
#: Expectations of several tools, that have some in common and others not.
wide = st.lists(st.sampled_from(("a", "b", "ab", "bc", "abc")), min_size=1, max_size=4)


def sequence(expect: Expected, order: str) -> dict[str, Any]:
    """The rule that expects these calls."""
    return {"sequence": {"expect": [list(one) for one in expect], "order": order}}


def one(run: Run, expect: Expected, order: str) -> Violation:
    """The only violation by the rule."""
    (violation,) = violations(run, **sequence(expect, order))
    return violation


def is_violated(run: Run, expect: Expected, order: str) -> bool:
    """Whether a run violates the rule."""
    return found(run, **sequence(expect, order)) is PathGrade.VIOLATED


def fits(calls: Named, expect: Expected, order: str) -> bool:
    """Whether calls in one order are the expected ones."""
    met = [[call in tools for call in calls] for tools in expect]
    match order:
        case "strict":
            paired = len(calls) == len(expect)
            return paired and all(met[place][place] for place in range(len(calls)))
        case "subsequence":
            left = iter(range(len(calls)))
            return all(any(row[place] for place in left) for row in met)
        case "any":
            return all(map(any, met))
        case "subset":
            rows = permutations(range(len(expect)), len(calls))
            return any(all(met[at][place] for place, at in enumerate(row)) for row in rows)
        case _:
            rows = permutations(range(len(calls)), len(expect))
            return any(all(met[at][place] for at, place in enumerate(row)) for row in rows)


@given(names, plain, st.sampled_from(("strict", "subsequence", "any")))
def test_calls_in_a_row_are_judged_as_gaitcheck_does(
    tools: str, expect: Expected, order: str
) -> None:
    trace = Trace(tuple(Step("tool_call", tool) for tool in tools))
    theirs = ToolSequence(expect, order).check(trace)

    assert is_violated(a_run(*tools), expect, order) != theirs.passed


@given(names, plain)
def test_subset_and_superset_compare_multisets(tools: str, expect: Expected) -> None:
    calls, wanted = Counter(tools), Counter(expect)

    assert is_violated(a_run(*tools), expect, "subset") != (calls <= wanted)
    assert is_violated(a_run(*tools), expect, "superset") != (calls >= wanted)


@given(names, wide, st.sampled_from(list(How)))
def test_calls_in_a_row_fit_or_not(tools: str, expect: Expected, order: str) -> None:
    assert is_violated(a_run(*tools), expect, order) != fits(tuple(tools), expect, order)


@given(small_runs(most=5), plain, st.sampled_from(list(How)))
def test_a_run_is_violated_only_if_no_order_fits(run: Run, expect: Expected, order: str) -> None:
    broken = is_broken_in_any_order(run, lambda calls: fits(calls, expect, order))

    assert is_violated(run, expect, order) == broken or (broken and is_mixed(run))


@given(small_runs(most=5), st.randoms(use_true_random=False), st.sampled_from(list(How)))
def test_a_run_is_violated_only_if_no_order_fits_nearly_what_was_called(
    run: Run, random: Random, order: str
) -> None:
    """Expectations that are the calls in another order fit more often."""
    expect = [step.tool for step in run.steps]
    random.shuffle(expect)
    broken = is_broken_in_any_order(run, lambda calls: fits(calls, expect, order))

    assert is_violated(run, expect, order) == broken or (broken and is_mixed(run))


@given(small_runs(most=5), wide, st.sampled_from(list(How)))
def test_where_expectations_share_calls_a_violation_is_still_one_in_any_order(
    run: Run, expect: Expected, order: str
) -> None:
    broken = is_broken_in_any_order(run, lambda calls: fits(calls, expect, order))
    violated = is_violated(run, expect, order)

    assert violated <= broken
    assert violated == broken or order in ("strict", "subsequence")


@given(doubtful_runs(), plain, st.sampled_from(list(How)))
def test_calls_that_only_may_be_meant_decide_nothing(
    doubtful: tuple[Run, list[Run]], expect: Expected, order: str
) -> None:
    run, may_be = doubtful
    rule = {"expect": [meant(tool) for tool in expect], "order": order}

    assert found(run, sequence=rule) is told(may_be, lambda calls: fits(calls, expect, order))


@pytest.mark.parametrize(
    ("order", "tools", "expect", "message", "step"),
    [
        ("strict", "ac", "ab", "call 2 is c, expected b", 1),
        ("strict", "a", "ab", "only 1 call, expected b as call 2", None),
        ("strict", "", "ab", "only 0 calls, expected a as call 1", None),
        ("strict", "abca", "ab", "call 3, c, is one too many", 2),
        ("strict", "a", "", "call 1, a, is one too many", 0),
        ("subsequence", "ba", "ab", "b is not called after a, as number 2", None),
        ("subsequence", "b", "ab", "a is not called, as number 1", None),
        ("any", "b", "aba", "not called: a, a", None),
        ("superset", "ab", "aab", "not called: a", None),
        ("subset", "aba", "ab", "a is not expected more often", 2),
        ("subset", "ac", "ab", "c is not expected", 1),
        ("subset", "a", "", "a is not expected", 0),
    ],
)
def test_the_first_difference_is_told(
    order: str, tools: str, expect: str, message: str, step: int | None
) -> None:
    violation = one(a_run(*tools), expect, order)

    assert (violation.message, violation.step) == (message, step)
    assert violation.severity is Severity.HARD
    assert violation.expected == f"{order}: {', '.join(expect) or 'no call'}"


@pytest.mark.parametrize(
    ("order", "tools", "expect", "score"),
    [
        ("strict", "acb", "ab", "F1 0.80 (precision 0.67, recall 1.00)"),
        ("strict", "ba", "ab", "F1 0.50 (precision 0.50, recall 0.50)"),
        ("subsequence", "bcab", "abc", "F1 0.57 (precision 0.50, recall 0.67)"),
        ("strict", "", "ab", "F1 0.00 (precision 0.00, recall 0.00)"),
        ("strict", "a", "", "F1 0.00 (precision 0.00, recall 0.00)"),
        ("superset", "cab", "abcd", "F1 0.86 (precision 1.00, recall 0.75)"),
        ("subset", "aab", "ba", "F1 0.80 (precision 0.67, recall 1.00)"),
        ("any", "a", "ab", "F1 0.67 (precision 1.00, recall 0.50)"),
    ],
)
def test_how_near_it_came_is_told(order: str, tools: str, expect: str, score: str) -> None:
    observed = f"{', '.join(tools) or 'no call'}; {score}"

    assert one(a_run(*tools), expect, order).observed == observed


def test_many_calls_are_not_all_named() -> None:
    violation = one(a_run(*"ab" * 11), "a" * 21, "strict")

    assert violation.observed == (
        ", ".join("ab" * 10) + ", and 2 more; F1 0.51 (precision 0.50, recall 0.52)"
    )
    assert violation.expected == "strict: " + ", ".join("a" * 20) + ", and 1 more"
    assert one(a_run(*"b" * 20), "a", "strict").observed.startswith(", ".join("b" * 20) + "; ")


def test_calls_of_one_turn_stand_in_any_order() -> None:
    run = a_run("a", a_call("c", turn=0), a_call("b", turn=0))

    assert found(run, **sequence("abc", "strict")) is PathGrade.OK
    assert one(run, "bac", "strict").message == "call 1 is a, expected b"


def test_an_unordered_call_that_would_fit_several_is_left_to_the_one_that_needs_it() -> None:
    run = a_run(a_call("b", turn=0), a_call("a", turn=0))

    assert found(run, **sequence(("ab", "b"), "strict")) is PathGrade.OK
    assert found(run, **sequence(("ab", "b"), "subsequence")) is PathGrade.OK


def test_unordered_calls_that_would_fit_several_may_stand_for_several() -> None:
    """Which stands for which is not tried out: in the agent's favour."""
    unordered = a_run(a_call("b", turn=0), a_call("c", turn=0))

    assert found(unordered, **sequence(("bc", "b", "b"), "subsequence")) is PathGrade.OK
    assert is_violated(a_run("b", "c"), ("bc", "b", "b"), "subsequence")
    assert is_violated(unordered, ("bc", "b", "b"), "strict")
    assert is_violated(unordered, ("a", "bc", "b"), "subsequence")
    assert is_violated(unordered, ("bc", "b", "b", "d"), "subsequence")
    last = a_run(*(a_call(tool, turn=tool == "a") for tool in "bca"))
    assert is_violated(last, ("bc", "b", "a", "b"), "subsequence")
    first = a_run(*(a_call(tool, turn=tool != "a") for tool in "abc"))
    assert found(first, **sequence(("a", "bc", "b", "b"), "subsequence")) is PathGrade.OK


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", How)
def test_the_work_grows_with_the_calls(shape: str, order: str) -> None:
    assert growth(shape, **sequence(("ab", "bc", "abc", "d"), order)) < 12
