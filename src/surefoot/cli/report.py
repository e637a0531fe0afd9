"""Verdicts as a person reads them: a block each, and the summary of `surefoot check`.

Owns the layout. Decides nothing. Every text has passed `Texts`, hence the secrets mask,
and no control character of it reaches the terminal.
"""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from surefoot.cli.gate import Judged
from surefoot.cli.show import WORD_WIDTH, luck_rate, plain, undecided, word
from surefoot.emit.texts import Texts
from surefoot.model import Outcome, Run, Verdict, Violation

_INDENT = " " * (WORD_WIDTH + 1)


def report(console: Console, judged: Sequence[Judged], gating: Sequence[str], texts: Texts) -> None:
    """Print a block a verdict, then the summary."""
    for one in judged:
        for verdict in one.verdicts or (None,):
            for line in block(one.run, verdict, texts):
                console.print(line)
            console.print()
    _summary(console, judged, gating)


def block(run: Run, verdict: Verdict | None, texts: Texts, note: str = "") -> list[Text]:
    """The lines on one verdict; None is a run that met no spec. note: ends the first line."""
    outcome = verdict.outcome.value if verdict else "unmatched"
    spec = texts.name(verdict.spec) if verdict else "met no spec"
    whose = f"{texts.name(run.service)}/{texts.name(run.agent)}"
    head = word(outcome, upper=True).append(plain(f" {whose}  {run.trace_id.hex()}  {spec}{note}"))
    lines = [head, Text(_INDENT + (plain(texts.trajectory(run.steps)) or "no tool call"))]
    if verdict:
        lines += [_violation(violation, run, texts) for violation in verdict.violations]
    if verdict and verdict.undecided:
        told = undecided((one.check, one.reason) for one in verdict.undecided)
        lines.append(Text(f"{_INDENT}inconclusive: {plain(texts.message(told))}"))
    levels = ", ".join(sorted(level.value for level in run.levels))
    output = f"; output {verdict.output.value} ({verdict.output_source})" if verdict else ""
    lines.append(Text(f"{_INDENT}evidence: {levels}{plain(output)}", style="dim"))
    return lines


def _violation(violation: Violation, run: Run, texts: Texts) -> Text:
    at = ""
    if violation.step is not None:
        at = f" (step {violation.step}, {texts.name(run.steps[violation.step].tool)})"
    told = f" {violation.check}: {texts.violation(violation, run)}{at}"
    return Text(_INDENT).append_text(word(violation.severity.value, width=4)).append(plain(told))


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
