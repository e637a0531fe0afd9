import pytest

from evaluate.runs import a_call, a_run, a_spec, judged
from evaluate.test_repeats import of_recording
from surefoot.evaluate import View
from surefoot.model import ArgsQuality, Evidence, PathGrade, Run, Severity, Verdict

MISSING = ArgsQuality.MISSING


def quality(run: Run) -> Verdict:
    return judged(run, rules=[{"id": "r", "data_quality": True}])


def test_whole_spans_are_of_quality() -> None:
    assert quality(a_run("a", a_call("b", {"x": 1}))).path is PathGrade.OK


@pytest.mark.parametrize(
    ("fault", "noun"),
    [
        (a_call("a", named=False), "name"),
        (a_call("a", quality=MISSING), "arguments"),
        (a_call("a", result_known=False), "result"),
    ],
)
def test_calls_that_lack_something_are_counted_and_told_once(fault: object, noun: str) -> None:
    (told,) = quality(a_run("b", fault, "b", fault)).violations  # type: ignore[arg-type]

    assert str(told) == f"warn: data quality: 2 of 4 calls without {noun}"
    assert (told.step, told.subject) == (1, noun)
    assert told.expected == f"every call's {noun}"
    assert told.observed == f"2 of 4 calls without {noun}"


@pytest.mark.parametrize(
    ("levels", "subject", "message", "expected"),
    [
        ("root_missing", "orphans", "the root is missing", "every span's parent"),
        ("parents_missing", "orphans", "parents of spans are missing", "every span's parent"),
        ("text_capped", "truncation", "texts are cut", "all of every value"),
        ("args_truncated", "truncation", "arguments are cut", "all of every value"),
        ("attributes_dropped", "truncation", "attributes were dropped", "all of every value"),
        (
            "text_capped args_truncated",
            "truncation",
            "texts are cut, arguments are cut",
            "all of every value",
        ),
    ],
)
def test_a_level_of_evidence_is_the_finding(
    levels: str, subject: str, message: str, expected: str
) -> None:
    (told,) = quality(a_run("a", levels=map(Evidence, levels.split()))).violations

    assert told.message == f"data quality: {message}"
    assert (told.step, told.subject, told.expected) == (None, subject, expected)


@pytest.mark.parametrize(("count", "spans"), [(1, "1 span"), (2, "2 spans")])
def test_clocks_that_disagree_are_told(count: int, spans: str) -> None:
    (told,) = quality(a_run(skewed=count)).violations

    assert told.message == f"data quality: {spans} out of time with their parents or themselves"
    assert (told.subject, told.expected) == ("skew", "clocks that agree")


def test_each_kind_of_fault_is_told_in_the_order_of_the_page() -> None:
    bare = a_call("a", named=False, quality=MISSING, result_known=False)
    run = a_run(bare, skewed=1, levels=[Evidence.ROOT_MISSING, Evidence.TEXT_CAPPED])

    assert [one.subject for one in quality(run).violations] == [
        "name",
        "arguments",
        "result",
        "orphans",
        "skew",
        "truncation",
    ]


def test_a_call_that_failed_or_never_ran_needs_no_result() -> None:
    failed = a_call("a", ok=False, result_known=False)
    idle = a_call("a", ran=False, named=False, quality=MISSING, result_known=False)

    assert quality(a_run(failed, idle)).path is PathGrade.OK


def test_only_the_judged_agents_calls_count() -> None:
    other = a_call("a", named=False, agent="other")
    spec = a_spec(match={"agent": "main"}, rules=[{"id": "r", "data_quality": True}])
    (check,) = spec.checks

    assert list(check(View(a_run("a", other), spec.scope))) == []


@pytest.mark.parametrize(
    ("name", "subjects"),
    [
        ("langgraph/good", []),
        ("dspy/toolerror", ["name"]),
        ("autogen-native/toolerror", ["arguments", "result"]),
        ("n8n-langchain/toolerror", ["arguments", "result"]),
    ],
)
def test_recordings_have_the_faults_of_their_framework(name: str, subjects: list[str]) -> None:
    verdict = quality(of_recording(name))

    assert [one.subject for one in verdict.violations] == subjects
    assert {one.severity for one in verdict.violations} <= {Severity.WARN}
