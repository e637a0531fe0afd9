"""Where the CPU goes: each stage alone, over the recorded mix, in one thread."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.traffic import Template
from surefoot.assemble import assemble, reduce
from surefoot.buffer import Limits, TraceBuffer
from surefoot.emit.encode import Encoder
from surefoot.emit.identity import Identity
from surefoot.emit.sent import plan
from surefoot.evaluate import judge, mask
from surefoot.receive.decode import Decoder
from surefoot.specs import load


class Stages:
    """Each stage's best round, in CPU seconds."""

    def __init__(self) -> None:
        self.best: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the block as the stage of this name."""
        start = time.process_time()
        yield
        took = time.process_time() - start
        self.best[name] = min(took, self.best.get(name, took))


def stages(mix: Sequence[Template], spec: Path, rounds: int) -> dict[str, float]:
    """CPU microseconds a span, by stage: the best of so many rounds after a warm one."""
    specs = load([spec])
    decode = Decoder(specs.wanted(), reduce)
    encode = Encoder(mask, Identity("bench", "0")).encode
    timed = Stages()
    for number in range(rounds + 1):  # the first warms; the best round is another
        bodies = [template.salted(number + 1) for template in mix]
        with timed.stage("decode, reduce"):
            decoded = [decode(body) for body in bodies]
        buffer: TraceBuffer[None] = TraceBuffer(Limits())
        with timed.stage("buffer: add"):
            for one in decoded:
                for span in one.spans:
                    buffer.add(span, 0)
        with timed.stage("buffer: close"):
            closed = list(buffer.finish(0))
        with timed.stage("assemble"):
            runs = [
                run
                for one in closed
                for run in assemble(one.spans, reason=one.reason, whole=one.whole)
            ]
        with timed.stage("match, judge"):
            verdicts = [(run, judge(run, one)) for run in runs for one in specs.matching(run)]
        with timed.stage("plan, encode"):
            for run, verdict in verdicts:
                encode([plan(run, verdict)])
    spans = sum(template.spans for template in mix)
    return {name: 1e6 * cpu_s / spans for name, cpu_s in timed.best.items()}
