"""What `surefoot check` prints for a person: a block a verdict, then a summary.

Owns the layout. Decides nothing; texts pass the mask that is handed in.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from surefoot.cli.gate import Judged
from surefoot.cli.show import WORD_WIDTH, luck_rate, plain, trajectory, word
from surefoot.model import Outcome, Run, Verdict

_INDENT = " " * (WORD_WIDTH + 1)


def report(
    console: Console,
    judged: Sequence[Judged],
    gating: Sequence[str],
    mask: Callable[[str], str],
) -> None:
    """Print the blocks and the summary."""
    for one in judged:
        if not one.verdicts:
            _block(console, one.run, None, mask)
        for verdict in one.verdicts:
            _block(console, one.run, verdict, mask)
    _summary(console, judged, gating)


def _block(console: Console, run: Run, verdict: Verdict | None, mask: Callable[[str], str]) -> None:
    outcome = verdict.outcome.value if verdict else "unmatched"
    head = word(outcome, upper=True)
    spec = verdict.spec if verdict else "met no spec"
    head.append(f" {plain(run.service)}/{plain(run.agent)}  {run.trace_id.hex()}  {plain(spec)}")
    console.print(head)
    console.print(_INDENT + mask(trajectory([step.tool for step in run.steps])))
    for violation in verdict.violations if verdict else ():
        at = ""
        if violation.step is not None:
            at = f" (step {violation.step}, {plain(run.steps[violation.step].tool)})"
        line = Text(_INDENT).append_text(word(violation.severity.value, width=4))
        console.print(line.append(f" {violation.check}: {plain(mask(violation.message))}{at}"))
    if verdict and verdict.undecided:
        told = "; ".join(f"{one.check}: {one.reason}" for one in verdict.undecided)
        console.print(f"{_INDENT}inconclusive: {plain(mask(told))}")
    output = f"; output {verdict.output.value} ({verdict.output_source})" if verdict else ""
    levels = ", ".join(sorted(level.value for level in run.levels))
    console.print(Text(f"{_INDENT}evidence: {levels}{plain(output)}", style="dim"))
    console.print()


def _summary(console: Console, judged: Sequence[Judged], gating: Sequence[str]) -> None:
    verdicts = [verdict for one in judged for verdict in one.verdicts]
    counts = Counter(verdict.outcome for verdict in verdicts)
    unmatched = sum(not one.verdicts for one in judged)
    outcomes = ", ".join(f"{counts[kind]} {kind.value}" for kind in Outcome if counts[kind])
    lucky = sum(verdict.is_lucky for verdict in verdicts)
    green = sum(verdict.is_green for verdict in verdicts)
    console.print(f"Runs       {len(judged)}, {unmatched} unmatched")
    console.print(f"Outcomes   {outcomes or 'none'}")
    console.print(f"Luck Rate  {luck_rate(lucky, green)}")
    console.print(f"Gates      {gating[0] if gating else 'nothing'}")
    for reason in gating[1:]:
        console.print(f"           {reason}")
