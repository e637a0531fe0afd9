"""JUnit XML: valid by both schemas, and true to the gate."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.builders import a_run, a_verdict, a_violation
from surefoot.cli.findings import Findings
from surefoot.cli.gate import FailOn, Gate, Judged, gates
from surefoot.cli.junit import junit
from surefoot.emit.texts import Texts
from surefoot.evaluate import mask
from surefoot.model import OutputGrade, Severity, Verdict

DATA = Path(__file__).parents[1] / "data"
SOFT = a_violation("max_steps", Severity.SOFT, message="made 9 calls, at most 8")
WARN = a_violation("ground", Severity.WARN, step=0, message="ungrounded arg a.b='c'")
HARD = a_violation(step=1)
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=20)


@cache
def schema(name: str) -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(DATA / name))


def written(
    judged: Sequence[Judged], fail_on: Sequence[FailOn] = (), specs: Sequence[str] = ("desk",)
) -> ET.Element:
    """The report, once it has passed Jenkins' schema, and each suite Surefire's."""
    findings = Findings(Texts(mask), gate=Gate.of(judged, frozenset(fail_on)))
    text = junit(judged, specs, findings).decode()
    root = ET.fromstring(text)  # noqa: S314 - our own
    schema("jenkins-junit-10.xsd").validate(text)
    for suite in root:
        schema("surefire-test-report.xsd").validate(ET.tostring(suite, "unicode"))
    return root


def case(verdict: Verdict, *fail_on: FailOn) -> ET.Element:
    """The one test case of a run with this verdict."""
    (found,) = written([Judged(a_run("a", "b"), (verdict,))], fail_on).iter("testcase")
    return found


@settings(max_examples=50)
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_any_text_makes_a_valid_document(name: str, message: str, check: str) -> None:
    run = replace(a_run(name, "b", service=name, agent=name), session=name)
    verdict = a_verdict(
        a_violation(check, message=message, step=0), undecided=(check,), spec=name
    )  # fmt: skip

    assert len(list(written([Judged(run, (verdict,))], specs=[name]).iter("testcase"))) == 1


@given(
    st.lists(
        st.builds(
            lambda violations, undecided, output: a_verdict(
                *violations, undecided=undecided, output=output
            ),
            st.lists(st.sampled_from([HARD, SOFT, WARN])),
            st.sampled_from([(), ("required",)]),
            st.sampled_from(OutputGrade),
        ),
        max_size=4,
    ),
    st.sets(st.sampled_from(FailOn)),
)
@settings(max_examples=50)
def test_a_case_fails_exactly_where_the_command_exits_with_1(
    verdicts: list[Verdict], fail_on: set[FailOn]
) -> None:
    judged = [Judged(a_run("a", "b", number=n + 1), (one,)) for n, one in enumerate(verdicts)]
    root = written(judged, tuple(fail_on))

    assert (root.get("failures") != "0") is bool(gates(judged, frozenset(fail_on)))
    assert root.get("tests") == str(len(verdicts))


def test_a_clean_run_is_a_case_without_content() -> None:
    found = case(a_verdict())

    assert found.attrib == {
        "name": "desk/clerk 00000000000000000000000000000001", "classname": "desk", "time": "0.000",
    }  # fmt: skip
    assert list(found) == []


def test_what_gates_is_a_failure_and_the_rest_its_output() -> None:
    failure, output = case(a_verdict(HARD, WARN, replace(HARD, check="tools")))

    assert failure.tag == "failure"
    assert failure.attrib == {
        "message": "forbidden: called forbidden tool issue_refund, step 1 b (and 1 more)",
        "type": "forbidden, tools",
    }
    assert failure.text == (
        "00000000000000000000000000000001: forbidden: hard: "
        "called forbidden tool issue_refund, step 1 b\n"
        "00000000000000000000000000000001: tools: hard: "
        "called forbidden tool issue_refund, step 1 b"
    )
    assert output.tag == "system-out"
    assert output.text == (
        "00000000000000000000000000000001: ground: warn: ungrounded arg a.b='c', step 0 a"
    )


def test_a_soft_check_fails_where_most_runs_violate_it() -> None:
    bad, good = (Judged(a_run("a", number=n), (a_verdict(*v),)) for n, v in ((1, [SOFT]), (2, [])))

    assert written([bad]).get("failures") == "1"
    assert written([bad, good]).get("failures") == "0"


def test_an_inconclusive_run_is_skipped_with_its_reason() -> None:
    (skipped,) = case(a_verdict(undecided=("required", "taint")))

    assert skipped.tag == "skipped"
    assert skipped.get("message") == "inconclusive: required: task_unknown; taint: task_unknown"


def test_an_inconclusive_run_fails_if_that_gates() -> None:
    (failure,) = case(a_verdict(undecided=("required",)), FailOn.INCONCLUSIVE)

    assert failure.attrib == {"message": "required: task_unknown", "type": "required"}


def test_what_could_not_be_decided_beside_a_warning_is_told() -> None:
    (output,) = case(a_verdict(WARN, undecided=("required",)))

    assert output.tag == "system-out"
    assert output.text
    assert output.text.endswith("required: inconclusive: task_unknown")


def test_a_failed_output_fails_only_if_that_gates() -> None:
    failed = a_verdict(output=OutputGrade.FAILED)

    assert [child.tag for child in case(failed)] == ["system-out"]
    assert [child.attrib for child in case(failed, FailOn.OUTPUT)] == [
        {"message": "output: the output failed (structural)", "type": "output"}
    ]


def test_a_crashed_check_is_an_error_whatever_else_is_wrong() -> None:
    error, output = case(a_verdict(HARD, undecided=("taint",), crashed=("taint",)))

    assert error.tag == "error"
    assert error.attrib == {"message": "taint: task_unknown", "type": "taint"}
    assert output.text
    assert "forbidden: hard: " in output.text


def test_each_spec_is_a_suite_with_its_luck_rate() -> None:
    run = a_run("a", "b")
    root = written(
        [Judged(run, (a_verdict(HARD), a_verdict(spec="other"))), Judged(a_run(), ())],
        specs=["desk", "other", "idle"],
    )

    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root] == [
        ("desk", "1", "1"), ("other", "1", "0"), ("idle", "0", "0"),
    ]  # fmt: skip
    assert [one.attrib["value"] for one in root.iter("property")] == [
        "1/1 = 100 %", "0/1 = 0 %", "undefined (no green run)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "session", "name"),
    [
        (b"", None, f"desk/clerk {'0' * 31}1"),
        (b"", "s1", f"desk/clerk {'0' * 31}1"),
        (b"\1" * 8, None, f"desk/clerk {'0' * 31}1 {'01' * 8}"),
        (b"s1", "s1", "desk/clerk session s1"),
    ],
)
def test_a_case_is_named_by_what_its_run_is(key: bytes, session: str | None, name: str) -> None:
    run = replace(a_run(), key=key, session=session)

    assert [one.get("name") for one in written([Judged(run, (a_verdict(),))]).iter("testcase")] == [
        name
    ]


def test_no_credential_leaves() -> None:
    key = "AKIA" + "Q" * 16
    run = replace(a_run(key, service=key, agent=key), session=key, key=key.encode())
    verdict = a_verdict(a_violation("c", message=f"saw {key}", step=0), spec="desk")

    assert key not in ET.tostring(written([Judged(run, (verdict,))]), "unicode")
