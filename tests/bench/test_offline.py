"""The ratio is measured and printed. No time is asserted."""

from collections.abc import Callable

import pytest

from bench.offline import BOUND, every_rule, example, measured
from surefoot.specs import SpecSet


@pytest.mark.bench
@pytest.mark.parametrize(
    ("name", "specs"), [("the example's spec", example), ("every rule beside it", every_rule)]
)
def test_500_recordings_are_judged_and_the_ratio_is_printed(
    name: str, specs: Callable[[], SpecSet]
) -> None:
    judged, alone_s, whole_s = measured(500, rounds=3, specs=specs())

    print(  # noqa: T201 - the figures are what it is for
        f"\ncheck, {name}: {judged} runs of 500 recordings; decode and assemble {alone_s:.2f} s "
        f"of CPU, with judging and the report {whole_s:.2f} s: {whole_s / alone_s:.2f}x "
        f"(goal {BOUND:g}x)"
    )
    assert judged >= 500
