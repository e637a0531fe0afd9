"""What the agent was told besides its tools' results: the task, users, system, history.

Owns which words are the user's. The task is what the topmost spans were started with, or
the last user message that the first model heard. A user message deep inside, under a
tool's span or under an agent that another agent called, was written by a model: it is no
word of a user, else an invented order number would vouch for itself. System prompts are an
operator's wherever they stand.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from surefoot.assemble import leftover
from surefoot.assemble.call import Call
from surefoot.assemble.members import AGENT, CHAIN
from surefoot.assemble.messages import Message
from surefoot.assemble.values import is_hidden, normal
from surefoot.assemble.view import View
from surefoot.model import Told


@dataclass(slots=True)
class Hearing:
    """What was heard. `hidden`: the sender hid what the run was given."""

    task: str = ""
    told: Told = field(default_factory=Told)
    hidden: bool = False


def hear(view: View, root: int, calls: list[Call], told: leftover.Told) -> Hearing:
    """Give the task, and everything that a user or an operator said."""
    if _hides_input(view, root):
        return Hearing(hidden=True)
    users: dict[str, None] = {}
    system: dict[str, None] = {}
    for message in _openings(view, root):
        _note(message.role, message.text, users, system)
    task = next(reversed(users), "")
    results = {call.result.text for call in calls if call.result.text}
    inner, first = view.inner(), -1
    for at, message in told.others:
        if inner[at] and message.role != "system":
            continue
        if at != first and not task:  # all that the first model heard was read
            task = next(reversed(users), "")
        first = at
        text = message.text
        if message.role == "user":
            text = view.dialects[at].users_words(text)
            text = text if _is_users(text, task, results) else ""
        _note(message.role, text, users, system)
    task = task or next(reversed(users), "")
    rest = [text for text in users if text != task]
    user = (task, *rest) if task else tuple(rest)
    return Hearing(task, Told(user, tuple(system), _history(view, calls, told)))


def _hides_input(view: View, root: int) -> bool:
    for at in {root, *view.forest.topmost(), *view.agents}:
        attributes = view.spans[at].attributes
        if "input.value" in attributes and is_hidden(attributes["input.value"]):
            return True
    return False


def _openings(view: View, root: int) -> list[Message]:
    """Give the messages that the topmost span that tells was started with."""
    forest = view.forest
    chain = [root, *(at for at in view.with_role(AGENT, CHAIN) if forest.tool[at] < 0)]
    for at in chain[:_LOOKED_AT]:
        span = view.spans[at]
        if span.role in (AGENT, CHAIN):
            found = view.of(view.dialects[at].task(span))
            if any(message.role == "user" and message.text for message in found):
                return found
    return []


#: A task stands near the top; a run of a thousand chains is not searched to its end.
_LOOKED_AT = 12


def _note(role: str, text: str, users: dict[str, None], system: dict[str, None]) -> None:
    if text and role in ("user", "system"):
        (users if role == "user" else system).setdefault(normal(text))


def _is_users(text: str, task: str, results: set[str]) -> bool:
    """Whether a user message is the user's own.

    It is not if it is the task with a frame around it (`Context: … User Request: …`), or
    a tool's result that a framework hands on as a user.
    """
    framed = bool(task) and task in text and text != task
    return not framed and text not in results


def _history(view: View, calls: Iterable[Call], told: leftover.Told) -> tuple[tuple[str, str], ...]:
    """Give the results of calls that this run did not make.

    A result with neither an id nor a tool's name cannot be told from the run's own.
    """
    own_ids = {call.call_id for call in calls if call.call_id}
    foreign = [result for result in told.all if result.text and result.call_id not in own_ids]
    if not foreign:
        return ()
    names = view.names() if any(result.call_id and not result.tool for result in foreign) else {}
    own_texts = {_squashed(call.result.text) for call in calls}
    found: dict[tuple[str, str], None] = {}
    for result in foreign:
        tool = result.tool or names.get(result.call_id, "")
        if (tool or result.call_id) and _squashed(result.text) not in own_texts:
            found.setdefault((tool, result.text))
    return tuple(found)


def _squashed(text: str) -> str:
    """Leave out what serialisers do differently: space, and ADK's `{"result": …}`."""
    tight = "".join(text.split())
    wrapped = tight.startswith('{"result":"') and tight.endswith('"}')
    return tight[len('{"result":"') : -2] if wrapped else tight
