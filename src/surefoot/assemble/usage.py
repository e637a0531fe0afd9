"""Which models a run used and how many tokens it took.

Owns the sums. An overview span may repeat what its children say, so model spans alone are
counted, and of one above another only the upper; where none tells, the root is asked.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import first_text
from surefoot.assemble.members import LLM
from surefoot.assemble.view import View
from surefoot.model import Value


def models(view: View) -> tuple[str, ...]:
    """Give the names of the models used, in order of first use."""
    named = (first_text(view.spans[at].attributes, keys.MODEL) for at in view.models)
    return tuple(dict.fromkeys(filter(None, named)))


def tokens(view: View) -> int | None:
    """Give the tokens that the run's models took; None if no span tells."""
    counted = []
    for at in view.models:
        above = view.forest.above[at]
        if above < 0 or view.spans[above].role is not LLM:
            counted.append(_of(view.spans[at].attributes))
    told = [count for count in counted if count is not None]
    return sum(told) if told else None


def _of(attributes: dict[str, Value]) -> int | None:
    for names in keys.TOKENS:
        if names[0] not in attributes:
            continue
        counts = [_count(attributes.get(name)) for name in names]
        told = [count for count in counts if count is not None]
        if len(told) == len(counts):
            return sum(told)
    return None


def _count(value: Value) -> int | None:
    """Give a count, which some write as a float."""
    if value.__class__ is int and value >= 0:  # the commonest
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        return None
    return int(value) if value == value // 1 else None
