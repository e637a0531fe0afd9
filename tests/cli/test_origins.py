"""Which file a finding is to be looked for in."""

from dataclasses import replace

from cli.builders import a_run, a_span
from surefoot.cli.origins import Origins, Place
from surefoot.cli.read import Request

RUN = a_run("a", "b")
RUN.evidence[1] = replace(RUN.evidence[1], span_id=b"\3" * 8)
STEP, ROOT = RUN.evidence[1].span_id, RUN.root.span_id


def known(**files: bytes) -> Origins:
    origins = Origins()
    for file, span_id in files.items():
        origins.note(Request(b"", file), [a_span(RUN.trace_id, span_id)])
    return origins


def test_a_step_is_in_the_file_of_its_span_and_a_run_in_that_of_its_root() -> None:
    origins = known(first=STEP, second=ROOT)

    assert origins.place(RUN, 1) == Place("first", 0, RUN.trace_id, STEP)
    assert origins.place(RUN) == Place("second", 0, RUN.trace_id, ROOT)


def test_a_step_whose_span_came_from_nowhere_is_with_the_root() -> None:
    assert known(second=ROOT).place(RUN, 1).file == "second"
    assert Origins().place(RUN, 1).file == ""


def test_a_span_that_came_twice_is_where_it_came_first() -> None:
    assert known(first=STEP, again=STEP).place(RUN, 1).file == "first"


def test_a_step_of_an_earlier_trace_of_a_session_is_looked_for_there() -> None:
    earlier = b"\7" * 16
    run = replace(RUN, evidence=[RUN.evidence[0], replace(RUN.evidence[1], trace_id=earlier)])
    origins = known(second=ROOT)
    origins.note(Request(b"", "before"), [a_span(earlier, STEP)])

    assert origins.place(run, 1) == Place("before", 0, earlier, STEP)


def test_a_line_is_told_as_a_compiler_does() -> None:
    assert str(Place("a.jsonl", 3, b"", b"")) == "a.jsonl:3"
    assert str(Place("a.binpb", 0, b"", b"")) == "a.binpb"
