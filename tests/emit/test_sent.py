from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from emit.builders import MS, ROOT, START, a_run, a_verdict, a_violation, an_id
from surefoot.emit.sent import Plan, Sent, plan, plan_early
from surefoot.model import (
    Evidence,
    OutputGrade,
    Reason,
    Run,
    Severity,
    StepEvidence,
    Undecided,
    Verdict,
)

CHECKS = ("forbidden", "before", "ground")


@dataclass(frozen=True)
class Seen:
    """One violation as a judgement may see it: on which of some calls, by which span.

    Each call has a tool span and a model span; a judgement may know one or both.
    """

    check: str
    call: int
    subject: str
    knows: str  # tool, model, both


seen = st.builds(
    Seen,
    st.sampled_from(CHECKS),
    st.integers(0, 3),
    st.sampled_from(["", "amount"]),
    st.sampled_from(["tool", "model", "both"]),
)
#: What one judgement sees. A call is told in one way within one judgement.
judgements = st.lists(
    st.lists(seen, max_size=6, unique_by=lambda one: (one.check, one.call, one.subject)),
    min_size=1,
    max_size=5,
)


def a_place(call: int, knows: str) -> StepEvidence:
    """A step as known by a tool span, a model span, or both merged; calls have ids."""
    tool, model = an_id(call + 1), an_id(100)
    both = ((tool, f"c{call}"), (model, f"c{call}"))
    start = START + call * MS
    if knows == "tool":
        return StepEvidence(tool, start, start, f"c{call}")
    if knows == "model":
        return StepEvidence(model, start + 1, start + 1, f"c{call}")
    return StepEvidence(tool, start, start, f"c{call}", merged=both)


def judged(sights: Sequence[Seen]) -> tuple[Run, Verdict]:
    """A run and verdict that hold these violations."""
    run = a_run(*["tool"] * len(sights), evidence=[a_place(one.call, one.knows) for one in sights])
    found = [
        a_violation(one.check, at, subject=one.subject, message=f"{one}")
        for at, one in enumerate(sights)
    ]
    return run, a_verdict(*found)


def replayed(sights: Sequence[Sequence[Seen]]) -> list[Plan]:
    """The plans of one judgement after the other."""
    plans: list[Plan] = []
    before: Sent | None = None
    for one in sights:
        plans.append(plan(*judged(one), before))
        before = plans[-1].after
    return plans


@given(judgements)
def test_a_violation_leaves_once_however_its_step_is_known(sights: list[list[Seen]]) -> None:
    plans = replayed(sights)
    left = [out for one in plans for _, out in one.new_violations]
    told = {(one.check, one.call, one.subject) for sight in sights for one in sight}

    assert len(left) == len(told)
    assert len({out.span_id for out in left}) == len(left)


@given(judgements)
def test_withdrawn_names_exactly_what_is_out_and_not_found(sights: list[list[Seen]]) -> None:
    known: dict[tuple[str, int, str], bytes] = {}
    for sight, one in zip(sights, replayed(sights), strict=True):
        found = {(each.check, each.call, each.subject) for each in sight}
        for each, (_, out) in zip(sight, one.violations, strict=True):
            identity = (each.check, each.call, each.subject)

            assert known.setdefault(identity, out.span_id) == out.span_id

        expected = {span_id for identity, span_id in known.items() if identity not in found}
        assert set(one.withdrawn) == (expected if one.emit else set())
        assert len(one.withdrawn) == len(set(one.withdrawn))


@given(judgements)
def test_the_same_judgement_again_sends_nothing(sights: list[list[Seen]]) -> None:
    last = replayed(sights)[-1]
    again = plan(*judged(sights[-1]), last.after)

    assert not again.emit
    assert not again.new_violations
    assert again.after.verdict_id == last.after.verdict_id
    assert again.after.revision == last.after.revision


@given(judgements)
def test_revisions_count_the_verdicts_sent_and_point_back_one_by_one(
    sights: list[list[Seen]],
) -> None:
    sent = [one for one in replayed(sights) if one.emit]

    assert [one.after.revision for one in sent] == list(range(len(sent)))
    assert sent[0].replaces == b""
    assert [one.replaces for one in sent[1:]] == [one.after.verdict_id for one in sent[:-1]]
    assert [one.is_first for one in sent] == [True] + [False] * (len(sent) - 1)


