"""The report for a person."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from cli.builders import a_run, a_verdict, a_violation
from surefoot.cli.gate import Judged
from surefoot.cli.report import block, report
from surefoot.cli.show import luck_rate, plain, undecided
from surefoot.emit.texts import Texts
from surefoot.model import OutputGrade, Severity


def printed(*judged: Judged, gating: tuple[str, ...] = ()) -> str:
    console = Console(
        file=io.StringIO(), soft_wrap=True, highlight=False, markup=False, emoji=False
    )
    texts = Texts(lambda text: text.replace("sk-secret", "[masked]"))
    report(console, judged, gating, texts)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_block_says_all_that_is_known_of_a_verdict() -> None:
    run = a_run("lookup_order", "issue_refund")
    verdict = a_verdict(
        a_violation(step=1),
        a_violation("ground", Severity.WARN, message="sk-secret is from nowhere"),
        undecided=("taint", "ground"),
    )

    block = printed(Judged(run, (verdict,))).split("\n\n")[0]

    assert [line.rstrip() for line in block.splitlines()] == [
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

    for line in block(run, verdict, Texts(str)):
        assert line.plain.isprintable()


def test_a_run_that_met_no_spec_is_printed_without_a_verdict() -> None:
    assert printed(Judged(a_run(), ())).startswith("UNMATCHED    desk/clerk  ")


def test_the_summary_counts_runs_outcomes_luck_and_gates() -> None:
    output = printed(
        Judged(a_run("a"), (a_verdict(),)),
        Judged(a_run("a"), (a_verdict(a_violation()), a_verdict())),
        Judged(a_run("a"), (a_verdict(output=OutputGrade.FAILED),)),
        Judged(a_run("a"), (a_verdict(undecided=("taint",)),)),
        Judged(a_run("a"), ()),
        gating=("one", "two"),
    )

    assert output.splitlines()[-5:] == [
        "Runs       5, 1 unmatched",
        "Outcomes   2 pass, 1 lucky, 1 fail, 1 inconclusive",
        "Luck Rate  1/3 = 33.3 %",
        "Gates      one",
        "           two",
    ]


def test_without_a_green_run_the_luck_rate_is_undefined() -> None:
    assert "Luck Rate  undefined (no green run)" in printed()
    assert "Gates      nothing" in printed()


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
