from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, judged, steps_of
from evaluate.test_repeats import calls, of_recording, ordered, orders
from surefoot.model import ArgsQuality, PathGrade, Run, Step, StepEvidence, Verdict


def loop(run: Run, window: int = 10, times: int = 3) -> Verdict:
    return judged(run, rules=[{"id": "r", "loop": {"window": window, "times": times}}])


def letters(text: str, **known: Any) -> Run:
    """A call for each letter; an upper-case one fails."""
    return a_run(*(a_call(one.lower(), ok=one.islower(), **known) for one in text))


def test_the_same_call_so_often_within_the_window_is_a_loop() -> None:
    verdict = loop(letters("abacadaea"), window=5)

    assert [str(one) for one in verdict.violations] == [
        "soft: loop: a called 3 times within 5 steps"
    ]
    (told,) = verdict.violations
    assert (told.step, told.subject) == (4, "a")
    assert told.expected == "an identical call less than 3 times within 5 steps"
    assert told.observed == "identical calls from step 0 to 4"


def test_one_step_further_apart_is_none() -> None:
    assert loop(letters("axaya"), window=5).path is PathGrade.VIOLATED
    assert loop(letters("axaya"), window=4).path is PathGrade.OK
    assert loop(letters("axxayya"), window=6).path is PathGrade.OK
    assert loop(letters("aa")).path is PathGrade.OK


def test_each_call_that_loops_is_told_once() -> None:
    assert steps_of(loop(letters("aaaabbbbaaaa"))) == [2, 6]


def test_other_arguments_are_another_call() -> None:
    made = [a_call("search", {"page": page}) for page in (1, 2, 3, 1, 2)]

    assert loop(a_run(*made)).path is PathGrade.OK
    assert steps_of(loop(a_run(*made, made[0]))) == [5]


def test_a_cycle_longer_than_the_window_holds_is_a_loop() -> None:
    verdict = loop(letters("xabcdeabcdeabcdey"), window=5)

    (told,) = verdict.violations
    assert told.message == "loop: a, b, c, d, e repeated 3 times"
    assert told.step == 15
    assert told.expected == "a cycle of calls less than 3 times in a row"
    assert told.observed == "the same calls from step 1 to 15"
    assert told.subject == "a, b, c, d, e"
    assert loop(letters("xabcdeabcdeabcdy"), window=5).path is PathGrade.OK
    assert loop(letters("abcdeabcdeabcde"), window=4).path is PathGrade.OK
    assert loop(letters("abcdeabxcdeabcde"), window=5).path is PathGrade.OK


def test_a_long_cycle_names_its_first_tools() -> None:
    (told,) = loop(letters("abcdefgabcdefg"), window=7, times=2).violations

    assert told.message == "loop: a, b, c, d, e and 2 more repeated 2 times"


def test_two_cycles_are_two_loops_and_one_that_goes_on_is_told_once() -> None:
    assert steps_of(loop(letters("abcd" * 6 + "efgh" * 3), window=4)) == [11, 35]


def test_a_call_may_stand_twice_in_a_cycle() -> None:
    verdict = loop(letters("abac" * 3), window=4)

    assert [(one.check, str(one)) for one in verdict.violations] == [
        ("r", "soft: loop: a, b, a, c repeated 3 times")
    ]
    assert steps_of(verdict) == [11]


def test_a_retry_is_no_loop_but_takes_a_step() -> None:
    assert loop(letters("AAAa")).path is PathGrade.OK
    assert steps_of(loop(letters("aAaAa"))) == [4]
    assert loop(letters("axAAAaxa"), window=6).path is PathGrade.OK
    assert steps_of(loop(letters("aAAaAAa"), window=5)) == [6]


def test_polling_is_no_loop_while_the_result_changes() -> None:
    def polls(*results: str) -> Run:
        return a_run(*(a_call("status", result=result) for result in results))

    assert loop(polls("1", "2", "3", "4")).path is PathGrade.OK
    assert loop(polls("1", "2", "1", "2", "1")).path is PathGrade.OK
    assert steps_of(loop(polls("1", "2", "2", "2"))) == [3]
    cycle = [a_call("wait"), a_call("status", result="1")] * 2
    assert steps_of(loop(a_run(*cycle), window=2, times=2)) == [3]
    cycle[-1] = a_call("status", result="2")
    assert loop(a_run(*cycle), window=2, times=2).path is PathGrade.OK


