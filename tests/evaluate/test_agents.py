from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.orders import SHAPES, found, growth, violations
from evaluate.runs import a_call, a_run, judged
from surefoot.model import PathGrade, Severity, Source, StepKind

TRIAGE = {"allow": [["triage", "refund_*"], ["refund_?", "triage"]]}
TOOLS = {"triage": ["lookup"], "re*": ["issue_*", "lookup"], "refund": ["check"], "mute": []}


def a_handoff(target: str, agent: str = "triage", **known: Any) -> Any:
    """A hand-over to an agent."""
    return a_call("transfer", agent=agent, kind=StepKind.HANDOFF, hands_to=target, **known)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), max_size=6).map(sorted),
    st.integers(1, 4),
)
def test_as_many_run_at_once_as_at_some_moment(times: list[tuple[int, int]], most: int) -> None:
    run = a_run(*(a_call("a", span=(start, start + length)) for start, length in times))
    at_once = [
        sum(known.start_ns <= moment < known.end_ns for known in run.evidence)
        for moment in range(15)
    ]
    peak = max(at_once)

    told = violations(run, parallel={"max": most})

    assert [one.message for one in told] == (
        [f"{peak} calls at once, at most {most} allowed"] if peak > most else []
    )
    for one in told:
        over = next(moment for moment, count in enumerate(at_once) if count > most)
        started = [at for at, known in enumerate(run.evidence) if known.start_ns <= over]
        running = [at for at in started if run.evidence[at].end_ns > over]
        assert one.step in running
        assert run.evidence[one.step].start_ns == over


def test_the_first_call_over_the_bound_is_told() -> None:
    run = a_run(*(a_call("a", span=(at, 9)) for at in range(4)), "a")

    (violation,) = violations(run, parallel={"max": 2})

    assert violation.severity is Severity.SOFT
    assert violation.step == 2
    assert violation.expected == "at most 2 at once"
    assert violation.observed == "4 at once, more than 2 from step 2 on"


def test_calls_that_touch_do_not_overlap() -> None:
    run = a_run(a_call("a", span=(0, 5)), a_call("a", span=(5, 9)))

    assert violations(run, parallel={"max": 1}) == ()


def test_a_call_without_length_is_at_once_with_one_around_it() -> None:
    run = a_run(a_call("a", span=(0, 5)), a_call("a", span=(3, 3)), a_call("a", span=(3, 4)))

    assert (
        violations(run, parallel={"max": 1})[0].observed == "2 at once, more than 1 from step 1 on"
    )


def test_a_call_known_from_the_model_alone_has_no_length() -> None:
    run = a_run(*(a_call("a", span=(0, 9), source=Source.LLM) for _ in range(3)))

    assert violations(run, parallel={"max": 1}) == ()


def test_a_call_that_never_ran_is_not_at_once_with_any() -> None:
    run = a_run(a_call("a", span=(0, 9)), a_call("a", span=(0, 9), ran=False))

    assert violations(run, parallel={"max": 1}) == ()


@pytest.mark.parametrize(
    ("outer", "kind", "inner", "inside", "count"),
    [
        ("triage", StepKind.TOOL, "refund", (2, 8), 0),
        ("triage", StepKind.TOOL, "refund", (2, 9), 0),
        ("triage", StepKind.TOOL, "refund", (2, 10), 1),
        ("triage", StepKind.TOOL, "triage", (2, 8), 1),
        ("triage", StepKind.HANDOFF, "triage", (2, 8), 0),
        ("triage", StepKind.HANDOFF, "refund", (2, 10), 0),
    ],
)
def test_a_call_that_waits_for_another_agent_is_not_at_once_with_its_calls(
    outer: str, kind: StepKind, inner: str, inside: tuple[int, int], count: int
) -> None:
    run = a_run(
        a_call("ask", agent=outer, kind=kind, span=(1, 9)),
        a_call("a", agent=inner, span=inside),
        a_call("b", agent=outer, span=(20, 21)),
    )

    assert len(violations(run, parallel={"max": 1})) == count


def test_who_waits_is_told_by_any_call_within() -> None:
    """The first to end is the own agent's; the other agent's ends later, and in time."""
    run = a_run(
        a_call("ask", agent="a", span=(0, 20)),
        a_call("x", agent="a", span=(1, 2)),
        a_call("y", agent="b", span=(3, 9)),
        a_call("y", agent="b", span=(10, 12)),
    )
    late = a_run(
        a_call("ask", agent="a", span=(0, 20)),
        a_call("x", agent="a", span=(1, 2)),
        a_call("y", agent="b", span=(3, 30)),
    )

    assert violations(run, parallel={"max": 1}) == ()
    assert [one.step for one in violations(late, parallel={"max": 1})] == [1]


@pytest.mark.parametrize(
    "calls",
    [
        (("b", 1, 9), ("a", 2, 3)),
        (("b", 1, 9), ("b", 2, 30), ("a", 3, 4)),
        (("b", 1, 19), ("a", 2, 18), ("b", 3, 4)),
    ],
)
def test_who_waits_for_one_that_waits_is_at_once_with_none(
    calls: tuple[tuple[str, int, int], ...],
) -> None:
    run = a_run(
        a_call("ask", agent="a", span=(0, 20)),
        *(a_call("x", agent=agent, span=(start, end)) for agent, start, end in calls),
    )

    assert violations(run, parallel={"max": 1}) == ()


