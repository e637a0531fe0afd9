"""The report for a person."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from cli.builders import a_run, a_span, a_verdict, a_violation
from surefoot.cli.findings import Finding, Findings, Word
from surefoot.cli.gate import Judged
from surefoot.cli.origins import Origins, Place
from surefoot.cli.read import Request
from surefoot.cli.report import block, line, report
from surefoot.cli.show import STYLES, luck_rate, plain, undecided
from surefoot.emit.texts import Texts
from surefoot.model import OutputGrade, Severity

TEXTS = Texts(lambda text: text.replace("sk-secret", "[masked]"))


def printed(
    *judged: Judged, gating: tuple[str, ...] = (), origins: Origins | None = None
) -> list[str]:
    console = Console(
        file=io.StringIO(), soft_wrap=True, highlight=False, markup=False, emoji=False
    )
    report(console, judged, gating, TEXTS, origins)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


# check's lines.

TRACE = "00000000000000000000000000000001"


def test_a_finding_is_told_as_a_compiler_does() -> None:
    run = a_run("lookup_order", "issue_refund")
    verdict = a_verdict(
        a_violation(step=1, message="called issue_refund"),
        a_violation("required", message="missing required tool: check_policy"),
        a_violation("no_repeat", Severity.SOFT, message="repeated call: issue_refund", step=1),
        a_violation("ground", Severity.WARN, message="sk-secret is from nowhere", step=0),
        undecided=("taint",),
        output=OutputGrade.FAILED,
    )
    origins = Origins()
    origins.note(Request(b"", "a.jsonl", 7), [a_span(run.trace_id, run.evidence[0].span_id)])
    origins.note(Request(b"", "root.binpb"), [a_span(run.trace_id, run.root.span_id)])

    assert printed(Judged(run, (verdict,)), origins=origins)[:-1] == [
        f"a.jsonl:7: {TRACE}: forbidden: hard: called issue_refund, step 1 issue_refund",
        f"root.binpb: {TRACE}: required: hard: missing required tool: check_policy",
        f"a.jsonl:7: {TRACE}: no_repeat: soft: repeated call: issue_refund, step 1 issue_refund",
        f"a.jsonl:7: {TRACE}: ground: warn: [masked] is from nowhere, step 0 lookup_order",
        f"root.binpb: {TRACE}: taint: inconclusive: task_unknown",
        f"root.binpb: {TRACE}: output: fail: the output failed (structural)",
    ]


MIXED = (
    a_violation("a", Severity.WARN, message="1"),
    a_violation("b", Severity.SOFT, message="2"),
    a_violation("c", Severity.HARD, message="3"),
    a_violation("d", Severity.WARN, message="4"),
    a_violation("e", Severity.HARD, message="5"),
)


def test_of_a_run_the_worst_comes_first_and_what_weighs_alike_stays_in_order() -> None:
    judged = (
        Judged(a_run(number=1), (a_verdict(*MIXED, undecided=("f",), output=OutputGrade.FAILED),)),
        Judged(a_run(number=2), (a_verdict(*MIXED[:2]), a_verdict(MIXED[2], spec="b"))),
    )
    told = [one.split(": ")[1] for one in printed(*judged)[:-1]]

    assert told == ["c", "e", "b", "a", "d", "f", "output", "c", "b", "a"]


def test_in_a_block_too() -> None:
    told = [one.plain.split() for one in block(a_run(), a_verdict(*MIXED), TEXTS)[2:-1]]

    assert [one[1] for one in told] == ["c:", "e:", "b:", "a:", "d:"]


def test_findings_themselves_stay_in_the_judges_order() -> None:
    """JSON, JUnit and SARIF have them so."""
    found = Findings(TEXTS).of(Judged(a_run(), (a_verdict(*MIXED),)))

    assert [one.check for one in found] == ["a", "b", "c", "d", "e"]


def test_a_run_without_a_finding_has_no_line() -> None:
    assert printed(Judged(a_run("a"), (a_verdict(),))) == ["1 run: 1 pass; Luck Rate 0/1 = 0 %"]


def test_of_two_specs_each_line_names_its_own() -> None:
    verdicts = (a_verdict(a_violation()), a_verdict(a_violation(), spec="b\n"))

    assert printed(Judged(a_run("a"), verdicts))[:2] == [
        f"{TRACE}: forbidden: hard: called forbidden tool issue_refund (desk)",
        f"{TRACE}: forbidden: hard: called forbidden tool issue_refund (b\\n)",
    ]


def test_a_run_that_met_no_spec_is_told_of() -> None:
    assert printed(Judged(a_run(), ()))[0] == f"{TRACE}: unmatched: desk/clerk met no spec"


@given(st.text(), st.text())
def test_no_text_of_a_finding_can_steer_the_terminal(name: str, message: str) -> None:
    run = a_run(name, service=name, agent=name)
    verdict = a_verdict(a_violation(name, message=message, step=0), undecided=(name,), spec=name)
    origins = Origins()
    origins.note(Request(b"", name), [a_span(run.trace_id, run.root.span_id)])
    judged = Judged(run, (verdict,))

    for finding in [*Findings(TEXTS, origins).of(judged), *Findings(TEXTS).of(Judged(run, ()))]:
        assert line(finding, name).plain.isprintable()


@pytest.mark.parametrize("word", Word)
def test_only_the_word_of_a_finding_and_where_it_is_are_in_colour(word: Word) -> None:
    finding = Finding(a_run(), "desk", "c", word, "told", Place("f", 0, b"\1" * 16, b""))
    told = line(finding)

    coloured = {told.plain[span.start : span.end]: span.style for span in told.spans}
    assert coloured == {"f: ": "bold", f"{'01' * 16}: ": "dim", f"{word}: ": STYLES[word]}
    assert told.style == ""


OUTCOMES = "2 pass, 1 lucky, 1 fail, 1 inconclusive"


def test_the_summary_counts_runs_outcomes_luck_and_gates() -> None:
    lines = printed(
        Judged(a_run("a"), (a_verdict(),)),
        Judged(a_run("a"), (a_verdict(a_violation()), a_verdict())),
        Judged(a_run("a"), (a_verdict(output=OutputGrade.FAILED),)),
        Judged(a_run("a"), (a_verdict(undecided=("taint",)),)),
        Judged(a_run("a"), ()),
        gating=("one", "two"),
    )

    assert lines[-3:] == [
        f"5 runs, 1 unmatched, 5 verdicts: {OUTCOMES}; Luck Rate 1/3 = 33.3 %",
        "gate: one",
        "gate: two",
    ]


def test_without_a_green_run_the_luck_rate_is_undefined() -> None:
    assert printed() == ["0 runs; Luck Rate undefined (no green run)"]


# A block a verdict, on the console of a server.


def test_a_block_says_all_that_is_known_of_a_verdict() -> None:
    run = a_run("lookup_order", "issue_refund")
    verdict = a_verdict(
        a_violation(step=1),
        a_violation("ground", Severity.WARN, message="sk-secret is from nowhere"),
        undecided=("taint", "ground"),
    )

    assert [told.plain.rstrip() for told in block(run, verdict, TEXTS)] == [
        "LUCKY        desk/clerk  00000000000000000000000000000001  desk",
        "             lookup_order → issue_refund",
        "             hard forbidden: called forbidden tool issue_refund (step 1, issue_refund)",
        "             warn ground: [masked] is from nowhere",
        "             inconclusive: task_unknown: taint, ground",
        "             evidence: complete; output ok (structural)",
    ]


@given(st.text(), st.text())
def test_no_text_of_a_run_can_steer_the_terminal(name: str, message: str) -> None:
    run = a_run(name, service=name, agent=name)
    verdict = a_verdict(a_violation(name, message=message, step=0), spec=name)

    for told in block(run, verdict, Texts(str)):
        assert told.plain.isprintable()


def test_a_block_on_a_run_that_met_no_spec_has_no_verdict() -> None:
    assert block(a_run(), None, TEXTS)[0].plain.startswith("UNMATCHED    desk/clerk  ")


@pytest.mark.parametrize(
    ("lucky", "green", "shown"),
    [(0, 4, "0/4 = 0 %"), (2, 5, "2/5 = 40 %"), (1, 3, "1/3 = 33.3 %"), (3, 3, "3/3 = 100 %")],
)
def test_the_luck_rate_carries_both_counts(lucky: int, green: int, shown: str) -> None:
    assert luck_rate(lucky, green) == shown


@given(st.text())
def test_no_text_can_steer_the_terminal(text: str) -> None:
    assert plain(text).isprintable()


def test_a_printable_text_stays_as_it_is() -> None:
    assert plain("Rückgabe → ✓") == "Rückgabe → ✓"
    assert plain("a\x1b[31mb\n") == "a\\x1b[31mb\\n"


def test_undecided_checks_are_told_by_reason() -> None:
    pairs = [
        ("required", "root_missing"),
        ("no_repeat", "args_missing, args_redacted"),
        ("before", "root_missing"),
        ("taint", "root_missing"),
    ]

    assert undecided(pairs) == (
        "root_missing: required, before, taint; args_missing, args_redacted: no_repeat"
    )
    assert undecided([]) == ""
