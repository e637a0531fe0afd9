"""Which calls a matcher means, and what doubts about them decide."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, a_view
from surefoot.evaluate.matcher import Calls, Matcher, weigh
from surefoot.model import ArgsQuality, Evidence, Run, Severity, Undecided, Violation
from surefoot.specs.rules.base import Call, matcher


def a_matcher(*told: Any) -> Matcher:
    return matcher(
        Call.model_validate({"tool": one} if isinstance(one, str) else one) for one in told
    )


def found(run: Run, *told: Any) -> tuple[list[int], dict[int, str]]:
    """The calls that surely match, and those that may, with why."""
    matches = a_view(run).match(a_matcher(*told))
    assert sorted({*matches.sure, *matches.doubts}) == list(matches.every)
    return list(matches.sure), matches.doubts


def test_a_name_a_glob_and_an_alias_match() -> None:
    run = a_run("lookup_order", "Lookup Order", "mcp__desk__lookup_order", "check")

    assert found(run, "lookup_order")[0] == [0, 1, 2]
    assert found(run, "*_order")[0] == [0, 1, 2]
    assert found(run, {"tool": ["check", "nothing"]})[0] == [3]
    assert found(run, "check", "lookup_order")[0] == [0, 1, 2, 3]


def test_everything_of_a_matcher_must_hold() -> None:
    run = a_run(
        a_call("pay", {"amount": 5}, agent="a1", result="ok 7"),
        a_call("pay", {"amount": 50}, agent="a1", result="ok 7"),
        a_call("pay", {"amount": 5}, agent="b", result="ok 7"),
        a_call("pay", {"amount": 5}, agent="a2", ok=False, result="ok 7"),
        a_call("pay", {"amount": 5}, agent="a2", result="no"),
        a_call("ask", {"amount": 5}, agent="a1", result="ok 7"),
    )

    assert found(run, {"tool": "pay", "args": {"amount": {"lt": 10}}})[0] == [0, 2, 3, 4]
    assert found(run, {"agent": "a*"})[0] == [0, 1, 3, 4, 5]
    assert found(run, {"ok": False})[0] == [3]
    assert found(run, {"ok": True})[0] == [0, 1, 2, 4, 5]
    assert found(run, {"result": {"regex": "ok"}})[0] == [0, 1, 2, 3, 5]
    whole = {"tool": "pay", "args": {"amount": {"eq": 5}}, "agent": ["a1", "c"], "ok": True}
    assert found(run, whole | {"result": {"regex": "7"}})[0] == [0]


def test_of_several_values_at_a_path_one_is_enough() -> None:
    run = a_run(a_call("pay", {"ids": ["1", "2"]}), a_call("pay", {"ids": []}), a_call("pay"))

    assert found(run, {"args": {"ids[*]": {"eq": "2"}}})[0] == [0]
    assert found(run, {"args": {"ids[*]": {"exists": False}}})[0] == [1, 2]
    assert found(run, {"args": {"ids": {"ne": 3}}})[0] == [0, 1]


@pytest.mark.parametrize("quality", ["missing", "redacted", "truncated"])
def test_hidden_arguments_leave_a_matcher_in_doubt(quality: str) -> None:
    call = a_call("pay", quality=ArgsQuality(quality))
    run = a_run(call, a_call("ask", quality=ArgsQuality(quality)))

    assert found(run, {"tool": "pay", "args": {"a": {"eq": 1}}}) == ([], {0: f"args_{quality}"})
    assert found(run, "pay") == ([0], {})


def test_an_argument_that_lost_its_name_leaves_a_matcher_in_doubt() -> None:
    run = a_run(a_call("pay", {"input": "5"}, quality=ArgsQuality.WRAPPED_TEXT))

    assert found(run, {"args": {"id": {"eq": "5"}}}) == ([], {0: "args_unnamed"})
    assert found(run, {"args": {"input": {"eq": "5"}}}) == ([0], {})
    assert found(run, {"args": {"input": {"eq": "6"}}}) == ([], {})


def test_a_result_that_is_missing_or_cut_leaves_a_matcher_in_doubt() -> None:
    run = a_run(
        a_call("a", result_known=False), a_call("b", result="be", result_capped=True), a_call("c")
    )
    asked = {"result": {"regex": "be"}}

    assert found(run, asked) == ([], {0: "results_missing", 1: "text_capped"})
    assert found(run, asked | {"args": {"x": {"exists": True}}}) == ([], {})


def test_a_result_is_compared_as_what_its_json_says() -> None:
    run = a_run(*(a_call("a", result=text) for text in ("3", '{"a": 3}', "three", "null", "4")))

    assert found(run, {"result": 3})[0] == [0]
    assert found(run, {"result": "3"})[0] == [0]
    assert found(run, {"result": {"ne": 3}})[0] == [1, 2, 3, 4]
    assert found(run, {"result": {"not_in": [3, 4]}})[0] == [1, 2, 3]
    assert found(run, {"result": {"type": "object"}})[0] == [1]
    assert found(run, {"result": {"type": "string"}})[0] == [2]
    assert found(run, {"result": {"eq": {"a": 3}}})[0] == [1]
    assert found(run, {"result": {"gt": 3}})[0] == [4]
    assert found(run, {"result": {"regex": "3"}})[0] == [0, 1]


@pytest.mark.parametrize("wanted", [{"ne": 3}, {"type": "object"}, {"eq": 3}, {"not_in": [3]}])
def test_no_reading_of_a_result_that_is_not_whole_matches(wanted: dict[str, Any]) -> None:
    run = a_run(
        a_call("a", result="3", result_capped=True), a_call("a", result="3", result_known=False)
    )

    assert found(run, {"result": wanted}) == ([], {0: "text_capped", 1: "results_missing"})


def test_two_doubts_are_both_named_and_a_sure_pattern_outweighs_them() -> None:
    run = a_run(a_call("a", quality=ArgsQuality.MISSING, result_known=False))
    doubtful = {"args": {"x": {"eq": 1}}, "result": {"eq": "y"}}

    assert found(run, doubtful) == ([], {0: "args_missing, results_missing"})
    assert found(run, doubtful, "b") == ([], {0: "args_missing, results_missing"})
    assert found(run, doubtful, "a") == ([0], {})


def test_calls_that_never_ran_match_nothing() -> None:
    assert found(a_run(a_call("a", ran=False)), "a") == ([], {})


def test_a_matcher_is_asked_of_a_view_once() -> None:
    view, one = a_view(a_run("a")), a_matcher("a")

    assert view.match(one) is view.match(one)
    assert view.match(one) is not view.match(a_matcher("a"))


@pytest.mark.parametrize(
    ("told", "label"),
    [
        (["a"], "a"),
        (["a", "b"], "a or b"),
        ([{"tool": ["a", "b"]}], "a or b"),
        ([{"tool": "a", "ok": True}], "a (succeeded)"),
        ([{"tool": "a", "ok": False}], "a (failed)"),
        ([{"agent": ["x", "y"]}], "a call (agent x or y)"),
        (
            [{"tool": "a", "args": {"n": {"gt": 3}}, "result": {"regex": "no"}}],
            "a (n > 3, result regex 'no')",
        ),
    ],
)
def test_a_matcher_is_named_as_its_author_wrote_it(told: list[Any], label: str) -> None:
    assert a_matcher(*told).label == label


def test_what_later_spans_tell_makes_no_final_match() -> None:
    assert a_matcher("a", {"tool": "b", "args": {"n": {"eq": 1}}}).is_final
    for key, value in (("ok", True), ("agent", "a"), ("result", {"eq": 1})):
        assert not a_matcher("a", {"tool": "b", key: value}).is_final


def more_guilty_than_helpful(guilty: Calls, helpful: Calls) -> Iterator[Violation]:
    """Wrong where more calls are guilty than helpful."""
    if len(guilty) > len(helpful):
        yield Violation("c", Severity.HARD, f"{len(guilty)} > {len(helpful)}")


CALLS = st.lists(st.tuples(st.sampled_from("gh"), st.sampled_from(["yes", "no", "perhaps"])))


def a_doubtful_run(told: Sequence[tuple[str, str]]) -> Run:
    missing, exact = ArgsQuality.MISSING, ArgsQuality.EXACT
    return a_run(
        *(
            a_call(tool, {"x": sure}, quality=missing if sure == "perhaps" else exact)
            for tool, sure in told
        )
    )


@given(CALLS)
def test_doubts_decide_only_where_none_of_their_answers_matters(
    told: list[tuple[str, str]],
) -> None:
    """Against the whole truth table: every doubt may be a yes or a no."""
    sides = [a_matcher({"tool": tool, "args": {"x": {"eq": "yes"}}}) for tool in "gh"]
    view = a_view(a_doubtful_run(told))

    findings = list(weigh("c", view, more_guilty_than_helpful, guilty=sides[:1], helpful=sides[1:]))

    counts = {(tool, sure): told.count((tool, sure)) for tool, sure in told}
    least = counts.get(("g", "yes"), 0) - sum(counts.get(("h", s), 0) for s in ("yes", "perhaps"))
    most = sum(counts.get(("g", s), 0) for s in ("yes", "perhaps")) - counts.get(("h", "yes"), 0)
    if least > 0:
        assert type(findings[0]) is Violation
        assert len(findings) == 1 + (least < most)  # what a guard leaves of it is still open
    elif most > 0:
        assert findings == [Undecided("c", Evidence.ARGS_MISSING.value)]
    else:
        assert findings == []
