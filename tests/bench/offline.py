"""What judging costs `surefoot check`, beside decoding and assembling alone.

All recordings, again with new ids until there are as many as asked for, are read as one
stream, in one process, in two ways: to runs and no further, as `steps` does it; and to
the report that `check` prints. Rounds alternate, so that whatever else the machine does meets both.
"""

import gc
import io
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml
from rich.console import Console

from bench.traffic import FIXTURES, Template, template_of
from surefoot.cli.gate import Judged, gates
from surefoot.cli.offline import runs
from surefoot.cli.origins import Origins
from surefoot.cli.read import Request
from surefoot.cli.report import report
from surefoot.emit.texts import Texts
from surefoot.evaluate import judge, mask
from surefoot.specs import Spec, SpecSet, load
from surefoot.specs.rules import MODELS

EXAMPLE = Path(__file__).parents[2] / "examples" / "refund-desk.yaml"
#: The design's bound on the ratio.
BOUND = 1.5


#: As the program sets it.
_COLLECT = (20_000, 20, 20)


def example() -> SpecSet:
    """The spec that comes with Surefoot: the seeds' checks."""
    return load([EXAMPLE])


def every_rule() -> SpecSet:
    """That spec with every rule that there is beside, as the schema's examples have them."""
    (spec,) = yaml.safe_load(EXAMPLE.read_text("utf-8"))["specs"]
    del spec["tools"]  # the examples name others
    rules = [{**model.example, "id": f"rule-{model.key}"} for model in MODELS]
    return SpecSet.of([Spec.model_validate(spec | {"rules": rules})])


def measured(recordings: int, rounds: int, specs: SpecSet) -> tuple[int, float, float]:
    """How many runs were judged, and CPU seconds of reading alone and of all of `check`.

    The best of so many rounds after one that warms.
    """
    before = gc.get_threshold()
    gc.set_threshold(*_COLLECT)
    try:
        return _measured(recordings, rounds, specs)
    finally:
        gc.set_threshold(*before)


def _measured(recordings: int, rounds: int, specs: SpecSet) -> tuple[int, float, float]:
    folders = _recordings()
    alone, whole, judged = [], [], 0
    for number in range(rounds + 1):
        stream = list(_stream(folders, recordings, number))
        start = time.process_time()
        runs(stream, specs)
        middle = time.process_time()
        judged = _check(stream, specs)
        alone.append(middle - start)
        whole.append(time.process_time() - middle)
    return judged, min(alone[1:]), min(whole[1:])


def _check(stream: Sequence[Request], specs: SpecSet) -> int:
    """Do what `surefoot check` does with these requests; give the number of runs."""
    origins = Origins()
    judged = [
        Judged(run, tuple(judge(run, one) for one in specs.matching(run)))
        for run in runs(stream, specs, origins=origins)
    ]
    console = Console(file=io.StringIO(), soft_wrap=True, highlight=False, markup=False)
    report(console, judged, gates(judged), Texts(mask), origins)
    return len(judged)


def _recordings() -> list[list[Template]]:
    """The requests of each recording."""
    folders = sorted({path.parent for path in FIXTURES.rglob("*.binpb")})
    return [
        [template_of(path.read_bytes()) for path in sorted(folder.glob("*.binpb"))]
        for folder in folders
    ]


def _stream(
    folders: Sequence[Sequence[Template]], recordings: int, number: int
) -> Iterator[Request]:
    """So many recordings, one after the other, each time round with ids of its own."""
    for index in range(recordings):
        replay = number * recordings + index // len(folders) + 1
        for file, template in enumerate(folders[index % len(folders)]):
            yield Request(template.salted(replay), f"{index}/{file:03}.binpb")
