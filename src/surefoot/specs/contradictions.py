"""Keys and rules of one spec that no run keeps together.

Owns what is required and what is ruled out, and where both meet. Guarded rules and those
that are switched off are left out: a guard may keep them apart. Knows no file.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from surefoot.evaluate.names import is_glob, normal
from surefoot.specs.coverage import Some, named
from surefoot.specs.rules.base import Call, Place, Problem, RuleModel, label
from surefoot.specs.rules.calls import (
    CallsRule,
    ExclusiveRule,
    ForbiddenRule,
    Group,
    MaxStepsRule,
    NoActionRule,
    RequiredRule,
)
from surefoot.specs.rules.compose import AllOfRule
from surefoot.specs.rules.order import BeforeRule

if TYPE_CHECKING:
    from surefoot.specs.schema import Spec

Calls = tuple[Call, ...]
#: A way of two: the pair itself, the other way round.
_STRAIGHT_BACK = 2
#: What a framework may have put around a name, once it is written as `normal` writes it.
_WRAPPED = re.compile(r"^(functions|mcp)_|_(run|call|acall|tool)$")


class _Must(NamedTuple):
    """Calls of which one must be made, so often. name: as a message names them."""

    calls: Calls
    name: str
    times: int = 1


class _Never(NamedTuple):
    """Calls that must not be made."""

    at: Place
    calls: Calls


class _Pair(NamedTuple):
    """The first before the second."""

    at: Place
    first: Calls
    then: Calls


@dataclass(slots=True)
class _Asked:
    """What a spec asks of every run."""

    musts: list[_Must] = field(default_factory=list)
    nevers: list[_Never] = field(default_factory=list)
    pairs: list[_Pair] = field(default_factory=list)
    exclusive: list[tuple[Place, tuple[Calls, ...]]] = field(default_factory=list)
    most: list[tuple[Place, int]] = field(default_factory=list)
    acts: bool = False


def contradictions(spec: "Spec") -> Iterator[Problem]:
    """What cannot be kept together, in the order of the spec's keys."""
    asked = _asked(spec)
    yield from _required_and_forbidden(asked)
    if spec.severity.get("before") != "off":
        yield from _circles(spec.before)
    yield from _first_forbidden(asked)
    yield from _too_few_steps(asked)
    yield from _required_and_exclusive(asked)


def _asked(spec: "Spec") -> _Asked:
    asked = _Asked()
    off = {check for check, level in spec.severity.items() if level == "off"}
    if "required" not in off:
        asked.musts += (_Must(named([name]), repr(name)) for name in spec.required)
    if "forbidden" not in off:
        asked.nevers += (
            _Never(("forbidden", at), named([name])) for at, name in enumerate(spec.forbidden)
        )
    if "before" not in off:
        asked.pairs += (
            _Pair(("before", at), named([first]), named([then]))
            for at, (first, then) in enumerate(spec.before)
        )
    if spec.max_steps is not None and "max_steps" not in off:
        asked.most.append((("max_steps",), spec.max_steps))
    for at, rule in enumerate(spec.rules):
        if rule.severity != "off":
            _add(asked, ("rules", at), rule)
    return asked


def _add(asked: _Asked, at: Place, rule: RuleModel) -> None:
    """Add what an unguarded rule asks, and every rule in an `all_of`."""
    if rule.when is not None:
        return
    if isinstance(rule, AllOfRule):
        for index, child in enumerate(rule.all_of):
            _add(asked, (*at, "all_of", index), child)
    elif isinstance(rule, MaxStepsRule):
        asked.most.append(((*at, rule.key), rule.max_steps))
    elif isinstance(rule, NoActionRule):
        asked.acts = True
    else:
        _add_calls(asked, (*at, rule.key), rule)


def _add_calls(asked: _Asked, at: Place, rule: RuleModel) -> None:
    if isinstance(rule, RequiredRule):
        groups = (rule.required.any_of,) if isinstance(rule.required, Group) else rule.required
        asked.musts += (_must(calls, rule.min) for calls in groups)
    elif isinstance(rule, ForbiddenRule):
        places = [(*at, index) for index in range(len(rule.forbidden))]
        asked.nevers += map(_Never, places, rule.forbidden)
    elif isinstance(rule, CallsRule):
        if rule.calls.min:
            asked.musts.append(_must(rule.calls.step, rule.calls.min))
        if rule.calls.max == 0:
            asked.nevers.append(_Never((*at, "step"), rule.calls.step))
    elif isinstance(rule, BeforeRule):
        asked.pairs.append(_Pair(at, *rule.before))
    elif isinstance(rule, ExclusiveRule):
        asked.exclusive.append((at, rule.exclusive))


