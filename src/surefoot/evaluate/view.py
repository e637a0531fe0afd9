"""A run as one spec looks at it: which calls it judges, and in what order they stand.

Owns what counts as a call. Knows no check. The rules, for all checks alike:

- A call that the model asked for and no tool ran is no step: it is not counted, not
  forbidden, satisfies nothing, carries nothing. Only `tools` (an unknown name is a
  hallucinated call all the same) and `secrets` (the text is there) look at it.
- A pseudo-tool that ends the run (`final_answer`) is a step only if the spec's
  vocabulary (`tools`) names it.
- A handoff is a step like any other, unless the spec has a vocabulary that leaves it
  out: then it is neither counted nor reported as unknown. Who lists tools means tools.
- With agents named, only their steps are judged. What others' tools returned still
  counts as given, since agents hand on what they know.
- Calls that overlap in time, or that one model turn asked for together, are unordered.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from surefoot.evaluate.check import ARGS_UNNAMED, RESULTS_MISSING
from surefoot.evaluate.course import Tracing
from surefoot.evaluate.given import Given, given
from surefoot.evaluate.matcher import Matcher, Matches, Matching
from surefoot.evaluate.names import NameSet, aliases
from surefoot.evaluate.paths import Path
from surefoot.evaluate.patterns import Regex, Screen
from surefoot.evaluate.precedence import Order
from surefoot.evaluate.provenance import Trace, trace
from surefoot.evaluate.reading import Reading
from surefoot.evaluate.values import leaves, readable, text_of
from surefoot.model import (
    ArgsQuality,
    Cut,
    Evidence,
    Run,
    Source,
    StepKind,
)

_HIDDEN = {
    ArgsQuality.REDACTED: Evidence.ARGS_REDACTED,
    ArgsQuality.TRUNCATED: Evidence.ARGS_TRUNCATED,
    ArgsQuality.MISSING: Evidence.ARGS_MISSING,
}
_HIDDEN_LEVELS = tuple(_HIDDEN.values())


def _no_aliases(_tool: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Scope:
    """Which steps a spec judges, and how it reads names and values.

    agents: globs; empty for all. vocabulary: the spec's `tools`, if it has any.
    universe: every exact name in the spec: such a tool is never an alias of another.
    aliases: whether other spellings of a name count. screen: what several checks look for
    in results.
    """

    agents: tuple[str, ...] = ()
    vocabulary: NameSet | None = None
    universe: frozenset[str] = frozenset()
    aliases: bool = True
    tracing: Tracing = field(default_factory=Tracing)
    screen: Screen | None = None


class View:
    """One run seen through one spec. Made for one judgement, then let go."""

    def __init__(self, run: Run, scope: Scope) -> None:
        self.run = run
        self.scope = scope
        self.steps = steps = run.steps
        self.evidence = evidence = run.evidence
        self.levels = run.levels
        self.told = run.told
        self.task = run.task
        self.output = run.output
        #: Start and end of each step, in nanoseconds. A call known from the model's output
        #: alone has the model span's times, which say when it was asked for and not how
        #: long it took: no length, then.
        self.spans: list[tuple[int, int]] = [
            (known.start_ns, known.start_ns if known.source is Source.LLM else known.end_ns)
            for known in evidence
        ]
        self._said: dict[int, str] = {}
        self._results: dict[int, Reading] = {}
        self._screened: dict[int, tuple[Regex, ...]] = {}
        self._matching = Matching()
        self._aliases: dict[str, tuple[str, ...]] = {}
        spell: Callable[[str], tuple[str, ...]] = aliases if scope.aliases else _no_aliases
        for step in steps:
            if step.tool not in self._aliases:
                is_named = step.tool in scope.universe
                self._aliases[step.tool] = () if is_named else spell(step.tool)
        #: Judged calls by index, with those that never ran.
        self.asked: list[int] = []
        #: Judged calls by index that a tool ran.
        self.ran: list[int] = []
        #: Steps by index whose texts are read: also handoffs that are no calls here. What a
        #: pseudo-tool says is the output, which is read itself.
        self.readable: list[int] = []
        for index, known in enumerate(evidence):
            if scope.agents and not self._is_by(scope.agents, index):
                continue
            is_call = self._is_call(index)
            if is_call:
                self.asked.append(index)
                if known.ran:
                    self.ran.append(index)
            if is_call or known.kind is not StepKind.FINAL:
                self.readable.append(index)

    def covers(self, names: NameSet, index: int) -> bool:
        """Whether the tool of step `index` is one of `names`."""
        tool = self.steps[index].tool
        return names.covers(tool, self._aliases[tool])

    def are_ordered(self, first: int, second: int) -> bool:
        """Whether step `first` surely came before step `second`: steps stand by start."""
        one, two = self.evidence[first], self.evidence[second]
        together = one.turn == two.turn and one.turn >= 0
        if together or first >= second:
            return False
        return self.spans[second][0] >= self.spans[first][1]

    def match(self, matcher: Matcher) -> Matches:
        """The judged calls that `matcher` means, surely or perhaps."""
        return self._matching.of(self, matcher)

    def argument(self, index: int, path: Path) -> tuple[list[tuple[str, Any]], str]:
        """What stands at `path` in the arguments of step `index`, with where it stands.

        Also why that may not be all: hidden arguments, or, where nothing stands there, an
        argument whose name the spans lost. Empty if it is all.
        """
        found = path.follow(self.steps[index].args)
        if reason := self.hidden(index):
            return found, reason
        nameless = self.evidence[index].args_quality is ArgsQuality.WRAPPED_TEXT
        return found, ARGS_UNNAMED if nameless and not found else ""

    def result_hidden(self, index: int) -> str:
        """Why the result of step `index` cannot be read as a whole; empty if it can."""
        if self.is_result_missing(index):
            return RESULTS_MISSING
        cut = self.is_result_cut(index) or self.cut_somewhere
        return Evidence.TEXT_CAPPED.value if cut else ""

    def result_value(self, index: int) -> Any:
        """The result of step `index` as JSON says it; None where it is plain text."""
        reading = self.result_reading(index)
        return reading.value if reading.is_json else None

    def result_reading(self, index: int) -> Reading:
        """How the result of step `index` reads; see `Reading`. Read once."""
        if index not in self._results:
            self._results[index] = Reading.of(self.steps[index].result)
        return self._results[index]

    def is_found(self, pattern: Regex, index: int) -> bool:
        """Whether `pattern` is found in the result of step `index`; one look for several.

        Who reads escapes reads another text where there are any, so each looks for itself.
        """
        screen, result = self.scope.screen, self.steps[index].result
        if screen is None or pattern not in screen or "\\" in result:
            return pattern.is_in(result)
        if index not in self._screened:
            self._screened[index] = screen.found(result)
        return pattern in self._screened[index]

    def said(self, index: int) -> str:
        """What the arguments of step `index` say, as the boundary rule reads it."""
        if index not in self._said:
            self._said[index] = readable(self.words(index))
        return self._said[index]

    def words(self, index: int) -> str:
        """What the arguments of step `index` say, a line a leaf."""
        return "\n".join(text_of(leaf) for _, leaf in leaves(self.steps[index].args))

    def is_one_of(self, names: NameSet, tool: str) -> bool:
        """Whether a tool that is no step of this run is one of `names`."""
        known = tool in self.scope.universe or not self.scope.aliases
        return names.covers(tool, () if known else aliases(tool))

    def hidden(self, index: int) -> str:
        """Why the arguments of step `index` cannot be read; empty if they can."""
        quality = self.evidence[index].args_quality
        if quality is ArgsQuality.EXACT:
            return self._hidden_somewhere
        level = _HIDDEN.get(quality)
        return level.value if level else self._hidden_somewhere

    @cached_property
    def order(self) -> Order:
        """Which of the judged calls that ran surely came before which."""
        return Order(self)

    @cached_property
    def given(self) -> Given:
        """What the agents were given, and when."""
        limit = self.scope.tracing.limit
        count = len(self.steps)
        return given(self, count if limit is None else min(count, limit))

    @cached_property
    def provenance(self) -> Trace:
        """Where the judged calls' values come from."""
        return trace(self)

    @cached_property
    def cut_somewhere(self) -> bool:
        """Whether a text is cut, and it cannot be told which: any may be."""
        if Evidence.TEXT_CAPPED not in self.levels:
            return False
        texts = (self.task, self.output, *self.told.user, *self.told.system)
        marked = any(isinstance(text, Cut) for text in texts)
        marked = marked or any(isinstance(text, Cut) for _, text in self.told.history)
        return not marked and not any(map(self.is_result_cut, range(len(self.steps))))

    def is_result_cut(self, index: int) -> bool:
        """Whether the result of step `index` is only a beginning."""
        return self.evidence[index].result_capped or isinstance(self.steps[index].result, Cut)

    def is_result_missing(self, index: int) -> bool:
        """Whether step `index` returned something that no span tells."""
        known = self.evidence[index]
        return known.ran and not known.result_known and self.steps[index].ok

    @cached_property
    def _hidden_somewhere(self) -> str:
        """A level that tells of hidden arguments which no step admits to."""
        if Evidence.COMPLETE in self.levels:
            return ""
        told = [level for level in _HIDDEN_LEVELS if level in self.levels]
        shown = {_HIDDEN.get(known.args_quality) for known in self.evidence}
        return ", ".join(level.value for level in told if level not in shown)

    def _is_by(self, agents: tuple[str, ...], index: int) -> bool:
        agent = self.steps[index].agent
        return any(fnmatchcase(agent, glob) for glob in agents)

    def _is_call(self, index: int) -> bool:
        kind = self.evidence[index].kind
        if kind is StepKind.TOOL:
            return True
        if self.scope.vocabulary is None:
            return kind is StepKind.HANDOFF
        return self.covers(self.scope.vocabulary, index)