@given(judgements)
def test_what_is_out_keeps_id_parent_and_start(sights: list[list[Seen]]) -> None:
    left: dict[bytes, tuple[bytes, int]] = {}
    for one in replayed(sights):
        for _, out in one.violations:
            kept = left.setdefault(out.span_id, (out.parent_id, out.start_ns))

            assert kept == (out.parent_id, out.start_ns)


def test_a_first_verdict_sends_all_its_violations() -> None:
    first = plan(a_run("a", "b"), a_verdict(a_violation("x", 1), a_violation("y", None)))

    assert first.emit
    assert first.is_first
    assert [(out.parent_id, out.start_ns) for _, out in first.new_violations] == [
        (an_id(2), START + MS),
        (ROOT, START - MS),
    ]
    assert first.withdrawn == ()


def test_equal_violations_of_one_step_are_two_spans() -> None:
    pair = (a_violation("x", 0), a_violation("x", 0))
    first = plan(a_run("a"), a_verdict(*pair))
    again = plan(a_run("a"), a_verdict(*pair, a_violation("x", 0)), first.after)

    ids = [out.span_id for _, out in (*first.violations, *again.new_violations)]
    assert len(set(ids)) == 3
    assert len(again.new_violations) == 1


def test_calls_of_one_model_span_without_ids_are_kept_apart_by_their_order() -> None:
    evidence = [StepEvidence(an_id(9), START, START) for _ in range(2)]
    run = a_run("a", "a", evidence=evidence)
    first = plan(run, a_verdict(a_violation("x", 0), a_violation("x", 1)))
    again = plan(run, a_verdict(a_violation("x", 0)), first.after)

    assert len({out.span_id for _, out in first.violations}) == 2
    assert again.withdrawn == (first.violations[1][1].span_id,)


def test_calls_of_one_model_span_with_other_ids_are_other_calls() -> None:
    one = a_run("a", evidence=[StepEvidence(an_id(9), START, START, "c1")])
    other = a_run("a", evidence=[StepEvidence(an_id(9), START, START, "c2")])
    first = plan(one, a_verdict(a_violation("x", 0)))
    again = plan(other, a_verdict(a_violation("x", 0)), first.after)

    assert len(again.new_violations) == 1
    assert again.withdrawn == (first.violations[0][1].span_id,)


def test_a_span_that_learns_its_call_is_the_same_step() -> None:
    bare = a_run("a", evidence=[StepEvidence(an_id(9), START, START)])
    named = a_run("a", evidence=[StepEvidence(an_id(9), START, START, "c1")])
    first = plan(bare, a_verdict(a_violation("x", 0)))
    again = plan(named, a_verdict(a_violation("x", 0)), first.after)

    assert not again.new_violations


def test_a_call_id_used_anew_in_another_turn_does_not_take_the_first_ones_span() -> None:
    """Some frameworks number the calls of each turn from 0."""
    turns = [StepEvidence(an_id(n), START, START, "call_0") for n in (1, 2)]
    first = plan(a_run("a", evidence=turns[:1]), a_verdict(a_violation("x", 0)))
    both = (a_violation("x", 0), a_violation("x", 1))
    again = plan(a_run("a", "a", evidence=turns[::-1]), a_verdict(*both), first.after)

    assert again.violations[1][1].span_id == first.violations[0][1].span_id
    assert [out.parent_id for _, out in again.new_violations] == [an_id(2)]


def test_early_violations_are_not_sent_again_by_the_verdict() -> None:
    early = plan_early(a_run("a"), "refunds", [a_violation("x", 0)])
    merged = a_place(0, "both")
    late = a_run(
        "b",
        "a",
        evidence=[
            StepEvidence(an_id(7), START, START),
            StepEvidence(an_id(8), START, START, merged=((an_id(1), "call-0"), *merged.merged)),
        ],
    )
    final = plan(late, a_verdict(a_violation("x", 1)), early.after)

    assert early.emit
    assert early.after.revision == -1
    assert not final.new_violations
    assert final.violations[0][1].span_id == early.violations[0][1].span_id
    assert final.is_first
    assert final.after.revision == 0


