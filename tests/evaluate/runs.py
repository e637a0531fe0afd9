"""Runs, steps and specs for tests, plain unless said otherwise."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from surefoot.evaluate import Rules, View, judge
from surefoot.model import (
    ArgsQuality,
    Evidence,
    PathGrade,
    Reason,
    Resource,
    Root,
    Run,
    Step,
    StepEvidence,
    StepKind,
    Told,
    Value,
    Verdict,
)
from surefoot.specs.match import compile_spec
from surefoot.specs.schema import Spec

WHOLE = frozenset({Evidence.COMPLETE})
#: How long a call of a test takes, and the time between two.
LONG_NS = 10


def a_call(  # noqa: PLR0913 - each is one thing that a test may want otherwise
    tool: str,
    args: Mapping[str, Any] | None = None,
    *,
    result: str = "",
    ok: bool = True,
    agent: str = "main",
    quality: ArgsQuality = ArgsQuality.EXACT,
    kind: StepKind = StepKind.TOOL,
    ran: bool = True,
    turn: int = -1,
    span: tuple[int, int] | None = None,
    **known: Any,
) -> tuple[Step, StepEvidence]:
    """A call and what is known of it; without `span` it follows the one before."""
    start_ns, end_ns = span or (-1, -1)
    return Step(tool, dict(args or {}), ok, result, agent=agent), StepEvidence(
        b"", start_ns, end_ns, args_quality=quality, kind=kind, ran=ran, turn=turn, **known
    )


def a_run(
    *calls: tuple[Step, StepEvidence] | str,
    task: str = "",
    levels: Iterable[Evidence] = WHOLE,
    told: Told | None = None,
    attributes: Mapping[str, Value] | None = None,
    **fields: Any,
) -> Run:
    """A run of `calls` in order; a bare name is a call without arguments."""
    made = [a_call(call) if isinstance(call, str) else call for call in calls]
    evidence = [
        known
        if known.start_ns >= 0
        else replace(known, start_ns=index * 2 * LONG_NS, end_ns=index * 2 * LONG_NS + LONG_NS)
        for index, (_, known) in enumerate(made)
    ]
    run = Run(
        trace_id=bytes(16),
        key=b"",
        service="desk",
        agent="main",
        session=None,
        root=Root(bytes(8), 0, 1, attributes or {}),
        resource=Resource("desk"),
        steps=[step for step, _ in made],
        evidence=evidence,
        levels=frozenset(levels),
        reason=Reason.ROOT,
        task=task,
        told=told or Told(user=(task,) if task else ()),
    )
    return replace(run, **fields)


def a_spec(**keys: Any) -> Rules:
    """A compiled spec with these keys; `ground` and `secrets` are off unless asked for."""
    return compile_spec(
        Spec.model_validate({"name": "s", "ground": False, "secrets": False} | keys)
    )


def judged(run: Run, **keys: Any) -> Verdict:
    """The verdict on `run` by a spec with these keys."""
    return judge(run, a_spec(**keys))


def grade(run: Run, **keys: Any) -> PathGrade:
    """The path grade of `run` by a spec with these keys."""
    return judged(run, **keys).path


def messages(run: Run, **keys: Any) -> list[str]:
    """What a spec with these keys finds wrong with `run`."""
    return [str(violation) for violation in judged(run, **keys).violations]


def a_view(run: Run, **keys: Any) -> View:
    """`run` as a spec with these keys sees it."""
    return View(run, a_spec(**keys).scope)


def steps_of(verdict: Verdict) -> Sequence[int | None]:
    """At which steps the violations are."""
    return [violation.step for violation in verdict.violations]
