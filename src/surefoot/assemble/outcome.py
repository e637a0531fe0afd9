"""What the run ended with, and whether that looks right by its structure.

Owns the final answer and the flaw. The answer is what the topmost span gave, else the last
words of the last model that worked for nobody's tool. A root's status alone says little:
some are always OK, some are forced to be. So a flaw is an error anywhere on the chain of
agents, no answer where answers can be seen, or one that was cut or refused.
"""

from typing import NamedTuple

from surefoot.assemble.call import Call
from surefoot.assemble.dialects import keys
from surefoot.assemble.values import is_hidden, normal, text_of
from surefoot.assemble.view import View
from surefoot.model import Role, Span, StepKind

#: Finish reasons of an answer that is none. OpenAI, Anthropic, Gemini, the AI SDK.
_BAD_FINISH = frozenset(
    {
        "length",
        "max_tokens",
        "content_filter",
        "content-filter",
        "safety",
        "recitation",
        "blocklist",
        "error",
        "malformed_function_call",
        "refusal",
    }
)


class Outcome(NamedTuple):
    """The answer, and the flaw: empty if none, None if the spans do not tell."""

    output: str
    flaw: str | None


def conclude(view: View, root: int, calls: list[Call], *, ended: bool) -> Outcome:
    """Give the run's answer and its flaw.

    Args:
        view: The run.
        root: Its root's index.
        calls: Its calls, in order.
        ended: Whether the end of the run is among its spans.
    """
    models = [at for at in view.models if view.forest.tool[at] < 0]
    last = max(models, key=lambda at: (view.spans[at].end_ns, at), default=-1)
    broken = _broken(view, root)
    hidden = _hides_output(view, root)
    output = "" if hidden else _answer(view, root, calls, last)
    if broken:
        return Outcome(output, broken)
    if hidden or not ended:
        return Outcome(output, None)
    if not output:
        seen = last >= 0 and bool(view.said(last))
        return Outcome("", "no answer" if seen else None)
    finish = _finish(view, last) if last >= 0 else ""
    return Outcome(output, f"finish reason {finish}" if finish in _BAD_FINISH else "")


def _answer(view: View, root: int, calls: list[Call], last: int) -> str:
    span = view.spans[root]
    given = ""
    if span.role in (Role.AGENT, Role.CHAIN, Role.TASK):
        given = view.dialects[root].answer(span)
        if not given:
            texts = [m.text for m in view.said(root) if m.role == "assistant" and m.text]
            given = texts[-1] if texts else ""
    if not given:
        given = _last_words(view, last)
    if not given:
        given = _final_call(calls) or _agents_answer(view)
    return normal(given)


def _last_words(view: View, last: int) -> str:
    """Give what the last model said, if it asked for nothing more."""
    if last < 0:
        return ""
    said = view.said(last)
    if any(message.calls for message in said):
        return ""
    texts = [message.text for message in said if message.text]
    return texts[-1] if texts else ""


def _final_call(calls: list[Call]) -> str:
    """Give the answer that a pseudo-tool was called with."""
    for call in reversed(calls):
        if call.kind is StepKind.FINAL and call.args:
            values = list(call.args.values())
            return text_of(values[0]) if len(values) == 1 else text_of(call.args)
    return ""


def _agents_answer(view: View) -> str:
    """Give the answer of the topmost agent that ended last."""
    tops = [at for at in view.with_role(Role.AGENT) if view.forest.tool[at] < 0]
    for at in sorted(tops, key=lambda at: (-view.spans[at].end_ns, at)):
        found = view.dialects[at].answer(view.spans[at])
        if found:
            return found
    return ""


def _broken(view: View, root: int) -> str:
    """Say which span of the chain of agents ended in an error; empty if none did."""
    for at in (root, *view.with_role(Role.AGENT)):
        span = view.spans[at]
        if span.role is Role.TOOL or view.forest.tool[at] >= 0:
            continue
        if view.dialects[at].broken(span):
            return f"error in {span.name}" if span.name else "error"
    return ""


def _hides_output(view: View, root: int) -> bool:
    spans: list[Span] = [view.spans[root]]
    spans += [view.spans[at] for at in view.with_role(Role.AGENT)[:_LOOKED_AT]]
    return any(is_hidden(span.attributes.get("output.value")) for span in spans)


_LOOKED_AT = 12


def _finish(view: View, at: int) -> str:
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
