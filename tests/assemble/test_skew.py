"""Spans whose times cannot be."""

from assemble.runs_of import a_chain, a_span, a_tool, an_agent, run_of, runs_of
from surefoot.assemble.skew import TOLERANCE_NS
from surefoot.model import Span

TOLERANCE_MS = TOLERANCE_NS / 1_000_000


def skewed(*spans: Span) -> int:
    return run_of(*spans).skewed


def test_a_child_that_starts_with_its_parent_or_later_is_not_skewed() -> None:
    assert skewed(an_agent(1, start=10), a_tool(2, 1, start=10), a_tool(3, 1, start=99)) == 0


def test_a_child_that_starts_before_its_parent_is_by_more_than_the_tolerance() -> None:
    """Rounding and clocks kept by NTP are forgiven."""

    def early(by_ms: float) -> int:
        return skewed(an_agent(1, start=100), a_tool(2, 1, start=100 - by_ms))

    assert TOLERANCE_MS == 10
    assert (early(TOLERANCE_MS), early(TOLERANCE_MS + 0.001)) == (0, 1)


def test_a_span_that_ends_before_it_starts_is_by_any_time() -> None:
    assert skewed(an_agent(1), a_tool(2, 1, start=5, end=5)) == 0
    assert skewed(an_agent(1), a_tool(2, 1, start=5, end=4.999)) == 1


def test_a_span_counts_once_though_both_is_wrong() -> None:
    spans = [an_agent(1, start=100), a_tool(2, 1, start=50, end=40), a_chain(3, 1, start=60)]

    assert skewed(*spans) == 2


def test_the_parent_may_be_of_no_convention_the_child_not() -> None:
    """What is no agent's work has no step to misplace."""
    assert skewed(a_span(1, start=100, end=200), an_agent(2, 1, start=50)) == 1
    assert skewed(an_agent(1, start=100), a_span(2, 1, start=50)) == 0
    assert skewed(an_agent(1, start=100), a_span(2, 1, start=50, end=1)) == 0


def test_only_the_parent_is_asked_not_who_is_above_it() -> None:
    spans = [an_agent(1, start=100), a_chain(2, 1, start=50), a_tool(3, 2, start=60)]

    assert skewed(*spans) == 1


def test_a_parent_that_never_came_is_not_asked() -> None:
    assert skewed(an_agent(2, 1, start=1), a_tool(3, 2, start=5)) == 0


def test_each_part_of_a_trace_counts_its_own() -> None:
    spans = [
        a_span(1, end=20),
        an_agent(2, 1, "first", start=100),
        a_tool(3, 2, start=50),
        an_agent(4, 1, "second", start=100),
        a_tool(5, 4, start=100),
    ]

    assert [run.skewed for run in runs_of(*spans, unit="agent")] == [1, 0]
