"""Verdicts as a person reads them: the lines of `surefoot check`, and a block a verdict.

Owns the layout, and that of one run the worst comes first. Decides nothing. Every text
has passed `Texts`, hence the secrets mask, and no control character of it reaches the
terminal.
"""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from surefoot.cli.findings import Finding, Findings
from surefoot.cli.gate import Judged
from surefoot.cli.origins import Origins
from surefoot.cli.show import STYLES, WORD_WIDTH, luck_rate, plain, undecided, word
from surefoot.emit.texts import Texts
from surefoot.model import Outcome, Run, Severity, Verdict, Violation

_INDENT = " " * (WORD_WIDTH + 1)
#: By a severity's word; what else is found stands behind.
_WEIGHT = {severity.value: weight for weight, severity in enumerate(Severity)}
_LAST = len(_WEIGHT)


def report(
    console: Console,
    judged: Sequence[Judged],
    gating: Sequence[str],
    texts: Texts,
    origins: Origins | None = None,
) -> None:
    """Print a line a finding, then the summary. A run without a finding has no line.

    origins: where the spans stand; without it no line begins with a file.
    """
    several = len({verdict.spec for one in judged for verdict in one.verdicts}) > 1
    findings = Findings(texts, origins)
    for one in judged:
        worst_first = sorted(findings.of(one), key=lambda found: _WEIGHT.get(found.word, _LAST))
        for finding in worst_first:
            _print(console, line(finding, texts.name(finding.spec) if several else ""))
    for told in summary(judged, gating):
        _print(console, told)


def _print(console: Console, told: Text) -> None:
    """Print a line: away from a terminal as it is, since laying it out takes most of the time."""
    if console.is_terminal:
        console.print(told)
    else:
        console.file.write(f"{told.plain}\n")


def line(finding: Finding, spec: str = "") -> Text:
    """A finding as a compiler tells one: where, what is wrong, and by which call.

    `file: trace: check: severity: message, step n tool`. spec: ends the line, if given.
    """
    file = f"{plain(str(finding.place))}: " if finding.place.file else ""
    told = Text().append(file, style="bold").append(f"{finding.trace}: ", style="dim")
    if finding.check:
        told.append(f"{plain(finding.check)}: ")
    told.append(f"{finding.word}: ", style=STYLES[finding.word])
    told.append(f"{finding.message}{finding.at}")
    if spec:
        told.append(f" ({plain(spec)})", style="dim")
    return told


def summary(judged: Sequence[Judged], gating: Sequence[str]) -> list[Text]:
    """The last lines: runs, outcomes and Luck Rate in one, and what gates."""
    verdicts = [verdict for one in judged for verdict in one.verdicts]
    unmatched = sum(not one.verdicts for one in judged)
    told = Text().append(_count(len(judged), "run"), style="bold")
    if unmatched:
        told.append(f", {unmatched} unmatched")
    if len(verdicts) != len(judged) - unmatched:
        told.append(f", {_count(len(verdicts), 'verdict')}")
    counts = Counter(verdict.outcome for verdict in verdicts)
    for number, kind in enumerate(kind for kind in Outcome if counts[kind]):
        told.append(", " if number else ": ")
        told.append(f"{counts[kind]} {kind}", style=STYLES[kind])
    lucky = sum(verdict.is_lucky for verdict in verdicts)
    green = sum(verdict.is_green for verdict in verdicts)
    told.append(f"; Luck Rate {luck_rate(lucky, green)}")
    gates = [Text().append("gate: ", style="bold").append(plain(reason)) for reason in gating]
    return [told, *gates]


def block(run: Run, verdict: Verdict | None, texts: Texts, note: str = "") -> list[Text]:
    """The lines on one verdict; None is a run that met no spec. note: ends the first line."""
    outcome = verdict.outcome.value if verdict else "unmatched"
    spec = texts.name(verdict.spec) if verdict else "met no spec"
    whose = f"{texts.name(run.service)}/{texts.name(run.agent)}"
    head = word(outcome, upper=True).append(plain(f" {whose}  {run.trace_id.hex()}  {spec}{note}"))
    lines = [head, Text(_INDENT + (plain(texts.trajectory(run.steps)) or "no tool call"))]
    if verdict:
        worst_first = sorted(verdict.violations, key=lambda one: _WEIGHT[one.severity])
        lines += [_violation(violation, run, texts) for violation in worst_first]
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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