def _must(calls: Calls, times: int) -> _Must:
    return _Must(calls, repr(label(calls)), times)


def _required_and_forbidden(asked: _Asked) -> Iterator[Problem]:
    ruled_out = _ruled_out(asked)
    told = set()
    for must in asked.musts:
        if ruled_out.hold_all(must.calls):
            at = next(one.at for one in asked.nevers if Some.of(one.calls).hold_some(must.calls))
            if at not in told:
                told.add(at)
                why = f"{must.name} is required too, so every run is violated"
                yield at, f"{why}; keep one of the two"


def _ruled_out(asked: _Asked) -> Some:
    return Some.of(call for never in asked.nevers for call in never.calls)


def _circles(pairs: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    """Pairs of which each tool waits for another.

    Only the spec's own: `before` lets calls that one turn asks for come in any order, and
    who writes rules both ways may mean just these.
    """
    after: dict[str, list[str]] = {}
    for index, (first, then) in enumerate(pairs):
        way = _way(after, then, first)
        if first == then:
            yield ("before", index), f"{first!r} cannot come before itself; name two tools"
        elif len(way) == _STRAIGHT_BACK:
            words = "the pair stands the other way round above, so no run keeps both; drop one"
            yield ("before", index), words
        elif way:
            circle = ", ".join((first, *way))
            why = f"with pairs above this is a circle, {circle}, so none of them can be called"
            yield ("before", index), f"{why}; drop one"
        else:
            after.setdefault(first, []).append(then)


def _first_forbidden(asked: _Asked) -> Iterator[Problem]:
    ruled_out = _ruled_out(asked)
    for at, first, then in asked.pairs:
        if first != then and ruled_out.hold_all(first):
            why = f"{label(first)!r} is forbidden, so {label(then)!r} can never be called"
            yield at, f"{why}; forbid that instead"


def _way(after: dict[str, list[str]], start: str, end: str) -> list[str]:
    """A shortest way from `start` to `end`, with both; empty if there is none."""
    came_from = {start: ""}
    left = deque([start])
    while left and end not in came_from:
        one = left.popleft()
        for other in after.get(one, ()):
            if other not in came_from:
                came_from[other] = one
                left.append(other)
    way = []
    while end in came_from:
        way.append(end)
        end = came_from[end]
    return way[::-1]


def _too_few_steps(asked: _Asked) -> Iterator[Problem]:
    least = max(_least(asked.musts), int(asked.acts))
    for at, most in asked.most:
        if least > most:
            calls = "call is" if least == 1 else "calls are"
            yield at, f"{least} {calls} required, so no run keeps it; write at least {least}"


def _least(musts: list[_Must]) -> int:
    """How many calls it takes at least: one call is of one tool."""
    times: dict[str, int] = {}
    for must in musts:
        tools = [name for call in must.calls for name in call.tool or ("*",)]
        names = set(map(normal, tools))
        if len(names) == 1 and not any(map(is_glob, tools)):
            (name,) = names
            times[name] = max(times.get(name, 0), must.times)
    # `functions_look` may be another spelling of `look`: one call may be both.
    own = (name for name in times if not (_WRAPPED.search(name) and _holds_other(name, times)))
    return max(sum(times[name] for name in own), max(times.values(), default=0))


def _holds_other(name: str, names: dict[str, int]) -> bool:
    return any(other in name for other in names if other != name)


def _required_and_exclusive(asked: _Asked) -> Iterator[Problem]:
    for at, sides in asked.exclusive:
        names = {
            index: must.name
            for index, side in enumerate(map(Some.of, sides))
            for must in reversed(asked.musts)
            if side.hold_all(must.calls)
        }
        if len(names) > 1:
            first, second = list(names)[:2]
            why = f"{names[second]} is required, and so is {names[first]}, so no run keeps it"
            yield (*at, second), f"{why}; drop one"
