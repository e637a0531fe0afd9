"""What others said of an output, and which run it is about."""

import random
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assemble.runs_of import (
    OPENINFERENCE,
    TRACE,
    a_chain,
    a_model,
    a_span,
    a_tool,
    an_agent,
    runs_of,
)
from surefoot.assemble import grades, reduce
from surefoot.assemble.grades import MOST, MOST_A_TRACE, MOST_LINKS
from surefoot.model import Event, Grade, Item, Link, Role, Span, Value

OTHER_TRACE = b"another trace id"
WHOLE = ("trace.evaluations", "trace.annotations")
OF_SPAN = ("evaluations", "annotations")


def entry(family: str, **fields: Value) -> Item:
    """One numbered entry as the door has it."""
    stem = family.rpartition(".")[2][:-1]
    return tuple((f"{stem}.{key}", value) for key, value in fields.items())


def with_entry(span: Span, family: str = "trace.evaluations", **fields: Value) -> Span:
    span.attributes[family] = (entry(family, **fields),)
    return span


def with_event(span: Span, **fields: Value) -> Span:
    told = {f"gen_ai.evaluation.{key.replace('_', '.')}": value for key, value in fields.items()}
    span.events += (Event("gen_ai.evaluation.result", 7, told),)
    return span


def an_evaluator(
    n: int = 9, parent: int | None = 1, attributes: Mapping[str, Value] | None = None
) -> Span:
    return a_span(n, parent, {OPENINFERENCE: "EVALUATOR", **(attributes or {})})


def linked(span: Span, *links: tuple[bytes, bytes]) -> Span:
    span.links = tuple(Link(*one) for one in links)
    return span


def taken(span: Span) -> list[tuple[bytes, Grade]]:
    reduce(span)
    return grades.take(span)


def an_id(n: int) -> bytes:
    return n.to_bytes(8, "big")


@pytest.mark.parametrize("family", WHOLE)
@pytest.mark.parametrize("make", [an_agent, a_tool, a_model, a_chain, an_evaluator, a_span])
def test_a_traces_grade_is_about_the_trace_whichever_span_bears_it(family: str, make: Any) -> None:
    span = with_entry(make(3), family, name="correctness", label="correct", score=1)
    ended = span.end_ns

    assert taken(span) == [(TRACE, Grade("correctness", "correct", 1.0, ended))]


@pytest.mark.parametrize("family", OF_SPAN)
@pytest.mark.parametrize("make", [an_agent, a_tool, a_model, a_chain, a_span])
def test_a_spans_grade_is_about_that_span(family: str, make: Any) -> None:
    ((trace_id, grade),) = taken(with_entry(make(3), family, name="tone", score=0.5))

    assert (trace_id, grade.span_id, grade.name, grade.label) == (TRACE, an_id(3), "tone", "")
    assert grade.score == 0.5


@pytest.mark.parametrize("make", [an_agent, a_tool, a_model, a_chain, a_span])
def test_an_events_grade_is_about_its_span_and_has_its_time(make: Any) -> None:
    span = with_event(make(3), name="tone", score_label="calm", score_value=0.9)

    assert taken(span) == [(TRACE, Grade("tone", "calm", 0.9, 7, an_id(3)))]
    assert span.events == ()


def test_an_event_that_bears_an_error_tells_no_result() -> None:
    span = with_event(an_agent(1), name="tone", score_label="calm")
    span.events[0].attributes["error.type"] = "timeout"

    assert taken(span) == []


def test_what_is_no_grade_stays_on_the_span() -> None:
    span = with_event(a_tool(2, 1, raised="ValueError"), name="tone", score_label="calm")
    span.attributes["app.x"] = 1
    span.attributes["annotations"] = (entry("annotations", name="a", label="b"),)

    assert len(taken(span)) == 2
    assert [event.name for event in span.events] == ["exception"]
    assert span.attributes["app.x"] == 1
    assert "annotations" not in span.attributes


