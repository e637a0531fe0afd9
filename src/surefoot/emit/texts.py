r"""The sentences of a verdict: what a person reads in a trace viewer.

Owns the wording, the length limits and what `redact_values` leaves out. Every text made
here has passed the secrets mask. Knows no wire format.

A text is masked before it is cut, since half a secret is one that no mask knows. Where
writing a value as JSON escapes anything, its strings are masked first: an escape glues
letters to what follows it (`\n` before a key), and a mask that looks for word
boundaries would no longer see the key.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import orjson

from surefoot.model import OutputGrade, PathGrade, Run, Severity, Step, Verdict, Violation

#: Where an argument's path goes on into its value: `items[0].order_id`.
_INSIDE = re.compile(r"[.\[]")
#: Longest trajectory, in steps; the rest is told by number. Jaeger and Phoenix show a
#: hundred names over a few lines; nobody reads more of them there.
STEPS_SHOWN = 100
#: Arguments of one step, in number, and the longest value and name, in characters.
ARGS_SHOWN = 20
VALUE_SHOWN = 200
NAME_SHOWN = 128
#: Longest message, expectation or observation, in characters.
MESSAGE_SHOWN = 2000
#: Longest trajectory with arguments, in characters; the step that passes it is the last.
CALLS_SHOWN = 16384
#: Of a longer text only so much is masked, and of that the last half is let go: there
#: the limit may have cut a secret in two.
_MASK_WINDOW = 8192
_NAME_WINDOW = 512
#: Undecided checks named in an explanation; all of them stand in `surefoot.inconclusive`.
_UNDECIDED_TOLD = 3
_NAMES_KEPT = 4096

Mask = Callable[[str], str]


class Texts:
    """Writes the texts that leave.

    Args:
        mask: Takes secrets out of a text.
        redact_values: Let no argument value leave: trajectories without arguments,
            messages made from check, tool and argument name alone, nothing expected
            or observed (both may quote an argument or what it is compared with).
    """

    def __init__(self, mask: Mask, *, redact_values: bool = False) -> None:
        self._mask = mask
        self.redact_values = redact_values
        #: The same few tools, services and specs come again and again.
        self._names: Mask = lru_cache(_NAMES_KEPT)(self._short)

    def name(self, text: str) -> str:
        """A name as it may leave: whole UTF-8, masked, cut."""
        return self._names(text) if len(text) <= _NAME_WINDOW else self._short(text)

    def message(self, text: str) -> str:
        """A text as it may leave: whole UTF-8, masked, cut."""
        return _cut(self._clean(text), MESSAGE_SHOWN)

    def quoted(self, text: str) -> str | None:
        """A text that may quote a value; None if there is none, or it may not leave."""
        return self.message(text) if text and not self.redact_values else None

    def trajectory(self, steps: Sequence[Step]) -> str:
        """Tool names in order; of more than `STEPS_SHOWN` the first, and how many more."""
        return _joined([self.name(step.tool) for step in steps[:STEPS_SHOWN]], len(steps))

    def calls(self, steps: Sequence[Step]) -> str:
        """The trajectory with arguments, or without them where values are redacted."""
        if self.redact_values:
            return self.trajectory(steps)
        shown: list[str] = []
        length = 0
        for step in steps[:STEPS_SHOWN]:
            shown.append(self._call(step))
            length += len(shown[-1])
            if length > CALLS_SHOWN:
                break
        return self._mask(_joined(shown, len(steps)))

    def violation(self, violation: Violation, run: Run) -> str:
        """What is wrong, in a sentence."""
        if not self.redact_values:
            return self.message(violation.message)
        told = f"{violation.check} is violated"
        if violation.step is not None:
            told += f" by {run.steps[violation.step].tool}"
        if violation.arg:
            told += f", argument {self.argument(violation.arg)}"
        elif violation.subject:
            told += f": {violation.subject}"
        return self.message(told)

    def argument(self, path: str) -> str:
        """An argument's path as it may leave: keys inside a value are a part of the value."""
        return _INSIDE.split(path, maxsplit=1)[0] if self.redact_values else path

    def explanation(self, verdict: Verdict, run: Run) -> str:
        """Why the outcome is what it is, in a sentence."""
        parts = []
        if verdict.output is OutputGrade.FAILED:
            parts.append(f"the output failed ({verdict.output_source})")
        if verdict.violations:
            parts.append(self._violated(verdict.violations, run))
        elif verdict.path is PathGrade.INCONCLUSIVE:
            parts.append(_undecided(verdict))
        elif verdict.output is OutputGrade.OK:
            parts.append(f"every check holds and the output is ok ({verdict.output_source})")
        elif verdict.output is OutputGrade.UNKNOWN:
            parts.append("every check holds, and nothing tells whether the output is ok")
        else:
            parts.append("every check holds")
        return self.message("; ".join(parts))

    def _violated(self, violations: Sequence[Violation], run: Run) -> str:
        """`1 hard violation (forbidden): called forbidden tool issue_refund`."""
        found = [violation.severity for violation in violations]
        number = " and ".join([f"{found.count(kind)} {kind}" for kind in Severity if kind in found])
        noun = "violation" if len(violations) == 1 else "violations"
        checks = ", ".join(dict.fromkeys(violation.check for violation in violations))
        worst = violations[next(found.index(kind) for kind in Severity if kind in found)]
        more = f", and {len(violations) - 1} more" if len(violations) > 1 else ""
        return f"{number} {noun} ({checks}): {self.violation(worst, run)}{more}"

    def _call(self, step: Step) -> str:
        shown = [
            f"{self._part(key)}={self._value(value)}"
            for key, value in list(step.args.items())[:ARGS_SHOWN]
        ]
        if len(step.args) > ARGS_SHOWN:
            shown.append(f"… (+{len(step.args) - ARGS_SHOWN})")
        return f"{self._part(step.tool)}({', '.join(shown)})"

    def _part(self, name: str) -> str:
        """A name within a text that is masked as a whole: nothing to do, mostly."""
        return name if len(name) <= NAME_SHOWN and name.isascii() else self.name(name)

    def _value(self, value: Any) -> str:
        """One argument's value as JSON, short enough to read."""
        text = _json(value)
        if "\\" in text:
            text = _json(self._masked(value))
        if len(text) <= VALUE_SHOWN:
            return text
        return _cut(self._clean(text), VALUE_SHOWN)

    def _masked(self, value: Any) -> Any:
        """The value with every text in it masked."""
        if isinstance(value, str):
            return self._clean(value)
        if isinstance(value, dict):
            return {self._masked(key): self._masked(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._masked(item) for item in value]
        return value

    def _short(self, text: str) -> str:
        return _cut(self._clean(text), NAME_SHOWN)

    def _clean(self, text: str) -> str:
        """Whole UTF-8, masked; of a very long text a beginning."""
        if len(text) <= _MASK_WINDOW:
            return self._mask(_whole(text))
        return self._mask(_whole(text[:_MASK_WINDOW]))[: -_MASK_WINDOW // 2]


def _undecided(verdict: Verdict) -> str:
    """`1 check could not be decided: ground (task_unknown)`."""
    number = len(verdict.undecided)
    told = [f"{one.check} ({one.reason})" for one in verdict.undecided[:_UNDECIDED_TOLD]]
    if number > _UNDECIDED_TOLD:
        told.append(f"{number - _UNDECIDED_TOLD} more")
    noun = "check" if number == 1 else "checks"
    return f"{number} {noun} could not be decided: {', '.join(told)}"


def _joined(told: list[str], number: int) -> str:
    if number > len(told):
        return f"{' → '.join(told)} → … (+{number - len(told)})"
    return " → ".join(told)


def _json(value: Any) -> str:
    """Compact JSON; what JSON cannot say is written as Python prints it."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a number beyond 64 bits, a broken text, bytes
        try:
            return json.dumps(value, default=str)
        except (TypeError, ValueError, RecursionError):
            return json.dumps(_whole(str(type(value).__name__)))


def _whole(text: str) -> str:
    """The text as valid UTF-8: a lone surrogate becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
