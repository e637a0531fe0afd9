"""What became of the calls that models asked for and no tool's span tells of.

Owns that judgement. Where tools have spans, a call without one did not run: the tool is
unknown, the arguments were refused, a human said no. Where no tool has a span, requests
are all there is, and the conversation tells which were answered. The end of a run, a
hand-over and a sub-agent's own span are answers too.
"""

from collections import deque

from surefoot.assemble.call import Call, norm
from surefoot.assemble.dialects.dialect import is_pause
from surefoot.assemble.members import EXACT, FINAL, HANDOFF, LLM, REDACTED, WORK
from surefoot.assemble.messages import Message, answer
from surefoot.assemble.results import UNKNOWN, Result
from surefoot.assemble.values import normal
from surefoot.assemble.view import View
from surefoot.model import Source


class Told:
    """What the run's models were told, each message once, in order of telling.

    all, by_id, by_tool: results; those without an id by the tool's norm. others: (span,
    message) of users and operators.
    """

    def __init__(self, view: View) -> None:
        self.by_id: dict[str, Result] = {}
        self.by_tool: dict[str, deque[Result]] = {}
        self.all: list[Result] = []
        self.others: list[tuple[int, Message]] = []
        for at, message in view.heard():
            if message.role != "tool":
                self.others.append((at, message))
                continue
            result = answer(message)
            self.all.append(result)
            if result.call_id:
                self.by_id.setdefault(result.call_id, result)
            else:
                self.by_tool.setdefault(norm(result.tool), deque()).append(result)

    def of(self, call: Call) -> Result | None:
        """Give what was told of a call; results without an id are given out in order."""
        found = self.by_id.get(call.call_id) if call.call_id else None
        if found is None and self.by_tool.get(call.name):
            return self.by_tool[call.name].popleft()
        return found


def settle(
    view: View, calls: list[Call], requests: list[Call], left: list[Call], told: Told
) -> list[Call]:
    """Say of each request that is left whether it ran and how it went.

    Args:
        view: The run.
        calls: What ran and has a span.
        requests: All requests in order of asking; those that were paired have the times
            of their calls.
        left: Those that were not paired.
        told: What models were told of results.
    """
    if not left:
        return []
    _place(view, requests, left)
    agents = _agents(view)
    paused = any(is_pause(event) for span in view.spans for event in span.events)
    last = view.models[-1] if view.models else -1
    kept = []
    for request in left:
        request.result = told.of(request) or UNKNOWN
        if paused and request.at == last and not request.result.known:
            continue  # it waits for somebody, who may still say no
        kept.append(request)
        if request.kind is FINAL:
            continue
        if _went_on(request, agents):
            request.kind = HANDOFF
            continue
        request.ran = not calls and _was_answered(view, request, last)
        request.failed = not request.ran or request.result.failed is True
    return kept


def _place(view: View, requests: list[Call], left: list[Call]) -> None:
    """Put what an overview tells of after what it tells of before."""
    alone = {id(request) for request in left}
    before: dict[int, int] = {}
    for request in requests:
        if view.spans[request.at].role is not LLM:
            if id(request) in alone and request.at in before:
                request.start_ns = request.end_ns = before[request.at]
            before[request.at] = request.end_ns


def fill(view: View, calls: list[Call], told: Told) -> None:
    """Give a call that has no result what a model was told, or the error's own text.

    What the sender hid stays hidden, though another span may leak it.
    """
    for call in calls:
        span, dialect = view.spans[call.at], view.dialects[call.at]
        if call.result.known or dialect.hides_result(span):
            continue
        result = told.by_id.get(call.call_id) if call.call_id else None
        if result is not None and not result.text:  # a message without content tells nothing
            result = None
        if result is None and call.failed and dialect.complaint(span):
            result = Result(normal(dialect.complaint(span)))
        call.result = result or call.result


def hide(calls: list[Call]) -> None:
    """Take from calls that only models tell of what the sender hid everywhere else."""
    for call in calls:
        if call.source is Source.LLM:
            call.give({}, REDACTED)
            call.result = UNKNOWN


def without_pending(view: View, calls: list[Call]) -> list[Call]:
    """Leave out calls that only wait for approval: no result, and nothing after them.

    Only where a dialect says that such calls have spans, and the span shows its content.
    """
    if not any(view.dialects[call.at].shows_pending for call in calls):
        return calls
    last = max((view.spans[at].start_ns for at in view.models), default=0)
    return [call for call in calls if not _is_pending(view, call, last)]


def _is_pending(view: View, call: Call, last_ns: int) -> bool:
    return (
        view.dialects[call.at].shows_pending
        and call.kind is WORK
        and call.quality is EXACT
        and bool(call.args)
        and not call.result.known
        and not call.failed
        and not view.dialects[call.at].hides_result(view.spans[call.at])
        and call.start_ns >= last_ns
    )


def _agents(view: View) -> dict[str, int]:
    """Give the latest start of each agent, by norm."""
    return {norm(name): view.spans[at].start_ns for at, name in view.agent_names().items()}


def _went_on(request: Call, agents: dict[str, int]) -> bool:
    """Whether an agent of that name, or the one handed to, started after the request."""
    name = request.name
    for agent, start_ns in ((name, agents.get(name)), *_targets(request, agents)):
        if agent and start_ns is not None and start_ns >= request.start_ns:
            return True
    return False


def _targets(request: Call, agents: dict[str, int]) -> list[tuple[str, int]]:
    if request.kind is not HANDOFF:
        return []
    return [(agent, at) for agent, at in agents.items() if agent and request.name.endswith(agent)]


def _was_answered(view: View, request: Call, last: int) -> bool:
    """Whether a call of a run without tools' spans was made.

    A tool that was never offered cannot have run, whatever the model was told. What the
    last model span of a fragment asked for was made by whoever owns the loop.
    """
    offered = view.offered()
    if offered and request.name not in offered:
        return False
    if request.result.known:
        return True
    return request.at == last and view.forest.above[request.at] < 0
