"""What tells whether an output was ok."""

import json
import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import WHOLE, a_call, a_run, a_spec, judged
from surefoot.evaluate.outputs import (
    DEFAULT_SOURCES,
    FromAttribute,
    FromEvaluation,
    FromOutput,
    OutputSource,
    Passing,
    Structural,
    answers,
    grade_output,
)
from surefoot.evaluate.schemas import Schema
from surefoot.model import Cut, Evidence, Grade, OutputGrade, Run, Told, Value

CAPPED = WHOLE | {Evidence.TEXT_CAPPED}
OK, FAILED, UNKNOWN = OutputGrade.OK, OutputGrade.FAILED, OutputGrade.UNKNOWN
GRADE = {True: OK, False: FAILED, None: UNKNOWN}


def graded(*grades: Grade, **fields: Any) -> Run:
    return a_run("a", grades=grades, **fields)


def answered(output: str, **fields: Any) -> Run:
    return a_run("a", output=output, flaw="", **fields)


def told(run: Run, source: Any) -> bool | None:
    """What one source of a spec says, by a whole verdict."""
    verdict = judged(run, output_ok=[source])
    (one,) = a_spec(output_ok=[source]).output_ok
    assert verdict.output is GRADE[one(run)]
    assert verdict.output_source == ("none" if verdict.output is UNKNOWN else one.kind)
    return one(run)


# evaluation


@pytest.mark.parametrize(
    ("label", "plain", "named"),
    [
        *((word, True, True) for word in ("pass", "Passed", " correct ", "good", "ok", "okay")),
        *((word, True, True) for word in ("success", "successful", "acceptable", "ACCEPTED")),
        ("satisfactory", True, True),
        *((word, False, False) for word in ("fail", "failed", "failure", "Incorrect", "wrong")),
        *((word, False, False) for word in ("bad", "unsuccessful", "unacceptable", "rejected")),
        ("unsatisfactory", False, False),
        *((word, None, True) for word in ("true", "Yes", "1")),
        *((word, None, False) for word in ("false", "no", "0")),
        *((word, None, None) for word in ("perhaps", "hallucinated", "relevant", "2", "passing")),
    ],
)
def test_without_pass_only_words_that_are_good_or_bad_tell(
    *, label: str, plain: bool | None, named: bool | None
) -> None:
    """`true` may answer "is it toxic?": it tells where the author named the question."""
    run = graded(Grade("c", label))

    assert told(run, "evaluation") is plain
    assert told(run, {"evaluation": "c"}) is named
    assert told(run, {"evaluation": {"name": ["b", "c"]}}) is named
    assert told(run, {"evaluation": {}}) is plain


@pytest.mark.parametrize(("score", "named"), [(1.0, True), (0.0, False), (0.99, None), (2.0, None)])
def test_without_pass_a_score_has_no_direction_unless_it_is_named(
    *, score: float, named: bool | None
) -> None:
    run = graded(Grade("c", score=score))

    assert told(run, "evaluation") is None
    assert told(run, {"evaluation": "c"}) is named
    assert told(graded(Grade("c", "hallucinated", score)), {"evaluation": "c"}) is None


@pytest.mark.parametrize(
    ("passing", "grade", "ok"),
    [
        (["correct"], Grade("c", "correct"), True),
        (["correct"], Grade("c", " CORRECT "), True),
        ([" Correct "], Grade("c", "correct"), True),
        ("correct", Grade("c", "correct"), True),
        (["correct"], Grade("c", "incorrect", 1.0), False),
        (["correct"], Grade("c", score=1.0), None),
        (["a", "b"], Grade("c", "b"), True),
        ([True], Grade("c", "true"), True),
        ([True], Grade("c", "false"), False),
        ([1], Grade("c", "whatever", 1.0), True),
        ([1], Grade("c", "whatever", 0.5), False),
        ([1], Grade("c", "1"), None),
        (1, Grade("c", score=1.0), True),
        ([0.5, "good"], Grade("c", "good"), True),
        ([0.5, "good"], Grade("c", "good", 0.1), True),
        ([0.5, "good"], Grade("c", "bad", 0.5), True),
        ([0.5, "good"], Grade("c", "bad", 0.1), False),
        ({"ge": 0.5}, Grade("c", "bad", 0.5), True),
        ({"ge": 0.5}, Grade("c", "good", 0.49), False),
        ({"ge": 0.5}, Grade("c", "good"), None),
        ({"lt": 0.5}, Grade("c", score=0.1), True),
        ({"ge": 1, "le": 2}, Grade("c", score=3.0), False),
        ({"in": [3, 4]}, Grade("c", score=4.0), True),
    ],
)
def test_pass_says_which_grades_pass(*, passing: Any, grade: Grade, ok: bool | None) -> None:
    assert told(graded(grade), {"evaluation": {"name": "c", "pass": passing}}) is ok
    assert told(graded(grade), {"evaluation": {"pass": passing}}) is ok


