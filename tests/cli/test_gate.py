"""What gates, and what makes a judgement unreliable."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.builders import a_run, a_verdict, a_violation
from surefoot.cli.gate import FailOn, Gate, Judged, PassRate, faults, gates, percent
from surefoot.model import OutputGrade, Severity, Verdict

SOFT = a_violation("max_steps", Severity.SOFT)
WARN = a_violation("ground", Severity.WARN)
HARD = a_violation()
VERDICTS = st.lists(
    st.builds(
        lambda violations, undecided, output: a_verdict(
            *violations, undecided=undecided, output=output
        ),
        st.lists(st.sampled_from([HARD, SOFT, WARN])),
        st.sampled_from([(), ("max_steps",), ("required",)]),
        st.sampled_from(OutputGrade),
    )
)


def judged(*verdicts: Verdict) -> list[Judged]:
    return [Judged(a_run("a"), (verdict,)) for verdict in verdicts]


@given(VERDICTS, st.sets(st.sampled_from(FailOn)), st.sampled_from(FailOn))
def test_naming_more_never_gates_less(
    verdicts: list[Verdict], fail_on: set[FailOn], more: FailOn
) -> None:
    if fail_on and gates(judged(*verdicts), frozenset(fail_on)):
        assert gates(judged(*verdicts), frozenset(fail_on | {more}))


@given(VERDICTS)
def test_the_order_of_the_runs_changes_nothing(verdicts: list[Verdict]) -> None:
    assert gates(judged(*verdicts)) == gates(judged(*reversed(verdicts)))


def test_one_hard_violation_gates() -> None:
    assert gates(judged(a_verdict(HARD), a_verdict())) == [
        "desk: forbidden (hard) is violated in 1 run"
    ]


def test_warnings_failed_outputs_and_inconclusive_checks_do_not_gate() -> None:
    verdicts = judged(a_verdict(WARN, undecided=("required",), output=OutputGrade.FAILED))

    assert gates(verdicts) == []


@pytest.mark.parametrize(
    ("violated", "held", "undecided", "gating"),
    [(1, 1, 0, False), (2, 1, 0, True), (1, 0, 5, True), (1, 1, 5, False), (1, 0, 0, True)],
)
def test_a_soft_check_gates_in_more_than_half_of_its_decided_runs(
    violated: int, held: int, undecided: int, *, gating: bool
) -> None:
    verdicts = [a_verdict(SOFT)] * violated + [a_verdict()] * held
    verdicts += [a_verdict(undecided=("max_steps",))] * undecided

    reasons = gates(judged(*verdicts))

    assert bool(reasons) is gating
    if gating:
        assert f"{violated} of {violated + held} decided run" in reasons[0]


def test_soft_checks_are_counted_spec_by_spec() -> None:
    verdicts = [a_verdict(SOFT, spec="a"), a_verdict(SOFT, spec="b"), a_verdict(spec="b")]

    assert gates(judged(*verdicts)) == ["a: max_steps (soft) is violated in 1 of 1 decided run"]


def test_a_crashed_check_was_not_decided() -> None:
    verdicts = [a_verdict(SOFT), a_verdict(crashed=("max_steps",))]

    assert gates(judged(*verdicts))


@pytest.mark.parametrize(
    ("verdict", "fail_on"),
    [
        (a_verdict(HARD), FailOn.HARD),
        (a_verdict(SOFT), FailOn.SOFT),
        (a_verdict(WARN), FailOn.WARN),
        (a_verdict(output=OutputGrade.FAILED), FailOn.OUTPUT),
        (a_verdict(undecided=("ground",)), FailOn.INCONCLUSIVE),
        (a_verdict(HARD, undecided=("ground",)), FailOn.INCONCLUSIVE),
    ],
)
def test_fail_on_gates_on_any_of_what_it_names(verdict: Verdict, fail_on: FailOn) -> None:
    others = judged(*[a_verdict()] * 9)

    assert gates([*judged(verdict), *others], frozenset({fail_on}))
    assert not gates(others, frozenset({fail_on}))


def test_fail_on_replaces_what_gates_otherwise() -> None:
    assert gates(judged(a_verdict(HARD)), frozenset({FailOn.WARN})) == []


@given(VERDICTS, st.sets(st.sampled_from(FailOn)))
def test_something_of_some_verdict_gates_wherever_the_whole_does(
    verdicts: list[Verdict], fail_on: set[FailOn]
) -> None:
    runs = judged(*verdicts)
    gate = Gate.of(runs, frozenset(fail_on))
    marked = any(
        any(gate.violation(one.spec, found) for found in one.violations)
        or gate.output(one)
        or gate.undecided(one)
        for one in verdicts
    )

    assert marked is bool(gates(runs, frozenset(fail_on)))


def test_only_what_gates_is_marked() -> None:
    gate = Gate.of(judged(a_verdict(SOFT, HARD, WARN), a_verdict()))
    mostly = Gate.of(judged(a_verdict(SOFT)))

    assert [gate.violation("desk", one) for one in (HARD, SOFT, WARN)] == [True, False, False]
    assert [mostly.violation("desk", one) for one in (HARD, SOFT, WARN)] == [True, True, False]
    assert not mostly.violation("another", SOFT)


# The pass rate.


def rated(*, passed: int = 0, failed: int = 0, undecided: int = 0) -> list[Judged]:
    verdicts = [a_verdict()] * passed + [a_verdict(WARN)] * failed
    return judged(*verdicts, *[a_verdict(undecided=("ground",))] * undecided)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.fractions(0, 1))
def test_a_pass_rate_gates_exactly_where_it_is_below_the_least(
    passed: int, failed: int, undecided: int, least: Fraction
) -> None:
    reasons = gates(rated(passed=passed, failed=failed, undecided=undecided), frozenset(), least)

    assert bool(reasons) is (passed + failed == 0 or passed < least * (passed + failed))


def test_a_pass_rate_below_the_least_is_told_with_its_counts() -> None:
    assert gates(rated(passed=2, failed=1, undecided=5), frozenset(), Fraction(9, 10)) == [
        "2 of 3 decided runs passed, 66.6 %; 90 % are asked for"
    ]
    assert gates(rated(passed=2, failed=1), frozenset(), Fraction(2, 3)) == []


def test_a_pass_rate_without_a_decided_run_is_undefined_and_gates() -> None:
    assert gates(rated(undecided=2), frozenset(), Fraction(1, 2)) == [
        "the pass rate is undefined, no run was decided; 50 % are asked for"
    ]


def test_a_failed_output_is_decided_and_no_pass() -> None:
    failed = judged(a_verdict(undecided=("ground",), output=OutputGrade.FAILED))

    assert PassRate.of(failed) == PassRate(0, 1)


def test_a_pass_rate_stands_beside_what_gates_otherwise() -> None:
    assert len(gates(judged(a_verdict(HARD)), frozenset(), Fraction(1))) == 2


@pytest.mark.parametrize(
    ("share", "shown"),
    [(Fraction(1), "100 %"), (Fraction(999, 1000), "99.9 %"), (Fraction(9999, 10000), "99.9 %"),
     (Fraction(0), "0 %"), (Fraction(1, 2), "50 %")],
)  # fmt: skip
def test_a_share_is_never_rounded_up(share: Fraction, shown: str) -> None:
    assert percent(share) == shown


# What makes a judgement unreliable.


def test_no_run_is_a_fault() -> None:
    (told,) = faults([])

    assert told == (
        "nothing was judged: the input holds no run of an agent; "
        "send its agent, LLM and tool spans, with their trace"
    )


def test_runs_that_met_no_spec_are_a_fault_that_names_them() -> None:
    (told,) = faults([Judged(a_run("a"), ())])

    assert told == (
        "nothing was judged: no spec meets any of the runs; "
        "let `match` fit a service/agent seen: desk/clerk"
    )


def test_an_unmatched_run_among_judged_ones_is_none() -> None:
    assert faults([Judged(a_run("a"), ()), *judged(a_verdict())]) == []


def test_a_crashed_check_is_a_fault() -> None:
    assert faults(judged(a_verdict(crashed=("taint",)))) == ["desk: check taint crashed in 1 run"]
