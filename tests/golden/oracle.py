"""What a verdict must say, from what the tools logged and not from any span.

The judge is luckrate's `check()`: another program, on the calls of `meta.json`, by the
keys of the same spec file. What traffic is judged by beyond it (see the spec language)
is done to its input here, in the open:

- A number counts by its value: 200.0 is 200.
- A result is no source of what its own call's arguments said: the echo is taken out.
- Calls that one model turn asked for together have no order: what holds in every order
  is a violation, what holds in some is none. (A model that asks in prose asks for one.)
- A name that the model asked for and no tool ran is an unknown tool too.
- A run is a trace: a later turn has calls of its own, and was told what came before.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import luckrate
import yaml

from golden.truth import Recording
from worlds import SPEC

(DESK,) = yaml.safe_load(SPEC.read_text(encoding="utf-8"))["specs"]

#: Names by which an agent hands over to another, or ends. No tool has them.
PSEUDO = {
    "delegate_task_to_member",
    "delegate_work_to_coworker",
    "final_answer",
    "handoff",
    "handoff_to_agent",
    "refund_agent",
    "transfer_to_agent",
    "transfer_to_refund_agent",
}
#: Which check of luckrate's a line is from.
LINES = {
    r"unknown tool: ": "tools",
    r"missing required tool: ": "required",
    r"called forbidden tool: ": "forbidden",
    r"\w+ (called without|must come before) ": "before",
    r"soft: \d+ steps > max ": "max_steps",
    r"soft: repeated call: ": "no_repeat",
    r"\w+\.\w+ carries data from untrusted ": "taint",
    r"warn: ungrounded arg ": "ground",
    r"warn: possible ": "secrets",
}


@dataclass(frozen=True)
class Truth:
    """What one run did. given: the task, and all that it was told before it began."""

    given: str
    calls: tuple[dict[str, Any], ...]
    asked: tuple[tuple[str, ...], ...]

    @property
    def violations(self) -> Counter[tuple[str, str]]:
        """How often each (check, line) must be found."""
        return reduce(and_, map(self._judged, self._orders()))

    def _judged(self, calls: Sequence[dict[str, Any]]) -> Counter[tuple[str, str]]:
        lines = luckrate.check([_step(call) for call in calls], DESK, self.given)
        ran = {call["tool"] for call in calls}
        unknown = {name for turn in self.asked for name in turn} - ran - PSEUDO - {*DESK["tools"]}
        lines += [f"unknown tool: {name}" for name in unknown]
        return Counter((_check_of(line), line) for line in lines)

    def _orders(self) -> Iterator[list[dict[str, Any]]]:
        """Each order of the calls in which those of one turn may have run."""
        left = list(self.calls)
        groups: list[list[dict[str, Any]]] = []
        for turn in self.asked:
            names = Counter(turn)
            group = []
            while left and names[left[0]["tool"]]:
                names[left[0]["tool"]] -= 1
                group.append(left.pop(0))
            groups.append(group)
        assert not left, "no turn asked for these calls"
        for orders in itertools.product(*map(itertools.permutations, groups)):
            yield [call for order in orders for call in order]


def truths(recording: Recording, begun: Sequence[int]) -> list[Truth]:
    """What each of a recording's runs did; `begun`: when their traces began, in order.

    A call belongs to the trace that had begun last.
    """
    meta = recording.meta
    calls = sorted(meta["tool_calls"], key=lambda call: call["start_ns"])
    asked = tuple(
        tuple(call["name"] for call in turn.get("calls", ())) for turn in meta["llm_served"]
    )
    if len(begun) == 1:
        return [Truth(_given(meta, 1, []), tuple(calls), asked if any(asked) else _alone(calls))]
    assert {name for turn in asked for name in turn} <= {*DESK["tools"], *PSEUDO}
    found = []
    for place, (start, end) in enumerate(itertools.pairwise([*begun, float("inf")])):
        before = [call for call in calls if call["start_ns"] < start]
        own = tuple(call for call in calls if start <= call["start_ns"] < end)
        found.append(Truth(_given(meta, place + 1, before), own, _alone(own)))
    return found


def whole(recording: Recording) -> Truth:
    """What all runs of a recording did together."""
    meta = recording.meta
    calls = sorted(meta["tool_calls"], key=lambda call: call["start_ns"])
    return Truth(_given(meta, None, []), tuple(calls), _alone(calls))


def _alone(calls: Sequence[dict[str, Any]]) -> tuple[tuple[str, ...], ...]:
    return tuple((call["tool"],) for call in calls)


def _given(meta: dict[str, Any], turns: int | None, before: list[dict[str, Any]]) -> str:
    tasks = meta["task_input"]
    heard = tasks[:turns] if isinstance(tasks, list) else [tasks]
    return "\n".join([*heard, *(str(call.get("result", "")) for call in before)])


def _step(call: dict[str, Any]) -> luckrate.Step:
    args = {key: _plain(value) for key, value in call["args"].items()}
    result = str(call.get("result") or call.get("error") or "")
    for value in args.values():
        result = result.replace(str(value), "")
    return luckrate.Step(call["tool"], args, call["ok"], result)


def _plain(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_of(line: str) -> str:
    (check,) = (check for start, check in LINES.items() if re.match(start, line))
    return check
