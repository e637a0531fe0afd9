"""Which models a run used, how often it asked them, and what that took and cost.

Owns the sums. What was spent: an overview span may repeat what its children say, so model
spans alone are counted, and of one right above another only the upper. Where none of them
tells, the topmost agents that do are believed (the Claude Agent SDK has no model spans).

How often a model was asked is the other way round: whoever limits it means requests to a
model, and a client that tries three times below one model's span has made three. So of
one model's span right above another only the lower is counted. A request that failed was
one. Where one span stands for an agent's whole loop (Google's ADK), its history tells
the requests since the user's last word. A run without model spans has 0: nobody tells.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from surefoot.assemble import messages
from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import first_text
from surefoot.assemble.members import LLM
from surefoot.assemble.view import View
from surefoot.model import Value

_Read: TypeAlias = Callable[[dict[str, Value]], "float | None"]
_COSTS = frozenset(key for names in keys.COST for key in names)
#: Nobody's run costs as much; sums below it stay finite.
_MOST = 1e12


class Spent(NamedTuple):
    """Totals of a run; None if no span tells. cost: in the sender's currency."""

    calls: int
    tokens: int | None
    cost: float | None


def models(view: View) -> tuple[str, ...]:
    """Give the names of the models used, in order of first use."""
    named = (first_text(view.spans[at].attributes, keys.MODEL) for at in view.models)
    return tuple(dict.fromkeys(filter(None, named)))


def spent(view: View) -> Spent:
    """Give how often the run's models were asked, their tokens and their cost."""
    spans, above, kinds = view.spans, view.forest.above, view.dialects
    under = [at for at in view.models if above[at] >= 0 and spans[above[at]].role is LLM]
    uppers = lowers = view.models
    if under:
        inner = set(under)
        uppers = [at for at in view.models if at not in inner]
        outer = {above[at] for at in under}
        lowers = [at for at in view.models if at not in outer]
    tokens = _total(view, uppers, _tokens)
    return Spent(
        calls=len(lowers) + sum([_folded(view, at) for at in lowers if kinds[at].folds_turns]),
        tokens=None if tokens is None else int(tokens),
        cost=_total(view, uppers, _cost),
    )


def _folded(view: View, at: int) -> int:
    """Count the requests that one span of a loop tells of, but for the last one."""
    count = 0
    for message in reversed(view.of(messages.items_at(view.spans[at].attributes, keys.HEARD))):
        if message.role == "assistant":
            count += 1
        elif message.role == "user" and view.dialects[at].users_words(message.text):
            break
    return count


def _total(view: View, uppers: list[int], read: _Read) -> float | None:
    told = [each for at in uppers if (each := read(view.spans[at].attributes)) is not None]
    if not told and view.agents:
        told = _of_agents(view, read)
    return sum(told) if told else None


def _of_agents(view: View, read: _Read) -> list[float]:
    """Give what agents' spans tell, but for those below another that tells."""
    counts = {at: read(view.spans[at].attributes) for at in view.agents}
    counts = {at: count for at, count in counts.items() if count is not None}
    if len(counts) < 2:  # noqa: PLR2004 - one alone is below no other
        return [count for count in counts.values() if count is not None]
    agent = view.forest.agent
    covered = [False] * len(view.spans)
    told = []
    for at in view.forest.order:
        covered[at] = agent[at] >= 0 and (agent[at] in counts or covered[agent[at]])
        count = counts.get(at)
        if count is not None and not covered[at]:
            told.append(count)
    return told


def _tokens(attributes: dict[str, Value]) -> int | None:
    for names in keys.TOKENS:
        if names[0] not in attributes:
            continue
        counts = [_count(attributes.get(name)) for name in names]
        told = [count for count in counts if count is not None]
        if len(told) == len(counts):
            return sum(told)
    return None


def _cost(attributes: dict[str, Value]) -> float | None:
    if _COSTS.isdisjoint(attributes):  # the commonest
        return None
    for names in keys.COST:
        amounts = [_amount(attributes.get(name)) for name in names]
        told = [amount for amount in amounts if amount is not None]
        if len(told) == len(amounts):
            return sum(told)
    return None


def _count(value: Value) -> int | None:
    """Give a count, which some write as a float."""
    if value.__class__ is int and value >= 0:  # the commonest
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        return None
    return int(value) if value == value // 1 else None


def _amount(value: Value) -> float | None:
    """Give an amount of money; what is no number, or below zero, is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _MOST else None
