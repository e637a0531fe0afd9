"""What the agent was told besides its tools' results: the task, users, system, history.

Owns which words are the user's. The task is what the topmost spans were started with, or
the last user message that the first model heard. A user message deep inside, under a
tool's span or under an agent that another agent called, was written by a model: it is no
word of a user, else an invented order number would vouch for itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from surefoot.assemble.call import Call, norm
from surefoot.assemble.leftover import Told as ToldResults
from surefoot.assemble.messages import Message
from surefoot.assemble.values import is_hidden, normal
from surefoot.assemble.view import View
from surefoot.model import Role, Told


@dataclass(slots=True)
class Hearing:
    """What was heard. `hidden`: the sender hid what the run was given."""

    task: str = ""
    told: Told = field(default_factory=Told)
    hidden: bool = False


def hear(view: View, root: int, calls: list[Call], results: ToldResults) -> Hearing:
    """Give the task, and everything that a user or an operator said."""
    if _hides_input(view, root):
        return Hearing(hidden=True)
    openings = _openings(view, root)
    outer = [at for at in view.models if not _is_inner(view, at)]
    users: dict[str, None] = {}
    system: dict[str, None] = {}
    for message in openings:
        _note(message, users, system)
    task = next(reversed(users), "")
    results_told = {call.result.text for call in calls if call.result.text}
    seen: set[int] = set()
    for at in outer:
        for message in view.heard(at):
            if id(message) in seen:
                continue
            seen.add(id(message))
            words = (
                message._replace(text=view.dialects[at].users_words(message.text))
                if message.role == "user"
                else message
            )
            if message.role != "user" or _is_users(words.text, task, results_told):
                _note(words, users, system)
        if not task:
            task = next(reversed(users), "")
    rest = [text for text in users if text != task]
    told = Told(
        user=(task, *rest) if task else tuple(rest),
        system=tuple(system),
        history=_history(calls, results),
    )
    return Hearing(task, told)


def _hides_input(view: View, root: int) -> bool:
    tops = (root, *view.forest.topmost(), *view.with_role(Role.AGENT))
    spans = [view.spans[at] for at in tops]
    return any(is_hidden(span.attributes.get("input.value")) for span in spans)


def _openings(view: View, root: int) -> list[Message]:
    """Give the messages that the topmost span that tells was started with."""
    forest = view.forest
    chain = [root, *(at for at in view.with_role(Role.AGENT, Role.CHAIN) if forest.tool[at] < 0)]
    for at in chain[:_LOOKED_AT]:
        span = view.spans[at]
        if span.role in (Role.AGENT, Role.CHAIN):
            found = view.of(view.dialects[at].task(span))
            if any(message.role == "user" and message.text for message in found):
                return found
    return []


#: A task stands near the top; a run of a thousand chains is not searched to its end.
_LOOKED_AT = 12


def _is_inner(view: View, at: int) -> bool:
    """Whether a model works for a tool, or for an agent that another agent called."""
    forest = view.forest
    if forest.tool[at] >= 0:
        return True
    agent = forest.agent[at]
    if agent < 0:
        return False
    upper = forest.agent[agent]
    if upper < 0:
        return False
    mine = norm(view.dialects[agent].agent(view.spans[agent]))
    while upper >= 0:
        name = norm(view.dialects[upper].agent(view.spans[upper]))
        if name != mine and upper in view.callers:
            return True
        upper = forest.agent[upper]
    return False


def _note(message: Message, users: dict[str, None], system: dict[str, None]) -> None:
    if message.text:
        if message.role == "user":
            users.setdefault(normal(message.text))
        elif message.role == "system":
            system.setdefault(normal(message.text))


def _is_users(text: str, task: str, results: set[str]) -> bool:
    """Whether a user message is the user's own.

    It is not if it is the task with a frame around it (`Context: … User Request: …`), or
    a tool's result that a framework hands on as a user.
    """
    framed = bool(task) and task in text and text != task
    return not framed and text not in results


def _history(calls: Iterable[Call], results: ToldResults) -> tuple[tuple[str, str], ...]:
    """Give the results of calls that this run did not make.

    A result with neither an id nor a tool's name cannot be told from the run's own.
    """
    own_ids = {call.call_id for call in calls if call.call_id}
    own_texts = {_squashed(call.result.text) for call in calls}
    found: dict[tuple[str, str], None] = {}
    for result in results.all:
        if not result.text or result.call_id in own_ids:
            continue
        tool = result.tool or (results.names.get(result.call_id, "") if result.call_id else "")
        if (tool or result.call_id) and _squashed(result.text) not in own_texts:
            found.setdefault((tool, result.text))
    return tuple(found)


def _squashed(text: str) -> str:
    """Leave out what serialisers do differently: space, and ADK's `{"result": …}`."""
    tight = "".join(text.split())
    wrapped = tight.startswith('{"result":"') and tight.endswith('"}')
    return tight[len('{"result":"') : -2] if wrapped else tight
