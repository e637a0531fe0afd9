"""The runs of one session joined."""

from assemble.runs_of import a_model, a_span, a_tool, an_agent, asks, runs_of, words
from surefoot.assemble import join
from surefoot.model import Evidence, Run, Span, Told, Value

FIRST, SECOND = b"1" * 16, b"2" * 16
SESSION: dict[str, Value] = {"session.id": "s-1"}


def turns() -> list[Span]:
    past = [
        words("user", "refund 7"),
        asks(("c1", "look", {})),
        words("tool", "found", tool_call_id="c1"),
        words("user", "yes"),
    ]
    return [
        an_agent(1, trace=FIRST, attributes={**SESSION, "input.value": "refund 7"}),
        a_tool(2, 1, args={}, call_id="c1", trace=FIRST),
        an_agent(
            11, trace=SECOND, attributes={**SESSION, "input.value": "yes", "output.value": "bye"}
        ),
        a_tool(12, 11, "pay", {}, trace=SECOND),
        a_model(13, 11, heard=past, trace=SECOND),
    ]


def joined() -> Run:
    (run,) = runs_of(*turns(), unit="session")
    return run


def test_a_session_is_one_run_with_the_steps_of_all() -> None:
    run = joined()

    assert [(step.tool, step.t) for step in run.steps] == [("look", 1.0), ("pay", 11.0)]
    assert (run.key, run.session, run.spans) == (b"s-1", "s-1", 5)


def test_its_root_and_answer_are_the_latests_its_task_the_firsts() -> None:
    run = joined()

    assert (run.trace_id, run.root.span_id[-1], run.output) == (SECOND, 11, "bye")
    assert run.told == Told(user=("refund 7", "yes"))


def test_joining_does_not_hang_on_the_order() -> None:
    runs = runs_of(*turns())

    assert repr(join(runs)) == repr(join(runs[::-1]))


def test_a_result_that_a_later_trace_tells_is_filled_in() -> None:
    """One call a trace: its result stands in the next call's history."""
    request = asks(("c1", "look", {"id": 1}))
    spans = [
        a_model(1, said=[request], trace=FIRST),
        a_model(2, heard=[request, words("tool", "found", tool_call_id="c1")], trace=SECOND),
    ]

    (run,) = runs_of(*spans, unit="session")

    assert [(step.tool, step.result) for step in run.steps] == [("look", "found")]
    assert run.told.history == ()


def test_what_limits_one_limits_all_but_for_what_another_has() -> None:
    spans = [
        an_agent(1, trace=FIRST),
        an_agent(11, trace=SECOND, attributes={"input.value": "refund 7"}),
        a_tool(12, 11, args=None, trace=SECOND),
        a_span(13, 11, trace=SECOND),
    ]

    (run,) = runs_of(*spans, unit="session")

    assert run.levels == {Evidence.ARGS_MISSING}


def test_one_run_joined_is_itself_but_for_its_key() -> None:
    (run,) = runs_of(*turns()[:2])
    alone = join([run])

    assert alone.steps == run.steps
    assert alone.levels == run.levels
    assert alone.key == b"s-1"


def test_what_was_used_is_summed_and_nothing_where_none_tells() -> None:
    def a_turn(n: int, trace: bytes, cost: float | None) -> list[Span]:
        told: dict[str, Value] = {} if cost is None else {"llm.cost.total": cost}
        return [
            an_agent(n, trace=trace, start=n + 50),
            a_model(n + 1, n, trace=trace, attributes=told, start=n + 51),
            a_tool(n + 2, n, trace=trace, start=n, end=n + 1),
        ]

    def of(first: float | None, second: float | None) -> Run:
        spans = [*a_turn(1, FIRST, first), *a_turn(11, SECOND, second)]
        (run,) = runs_of(*spans, unit="session")
        return run

    run = of(0.25, 0.5)
    assert (run.llm_calls, run.cost, run.skewed) == (2, 0.75, 2)
    assert (of(None, 0.5).cost, of(0.0, None).cost, of(None, None).cost) == (0.5, 0.0, None)


def test_a_steps_name_and_whom_it_hands_to_stay() -> None:
    spans = [
        an_agent(1, trace=FIRST),
        a_tool(2, 1, "handoff", {"to_agent": "billing"}, trace=FIRST),
        a_tool(3, 1, "", {}, trace=FIRST, name="look"),
        an_agent(11, trace=SECOND),
    ]

    (run,) = runs_of(*spans, unit="session")

    assert [(known.hands_to, known.named) for known in run.evidence] == [
        ("billing", True),
        ("", False),
    ]


def test_the_steps_of_traces_that_overlap_stand_by_their_start() -> None:
    spans = [
        an_agent(1, trace=FIRST, attributes=SESSION, start=0, end=9),
        a_tool(2, 1, "look", {}, trace=FIRST, start=1, end=2),
        a_tool(3, 1, "pay", {}, trace=FIRST, start=6, end=7),
        an_agent(11, trace=SECOND, attributes=SESSION, start=3, end=8),
        a_tool(12, 11, "ask", {}, trace=SECOND, start=4, end=5),
    ]
    (run,) = runs_of(*spans, unit="session")

    assert [step.tool for step in run.steps] == ["look", "ask", "pay"]
    assert [known.trace_id for known in run.evidence] == [FIRST, SECOND, FIRST]