def test_an_early_look_that_finds_nothing_new_sends_nothing() -> None:
    early = plan_early(a_run("a"), "refunds", [a_violation("x", 0)])
    again = plan_early(a_run("a"), "refunds", [a_violation("x", 0)], early.after)

    assert not again.emit
    assert not plan_early(a_run(), "refunds", [], early.after).emit


def test_a_verdict_withdraws_what_left_early_and_does_not_hold() -> None:
    early = plan_early(a_run("a"), "refunds", [a_violation("x", 0)])
    final = plan(a_run("a"), a_verdict(), early.after)

    assert final.withdrawn == (early.violations[0][1].span_id,)


def test_each_part_of_a_verdict_makes_an_amendment_and_nothing_else_does() -> None:
    run, verdict = a_run("a"), a_verdict()
    sent = plan(run, verdict).after
    altered = [
        (a_run("a", "b"), verdict),
        (a_run("b"), verdict),
        (a_run("a", levels=[Evidence.TASK_UNKNOWN]), verdict),
        (a_run("a", agent="other"), verdict),
        (run, a_verdict(output=OutputGrade.FAILED)),
        (run, a_verdict(output_source="evaluation")),
        (run, a_verdict(a_violation())),
        (run, a_verdict(undecided=[Undecided("ground", "task_unknown")])),
    ]

    assert all(plan(*judgement, sent).emit for judgement in altered)
    assert not plan(a_run("a", reason=Reason.IDLE, spans=9), verdict, sent).emit


def test_a_violation_that_changes_its_words_or_weight_makes_an_amendment() -> None:
    run = a_run("a")
    sent = plan(run, a_verdict(a_violation())).after
    softer = plan(run, a_verdict(a_violation(severity=Severity.SOFT)), sent)
    other = plan(run, a_verdict(a_violation(message="other words")), sent)

    assert softer.emit
    assert other.emit
    assert not softer.new_violations
    assert not other.new_violations


def test_one_that_left_early_is_found_on_the_first_of_several_calls() -> None:
    """Of a forbidden tool's calls the first is reported, and an earlier one may come later."""
    early = plan_early(a_run("b"), "refunds", [a_violation("x", 0)])
    late = a_run(
        "b",
        "b",
        evidence=[
            StepEvidence(an_id(7), START, START, "c7"),
            StepEvidence(an_id(1), START + MS, START + MS, "call-0"),
        ],
    )
    final = plan(late, a_verdict(a_violation("x", 0)), early.after)
    (left,) = early.violations

    assert not final.new_violations
    assert not final.withdrawn
    assert (left[1].early, final.violations[0][1].span_id) == (True, left[1].span_id)
    assert final.violations[0][1].parent_id == left[1].parent_id


def test_one_that_left_early_is_found_under_its_calls_other_name() -> None:
    """The subject is often the tool, which another span of the call may spell otherwise."""
    early = plan_early(a_run("look"), "refunds", [a_violation("x", 0, subject="look")])
    late = a_run(
        "other",
        "mcp__desk__look",
        evidence=[
            StepEvidence(an_id(7), START, START),
            StepEvidence(an_id(8), START, START, merged=((an_id(1), ""),)),
        ],
    )
    found = [a_violation("x", 0, subject="other"), a_violation("x", 1, subject="mcp__desk__look")]
    final = plan(late, a_verdict(*found), early.after)

    assert [one.subject for one, _ in final.new_violations] == ["other"]
    assert final.violations[1][1].span_id == early.violations[0][1].span_id


def test_one_of_another_check_is_not_the_one_that_left_early() -> None:
    early = plan_early(a_run("a"), "refunds", [a_violation("x", 0)])
    final = plan(a_run("a"), a_verdict(a_violation("y", 0)), early.after)

    assert len(final.new_violations) == 1
    assert final.withdrawn == (early.violations[0][1].span_id,)


def test_one_that_left_with_a_verdict_is_not_found_on_another_call() -> None:
    first = plan(a_run("b"), a_verdict(a_violation("x", 0)))
    moved = a_run("b", evidence=[StepEvidence(an_id(7), START, START, "c7")])
    again = plan(moved, a_verdict(a_violation("x", 0)), first.after)

    assert len(again.new_violations) == 1
    assert again.withdrawn == (first.violations[0][1].span_id,)
