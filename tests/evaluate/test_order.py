from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, a_view, judged, messages, steps_of

BEFORE = [["a", "b"]]

spans = st.tuples(st.integers(0, 6), st.integers(0, 3)).map(lambda it: (it[0], it[0] + it[1]))


@given(
    st.lists(st.tuples(st.sampled_from("abc"), spans, st.booleans()), max_size=5).map(
        lambda calls: sorted(calls, key=lambda call: call[1])
    )
)
def test_before_is_violated_only_if_no_order_satisfies_it(
    calls: list[tuple[str, tuple[int, int], bool]],
) -> None:
    turn, made = 0, []
    for tool, span, continues in calls:
        turn += not continues
        made.append(a_call(tool, span=span, turn=turn))
    run = a_run(*made)
    view = a_view(run)
    tools = [step.tool for step in run.steps]

    def satisfies(order: tuple[int, ...]) -> bool:
        named = [tools[index] for index in order]
        return "b" not in named or ("a" in named and named.index("a") < named.index("b"))

    def is_possible(order: tuple[int, ...]) -> bool:
        return not any(
            view.are_ordered(later, earlier)
            for place, earlier in enumerate(order)
            for later in order[place + 1 :]
        )

    possible = [order for order in permutations(range(len(tools))) if is_possible(order)]

    assert bool(messages(run, before=BEFORE)) == (not any(map(satisfies, possible)))


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
