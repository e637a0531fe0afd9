"""What others said of an output: evaluators, judges, people.

Owns where grades stand on spans and which run they are about. Decides nothing about what
a grade is worth. They are taken off each span once, before it is held, and travel beside
the spans of the trace that they are about, since most come in a trace of their own:

- `trace.evaluations.N.evaluation.*` and `trace.annotations.N.annotation.*` are about a
  trace; without `trace.` they, and `gen_ai.evaluation.result` events, about a span.
- An evaluator's span that has nothing of these may tell its result as its output.
- A span that is no agent's work and has a Link is about what it links to. Any other span
  is about itself and its own trace, but for an evaluator's: it is about its parent.

A grade is about a run where it is about the trace, the run's root, or a span above it.
One about any other span stays apart (`Grade.span_id`); with unit `agent` it is let go,
since nothing tells in which agent's part that span stands.

Sources: Arize-ai/openinference spec/annotations.md; open-telemetry/
semantic-conventions-genai, docs/gen-ai/gen-ai-events.md.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import orjson

from surefoot.assemble.dialects import keys
from surefoot.assemble.members import CHAIN
from surefoot.assemble.messages import items_at
from surefoot.assemble.values import structure, text_of
from surefoot.model import Event, Grade, Run, Span, Value

#: Grades a span, spans that it links to, and grades a trace: more than any evaluator
#: gives. SDKs keep 128 attributes and links a span by default.
MOST, MOST_LINKS, MOST_A_TRACE = 64, 16, 256
#: Longer names and labels are prose, and are cut.
_LONGEST = 256
_FAMILIES: Final = frozenset(keys.GRADES)
_TRACE_ID, _NO_SPAN = 16, bytes(8)


class _Said(NamedTuple):
    """A grade as a span has it. is_of_trace: it is about no single span."""

    grade: Grade
    is_of_trace: bool = False


def take(span: Span) -> list[tuple[bytes, Grade]]:
    """Take the grades off a reduced span: (id of the trace that it is about, grade) each.

    Never raises on any span's content. O(1) for a span that has none.
    """
    if span.role >= CHAIN and not span.events and _FAMILIES.isdisjoint(span.attributes):
        return []
    said = list(_in_entries(span))
    if span.events:
        said += [one for event in span.events for one in _in_event(span, event)]
        span.events = tuple(event for event in span.events if event.name != keys.GRADED)
    if not said and _is_evaluator(span):
        said = list(_in_output(span))
    return [
        (trace_id, one.grade if one.is_of_trace else replace(one.grade, span_id=span_id))
        for trace_id, span_id in (_about(span) if said else ())
        for one in said[:MOST]
    ]


def merged(*groups: Iterable[Grade]) -> tuple[Grade, ...]:
    """Join grades of one trace: of each name and span the latest, in order of time.

    The same grades in any order, split or repeated, give the same.
    """
    latest: dict[tuple[str, bytes], Grade] = {}
    for group in groups:
        for grade in group:
            key = (grade.name, grade.span_id)
            if key not in latest or _rank(latest[key]) < _rank(grade):
                latest[key] = grade
    return tuple(sorted(latest.values(), key=_rank)[-MOST_A_TRACE:])


def give(runs: Iterable[Run], grades: Sequence[Grade]) -> None:
    """Tell each run of a trace the trace's grades that are about it."""
    for run in runs if grades else ():
        own = {b"", run.root.span_id, *run.root.above}
        is_part = run.key == run.root.span_id
        run.grades = merged(
            replace(grade, span_id=b"") if grade.span_id in own else grade
            for grade in grades
            if grade.span_id in own or not is_part
        )


def _rank(grade: Grade) -> tuple[object, ...]:
    score = grade.score
    return (grade.time_ns, grade.name, grade.label, score is not None, score or 0, grade.span_id)


def _about(span: Span) -> Iterator[tuple[bytes, bytes]]:
    """The (trace id, span id) that a span's grades are about."""
    links = [link for link in span.links if len(link.trace_id) == _TRACE_ID]
    if links and span.role < CHAIN:
        for link in links[:MOST_LINKS]:
            yield link.trace_id, b"" if link.span_id == _NO_SPAN else link.span_id
    else:
        yield span.trace_id, span.parent_id if _is_evaluator(span) else span.span_id


def _is_evaluator(span: Span) -> bool:
    return text_of(span.attributes.get(keys.KIND)).upper() == "EVALUATOR"


def _in_entries(span: Span) -> Iterator[_Said]:
    for family in keys.GRADES:
        if family in span.attributes:
            stem = f"{family.rpartition('.')[2][:-1]}."
            entries = items_at(span.attributes, family)
            del span.attributes[family]
            for entry in entries:
                told = dict(entry)
                name, label, score = (told.get(stem + key) for key in ("name", "label", "score"))
                for grade in _grade(name, label, score, span.end_ns):
                    yield _Said(grade, is_of_trace=family.startswith("trace."))


def _in_event(span: Span, event: Event) -> Iterator[_Said]:
    """A result; an event that bears an error tells that there is none."""
    told = event.attributes
    if event.name == keys.GRADED and not told.get("error.type"):
        name, label, score = (
            told.get(f"gen_ai.evaluation.{key}") for key in ("name", "score.label", "score.value")
        )
        yield from map(_Said, _grade(name, label, score, event.time_ns or span.end_ns))


def _in_output(span: Span) -> Iterator[_Said]:
    """An evaluator's own result: `{"label": "correct", "score": 1}`, a list of these, true."""
    output = span.attributes.get("output.value")
    found = structure(output)
    told: Any = found.value if found and found.whole else _scalar(output)
    for one in told if isinstance(told, list) else [told]:
        if isinstance(one, dict):
            name = one.get("name") or span.name
            grades = _grade(name, one.get("label"), one.get("score"), span.end_ns)
        elif isinstance(one, str | bool):
            grades = _grade(span.name, one, None, span.end_ns)
        else:
            grades = _grade(span.name, None, one, span.end_ns)
        yield from map(_Said, grades)


def _scalar(value: Value) -> Any:
    try:
        return orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        return value if isinstance(value, str) and len(value) <= _LONGEST else None


def _grade(name: Any, label: Any, score: Any, time_ns: int) -> Iterator[Grade]:
    """One grade, if it has a name and says something. A score that is a bool is a label."""
    if isinstance(score, bool):
        label, score = label if label not in (None, "") else score, None
    is_number = isinstance(score, int | float) and math.isfinite(_float(score))
    words = text_of(label).strip()[:_LONGEST] if isinstance(label, str | bool | int) else ""
    if isinstance(name, str) and name.strip() and (words or is_number):
        yield Grade(name.strip()[:_LONGEST], words, _float(score) if is_number else None, time_ns)


def _float(score: float) -> float:
    try:
        return float(score)
    except OverflowError:
        return math.inf
