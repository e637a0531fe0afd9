"""The order of a run's calls, against every permutation of them."""

import pytest
from hypothesis import given

from evaluate.orders import SHAPES, a_long_run, is_mixed, orders, small_runs, work
from evaluate.runs import a_call, a_run, a_view
from surefoot.evaluate.precedence import Order, Row
from surefoot.model import Run


def surely(run: Run) -> set[tuple[int, int]]:
    """The pairs of calls that are in the same order in every order of the run."""
    count = range(len(run.steps))
    places = [{index: at for at, index in enumerate(order)} for order in orders(run)]
    return {
        (one, two)
        for one in count
        for two in count
        if all(place[one] < place[two] for place in places)
    }


@given(small_runs())
def test_a_call_surely_precedes_another_if_it_does_in_every_order(run: Run) -> None:
    order = Order(a_view(run))
    count = range(len(run.steps))

    found = {(one, two) for one in count for two in count if order.is_before(one, two)}

    assert found == surely(run)


@given(small_runs())
def test_what_is_asked_of_several_calls_is_asked_of_each(run: Run) -> None:
    order, sure = Order(a_view(run)), surely(run)
    group = [index for index, step in enumerate(run.steps) if step.tool == "a"]
    after_some, before_some = order.after_some(group), order.before_some(group)
    before_all = order.before_all(group)

    for index, step in enumerate(run.steps):
        earlier = [one for one in group if (one, index) in sure]
        told = after_some(index)
        assert told in earlier if earlier else told == -1
        assert before_some(index) == any((index, one) in sure for one in group)
        if step.tool != "a":
            assert before_all(index) == all((index, one) in sure for one in group)


@given(small_runs())
def test_until_tells_no_more_than_is_sure_and_all_of_it_if_turns_do_not_mix(run: Run) -> None:
    order, sure = Order(a_view(run)), surely(run)

    told = {
        (one, two) for at, one in enumerate(order.calls) for two in order.calls[order.until[at] :]
    }

    assert told == sure if not is_mixed(run) else told <= sure


@given(small_runs(mates="near"))
def test_a_row_is_an_order_of_the_calls(run: Run) -> None:
    view = a_view(run)
    calls = view.ran
    row = Row(Order(view), [[index for index in calls if index % 2], [*calls[::2]]])
    taken: list[int] = []
    while row:
        told = row.may_be_next()
        step = row.take(0)
        other = row.take(1) if step is None else step
        assert other is not None
        assert told == other or told % 2 != other % 2 or not view.are_ordered(other, told)
        taken.append(other)

    assert tuple(taken) in set(orders(run))
    assert row.take(0) is row.take(1) is None


def test_calls_stand_by_start_whatever_their_index() -> None:
    """The traces of a session may overlap."""
    order = Order(a_view(a_run(a_call("a", span=(5, 6)), a_call("b", span=(1, 2)))))

    assert order.calls == [1, 0]
    assert order.is_before(1, 0)
    assert not order.is_before(0, 1)


def test_calls_of_one_turn_are_ordered_by_one_that_stands_between_them() -> None:
    between = a_run(*(a_call("a", turn=turn) for turn in (0, 1, 0)))
    order = Order(a_view(between))

    assert order.is_before(0, 2)
    assert not Order(a_view(a_run(*(a_call("a", turn=0) for _ in range(2))))).is_before(0, 1)


def test_of_several_calls_that_may_come_next_the_one_with_the_most_followers_does() -> None:
    spans = ((0, 9), (1, 2), (3, 4), (5, 6))
    row = Row(Order(a_view(a_run(*(a_call("a", span=span) for span in spans)))), [range(4)])

    assert row.may_be_next() == 1
    assert [row.take(0) for _ in range(5)] == [1, 2, 0, 3, None]


def test_the_first_of_a_row_is_taken_whatever_its_kind() -> None:
    row = Row(Order(a_view(a_run("a", "b", "c"))), [[0, 2], [1]])

    assert [row.take_first(), row.take(0), row.take_first(), row.take(0)] == [0, None, 1, 2]


def test_calls_that_are_not_asked_for_are_not_in_the_row() -> None:
    row = Row(Order(a_view(a_run("a", "b", "c"))), [[2], []])

    assert row.take(0) == 2
    assert not row


def test_what_ends_within_some_steps_is_counted_from_each_place() -> None:
    order = Order(a_view(a_run("a", "b", "c")))

    assert order.within(1)[:3] == [1, 2, 3]
    assert order.within(2)[:2] == [2, 3]
    assert order.within(2)[2] == order.within(1)[3] > 3


@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_grows_with_the_calls(shape: str) -> None:
    def rows(count: int) -> None:
        order = Order(a_view(a_long_run(shape, count)))
        ends = order.after_some(range(0, count, 2))
        assert sum(ends(index) >= 0 for index in range(count)) < count
        row = Row(order, [range(0, count, 2), range(1, count, 2)])
        while row:
            row.take_first()

    for count in (500, 5000):
        a_long_run(shape, count)
    assert work(lambda: rows(5000)) < 12 * work(lambda: rows(500))
