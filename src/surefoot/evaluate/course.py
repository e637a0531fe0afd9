"""What a value must not do: go from these calls' results to those calls' arguments.

Owns the flows of a spec, and which calls and texts of a run they mean. Knows no value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.evaluate.given import Earliest, Text
from surefoot.evaluate.matcher import Matcher
from surefoot.evaluate.reading import Reading
from surefoot.model import Cut, Evidence

if TYPE_CHECKING:
    from surefoot.evaluate.view import View

#: Why it cannot be told whether a matcher means a call: only the model's history has it.
HISTORY_ONLY = "history_only"


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Values of these calls' results must not reach those calls' arguments.

    cleared_by: calls that make clean what stands in their arguments or result.
    """

    sources: Matcher
    sinks: Matcher
    cleared_by: Matcher | None = None


@dataclass(frozen=True, slots=True)
class Tracing:
    """How a spec reads values.

    substring: by the seed's rule, echoes included. system: whether the system prompt
    counts as given. ground: whether all calls are traced, or only the sinks of flows.
    limit: how many calls are traced; None for all.
    """

    substring: bool = False
    flows: tuple[Flow, ...] = ()
    system: bool = True
    ground: bool = True
    limit: int | None = None


@dataclass(slots=True)
class Course:
    """One flow in one run.

    sinks: by step; sources: by rank; both with a doubt, empty where there is none.
    clearing: the calls that surely clear. fog: those of which it cannot be told what they
    cleared; `why` tells why, by step.
    """

    sinks: dict[int, str]
    sources: dict[int, str]
    clearing: set[int]
    fog: Earliest
    why: dict[int, str]

    @classmethod
    def of(cls, view: "View", flow: Flow) -> "Course":
        """How `flow` stands in the run of `view`. Linear in its calls."""
        sinks = view.match(flow.sinks)
        texts = view.given.texts
        told = enumerate(_told(view, flow.sources, texts))
        clearing: set[int] = set()
        why: dict[int, str] = {}
        if flow.cleared_by is not None:
            matches = view.match(flow.cleared_by)
            for step in matches.every:
                if not view.steps[step].ok:
                    continue
                doubt = matches.doubts.get(step, "")
                if not doubt:
                    clearing.add(step)
                if doubt := doubt or view.hidden(step) or view.result_hidden(step):
                    why[step] = doubt
        return cls(
            sinks={step: sinks.doubts.get(step, "") for step in sinks.every},
            sources={
                rank: _echo(view, texts[rank]) if is_one is True else is_one
                for rank, is_one in told
                if is_one
            },
            clearing=clearing,
            fog=Earliest.of(view, why),
            why=why,
        )

    def doubt(self, view: "View", step: int) -> str:
        """Why anything that call `step` carries may have been cleared; or empty."""
        found = self.fog.before(view, step)
        return "" if found is None else self.why[found]


def _echo(view: "View", text: Text) -> str:
    """Why a result may only repeat what its call said; or empty."""
    no_echo = text.step < 0 or view.scope.tracing.substring
    return "" if no_echo else view.hidden(text.step)


def _told(view: "View", matcher: Matcher, texts: list[Text]) -> Iterator[bool | str]:
    """`told_by` for each text; asked once a tool where the tool alone tells."""
    if not matcher.is_named:
        yield from (told_by(view, matcher, text) for text in texts)
        return
    by_tool: dict[tuple[str | None, bool], bool | str] = {}
    for text in texts:
        key = text.tool, text.step >= 0
        if key not in by_tool:
            by_tool[key] = told_by(view, matcher, text)
        yield by_tool[key]


def told_by(view: "View", matcher: Matcher, text: Text) -> bool | str:
    """Whether a text is the result of a call that `matcher` means, or why that is open.

    Of a call that the model's history tells of, only the tool and the result are known.
    """
    if text.step >= 0:
        return matcher.match(view, text.step)
    if text.tool is None:
        return False
    doubt = ""
    for pattern in matcher.patterns:
        if pattern.names is not None and not view.is_one_of(pattern.names, text.tool):
            continue
        if pattern.result is not None and isinstance(text.text, Cut):
            doubt = doubt or Evidence.TEXT_CAPPED.value
        elif pattern.result is not None and not Reading.of(text.text).fits(pattern.result):
            continue
        elif pattern.agents or pattern.args or pattern.ok is not None:
            doubt = doubt or HISTORY_ONLY
        else:
            return True
    return doubt or False
