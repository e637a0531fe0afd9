"""The fixture in somebody's test suite: what passes, fails, skips and warns, with which words.

Each test runs pytest on a suite of its own. pytest finds the plugin by its entry point
where Surefoot is installed; here it is named, so that a source tree will do.
"""

import subprocess
import sys

import pytest

from surefoot.testing import judgement
from worlds import FIXTURES, SPEC

pytest_plugins = ["pytester"]

GOOD, SKIPS, HIDDEN = (FIXTURES / "langgraph" / run for run in ("good", "skips", "hidden"))


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> "Suite":
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Suite(pytester)


class Suite:
    """A suite of one test."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester

    def run(self, *body: str, options: tuple[str, ...] = ()) -> pytest.RunResult:
        """Run a test that does this."""
        names = {"GOOD": GOOD, "SKIPS": SKIPS, "HIDDEN": HIDDEN, "SPEC": SPEC}
        head = ["import pytest", *(f"{name} = {str(path)!r}" for name, path in names.items())]
        test = ["def test_it(surefoot):", *(f"    {line}" for line in body)]
        self._pytester.makepyfile("\n".join([*head, *test]))
        return self._pytester.runpytest_inprocess(
            "-p", "surefoot.pytest_plugin", "-p", "no:cacheprovider", "-rs", *options
        )


def failure(result: pytest.RunResult) -> str:
    """What the failed test says, as pytest prints it, without its margin."""
    told = [line[1:] for line in result.outlines if line.startswith("E ")]
    return "\n".join(line.removeprefix(7 * " ") for line in told).removeprefix("Failed: ")


def test_a_good_run_passes_and_gives_its_steps_and_verdicts(suite: Suite) -> None:
    suite.run(
        "judged = surefoot(GOOD, SPEC)",
        "assert judged.verdict.outcome == 'pass'",
        "assert judged.steps[0].tool == 'lookup_order'",
        "assert judged.steps[0].args == {'order_id': '88213'}",
        "assert judged.violations == ()",
    ).assert_outcomes(passed=1)


def test_a_lucky_run_fails_with_the_text_of_the_command(suite: Suite) -> None:
    result = suite.run("surefoot(SKIPS, SPEC)")

    result.assert_outcomes(failed=1)
    assert failure(result) == judgement(SKIPS, SPEC).text.rstrip()


def test_the_failure_points_at_the_test_and_not_into_the_plugin(suite: Suite) -> None:
    result = suite.run("surefoot(SKIPS, SPEC)")

    assert any(line.startswith(">") and "surefoot(SKIPS, SPEC)" in line for line in result.outlines)
    assert not any("pytest_plugin.py" in line for line in result.outlines)


def test_a_failure_can_be_expected(suite: Suite) -> None:
    suite.run(
        "with pytest.raises(pytest.fail.Exception, match='called forbidden tool'):",
        "    surefoot(SKIPS, SPEC)",
    ).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("surefoot([], SPEC)", "no span was given"),
        ("surefoot('nowhere.binpb', SPEC)", "nowhere.binpb: no such file"),
        ("surefoot(GOOD, 'nowhere.yaml')", "nowhere.yaml: no such file"),
        ("surefoot(GOOD, {'forbiden': []})", "specs[0].forbiden: "),
    ],
)
def test_what_cannot_be_judged_fails(suite: Suite, call: str, told: str) -> None:
    result = suite.run(call)

    result.assert_outcomes(failed=1)
    assert failure(result).startswith(told)


@pytest.mark.parametrize("options", ["", ", fail_on='soft'", ", inconclusive='skip'"])
def test_a_run_that_met_no_spec_fails_whatever_gates(suite: Suite, options: str) -> None:
    result = suite.run(f"surefoot(SKIPS, {{'match': {{'service': 'shop'}}}}{options})")

    result.assert_outcomes(failed=1)
    assert failure(result).splitlines()[-1].startswith("nothing was judged: no spec meets any of")


def test_fail_on_chooses_what_fails(suite: Suite) -> None:
    """The run's only violations are hard: with `soft` it passes."""
    suite.run("assert surefoot(SKIPS, SPEC, fail_on='soft').violations").assert_outcomes(passed=1)


def test_a_word_that_is_none_is_an_error_of_the_test(suite: Suite) -> None:
    for call in ("fail_on='any'", "inconclusive='pass'", "unit='turn'"):
        result = suite.run(f"surefoot(GOOD, SPEC, {call})")

        result.assert_outcomes(failed=1)
        assert f"ValueError: {call} is none of " in result.stdout.str()


# What the evidence cannot decide.


def undecided() -> str:
    return "; ".join(judgement(HIDDEN, SPEC, fail_on="soft").undecided)


def test_what_cannot_be_decided_warns_at_the_tests_line(suite: Suite) -> None:
    result = suite.run("surefoot(HIDDEN, SPEC)", options=("-W", "always"))

    result.assert_outcomes(passed=1, warnings=1)
    warning = next(line for line in result.outlines if "InconclusiveWarning" in line)
    assert undecided() in warning
    assert "test_what_cannot_be_decided_warns_at_the_tests_line.py:" in warning


def test_what_cannot_be_decided_can_skip(suite: Suite) -> None:
    result = suite.run("surefoot(HIDDEN, SPEC, inconclusive='skip')")

    result.assert_outcomes(skipped=1)
    assert any(undecided() in line for line in result.outlines)


def test_what_cannot_be_decided_can_fail(suite: Suite) -> None:
    result = suite.run("surefoot(HIDDEN, SPEC, inconclusive='fail')")

    result.assert_outcomes(failed=1)
    assert failure(result).endswith(undecided())


def test_a_violation_fails_before_anything_skips(suite: Suite) -> None:
    """Hidden arguments leave a forbidden call what it is."""
    suite.run(
        "surefoot(HIDDEN, {'forbidden': ['lookup_order'], 'ground': True}, inconclusive='skip')"
    ).assert_outcomes(failed=1)


def test_where_all_is_decided_nothing_warns(suite: Suite) -> None:
    for policy in ("warn", "skip", "fail"):
        result = suite.run(
            f"surefoot(GOOD, SPEC, inconclusive={policy!r})", options=("-W", "error")
        )
        result.assert_outcomes(passed=1)


# What it costs everybody else.


def test_a_pytest_that_does_not_use_it_loads_no_part_of_it() -> None:
    """Neither pydantic, nor protobuf, nor anything else of Surefoot."""
    code = (
        "import sys, pytest; before = set(sys.modules); import surefoot.pytest_plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout

    assert loaded.split() == ["surefoot", "surefoot.pytest_plugin"]
