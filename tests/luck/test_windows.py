from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from surefoot.luck.windows import DAY_NS, LuckWindow, Series

SHOP = Series("shop", "main", "refunds", "structural")
OTHER = SHOP._replace(output_source="evaluation")
SERIES = (SHOP, OTHER, SHOP._replace(agent="clerk"))
S = 10**9

grades = st.sampled_from([(True, True), (True, False), (False, False)])


def test_the_rate_is_lucky_over_green() -> None:
    window = LuckWindow()
    for at, (green, lucky) in enumerate([(True, True), (True, False), (False, False)]):
        window.record(SHOP, at, green=green, lucky=lucky, now_ns=at)

    assert window.rates(9) == [(SHOP, 1, 2)]


def test_without_a_green_run_there_is_no_rate() -> None:
    window = LuckWindow()
    window.record(SHOP, 1, green=False, lucky=False, now_ns=0)

    assert window.rates(0) == []


def test_lucky_counts_only_with_green() -> None:
    window = LuckWindow()
    window.record(SHOP, 1, green=False, lucky=True, now_ns=0)
    window.record(SHOP, 2, green=True, lucky=False, now_ns=0)

    assert window.rates(0) == [(SHOP, 0, 1)]


def test_the_window_is_of_judged_runs_so_failures_push_old_luck_out() -> None:
    window = LuckWindow(window=3)
    window.record(SHOP, 0, green=True, lucky=True, now_ns=0)
    window.record(SHOP, 1, green=True, lucky=False, now_ns=1)
    window.record(SHOP, 2, green=False, lucky=False, now_ns=2)
    window.record(SHOP, 3, green=False, lucky=False, now_ns=3)

    assert window.rates(3) == [(SHOP, 0, 1)]


def test_old_entries_leave() -> None:
    window = LuckWindow()
    window.record(SHOP, 1, green=True, lucky=True, now_ns=0)
    window.record(SHOP, 2, green=True, lucky=False, now_ns=1)

    assert window.rates(DAY_NS) == [(SHOP, 1, 2)]
    assert window.rates(DAY_NS + 1) == [(SHOP, 0, 1)]
    assert window.rates(DAY_NS + 2) == []


def test_an_amendment_replaces_in_place_and_grows_no_younger() -> None:
    window = LuckWindow(window=2)
    window.record(SHOP, 1, green=True, lucky=True, now_ns=0)
    window.record(SHOP, 2, green=True, lucky=False, now_ns=1)
    window.record(SHOP, 1, green=True, lucky=False, now_ns=2, amends=True)

    assert window.rates(2) == [(SHOP, 0, 2)]
    window.record(SHOP, 3, green=False, lucky=False, now_ns=3)
    assert window.rates(3) == [(SHOP, 0, 1)]
    assert window.rates(DAY_NS + 1) == [(SHOP, 0, 1)]
    assert window.rates(DAY_NS + 2) == []


def test_an_amendment_moves_to_the_series_it_now_belongs_to() -> None:
    window = LuckWindow()
    window.record(SHOP, 1, green=True, lucky=True, now_ns=0)
    window.record(OTHER, 1, green=True, lucky=False, now_ns=1, amends=True)

    assert window.rates(1) == [(OTHER, 0, 1)]


def test_an_amendment_of_a_run_that_left_the_window_has_no_place() -> None:
    window = LuckWindow(window=1)
    window.record(SHOP, 1, green=True, lucky=True, now_ns=0)
    window.record(SHOP, 2, green=True, lucky=False, now_ns=1)

    assert not window.record(SHOP, 1, green=True, lucky=True, now_ns=2, amends=True)
    assert window.rates(2) == [(SHOP, 0, 1)]


def test_a_changed_spec_starts_a_new_window_in_the_same_series() -> None:
    window = LuckWindow()
    window.record(SHOP, 1, green=True, lucky=True, now_ns=0, spec_hash="a")
    window.record(SHOP, 2, green=True, lucky=False, now_ns=1, spec_hash="b")

    assert window.rates(1) == [(SHOP, 0, 1)]


def test_runs_that_an_old_spec_still_judges_leave_the_new_window_alone() -> None:
    """A trace open for hours closes under the spec that fired early on it."""
    window = LuckWindow()
    window.in_force({"refunds": "a"})
    window.record(SHOP, 1, green=True, lucky=True, now_ns=0, spec_hash="a")
    window.in_force({"refunds": "b"})

    assert window.rates(0) == []
    window.record(SHOP, 2, green=True, lucky=False, now_ns=1, spec_hash="b")
    assert not window.record(SHOP, 3, green=True, lucky=True, now_ns=2, spec_hash="a")
    assert not window.record(SHOP, 1, green=True, lucky=True, now_ns=2, spec_hash="a")
    assert window.rates(2) == [(SHOP, 0, 1)]