def test_the_latest_of_one_name_counts() -> None:
    good, bad = Grade("c", "good", time_ns=1), Grade("c", "bad", time_ns=2)

    assert told(graded(good, bad), "evaluation") is False
    assert told(graded(bad, replace(good, time_ns=3)), "evaluation") is True
    assert told(graded(good, Grade("c", "unsure", time_ns=2)), "evaluation") is None


def test_of_several_names_all_must_pass() -> None:
    good, bad, unsure = Grade("a", "good"), Grade("b", "bad"), Grade("d", "unsure")

    assert told(graded(good, bad), "evaluation") is False
    assert told(graded(good, unsure), "evaluation") is True
    assert told(graded(bad, unsure), "evaluation") is False
    assert told(graded(unsure), "evaluation") is None
    assert told(graded(), "evaluation") is None


def test_a_name_may_be_a_glob_and_its_case_counts() -> None:
    run = graded(Grade("correctness-v2", "good"), Grade("tone", "bad"))

    assert told(run, {"evaluation": "correct*"}) is True
    assert told(run, {"evaluation": "Correct*"}) is None
    assert told(run, {"evaluation": ["correct*", "tone"]}) is False


def test_a_grade_of_a_step_counts_only_where_it_is_named() -> None:
    run = graded(Grade("c", "bad", span_id=b"the step"), Grade("d", "good"))

    assert told(run, "evaluation") is True
    assert told(run, {"evaluation": "c"}) is False


@given(
    st.lists(
        st.builds(
            Grade,
            st.sampled_from("ab"),
            st.sampled_from(["", "good", "bad", "x"]),
            st.none() | st.sampled_from([0.0, 1.0]),
            st.integers(0, 2),
        ),
        max_size=8,
    ),
    st.integers(),
)
def test_the_order_of_grades_changes_nothing(grades: list[Grade], seed: int) -> None:
    shuffled = [*grades]
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - an order, not a secret

    for source in (FromEvaluation(), FromEvaluation(("*",))):
        assert source(graded(*grades)) is source(graded(*shuffled))


# output


@pytest.mark.parametrize(
    ("output", "test", "ok"),
    [
        ("we escalate it", {"regex": "escalat"}, True),
        ("we refuse it", {"regex": "escalat"}, False),
        ("done", "done", True),
        ("done", "do", False),
        ('"done"', "done", True),
        ("5", 5, True),
        ("5", "5", True),
        ("5", {"ge": 5}, True),
        ("4", {"ge": 5}, False),
        ("5", {"ne": 5}, False),
        ("5", {"ne": "5"}, False),
        ("5", {"ne": 6}, True),
        ("5", {"not_in": [5, 6]}, False),
        ("5", {"ge": 5, "not_in": [6]}, True),
        ("null", {"ne": "null"}, False),
        ('{"status": "ok"}', {"eq": {"status": "ok"}}, True),
        ('{"status": "ok"}', {"type": "object"}, True),
        ('{"status": "ok"}', {"type": "array"}, False),
        ("some words", {"type": "string"}, True),
        ("some words", {"len": {"gt": 3}}, True),
        ("some words", {"exists": True}, True),
        ("some words", {"exists": False}, False),
    ],
)
def test_a_predicate_asks_the_answer_as_text_and_as_its_json_says(
    *, output: str, test: Any, ok: bool
) -> None:
    assert told(answered(output), {"output": test}) is ok


@pytest.mark.parametrize(
    ("output", "schema", "ok"),
    [
        ('{"status": "ok"}', {"type": "object", "required": ["status"]}, True),
        ('{"state": "ok"}', {"type": "object", "required": ["status"]}, False),
        ("words", {"type": "object"}, False),
        ("words", {"type": "string"}, True),
        ("12", {"type": "integer"}, True),
        ("x", True, True),
        ("x", False, False),
        ("[" * 300 + "]" * 300, {"type": "array"}, None),
        ("[" * 300 + "]" * 300, {"type": "string"}, None),
        ('{"a": 1}', {"required": ["b"]}, False),
        ('{"b": 1}', {"required": ["b"]}, True),
        ('{"a": 1}', {"type": "string"}, False),
        ('"words"', {"type": "string"}, True),
        ('"words"', {"maxLength": 5}, True),
        ("words", {"maxLength": 5}, True),
        ("words", {"maxLength": 4}, False),
        ("null", {"type": "null"}, True),
        ("null", {"type": "string"}, False),
        ("12", {"type": "string"}, False),
    ],
)
def test_a_schema_asks_what_the_answers_json_says_or_else_the_text(
    *, output: str, schema: Any, ok: bool | None
) -> None:
    assert told(answered(output), {"output": {"schema": schema}}) is ok


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
)
KEYWORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "object", "array", "integer", "null"]),
        "required": st.just(["b"]),
        "minItems": st.just(1),
        "minimum": st.just(0),
        "pattern": st.just("a"),
    },
)


