"""What is left of a run when its spans are gone."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emit.builders import IDENTITY, a_run, a_step, a_verdict, a_violation, an_id
from surefoot.emit.encode import Encoder
from surefoot.emit.sent import plan
from surefoot.emit.texts import ARGS_SHOWN, STEPS_SHOWN, Texts
from surefoot.evaluate import mask
from surefoot.model import Evidence, Reason, Resource, Root, Run, StepEvidence, Verdict
from surefoot.pipeline.packed import pack, unpack

AWS = "AKIA" + "IOSFODNN7EXAMPLE"


def packed(run: Run, verdict: Verdict) -> tuple[Run, Verdict]:
    left = unpack(pack(run, verdict, (), mask))
    return left.run, replace(
        left.verdict, output=verdict.output, output_source=verdict.output_source
    )


def encoded(run: Run, verdict: Verdict, *, redact: bool = False) -> bytes:
    return Encoder(mask, IDENTITY, redact_values=redact).encode([plan(run, verdict)])


def shown(run: Run) -> str:
    return Texts(mask).calls(run.steps)


RUN = replace(
    a_run("lookup_order", a_step("pay", agent="desk", order_id="ORD-1", amount=5), "lookup_order"),
    key=b"a session",
    session="a session",
    reason=Reason.IDLE,
    levels=frozenset({Evidence.TASK_UNKNOWN, Evidence.TEXT_CAPPED}),
    root=Root(an_id(9), 5, 6, {"a": 1}, above=(an_id(7), an_id(8))),
    resource=Resource("desk", {"openinference.project.name": "p", "x": "y"}),
)
VERDICT_OF_ONE = a_verdict(a_violation(step=0))
VERDICT = a_verdict(a_violation(step=1, subject="amount", arg="amount"), a_violation("required"))


@pytest.mark.parametrize("redact", [False, True])
def test_a_verdict_leaves_of_what_is_left_as_it_left_of_the_run(*, redact: bool) -> None:
    run, verdict = packed(RUN, VERDICT)

    assert verdict == VERDICT
    assert encoded(run, verdict, redact=redact) == encoded(RUN, VERDICT, redact=redact)


def test_what_an_amendment_hangs_on_is_kept() -> None:
    known = StepEvidence(an_id(1), 1, 2, "c", merged=((an_id(1), "c"), (an_id(2), "d")))
    run = replace(RUN, evidence=[RUN.evidence[0], replace(known, trace_id=bytes(16)), known])

    left, _ = packed(run, VERDICT)

    assert (left.trace_id, left.key, left.session) == (run.trace_id, run.key, run.session)
    assert (left.service, left.agent) == (run.service, run.agent)
    assert left.root == replace(run.root, attributes={})
    assert (left.start_ns, left.end_ns) == (run.start_ns, run.end_ns)
    assert left.evidence[1] == replace(known, trace_id=bytes(16))
    assert [one.result for one in left.steps] == ["", "", ""]


@pytest.mark.parametrize("answers", [(), (True, None, False)])
def test_what_sources_said_is_kept(answers: tuple[bool | None, ...]) -> None:
    assert unpack(pack(RUN, VERDICT, answers, mask)).answers == answers


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1.5,
        "x" * 200,
        "x" * 10_000,
        'quotes " and\nlines' * 40,
        "half \ud800 a pair",
        "half \ud800 a pair" * 99,
        [1, {"a": ["b"]}],
        "é" * 300,
    ],
)
def test_an_argument_is_shown_as_it_was(value: Any) -> None:
    run = a_run(a_step("pay", x=value))

    left, _ = packed(run, VERDICT_OF_ONE)

    assert shown(left) == shown(run)


@pytest.mark.parametrize(
    ("value", "begins"),
    [({"items": ["abc"] * 999}, '{"items":["abc","abc"'), (10**1000, "1000000000")],
)
def test_what_is_long_and_no_text_is_kept_as_the_beginning_of_its_text(
    value: Any, begins: str
) -> None:
    left, _ = packed(a_run(a_step("pay", x=value)), VERDICT_OF_ONE)

    assert left.steps[0].args["x"].startswith(begins)
    assert len(left.steps[0].args["x"]) == 400


@pytest.mark.parametrize("before", [0, 190, 390, 3990, 4090, 8180])
def test_no_part_of_a_secret_is_kept(before: int) -> None:
    value = "-" * before + f" {AWS} " + "-" * 9000

    left, _ = packed(a_run(a_step("pay", x=value, y=[value])), VERDICT_OF_ONE)

    assert AWS[:8] not in str(left.steps[0].args)
    assert AWS[:8] not in shown(left)


def test_of_many_arguments_and_steps_no_more_is_kept_than_is_shown() -> None:
    many = a_step("pay")
    many.args = {f"k{n}": n for n in range(ARGS_SHOWN + 3)}
    run = a_run(*[many] * (STEPS_SHOWN + 2))

    left, _ = packed(run, VERDICT_OF_ONE)

    assert shown(left) == shown(run)
    assert left.steps[STEPS_SHOWN].args == {}
    assert len(left.steps) == len(run.steps)


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
            max_leaves=5,
        ),
        max_size=4,
    )
)
def test_whatever_the_arguments_packing_holds(args: dict[str, Any]) -> None:
    run = a_run(a_step("pay"))
    run.steps[0].args = args

    left, verdict = packed(run, VERDICT_OF_ONE)

    assert left.steps[0].args.keys() == args.keys()
    assert verdict == VERDICT_OF_ONE