@pytest.mark.parametrize("span_id", [an_id(1), b"", bytes(8)])
def test_a_carriers_grade_is_about_what_it_links_to(span_id: bytes) -> None:
    """In a trace of its own, or in the same one: whose child it is does not count."""
    for family in (*WHOLE, *OF_SPAN):
        span = with_entry(an_evaluator(), family, name="c", label="good")

        ((trace_id, grade),) = taken(linked(span, (OTHER_TRACE, span_id)))

        assert trace_id == OTHER_TRACE
        of_span = family in OF_SPAN and span_id == an_id(1)
        assert grade.span_id == (an_id(1) if of_span else b"")


def test_an_agents_link_is_no_target() -> None:
    """Agents link to what they go on from."""
    span = linked(with_entry(an_agent(1), name="c", label="good"), (OTHER_TRACE, an_id(1)))

    assert [trace_id for trace_id, _ in taken(span)] == [TRACE]


def test_a_link_without_a_trace_is_none() -> None:
    span = linked(with_entry(an_evaluator(), name="c", label="good"), (b"", an_id(1)))

    assert [trace_id for trace_id, _ in taken(span)] == [TRACE]


def test_an_evaluators_own_trace_without_a_link_is_about_its_parent() -> None:
    ((_, below),) = taken(with_entry(an_evaluator(9, 4), "evaluations", name="c", label="good"))
    ((_, alone),) = taken(with_event(an_evaluator(9, None), name="c", score_label="good"))

    assert (below.span_id, alone.span_id) == (an_id(4), b"")


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ('{"label": "correct", "score": 1}', [("ev", "correct", 1.0)]),
        ('{"name": "tone", "label": "calm"}', [("tone", "calm", None)]),
        ('[{"name": "a", "score": 0.5}, {"label": "x"}]', [("a", "", 0.5), ("ev", "x", None)]),
        ("true", [("ev", "true", None)]),
        (True, [("ev", "true", None)]),
        ("0.25", [("ev", "", 0.25)]),
        (1, [("ev", "", 1.0)]),
        ('{"score": true}', [("ev", "true", None)]),
        ('{"score": false, "label": "no"}', [("ev", "no", None)]),
        ('"fail"', [("ev", "fail", None)]),
        ("correct", [("ev", "correct", None)]),
        ("x" * 257, []),
        ('{"score": "high"}', []),
        ('{"score": NaN}', []),
        ("[]", []),
        ("null", []),
        ("", []),
        (None, []),
    ],
)  # fmt: skip
def test_an_evaluator_may_tell_its_result_as_its_output(output: Value, told: list[Any]) -> None:
    span = an_evaluator(attributes={"output.value": output})
    span.name = "ev"

    assert [(one.name, one.label, one.score) for _, one in taken(span)] == told


def test_an_evaluators_output_counts_only_without_a_grade() -> None:
    span = with_entry(an_evaluator(attributes={"output.value": "true"}), name="c", label="good")

    assert [one.name for _, one in taken(span)] == ["c"]
    assert taken(a_span(9, 1, {OPENINFERENCE: "RETRIEVER", "output.value": "true"})) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "", "label": "x"},
        {"name": "  ", "label": "x"},
        {"label": "x"},
        {"name": 5, "label": "x"},
        {"name": "n"},
        {"name": "n", "label": ""},
        {"name": "n", "label": "  "},
        {"name": "n", "label": ("x",)},
        {"name": "n", "score": "1"},
        {"name": "n", "score": float("nan")},
        {"name": "n", "score": float("inf")},
        {"name": "n", "score": 10**400},
        {"name": "n", "explanation": "because"},
    ],
)
def test_what_names_nothing_or_says_nothing_is_no_grade(fields: dict[str, Any]) -> None:
    assert taken(with_entry(an_agent(1), **fields)) == []


def test_long_words_are_cut_and_trimmed() -> None:
    span = with_entry(an_agent(1), name=" n " + "n" * 300, label=" " + "x" * 300)

    ((_, grade),) = taken(span)

    assert (len(grade.name), grade.label) == (256, "x" * 256)


