"""Every recording, torn into single spans, sent twice and shuffled: the same lines, to the byte.

Slow, since it is all recordings several times; the default suite does it on some.
"""

import random
from pathlib import Path

import pytest

from surefoot.cli.lines import dump, judged_line, run_line
from surefoot.cli.offline import runs
from surefoot.cli.read import Request, requests
from surefoot.evaluate import judge, mask
from surefoot.specs import load
from worlds import FIXTURES, SPEC, split

RECORDINGS = sorted(path.parent for path in FIXTURES.glob("*/*/meta.json"))


def torn(bodies: list[bytes], rng: random.Random) -> list[bytes]:
    """The same spans, one a request, half of them twice, in any order."""
    pieces = [piece for body in bodies for piece in split(body)]
    pieces += rng.choices(pieces, k=len(pieces) // 2)
    rng.shuffle(pieces)
    return pieces


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["trace", "agent", "session"])
@pytest.mark.parametrize("folder", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_order_splits_and_repeats_change_no_byte(folder: Path, unit: str) -> None:
    """Of `surefoot steps` and of `surefoot check --format json`."""
    specs = load([SPEC])
    as_sent = list(requests([folder]))
    rng = random.Random(folder.name)  # noqa: S311 - an order, not a secret

    def lines(sent: list[Request]) -> list[bytes]:
        found = runs(sent, specs, unit=unit)
        judged = [[judge(run, spec) for spec in specs.matching(run)] for run in found]
        steps = [dump(run_line(run, mask)) for run in found]
        return steps + [
            dump(judged_line(run, tuple(verdicts), mask))
            for run, verdicts in zip(found, judged, strict=True)
        ]

    plain = lines(as_sent)
    for _ in range(3):
        pieces = torn([request.body for request in as_sent], rng)
        assert lines([Request(piece, "torn") for piece in pieces]) == plain
