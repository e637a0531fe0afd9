"""Which run meets which spec.

Owns matching by service, agent and attributes, and what a set of specs asks of the
parts before judging: timers and attribute keys. Globs are fnmatch's, case counts.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

from pydantic import BaseModel

from surefoot.evaluate.check import Check, Kind
from surefoot.evaluate.judge import Rules
from surefoot.evaluate.outputs import OUTPUT_OK, FromAttribute
from surefoot.model import Run, Value, Wanted
from surefoot.specs.build import digest, rules
from surefoot.specs.schema import Spec


@dataclass(frozen=True, slots=True)
class Timers:
    """What specs ask of a trace's timers, in nanoseconds; None where none asks.

    root_agent: an agent span whose parent has not come is a root.
    """

    settle_ns: int | None = None
    idle_timeout_ns: int | None = None
    max_age_ns: int | None = None
    root_agent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledSpec(Rules):
    """A spec ready to judge, and which runs it judges.

    services, agents: globs; empty for all. attributes: by key, the globs of which one
    must fit. early: whether final checks fire while a run is open. reads: keys of
    attributes that rules ask for.
    """

    services: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    timers: Timers = Timers()
    early: bool = True
    reads: frozenset[str] = frozenset()

    def fits_service(self, service: str) -> bool:
        """Whether the spec judges runs of `service`, as far as that tells."""
        return not self.services or _fits(service, self.services)

    def looks_at(self, service: str) -> bool:
        """Whether it may fire on spans of `service` while their trace is open.

        What else a spec asks of a run (an agent, attributes) is known at its close.
        """
        by_service = self.early and not self.agents and not self.attributes
        return by_service and self.fits_service(service) and bool(self.finals())

    def finals(self) -> list[Check]:
        """The checks whose violations no further span can undo."""
        return [
            check for check in self.checks if check.kind is Kind.FINAL and not check.needs.violation
        ]

    def matches(self, run: Run) -> bool:
        """Whether all that the spec asks of a run holds."""
        return (
            self.fits_service(run.service)
            and (not self.agents or any(_fits(agent, self.agents) for agent in _agents(run)))
            and all(_holds(run, key, globs) for key, globs in self.attributes.items())
        )


@dataclass(frozen=True, slots=True)
class SpecSet:
    """The specs in force. hash: differs as soon as any of them does."""

    specs: tuple[CompiledSpec, ...] = ()
    hash: str = digest("")

    @classmethod
    def of(cls, specs: Iterable[Spec]) -> "SpecSet":
        """Compile `specs`; their names must differ."""
        compiled = tuple(compile_spec(spec) for spec in specs)
        lines = sorted(f"{spec.name} {spec.hash}\n" for spec in compiled)
        return cls(compiled, digest("".join(lines)))

    def matching(self, run: Run) -> tuple[CompiledSpec, ...]:
        """The specs that judge `run`, in the order of loading."""
        return tuple(spec for spec in self.specs if spec.matches(run))

    def looks_at(self, service: str) -> bool:
        """Whether any spec may fire on spans of `service` while their trace is open."""
        return any(spec.looks_at(service) for spec in self.specs)

    def timers(self, service: str) -> Timers:
        """The largest timers that specs for `service` ask for."""
        asked = [spec.timers for spec in self.specs if spec.fits_service(service)]
        return Timers(
            _largest(timers.settle_ns for timers in asked),
            _largest(timers.idle_timeout_ns for timers in asked),
            _largest(timers.max_age_ns for timers in asked),
            any(timers.root_agent for timers in asked),
        )

    def wanted_keys(self) -> frozenset[str]:
        """Keys of span attributes that judging reads besides the conventions'."""
        keys = {OUTPUT_OK}
        for spec in self.specs:
            keys.update(spec.attributes, spec.reads)
            keys.update(one.key for one in spec.output_ok if isinstance(one, FromAttribute))
        return frozenset(keys)

    def wanted(self) -> Wanted:
        """What the door must keep: the conventions' attributes and these specs'."""
        from surefoot.assemble import WANTED  # noqa: PLC0415 - check() needs no dialects

        return replace(WANTED, keys=WANTED.keys | self.wanted_keys())


def compile_spec(spec: Spec) -> CompiledSpec:
    """Make `spec` ready to judge."""
    judged = rules(spec)
    attributes = {key: tuple(map(_text, values)) for key, values in spec.match.attributes.items()}
    return CompiledSpec(
        name=judged.name,
        hash=judged.hash,
        scope=judged.scope,
        checks=judged.checks,
        output_ok=judged.output_ok,
        services=spec.match.service,
        agents=spec.match.agent,
        attributes=attributes,
        timers=Timers(spec.settle, spec.idle_timeout, spec.max_age, spec.root == "agent"),
        early=spec.early,
        reads=frozenset(_attributes_in(spec.rules)),
    )


def _attributes_in(model: Any) -> Iterator[str]:
    """The keys of attributes that rules name, in whatever section: always as `attribute`."""
    if isinstance(model, BaseModel):
        for field in type(model).model_fields:
            value = getattr(model, field)
            yield from (value,) if field == "attribute" and value else _attributes_in(value)
    elif isinstance(model, tuple):
        for one in model:
            yield from _attributes_in(one)


def _agents(run: Run) -> Iterable[str]:
    return dict.fromkeys(chain((run.agent,), (step.agent for step in run.steps)))


def _holds(run: Run, key: str, globs: tuple[str, ...]) -> bool:
    for attributes in (run.root.attributes, run.resource.attributes):
        if key in attributes:
            value = attributes[key]
            values = value if isinstance(value, tuple) else (value,)
            if any(_fits(_text(one), globs) for one in values):
                return True
    return False


def _fits(text: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, glob) for glob in globs)


def _text(value: Value) -> str:
    """An attribute as a spec writes it: booleans as YAML does."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _largest(values: Iterable[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)
