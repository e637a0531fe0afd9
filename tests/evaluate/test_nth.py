"""Which calls may be the nth, against every order that there is."""

from collections.abc import Iterable
from itertools import chain, combinations, permutations

from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, a_view
from surefoot.evaluate.matcher import Matches
from surefoot.evaluate.nth import may_be_nth
from surefoot.evaluate.view import View
from surefoot.model import Run

#: Start and length; without length nothing can be told of calls of one instant.
SPANS = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), min_size=1, max_size=5)


def run_of(spans: Iterable[tuple[int, int]], turns: Iterable[int] = ()) -> Run:
    made = sorted(spans)
    asked = [*turns, *[-1] * len(made)]
    return a_run(
        *(
            a_call("x", span=(start, start + long), turn=turn)
            for (start, long), turn in zip(made, asked, strict=False)
        )
    )


def orders(view: View, sure: list[int], every: list[int]) -> Iterable[tuple[int, ...]]:
    """Every order of the sure calls with any of the others that contradicts nothing."""
    others = [call for call in every if call not in sure]
    chosen = chain.from_iterable(combinations(others, n) for n in range(len(others) + 1))
    for some in chosen:
        for order in permutations((*sure, *some)):
            if not any(view.are_ordered(two, one) for one, two in combinations(order, 2)):
                yield order


def at(orders: Iterable[tuple[int, ...]], number: int | None) -> set[int]:
    place = -1 if number is None else number - 1
    return {order[place] for order in orders if len(order) > place and order}


@given(SPANS, st.none() | st.integers(1, 6), st.data())
def test_a_call_may_be_the_nth_if_it_is_in_some_order(
    spans: list[tuple[int, int]], number: int | None, data: st.DataObject
) -> None:
    view = a_view(run_of(spans))
    every = list(range(len(spans)))
    sure = [call for call in every if data.draw(st.booleans())]
    matches = Matches(sure, every, {call: "why" for call in every if call not in sure})

    assert set(may_be_nth(view, matches, number)) == at(orders(view, sure, every), number)


@given(SPANS, st.lists(st.integers(-1, 1), max_size=5), st.none() | st.integers(1, 6))
def test_no_call_of_one_turn_is_left_out(
    spans: list[tuple[int, int]], turns: list[int], number: int | None
) -> None:
    """With times that contradict the turns there may be one too many."""
    view = a_view(run_of(spans, turns))
    every = list(range(len(spans)))

    may = set(may_be_nth(view, Matches(every, every, {}), number))

    assert may >= at(orders(view, every, every), number)


def test_calls_of_one_turn_are_of_any_order_and_those_of_two_are_not() -> None:
    every = [0, 1, 2]
    one = a_view(run_of([(0, 1), (2, 1), (4, 1)], [0, 0, 1]))
    unknown = a_view(run_of([(0, 1), (2, 1), (4, 1)]))

    assert [may_be_nth(one, Matches(every, every, {}), n) for n in (1, 2, 3, 4, None)] == [
        [0, 1],
        [0, 1],
        [2],
        [],
        [2],
    ]
    assert [may_be_nth(unknown, Matches(every, every, {}), n) for n in (1, 2, None)] == [
        [0],
        [1],
        [2],
    ]


def test_a_call_that_ends_before_it_starts_takes_no_time() -> None:
    view = a_view(a_run(a_call("x", span=(5, 1)), a_call("x", span=(6, 9))))

    assert may_be_nth(view, Matches([0, 1], [0, 1], {}), 1) == [0]
    assert may_be_nth(view, Matches([0, 1], [0, 1], {}), None) == [1]
