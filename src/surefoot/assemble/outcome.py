"""What the run ended with, and whether that looks right by its structure.

Owns the final answer and the flaw. The answer is what the topmost span gave, else the last
words of the last model that worked for nobody's tool. A root's status alone says little:
some are always OK, some are forced to be. So a flaw is an error on the chain of agents, no
answer where answers can be seen, or one that was cut or refused. A run whose last model
still asks for calls, with no error and no answer, is not over, or its end was lost; one
whose last word is a hand-over goes on elsewhere.
"""

from typing import NamedTuple

from surefoot.assemble.call import Call
from surefoot.assemble.dialects import keys
from surefoot.assemble.members import CHAIN, FINAL, HANDOFF, LLM, TASK, TOOL
from surefoot.assemble.values import is_hidden, normal, text_of
from surefoot.assemble.view import View

#: Finish reasons of an answer that is none. OpenAI, Anthropic, Gemini, the AI SDK.
_BAD_FINISH = frozenset(
    {
        "length",
        "max_tokens",
        "model_length",
        "content_filter",
        "content-filter",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "error",
        "malformed_function_call",
        "refusal",
    }
)
#: The answer stands near the top; a thousand agents are not all asked.
_LOOKED_AT = 12


class Outcome(NamedTuple):
    """The answer, and the flaw: empty if none, None if the spans do not tell.

    unfinished: the run's end is not among its spans.
    """

    output: str
    flaw: str | None
    unfinished: bool = False


def conclude(view: View, root: int, calls: list[Call], *, ended: bool) -> Outcome:
    """Give the run's answer and its flaw.

    Args:
        view: The run.
        root: Its root's index.
        calls: Its calls, in order.
        ended: Whether the root is the run's own, and all of the tree is there.
    """
    agents = [at for at in view.agents if view.forest.tool[at] < 0]
    models = [at for at in view.models if view.forest.tool[at] < 0]
    last = max(models, key=lambda at: (view.spans[at].end_ns, at), default=-1)
    if _hides_output(view, (root, *agents)):
        return Outcome("", _error(view, (root, *agents)) or None)
    output = _answer(view, root, agents, calls, last)
    error = _error(view, (root, *agents))
    if error or not ended:
        return Outcome(output, error or None)
    if output:
        finish = _finish(view, last) if last >= 0 else ""
        return Outcome(output, f"finish reason {finish}" if finish in _BAD_FINISH else "")
    error = _error(view, view.with_role(CHAIN, TASK, LLM))
    if error:
        return Outcome("", error)
    said = view.said(last) if last >= 0 else []
    if any(message.calls for message in said) or _hands_on(view, calls):
        return Outcome("", None, unfinished=True)
    visible = any(message.text for message in view.read_so_far())
    return Outcome("", "no answer" if said and visible else None)


def _hands_on(view: View, calls: list[Call]) -> bool:
    """Whether the last call is a hand-over, and nothing began in this trace after it."""
    if not calls or calls[-1].kind is not HANDOFF:
        return False
    return all(view.spans[at].start_ns <= calls[-1].start_ns for at in view.ai)


def _answer(view: View, root: int, agents: list[int], calls: list[Call], last: int) -> str:
    """Look for the answer where it is least wrapped."""
    span = view.spans[root]
    given = "" if span.role in (LLM, TOOL) else view.dialects[root].answer(span)
    given = given or _words(view, root) or (_words(view, last) if last >= 0 else "")
    if not given:
        given = _final_call(calls) or _agents_answer(view, agents)
    return normal(given)


def _words(view: View, at: int) -> str:
    """Give what a span's model said last, if it asked for nothing more."""
    said = view.said(at)
    overview = view.spans[at].role is not LLM or view.dialects[at].folds_turns
    if any(message.calls for message in said) and not overview:
        return ""
    texts = [message.text for message in said if message.text and message.role != "tool"]
    return texts[-1] if texts else ""


def _final_call(calls: list[Call]) -> str:
    """Give the answer that a pseudo-tool was called with."""
    for call in reversed(calls):
        if call.kind is FINAL and call.args:
            values = list(call.args.values())
            return text_of(values[0]) if len(values) == 1 else text_of(call.args)
    return ""


def _agents_answer(view: View, agents: list[int]) -> str:
    """Give the answer of the topmost agent that ended last."""
    for at in sorted(agents[:_LOOKED_AT], key=lambda at: (-view.spans[at].end_ns, at)):
        found = view.dialects[at].answer(view.spans[at])
        if found:
            return found
    return ""


def _error(view: View, chain: tuple[int, ...] | list[int]) -> str:
    """Say which span of the chain ended in an error; empty if none did."""
    for at in chain:
        span = view.spans[at]
        if span.role is TOOL or view.forest.tool[at] >= 0:
            continue
        if view.dialects[at].broken(span):
            return f"error in {span.name}" if span.name else "error"
    return ""


def _hides_output(view: View, chain: tuple[int, ...]) -> bool:
    return any(
        is_hidden(view.spans[at].attributes.get("output.value")) for at in chain[:_LOOKED_AT]
    )


def _finish(view: View, at: int) -> str:
    """Give the last reason why a model stopped, in lower case."""
    for message in reversed(view.said(at)):
        if message.finish:
            return message.finish.lower()
    for key in keys.FINISH:
        value = view.spans[at].attributes.get(key)
        if isinstance(value, tuple):
            value = value[-1] if value else None
        if value:
            return text_of(value).lower()
    return ""