def test_a_spec_that_is_gone_has_no_window() -> None:
    window = LuckWindow()
    window.record(SHOP, 1, green=True, lucky=True, now_ns=0, spec_hash="a")
    window.in_force({})

    assert window.rates(0) == []


def test_a_reload_that_changes_nothing_keeps_the_window() -> None:
    window = LuckWindow()
    window.record(SHOP, 1, green=True, lucky=True, now_ns=0, spec_hash="a")
    window.in_force({"refunds": "a", "more": "c"})

    assert window.rates(0) == [(SHOP, 1, 1)]


def test_an_idle_series_can_be_left_out_and_comes_back_whole() -> None:
    window = LuckWindow()
    window.record(SHOP, 1, green=True, lucky=True, now_ns=0)

    assert window.rates(60 * S, idle_ns=60 * S) == []
    window.record(SHOP, 2, green=True, lucky=False, now_ns=60 * S)
    assert window.rates(61 * S, idle_ns=60 * S) == [(SHOP, 1, 2)]


def test_with_too_many_series_the_one_least_recently_recorded_into_leaves() -> None:
    window = LuckWindow(max_series=2)
    one, two, three = SERIES
    window.record(one, 1, green=True, lucky=True, now_ns=0)
    window.record(two, 2, green=True, lucky=True, now_ns=1)
    window.record(one, 3, green=True, lucky=True, now_ns=2)
    window.record(three, 4, green=True, lucky=True, now_ns=3)

    assert [series for series, _, _ in window.rates(3)] == [one, three]
    assert not window.record(two, 2, green=True, lucky=True, now_ns=4, amends=True)


@given(
    st.lists(st.tuples(st.sampled_from(SERIES), grades), max_size=30).flatmap(
        lambda runs: st.tuples(
            st.permutations(list(enumerate(runs))), st.permutations(list(enumerate(runs)))
        )
    )
)
def test_the_order_of_distinct_runs_within_the_window_does_not_matter(
    orders: tuple[
        list[tuple[int, tuple[Series, tuple[bool, bool]]]],
        list[tuple[int, tuple[Series, tuple[bool, bool]]]],
    ],
) -> None:
    rates = []
    for order in orders:
        window = LuckWindow()
        for at, (entry_id, (series, (green, lucky))) in enumerate(order):
            window.record(series, entry_id, green=green, lucky=lucky, now_ns=at)
        rates.append(sorted(window.rates(100)))

    assert rates[0] == rates[1]


class AnyHistory(RuleBasedStateMachine):
    """Against a plain list of entries that is searched each time."""

    def __init__(self) -> None:
        super().__init__()
        self.window = LuckWindow(window=4, max_age_ns=50, max_series=10)
        self.now_ns = 0
        #: (entry id, series, time, green, lucky), oldest first in each series.
        self.entries: list[tuple[int, Series, int, bool, bool]] = []

    @rule(
        entry_id=st.integers(0, 9),
        series=st.sampled_from(SERIES),
        grade=grades,
        later=st.integers(0, 20),
        amends=st.booleans(),
    )
    def record(
        self,
        entry_id: int,
        series: Series,
        grade: tuple[bool, bool],
        later: int,
        amends: bool,  # noqa: FBT001 - hypothesis passes it by name
    ) -> None:
        self.now_ns += later
        self.forget()
        held = next((one for one in self.entries if one[0] == entry_id), None)
        self.window.record(
            series, entry_id, green=grade[0], lucky=grade[1], now_ns=self.now_ns, amends=amends
        )
        if held is None and amends:
            return
        if held is not None and held[1] == series:
            self.entries[self.entries.index(held)] = (entry_id, series, held[2], *grade)
            return
        if held is not None:
            self.entries.remove(held)
        self.entries.append((entry_id, series, self.now_ns, *grade))
        of_series = [one for one in self.entries if one[1] == series]
        for one in of_series[:-4]:
            self.entries.remove(one)

    @rule(later=st.integers(0, 60))
    def wait(self, later: int) -> None:
        self.now_ns += later
        self.forget()

    def forget(self) -> None:
        self.entries = [one for one in self.entries if self.now_ns - one[2] <= 50]

    @invariant()
    def counts_agree(self) -> None:
        green = Counter(one[1] for one in self.entries if one[3])
        lucky = Counter(one[1] for one in self.entries if one[4])
        rates = {series: (lucky, green) for series, lucky, green in self.window.rates(self.now_ns)}

        assert rates == {series: (lucky[series], green[series]) for series in green}
        assert all(lucky <= green for lucky, green in rates.values())


TestAnyHistory = AnyHistory.TestCase
