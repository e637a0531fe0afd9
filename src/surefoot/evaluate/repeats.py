"""Work done twice: `no_repeat`.

Owns what an identical call is. Knows arguments and success, and no result.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from surefoot.evaluate.check import NEEDS, Finding, Kind, Needs
from surefoot.evaluate.values import leaves, text_of
from surefoot.evaluate.view import View
from surefoot.model import ArgsQuality, Severity, Undecided, Violation


@dataclass(frozen=True, slots=True)
class NoRepeat:
    """No identical call after one that succeeded; a retry after a failure is none.

    Of two unordered calls either may have been the later one, so both must have
    succeeded. Where the spans of a tool lost the argument's name (`wrapped_text`), its
    one-argument calls are compared by value. A call with hidden arguments may repeat,
    or be repeated by, any other call of its tool: undecided, if one of them succeeded.
    """

    severity: Severity = Severity.SOFT
    id: str = "no_repeat"
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = NEEDS[Kind.SEEN]

    def __call__(self, view: View) -> Iterator[Finding]:
        """See `Check`."""
        tools = [view.steps[index].tool for index in view.ran]
        if len(set(tools)) == len(tools):
            return
        calls = Counter(tools)
        nameless = {
            view.steps[index].tool
            for index in view.ran
            if view.evidence[index].args_quality is ArgsQuality.WRAPPED_TEXT
        }
        done: dict[tuple[str, str], int] = {}
        succeeded: set[str] = set()
        hidden: dict[str, str] = {}
        for index in view.ran:
            step = view.steps[index]
            if calls[step.tool] == 1:
                continue
            reason = view.hidden(index)
            if (reason or step.tool in hidden) and step.tool in succeeded:
                yield Undecided(self.id, reason or hidden[step.tool])
            if step.ok:
                succeeded.add(step.tool)
            if reason:
                if step.ok:
                    hidden[step.tool] = reason
                continue
            key = (step.tool, identity(step.args, by_value=step.tool in nameless))
            earlier = done.get(key)
            if earlier is not None and (step.ok or view.are_ordered(earlier, index)):
                yield Violation(
                    self.id,
                    self.severity,
                    f"repeated call: {step.tool}",
                    step=index,
                    expected="no identical call after one that succeeded",
                    observed=f"same arguments as step {earlier}",
                )
            if step.ok:
                done.setdefault(key, index)


def identity(args: dict[str, Any], *, by_value: bool = False) -> str:
    """What two sets of arguments have in common exactly if they are the same.

    by_value: an only argument counts by its value, whatever its name.
    """
    if by_value and len(args) == 1:
        return f"value {text_of(next(iter(args.values())))}"
    try:
        return json.dumps(args, sort_keys=True, default=str)
    except (RecursionError, TypeError, ValueError):
        # Nested too deep, names that cannot be sorted, a number too long to write.
        told = [(path, type(leaf).__name__, text_of(leaf)) for path, leaf in leaves(args)]
        return repr(sorted(told))
