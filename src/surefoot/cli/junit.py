"""The judgement as JUnit XML, for the CI systems that show it: Jenkins, GitLab, Surefire's kin.

Owns the layout: a test suite a spec, a test case a run that the spec judged.

    error     a check crashed: the judgement cannot be relied on (exit code 2)
    failure   something that gates, with the messages of all that does (exit code 1)
    skipped   the path is inconclusive, with the reason
    passed    all else; what is wrong and does not gate stands in its output

Elements and attributes are those that both Jenkins' and Surefire's schemas know, so the
file is named in the text alone.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from surefoot.cli.findings import Finding, Findings, Word
from surefoot.cli.gate import Judged
from surefoot.cli.report import line
from surefoot.cli.show import luck_rate, plain
from surefoot.model import PathGrade, Run, Verdict

_NS: Final = 1e9


def junit(judged: Sequence[Judged], specs: Iterable[str], findings: Findings) -> bytes:
    """The report: a suite for each of these specs, in their order."""
    root = ET.Element("testsuites", name="surefoot")
    for spec in specs:
        of_spec = [
            (one.run, verdict) for one in judged for verdict in one.verdicts if verdict.spec == spec
        ]
        root.append(_suite(spec, of_spec, findings))
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, 0)) for suite in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, "unicode")}\n'.encode()


def _suite(spec: str, judged: Sequence[tuple[Run, Verdict]], findings: Findings) -> ET.Element:
    name = findings.name(spec)
    cases = [_case(name, run, verdict, findings) for run, verdict in judged]
    suite = ET.Element("testsuite", name=name, tests=str(len(cases)))
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", f"{sum(_seconds(run) for run, _ in judged):.3f}")
    told = ET.SubElement(suite, "properties")
    lucky = sum(verdict.is_lucky for _, verdict in judged)
    green = sum(verdict.is_green for _, verdict in judged)
    ET.SubElement(told, "property", name="luck rate", value=luck_rate(lucky, green))
    suite.extend(cases)
    return suite


def _case(spec: str, run: Run, verdict: Verdict, findings: Findings) -> ET.Element:
    case = ET.Element(
        "testcase", name=_name(run, findings), classname=spec, time=f"{_seconds(run):.3f}"
    )
    others = list(findings.of_verdict(run, verdict))
    if verdict.crashed:
        told, others = _parted(others, lambda one: one.crashed)
        _tell(case, "error", told)
    elif any(one.gates for one in others):
        told, others = _parted(others, lambda one: one.gates)
        _tell(case, "failure", told)
    elif verdict.path is PathGrade.INCONCLUSIVE:
        told, others = _parted(others, lambda one: one.word is Word.INCONCLUSIVE)
        reasons = "; ".join(f"{plain(one.check)}: {one.message}" for one in told)
        ET.SubElement(case, "skipped", message=f"inconclusive: {reasons}")
    if others:
        ET.SubElement(case, "system-out").text = _lines(others)
    return case


def _parted(
    found: Iterable[Finding], holds: Callable[[Finding], bool]
) -> tuple[list[Finding], list[Finding]]:
    """Those for which it holds, and the others."""
    parts: tuple[list[Finding], list[Finding]] = ([], [])
    for one in found:
        parts[not holds(one)].append(one)
    return parts


def _tell(case: ET.Element, tag: str, found: Sequence[Finding]) -> None:
    """One element for all findings: the first in its message, each in its text."""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    kinds = ", ".join(dict.fromkeys(plain(one.check) for one in found))
    first = f"{plain(found[0].check)}: {found[0].message}{found[0].at}{more}"
    ET.SubElement(case, tag, message=first, type=kinds).text = _lines(found)


def _lines(found: Sequence[Finding]) -> str:
    return "\n".join(line(one).plain for one in found)


def _name(run: Run, findings: Findings) -> str:
    """What tells the run from others, and stays when the same recording is judged again."""
    whose = f"{findings.name(run.service)}/{findings.name(run.agent)}"
    if not run.key:
        return f"{whose} {run.trace_id.hex()}"
    if run.session is not None and run.key == run.session.encode("utf-8", "surrogatepass"):
        return f"{whose} session {findings.name(run.session)}"
    return f"{whose} {run.trace_id.hex()} {run.key.hex()}"


def _seconds(run: Run) -> float:
    return max(0, run.end_ns - run.start_ns) / _NS
