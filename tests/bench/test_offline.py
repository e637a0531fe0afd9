"""The ratio is measured and printed. No time is asserted."""

import pytest

from bench.offline import BOUND, measured


@pytest.mark.bench
def test_500_recordings_are_judged_and_the_ratio_is_printed() -> None:
    judged, alone_s, whole_s = measured(500, rounds=3)

    print(  # noqa: T201 - the figures are what it is for
        f"\ncheck: {judged} runs of 500 recordings; decode and assemble {alone_s:.2f} s of CPU, "
        f"with judging and the report {whole_s:.2f} s: {whole_s / alone_s:.2f}x (goal {BOUND:g}x)"
    )
    assert judged >= 500