def test_calls_of_several_traces_are_counted_by_start() -> None:
    run = a_run(a_call("x", span=(5, 9)), a_call("x", span=(0, 6)))

    assert [one.step for one in violations(run, parallel={"max": 1})] == [0]


@pytest.mark.parametrize(
    ("agent", "target", "grade"),
    [
        ("triage", "refund_desk", PathGrade.OK),
        ("triage", "billing", PathGrade.VIOLATED),
        ("triage", "", PathGrade.INCONCLUSIVE),
        ("refund_1", "triage", PathGrade.OK),
        ("refund_12", "triage", PathGrade.VIOLATED),
        ("other", "", PathGrade.VIOLATED),
        ("triage", "Refund_desk", PathGrade.VIOLATED),
    ],
)
def test_only_who_may_hands_over(agent: str, target: str, grade: PathGrade) -> None:
    run = a_run("lookup", a_handoff(target, agent))

    assert found(run, handoff=TRIAGE) is grade


def test_who_may_not_hand_over_is_told_to_whom() -> None:
    run = a_run("lookup", a_handoff("billing"), a_handoff("", "other"))

    first, second = violations(run, handoff=TRIAGE)

    assert first.severity is Severity.HARD
    assert (first.step, second.step) == (1, 2)
    assert first.message == "triage may not hand over to billing"
    assert first.expected == "triage hands over to refund_*"
    assert first.observed == "transfer, to billing"
    assert first.subject == "triage, billing"
    assert second.message == "other may not hand over to another agent"
    assert second.expected == "other hands over to nobody"
    assert second.observed == "transfer, to an agent no span names"


def test_an_unknown_target_is_undecided_for_a_reason() -> None:
    (undecided,) = judged(a_run(a_handoff("")), rules=[{"id": "r", "handoff": TRIAGE}]).undecided

    assert undecided.reason == "target_unknown"
    assert found(a_run(a_handoff("")), handoff={"allow": [["triage", "*"]]}) is PathGrade.OK


def test_every_hand_over_is_looked_at() -> None:
    run = a_run(a_handoff("refund_desk"), a_handoff(""), "x", a_handoff("billing"))

    assert [one.step for one in violations(run, handoff=TRIAGE)] == [3]


def test_several_targets_are_named() -> None:
    allow = {"allow": [["triage", "a"], ["tri*", "b"]]}

    assert (
        violations(a_run(a_handoff("c")), handoff=allow)[0].expected
        == "triage hands over to a or b"
    )
    assert violations(a_run(a_handoff("b")), handoff=allow) == ()


def test_a_hand_over_that_the_vocabulary_leaves_out_is_looked_at() -> None:
    verdict = judged(
        a_run("lookup", a_handoff("billing")),
        tools=["lookup"],
        rules=[{"id": "r", "handoff": TRIAGE}],
    )

    assert [one.check for one in verdict.violations] == ["r"]


def test_a_hand_over_that_never_ran_is_none() -> None:
    assert violations(a_run(a_handoff("billing", ran=False)), handoff=TRIAGE) == ()


def test_no_other_call_hands_over() -> None:
    assert violations(a_run(a_call("transfer", hands_to="billing")), handoff=TRIAGE) == ()


@pytest.mark.parametrize(
    ("agent", "tool", "count"),
    [
        ("triage", "lookup", 0),
        ("triage", "check", 1),
        ("refund", "check", 0),
        ("refund", "issue_refund", 0),
        ("refund", "send", 1),
        ("mute", "lookup", 1),
        ("free", "send", 0),
        ("triage", "Look Up", 1),
        ("triage", "functions.lookup", 0),
    ],
)
def test_an_agent_calls_only_its_tools(agent: str, tool: str, count: int) -> None:
    assert len(violations(a_run(a_call(tool, agent=agent)), agent_tools=TOOLS)) == count


def test_each_other_call_is_told() -> None:
    run = a_run(
        a_call("send", agent="refund"),
        a_call("a", agent="mute"),
        a_call("a", agent="free"),
        a_call("send", agent="refund"),
    )

    first, second, third = violations(run, agent_tools=TOOLS)

    assert (first.step, second.step, third.step) == (0, 1, 3)
    assert first.severity is Severity.HARD
    assert first.message == "refund may not call send"
    assert first.expected == "refund calls only issue_*, lookup, check"
    assert first.observed == "send, called by refund"
    assert first.subject == "refund, send"
    assert second.expected == "mute calls only nothing"


def test_a_hand_over_and_a_call_that_never_ran_are_no_tool() -> None:
    run = a_run(a_handoff("billing"), a_call("check", agent="triage", ran=False))

    assert violations(run, agent_tools=TOOLS) == ()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "rule",
    [
        {"parallel": {"max": 2}},
        {"handoff": {"allow": []}},
        {"agent_tools": {"m*": ["a"]}},
    ],
    ids=str,
)
def test_the_work_grows_with_the_calls(shape: str, rule: dict[str, Any]) -> None:
    assert growth(shape, **rule) < 12
