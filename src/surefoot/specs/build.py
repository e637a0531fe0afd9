"""A spec's model to what judging needs of it.

Owns which key makes which check, in which order, and the spec's hash. Knows no file.
"""

import hashlib
import json
from collections.abc import Callable, Iterable

from surefoot.evaluate.calls import Forbidden, MaxSteps, Required, Tools
from surefoot.evaluate.check import Check
from surefoot.evaluate.compose import parts
from surefoot.evaluate.course import Flow, Tracing
from surefoot.evaluate.flows import Carried, Taint
from surefoot.evaluate.grounding import Ground
from surefoot.evaluate.judge import Rules
from surefoot.evaluate.matcher import Matcher
from surefoot.evaluate.names import Names
from surefoot.evaluate.order import Before, Pair
from surefoot.evaluate.outputs import OUTPUT_OK
from surefoot.evaluate.patterns import Screen
from surefoot.evaluate.planted import Injected
from surefoot.evaluate.repeats import NoRepeat
from surefoot.evaluate.secrets import START, Secrets
from surefoot.evaluate.view import Scope
from surefoot.model import Severity
from surefoot.specs.outputs import sources
from surefoot.specs.sanity import active_checks, names_in
from surefoot.specs.schema import Spec

#: Hex digits of a SHA-256 that tell specs apart.
_HASH_DIGITS = 16

#: How each check is made of its spec, and what it weighs unless the spec says so. The
#: order is that in which violations are reported.
_CHECKS: dict[str, tuple[Severity, Callable[[Spec, Severity], Check]]] = {
    "tools": (Severity.HARD, lambda spec, severity: Tools(Names.of(spec.tools), severity)),
    "required": (
        Severity.HARD,
        lambda spec, severity: Required(_each(spec.required), severity=severity),
    ),
    "forbidden": (Severity.HARD, lambda spec, severity: Forbidden(_each(spec.forbidden), severity)),
    "before": (Severity.HARD, lambda spec, severity: Before(_pairs(spec.before), severity)),
    "max_steps": (Severity.SOFT, lambda spec, severity: MaxSteps(spec.max_steps or 0, severity)),
    "no_repeat": (Severity.SOFT, lambda _spec, severity: NoRepeat(severity)),
    "taint": (Severity.HARD, lambda spec, severity: Taint(_flow(spec), severity)),
    "ground": (Severity.WARN, lambda _spec, severity: Ground(severity)),
    "secrets": (Severity.WARN, lambda _spec, severity: Secrets(severity)),
}


def rules(spec: Spec) -> Rules:
    """Compile `spec`."""
    made = tuple(checks(spec))
    return Rules(
        name=spec.name,
        hash=spec_hash(spec),
        scope=scope(spec, made),
        checks=made,
        output_ok=sources(spec.output_ok),
    )


def checks(spec: Spec) -> Iterable[Check]:
    """The spec's checks, without those that it switches off."""
    for check, level in _levels(spec).items():
        if level != "off":
            yield _CHECKS[check][1](spec, Severity(level))
    for rule in spec.rules:
        if rule.severity != "off":
            yield rule.check()


def _levels(spec: Spec) -> dict[str, str]:
    """How much each check of the spec's own keys weighs, in their order."""
    active = active_checks(spec)
    told = {str(check): str(level) for check, level in spec.severity.items()}
    usual = {check: str(level) for check, (level, _) in _CHECKS.items() if check in active}
    return {check: told.get(check, level) for check, level in usual.items()}


def scope(spec: Spec, made: Iterable[Check]) -> Scope:
    """Which steps the spec judges, and how it reads names and values.

    made: its checks, which tell what is to be traced.
    """
    named = {*spec.tools, *spec.required, *spec.forbidden, *spec.untrusted, *spec.privileged}
    named |= {name for pair in spec.before for name in pair}
    named |= {name for _, name in names_in(spec.rules)}
    made = list(made)
    return Scope(
        agents=spec.match.agent if spec.scope == "agent" else (),
        vocabulary=Names.of(spec.tools) if spec.tools else None,
        universe=Names.of(named).exact,
        tracing=tracing(made, substring=spec.provenance == "substring", system=spec.system_prompt),
        screen=_screen(made),
    )


def _screen(made: Iterable[Check]) -> Screen | None:
    """What these checks look for in results, if several do."""
    every = [part for check in made for part in parts(check)]
    sought = [START for part in every if isinstance(part, Secrets)][:1]
    sought += [part.signs.hint for part in every if isinstance(part, Injected) and part.signs.hint]
    try:
        return Screen(sought) if len(sought) > 1 else None
    except ValueError:  # each by itself, then
        return None


def tracing(
    made: Iterable[Check], *, substring: bool, system: bool = True, limit: int | None = None
) -> Tracing:
    """What these checks ask of provenance."""
    every = [part for check in made for part in parts(check)]
    return Tracing(
        substring=substring,
        flows=tuple(part.flow for part in every if isinstance(part, Carried)),
        system=system,
        ground=any(isinstance(part, Ground) for part in every),
        limit=limit,
    )


def spec_hash(spec: Spec) -> str:
    """What tells this spec from any that says something else. Comments do not count.

    Nor does whether a default is written down: who writes what already holds means no
    other spec, and the luck of its series goes on.
    """
    told = spec.model_dump(mode="json", by_alias=True)
    told["severity"] = _levels(spec)
    for rule, section in zip(spec.rules, told["rules"], strict=True):
        section["severity"] = rule.severity or rule.usual
    if told["output_ok"] == ["evaluation", {"attribute": OUTPUT_OK}, "structural"]:
        told["output_ok"] = None
    canonical = json.dumps(
        told,
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return digest(canonical)


def digest(text: str) -> str:
    """The first hex digits of the SHA-256 of `text`."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]


def _flow(spec: Spec) -> Flow:
    untrusted, privileged = Names.of(spec.untrusted), Names.of(spec.privileged)
    return Flow(Matcher.named("untrusted", untrusted), Matcher.named("privileged", privileged))


def _each(names: Iterable[str]) -> tuple[Matcher, ...]:
    return tuple(Matcher.named(name, Names.of([name])) for name in dict.fromkeys(names))


def _pairs(pairs: Iterable[tuple[str, str]]) -> tuple[Pair, ...]:
    return tuple(Pair(*_each(pair)) for pair in dict.fromkeys(pairs))
