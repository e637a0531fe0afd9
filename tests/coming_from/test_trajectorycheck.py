"""trajectorycheck's tags: a run with one fault has that tag by our side of the page alone."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coming_from.courses import verdict_of
from coming_from.page import of
from evaluate.runs import a_run
from seeds.test_trajectorycheck import GOOD, TAGS, Call, with_fault

(PAIR,) = of("trajectorycheck")
SPECS = PAIR.specs(ground=False)


def tags(calls: Sequence[Call]) -> list[str]:
    verdict = verdict_of(a_run(*calls, task="Refund my order, it arrived broken."), SPECS)
    found = dict.fromkeys(violation.check for violation in verdict.violations)
    return ["wrong_tool" if check == "tools" else check for check in found]


def test_it_names_every_tag() -> None:
    assert PAIR.theirs.split() == TAGS


@pytest.mark.parametrize("tag", TAGS)
@given(calls=st.lists(GOOD, min_size=1, max_size=4), at=st.integers(0, 4))
def test_each_fault_has_its_tag_and_no_other(tag: str, calls: list[Call], at: int) -> None:
    assert tags(with_fault(tag, calls, at)) == [tag]


@given(st.lists(GOOD, min_size=1, max_size=4))
def test_a_good_run_has_none(calls: list[Call]) -> None:
    assert tags(calls) == []