def test_calls_of_one_turn_may_stand_as_far_apart_as_the_turn_is_long() -> None:
    assert steps_of(loop(letters("aaabc", turn=1), window=5)) == [2]
    assert loop(letters("aaabc", turn=1), window=4).path is PathGrade.OK
    assert steps_of(loop(letters("bcaaa", turn=1), window=5)) == [4]
    assert loop(letters("bcaaa", turn=1), window=4).path is PathGrade.OK
    assert steps_of(loop(letters("aaaaabc", turn=1), window=4)) == [4]
    assert loop(letters("aaaabc", turn=1), window=3).path is PathGrade.OK


def test_a_call_around_all_others_hides_no_loop() -> None:
    outer = a_call("agent", span=(0, 1000))
    inner = [a_call("a", span=(at, at + 5)) for at in range(10, 60, 10)]

    assert steps_of(loop(a_run(outer, *inner), window=4)) == [3]


def test_a_cycle_of_unordered_calls_is_none() -> None:
    made = [a_call(tool, turn=turn) for turn in range(3) for tool in "ab"]

    assert loop(a_run(*made), window=3).path is PathGrade.OK
    assert steps_of(loop(a_run(*made), window=6)) == [4, 5]


@pytest.mark.parametrize("quality", ["redacted", "truncated", "missing"])
def test_hidden_arguments_may_close_a_loop(quality: str) -> None:
    hidden = a_call("a", quality=ArgsQuality(quality))

    assert [one.reason for one in loop(a_run("a", "a", hidden)).undecided] == [f"args_{quality}"]
    assert loop(a_run("a", hidden)).path is PathGrade.OK
    assert loop(a_run("a", "b", hidden, "b", "b", hidden)).path is PathGrade.VIOLATED
    assert loop(a_run("a", "a", hidden), window=3).path is PathGrade.INCONCLUSIVE
    assert loop(a_run("a", "b", "a", hidden), window=3).path is PathGrade.OK


def test_a_result_that_is_not_told_may_be_the_same() -> None:
    unknown = a_call("a", result_known=False)

    verdict = loop(a_run(a_call("a", result="1"), unknown, a_call("a", result="2")))

    assert [one.reason for one in verdict.undecided] == ["results_missing"]
    assert loop(a_run("a", "a", "a", unknown)).path is PathGrade.VIOLATED


@pytest.mark.parametrize("framework", ["crewai", "googleadk", "langgraph", "n8n", "vercel"])
def test_a_recorded_loop_is_one_and_a_poll_with_news_is_none(framework: str) -> None:
    run = of_recording(f"{framework}/loops")

    assert [str(one) for one in loop(run).violations] == [
        "soft: loop: lookup_order called 3 times within 10 steps"
    ]
    assert steps_of(loop(run)) == [2]
    assert loop(run, times=5).path is PathGrade.OK
    for number, step in enumerate(run.steps):
        step.result += f" ({number})"
    assert loop(run).path is PathGrade.OK


@pytest.mark.parametrize("framework", ["langgraph", "mcp", "openaiagents"])
def test_a_recorded_retry_is_no_loop(framework: str) -> None:
    assert loop(of_recording(f"{framework}/toolerror"), times=2).path is PathGrade.OK


def first_loop(made: Sequence[tuple[Step, StepEvidence]], window: int, times: int) -> int | None:
    """Where the first loop closes, found by looking at every stretch of calls in order."""
    symbols: list[tuple[int, object]] = []
    for place, (step, _) in enumerate(made):
        if step.ok:
            same = [
                s.result
                for s, _ in made[:place]
                if s.ok and (s.tool, s.args) == (step.tool, step.args)
            ]
            changes = sum(one != then for one, then in pairwise([*same, step.result]))
            symbols.append((place, (step.tool, str(step.args), changes)))
        near = [one for at, one in symbols if at > place - window]
        if any(near.count(one) >= times for one in near):
            return place
        for size in range(1, window + 1):
            block = [one for _, one in symbols[-size * times :]]
            if len(block) == size * times and block == block[:size] * times:
                return place
    return None


@given(st.text("aabbcdA", max_size=40), st.integers(2, 6), st.integers(2, 4))
def test_the_first_loop_closes_where_looking_at_all_stretches_says(
    text: str, window: int, times: int
) -> None:
    window = max(window, times)
    run = letters(text)

    steps = steps_of(loop(run, window, times))

    assert (steps[0] if steps else None) == first_loop(
        ordered(run, range(len(text))), window, times
    )


@given(calls(), st.integers(2, 4), st.integers(2, 3))
def test_a_loop_is_one_in_every_order(
    made: list[tuple[Step, StepEvidence]], window: int, times: int
) -> None:
    run = a_run(*made)

    verdict = loop(run, max(window, times), times)

    if verdict.violations:
        for order in orders(run):
            assert first_loop(ordered(run, order), max(window, times), times) is not None
