"""What Surefoot costs, beside the floor, on the recorded mix. Prints a table.

    python tests/bench/bench.py [--seconds N] [--rounds N]

The sender is this process; the receivers are processes of their own. Rounds alternate
between the floor (a grpcio receiver that parses each request with the official classes
and does nothing else) and `surefoot run` (receive, forward, assemble, judge with every
check of the demo's spec, emit, to a backend that takes everything), so that whatever
else the machine does meets both. A round of Surefoot ends when all it was given is
judged. Shown is the median of the rounds, with the lowest and the highest.

Spans/s is what one sender got acknowledged; CPU is all that it cost, judging included.
A second table tells what an open trace takes in memory, a third where the CPU goes,
stage by stage, in one thread of this process.

It asserts nothing about time: read the ratio to the floor, not the figures alone.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

if __name__ == "__main__":  # where pytest finds the tests' folders, too
    sys.path[0] = str(Path(__file__).parents[1])

from bench.processes import Watched, receiver, surefoot
from bench.sender import Sender, Sent
from bench.stages import stages
from bench.traffic import LONG_CHARS, Template, templates

SPEC = Path(__file__).parents[2] / "src/surefoot/cli/recordings/refund-desk.yaml"
BIG, SMALL = 512, 1
#: A BatchSpanProcessor has one request in flight; a few keep the server busy.
IN_FLIGHT = 4
#: Above the timers of `JUDGING`: then all that was sent is judged.
QUIET_S = 3.0
MIB = 1 << 20
JUDGING = {"specs": f"[{SPEC}]", "settle": "1s", "idle_timeout": "2s", "memory_limit_mib": 2048}
HOLDING = {**JUDGING, "settle": "1h", "idle_timeout": "1h"}


@dataclass
class Rounds:
    """The figures of one receiver, a number a round."""

    spans_a_s: list[float] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    refused: int = 0

    def add(self, sent: Sent, cpu_s: float) -> None:
        """Take one round."""
        self.spans_a_s.append(sent.spans / sent.seconds)
        self.cpu_us.append(1e6 * cpu_s / sent.spans)
        self.refused += sent.refused


def main() -> None:
    """Run all of it and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seconds", type=float, default=5.0, help="length of a round")
    arguments.add_argument("--rounds", type=int, default=5, help="rounds of each receiver")
    chosen = arguments.parse_args()
    sys.stdout.write("\n".join(table(chosen.seconds, chosen.rounds)) + "\n")


def table(seconds: float, rounds: int) -> Iterable[str]:
    """Measure; give the lines of the report, in Markdown."""
    yield f"{_machine()}; {rounds} rounds of {seconds:g} s"
    yield ""
    yield "| spans a request | receiver | spans/s | CPU us a span | x floor | peak MiB | refused |"
    yield "|---|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder, receiver("discard") as backend:
        for size, in_flight in ((BIG, IN_FLIGHT), (SMALL, 1)):
            with receiver("parse") as floor, surefoot(Path(folder), backend.port, **JUDGING) as own:
                yield from _compare(size, in_flight, floor, own, seconds, rounds)
        yield ""
        yield "| open trace | wire bytes a span | resident, of its wire bytes | spans |"
        yield "|---|---|---|---|"
        for name, long in (("as recorded", False), (f"{LONG_CHARS} more a message", True)):
            with surefoot(Path(folder), backend.port, **HOLDING) as own:
                yield _memory(name, own, templates(BIG, long=long))
    yield ""
    yield "| stage | CPU us a span |"
    yield "|---|---|"
    for stage, cpu_us in stages(templates(BIG), SPEC, rounds).items():
        yield f"| {stage} | {cpu_us:.1f} |"


def _compare(
    size: int, in_flight: int, floor: Watched, own: Watched, seconds: float, rounds: int
) -> Iterable[str]:
    sender = Sender(templates(size))
    for watched in (floor, own):
        _round(sender, watched, in_flight, seconds / 4)  # warm
    at_floor, at_own = Rounds(), Rounds()
    for _ in range(rounds):
        at_floor.add(*_round(sender, floor, in_flight, seconds))
        at_own.add(*_round(sender, own, in_flight, seconds))
    base = statistics.median(at_floor.cpu_us)
    yield _row(size, "floor: parse only", at_floor, base, floor)
    yield _row(size, "surefoot run", at_own, base, own)


def _round(sender: Sender, watched: Watched, in_flight: int, seconds: float) -> tuple[Sent, float]:
    before = watched.cpu_s()
    sent = sender.send(watched.port, in_flight=in_flight, seconds=seconds)
    watched.wait_until_quiet(QUIET_S)
    return sent, watched.cpu_s() - before


def _row(size: int, name: str, rounds: Rounds, base: float, watched: Watched) -> str:
    ratio = statistics.median(rounds.cpu_us) / base
    peak = watched.rss_bytes(peak=True) / MIB
    cells = (
        str(size),
        name,
        _spread(rounds.spans_a_s, "{:,.0f}".format),
        _spread(rounds.cpu_us, "{:.1f}".format),
        f"{ratio:.1f}",
        f"{peak:.0f}",
        str(rounds.refused),
    )
    return f"| {' | '.join(cells)} |"


def _spread(figures: list[float], form: Callable[[float], str]) -> str:
    middle = statistics.median(figures)
    return f"{form(middle)} ({form(min(figures))} to {form(max(figures))})"


def _memory(name: str, own: Watched, mix: Sequence[Template]) -> str:
    """How much an open trace takes of what it took on the wire."""
    sender = Sender(mix)
    warm = sender.send(own.port, in_flight=1, requests=len(mix))
    own.wait_until_quiet(QUIET_S)
    before = own.rss_bytes()
    held = sender.send(own.port, in_flight=1, requests=8 * warm.requests)
    own.wait_until_quiet(QUIET_S)
    share = (own.rss_bytes() - before) / held.wire_bytes
    wire = held.wire_bytes / held.spans
    return f"| {name} | {wire:,.0f} | {share:.2f} | {held.spans:,} |"


def _machine() -> str:
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    libraries = ", ".join(f"{name} {version(name)}" for name in ("grpcio", "protobuf"))
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, load {load}; "
        f"Python {platform.python_version()}, {libraries}"
    )


if __name__ == "__main__":
    main()
