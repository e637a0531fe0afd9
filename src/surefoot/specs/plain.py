"""luckrate's `check()`: steps and a spec, without spans, files or a server.

Owns what luckrate 0.3 does that traffic does not: names mean themselves alone, the
order of steps is total, evidence is complete, values are found as substrings, and
provenance looks at the first 500 calls, and a credential is a word of its own. A plain
dict is read by luckrate's defaults and truths; a `Spec` by its own keys, on the same
complete evidence.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from surefoot.evaluate.calls import Forbidden, MaxSteps, Required, Tools
from surefoot.evaluate.check import Check
from surefoot.evaluate.course import Flow
from surefoot.evaluate.flows import Taint
from surefoot.evaluate.grounding import Cap, Ground
from surefoot.evaluate.matcher import Matcher
from surefoot.evaluate.names import Exactly
from surefoot.evaluate.order import Before, Pair
from surefoot.evaluate.repeats import NoRepeat
from surefoot.evaluate.secrets import Secrets
from surefoot.evaluate.values import text_of
from surefoot.evaluate.view import Scope, View
from surefoot.model import (
    Evidence,
    Reason,
    Resource,
    Root,
    Run,
    Step,
    StepEvidence,
    Violation,
)
from surefoot.specs.build import checks, scope, tracing
from surefoot.specs.schema import Spec

#: luckrate looks no further, since its search is quadratic.
MAX_PROVENANCE_STEPS = 500
_MS = 1_000_000  # nanoseconds


def check(
    steps: Sequence[Step], spec: Mapping[str, Any] | Spec, task_input: object = ""
) -> list[Violation]:
    """The violations that `steps` commit against `spec`, in luckrate's order.

    Args:
        steps: Calls in order; luckrate's own `Step` objects will do. A rule that reads
            the time (`rate`, `within`, `max_age`) reads each step's `t`; a call takes none.
        spec: luckrate's dict of constraints, unknown keys ignored, or a `Spec`.
        task_input: What the agent was asked, the first source of values.

    Returns:
        Violations whose `str()` is luckrate's line.

    Raises:
        ValueError: A plain spec names tools outside its own `tools`.
    """
    if isinstance(spec, Spec):
        own = list(checks(spec))
        return _run(steps, scope(spec, own), own, task_input)
    _refuse_unknown_names(spec)
    made = list(_checks(spec))
    traced = tracing(made, substring=True, limit=MAX_PROVENANCE_STEPS)
    return _run(steps, Scope(aliases=False, tracing=traced), made, task_input)


def _run(
    steps: Sequence[Step], seen: Scope, rules: Iterable[Check], task_input: object
) -> list[Violation]:
    task = text_of(task_input)
    run = Run(
        trace_id=b"",
        key=b"",
        service="",
        agent="",
        session=None,
        root=Root(b"", 0, 0),
        resource=Resource(),
        steps=list(steps),
        evidence=list(map(_evidence, _times(steps))),
        levels=frozenset({Evidence.COMPLETE}),
        reason=Reason.ROOT,
        task=task,
    )
    view = View(run, seen)
    return [found for rule in rules for found in rule(view) if isinstance(found, Violation)]


def _times(steps: Sequence[Step]) -> Iterator[int]:
    """When each step was, in nanoseconds: never before the one above it."""
    latest = 0
    for step in steps:
        latest = max(latest, round(step.t * _MS)) if isfinite(step.t) else latest
        yield latest


def _evidence(time_ns: int) -> StepEvidence:
    return StepEvidence(b"", time_ns, time_ns)


def _checks(spec: Mapping[str, Any]) -> Iterable[Check]:
    if tools := spec.get("tools"):
        yield Tools(Exactly(tools))
    yield Required(_each(spec.get("required", ())))
    yield Forbidden(_each(spec.get("forbidden", ())))
    yield Before(tuple(Pair(_named(first), _named(then)) for first, then in spec.get("before", ())))
    if (limit := spec.get("max_steps")) is not None:
        yield MaxSteps(limit)
    if spec.get("no_repeat"):
        yield NoRepeat()
    yield Cap(MAX_PROVENANCE_STEPS)
    untrusted, privileged = _untrusted(spec), _privileged(spec)
    if untrusted and privileged:
        yield Taint(
            Flow(
                Matcher.named("untrusted", Exactly(untrusted)),
                Matcher.named("privileged", Exactly(privileged)),
            )
        )
    if spec.get("ground", True):
        yield Ground()
    if spec.get("secrets", True):
        yield Secrets(seed=True)


def _each(names: Iterable[str]) -> tuple[Matcher, ...]:
    return tuple(map(_named, names))


def _named(name: str) -> Matcher:
    return Matcher.named(name, Exactly((name,)))


def _untrusted(spec: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(spec.get("untrusted", ()))


def _privileged(spec: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(spec.get("privileged", ()))


def _refuse_unknown_names(spec: Mapping[str, Any]) -> None:
    """A typo must not look like an agent that never called the tool."""
    vocabulary = spec.get("tools")
    if not vocabulary:
        return
    named = {name for pair in spec.get("before", ()) for name in pair}
    for key in ("required", "forbidden", "untrusted", "privileged"):
        named.update(spec.get(key, ()))
    unknown = sorted(named - set(vocabulary))
    if unknown:
        raise ValueError(
            f"spec names tools that are not in its 'tools' vocabulary: {', '.join(unknown)}"
        )