@given(JSON, KEYWORDS)
def test_of_an_answer_that_is_json_a_schema_judges_the_value_alone(
    value: Any, schema: dict[str, Any]
) -> None:
    source = FromOutput.of_schema(schema)

    assert source(answered(json.dumps(value))) is (not Schema.of(schema).misfits(value))


@given(st.sampled_from(["hello", "a", "{a: 1}", '```json\n{"b": 1}\n```', "NaN"]), KEYWORDS)
def test_a_text_fits_only_where_it_fits_as_a_string_that_is_asked_for(
    text: str, schema: dict[str, Any]
) -> None:
    fits = not Schema.of(schema).misfits(text)
    is_asked_for = not schema or "type" in schema or "pattern" in schema

    assert FromOutput.of_schema(schema)(answered(text)) is (fits and is_asked_for)


@pytest.mark.parametrize("test", [{"regex": "^"}, {"ne": "x"}, {"schema": True}])
@pytest.mark.parametrize("output", ["", " \n"])
def test_no_answer_fails_where_it_is_sure_and_else_tells_nothing(test: Any, output: str) -> None:
    assert told(a_run("a", output=output, flaw="no answer"), {"output": test}) is False
    assert told(a_run("a", output=output, flaw=None), {"output": test}) is None


def test_a_spec_may_ask_for_no_answer() -> None:
    assert told(a_run("a", flaw="no answer"), {"output": {"exists": False}}) is True
    assert told(a_run("a", flaw=None), {"output": {"exists": False}}) is None


def test_a_cut_answer_tells_only_what_is_found_in_it() -> None:
    cut = answered(Cut("we escalate"), levels=CAPPED)

    assert told(cut, {"output": {"regex": "escalat"}}) is True
    assert told(cut, {"output": {"regex": "refuse"}}) is None
    assert told(cut, {"output": {"regex": "escalat", "len": {"lt": 99}}}) is None
    assert told(cut, {"output": {"ne": "x"}}) is None
    assert told(cut, {"output": {"schema": True}}) is None


def test_where_any_text_may_be_the_cut_one_the_answer_may_be() -> None:
    unmarked = answered("we escalate", levels=CAPPED)
    other = answered("we escalate", levels=CAPPED, told=Told(user=(Cut("pay"),)))
    result = a_run(
        a_call("a", result="x", result_capped=True), output="fine", flaw="", levels=CAPPED
    )

    assert told(unmarked, {"output": {"regex": "refuse"}}) is None
    assert told(other, {"output": {"regex": "refuse"}}) is False
    assert told(result, {"output": {"regex": "refuse"}}) is False


# the order


def test_the_usual_order_is_evaluation_then_attribute_then_structure() -> None:
    everything = graded(
        Grade("c", "bad"), attributes={"surefoot.output_ok": True}, flaw="no answer"
    )
    ungraded = replace(everything, grades=())
    plain = a_run("a", flaw="")

    assert grade_output(everything, DEFAULT_SOURCES) == (FAILED, "evaluation")
    assert grade_output(ungraded, DEFAULT_SOURCES) == (OK, "attribute")
    assert grade_output(plain, DEFAULT_SOURCES) == (OK, "structural")
    assert grade_output(a_run("a"), DEFAULT_SOURCES) == (UNKNOWN, "none")
    assert judged(everything).output_source == "evaluation"


def test_a_source_that_cannot_tell_hands_on() -> None:
    sources = [{"evaluation": "c"}, {"output": {"regex": "x"}}, {"attribute": "ok"}, "structural"]

    verdict = judged(a_run("a", output=Cut("y"), flaw="", levels=CAPPED), output_ok=sources)

    assert (verdict.output, verdict.output_source) == (OK, "structural")


@given(
    st.lists(
        st.sampled_from(
            [
                FromEvaluation(("c",)),
                FromEvaluation(("d",), Passing.of({"ge": 0.5})),
                FromAttribute("ok"),
                FromOutput.of_predicate({"regex": "x"}),
                Structural(),
            ]
        ),
        max_size=4,
    ),
    st.sampled_from(["", "x", "y"]),
    st.sampled_from([None, "", "no answer"]),
    st.sampled_from([None, True, False]),
    st.lists(st.builds(Grade, st.sampled_from("cd"), st.sampled_from(["good", "?"])), max_size=2),
)
def test_a_run_of_which_only_grades_are_left_is_graded_as_the_whole(
    sources: list[OutputSource],
    output: str,
    flaw: str | None,
    ok: Value,
    grades: Iterable[Grade],
) -> None:
    whole = graded(*grades, output=output, flaw=flaw, attributes={"ok": ok})
    left = graded(*grades)

    known = answers(replace(whole, grades=()), sources)

    assert grade_output(left, sources, known) == grade_output(whole, sources)
