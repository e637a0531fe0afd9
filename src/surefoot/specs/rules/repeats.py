"""Rules on work that is done twice, or over and over."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool, StrictInt

from surefoot.evaluate.check import Check
from surefoot.evaluate.loops import Loop
from surefoot.evaluate.repeats import NoRepeat, Retries
from surefoot.model import Severity
from surefoot.specs.coverage import all_among
from surefoot.specs.rules.base import Call, Calls, Problem, RuleModel, matcher
from surefoot.specs.types import Model

#: Longer windows are no loops, and each call is compared with all of a window.
_LONGEST = 1000


class NoRepeatRule(RuleModel):
    """No call is made again with the same arguments once it has succeeded."""

    key: ClassVar[str] = "no_repeat"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {
        "id": "no-second-look",
        "no_repeat": True,
        "except": "fetch_page",
        "changed_result_ok": True,
    }

    no_repeat: Literal[True]
    """`true`: an identical call after one that succeeded is a violation."""
    except_: Annotated[Calls | None, Field(alias="except")] = None
    """Calls that may be repeated."""
    changed_result_ok: StrictBool = False
    """Whether a call that returned something else than the one before is no repeat."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        spared = None if self.except_ is None else matcher(self.except_)
        return NoRepeat(severity, check_id, spared, self.changed_result_ok)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        if all_among((Call(tool=("*",)),), self.except_ or ()):
            yield ("except",), "every call may be repeated, so it can never fire; name fewer"


class Circle(Model):
    """What counts as going in circles."""

    window: Annotated[StrictInt, Field(ge=2, le=_LONGEST)]
    """Within how many steps; also how long a cycle may be."""
    times: Annotated[StrictInt, Field(ge=2)]
    """How often the same call, or the same cycle of calls, is a loop."""


class LoopRule(RuleModel):
    """No call is made `times` times within `window` steps, and no cycle so often in a row."""

    key: ClassVar[str] = "loop"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {"id": "no-loop", "loop": {"window": 10, "times": 3}}

    loop: Circle
    """The window and the times; retries of failures and changed results do not count."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Loop(check_id, self.loop.window, self.loop.times, severity)

    def problems(self) -> Iterator[Problem]:
        """See `RuleModel`."""
        window, times = self.loop.window, self.loop.times
        if window < times:
            yield ("loop", "window"), f"{times} calls never fit in {window} steps; write more"


class Tries(Model):
    """How often a failing call may be tried."""

    max: Annotated[StrictInt, Field(ge=1)]
    """So many failures of the same call, until it succeeds, are allowed."""


class RetriesRule(RuleModel):
    """The same call fails no more than `max` times until it succeeds."""

    key: ClassVar[str] = "retries"
    usual: ClassVar[Severity] = Severity.SOFT
    example: ClassVar[Mapping[str, Any]] = {"id": "gives-up", "retries": {"max": 3}}

    retries: Tries
    """The bound; further attempts that one span hides count."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return Retries(check_id, self.retries.max, severity)