def test_whoever_makes_grades_up_is_bounded() -> None:
    span = an_evaluator()
    span.attributes["evaluations"] = tuple(
        entry("evaluations", name=f"n{n}", label="x") for n in range(MOST + 1)
    )
    linked(span, *[(n.to_bytes(16, "big"), an_id(1)) for n in range(1, MOST_LINKS + 2)])

    found = taken(span)

    assert len(found) == MOST * MOST_LINKS
    every = [Grade(f"n{n}", "x", time_ns=n) for n in range(MOST_A_TRACE + 1)]
    assert grades.merged(every) == tuple(every[1:])


some = st.builds(
    Grade,
    st.sampled_from(["a", "b"]),
    st.sampled_from(["", "x", "y"]),
    st.none() | st.sampled_from([0.0, 1.0]),
    st.integers(0, 2),
    st.sampled_from([b"", an_id(1)]),
)


@given(st.lists(some, max_size=12), st.integers(0, 12), st.integers())
def test_grades_in_any_order_split_and_repeated_are_the_same(
    every: list[Grade], at: int, seed: int
) -> None:
    shuffled = every + every[:at]
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - an order, not a secret

    plain = grades.merged(every)

    assert grades.merged(grades.merged(shuffled[:at]), shuffled[at:]) == plain
    assert len({(one.name, one.span_id) for one in plain}) == len(plain)
    assert all(one.time_ns <= two.time_ns for one, two in pairwise(plain))


def test_of_one_name_and_span_the_latest_stays() -> None:
    old, new = Grade("c", "bad", time_ns=1), Grade("c", "good", time_ns=2)
    other = Grade("c", "bad", time_ns=3, span_id=an_id(1))

    assert grades.merged([new, old, other]) == (new, other)


def test_a_grade_of_the_root_or_above_is_the_runs() -> None:
    """A web request's span above an agent's, whose own parent never came."""
    web = a_span(1, 8, {"http.method": "GET"})
    (run,) = runs_of(web, an_agent(2, 1), a_tool(3, 2))
    told = [Grade("c", "good", time_ns=n, span_id=an_id(n)) for n in (1, 2, 3, 8, 9)]

    grades.give([run], told)

    assert run.root.above == (an_id(1), an_id(8))
    assert run.grades == (
        Grade("c", "good", time_ns=3, span_id=an_id(3)),
        Grade("c", "good", time_ns=8),
        Grade("c", "good", time_ns=9, span_id=an_id(9)),
    )


def test_with_unit_agent_a_grade_is_of_the_agent_that_it_names() -> None:
    spans = (a_chain(1), an_agent(2, 1), a_tool(3, 2), an_agent(4, 1))
    one, other = runs_of(*spans, unit="agent")
    told = [
        Grade("whole", "x"),
        Grade("above", "x", span_id=an_id(1)),
        Grade("one", "x", span_id=an_id(2)),
        Grade("step", "x", span_id=an_id(3)),
        Grade("other", "x", span_id=an_id(4)),
    ]

    grades.give([one, other], told)

    assert {grade.name for grade in one.grades} == {"whole", "above", "one"}
    assert {grade.name for grade in other.grades} == {"whole", "above", "other"}


def test_without_grades_a_run_is_left_as_it_is() -> None:
    (run,) = runs_of(an_agent(1))
    run.grades = (Grade("c", "good"),)

    grades.give([run], ())

    assert run.grades == (Grade("c", "good"),)


def test_of_many_spans_above_the_nearest_are_named() -> None:
    webs = [a_span(n, n - 1 if n > 1 else None) for n in range(1, 71)]
    (run,) = runs_of(*webs, an_agent(71, 70))

    assert run.root.above == tuple(an_id(n) for n in range(70, 6, -1))


def test_a_span_that_no_convention_knows_may_carry_a_grade() -> None:
    span = linked(with_entry(a_span(5), name="c", label="good"), (OTHER_TRACE, an_id(1)))

    assert [trace_id for trace_id, _ in taken(span)] == [OTHER_TRACE]
    assert span.role is Role.OTHER
