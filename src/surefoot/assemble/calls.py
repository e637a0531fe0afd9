"""The calls that tools' spans tell of, and the calls that models asked for.

Owns the reading of both into `Call`s. A tool's span gives a call that ran; a model's
output gives a request, known by the id that the model gave it. Which of them are one and
the same, `merge` and `match` decide. Only outputs are requests: inputs repeat history.
"""

from surefoot.assemble import arguments
from surefoot.assemble.arguments import Arguments, Candidate
from surefoot.assemble.call import Call, norm
from surefoot.assemble.dialects import keys
from surefoot.assemble.messages import Asked
from surefoot.assemble.results import Result
from surefoot.assemble.values import text_of
from surefoot.assemble.view import View
from surefoot.model import ArgsQuality, Role, Source, Span


def from_tools(view: View) -> list[Call]:
    """Give one call a tool's span, in order of start."""
    return [
        _from_span(view, at)
        for at, span in enumerate(view.spans)
        if span.role is Role.TOOL and view.dialects[at].is_step(span)
    ]


def _from_span(view: View, at: int) -> Call:
    span, dialect = view.spans[at], view.dialects[at]
    tool = dialect.tool(span)
    properties = dialect.properties(span)
    if properties is None:
        properties = view.properties(norm(tool))
    read = arguments.read(dialect.candidates(span), properties)
    if read.quality is ArgsQuality.MISSING and (dialect.omits_empty or properties == ()):
        read = read._replace(quality=ArgsQuality.EXACT)
    result = dialect.result(span)
    if view.limit:
        read, result = _cut(view, span, read, result)
    return Call(
        at=at,
        tool=tool,
        start_ns=span.start_ns,
        end_ns=max(span.start_ns, span.end_ns),
        args=read.args,
        quality=read.quality,
        result=result,
        failed=dialect.failed(span) or result.failed is True,
        call_id=dialect.call_id(span) or result.call_id,
        attempts=dialect.attempts(span),
        scope=span.scope,
    )


def _cut(view: View, span: Span, read: Arguments, result: Result) -> tuple[Arguments, Result]:
    """Mark what ends where the sender's SDK cuts."""
    wrapped = read.quality in (ArgsQuality.WRAPPED_TEXT, ArgsQuality.RECOVERED)
    if wrapped and any(len(text_of(value)) == view.limit for value in read.args.values()):
        read = Arguments({}, ArgsQuality.TRUNCATED)
    if any(len(text_of(span.attributes.get(key))) == view.limit for key in keys.RESULT):
        result = result._replace(capped=True, text=result.text.removeprefix('"'))
    return read, result


def from_models(view: View) -> list[Call]:
    """Give one call a request, each once, in order of asking.

    A request is told again by a framework's node that was handed it, by a second
    instrumentation, by an overview span; the one told first stays. Requests without an id
    are the same only if a span above asked them.
    """
    found: list[Call] = []
    known: dict[tuple[str, str], list[Call]] = {}
    turn = 0
    for at in _askers(view):
        for asked in _turns(view, at):
            fresh = [request for call in asked if (request := _fresh(view, at, call, known))]
            for place, request in enumerate(fresh):
                request.turn, request.place = turn, place
            found += fresh
            turn += bool(fresh)
    return found


def _fresh(
    view: View, at: int, asked: Asked, known: dict[tuple[str, str], list[Call]]
) -> Call | None:
    """Give a request that was not told before; complete the one that was."""
    request = _from_request(view, at, asked)
    others = known.setdefault((request.call_id, request.name), [])
    twin = next((other for other in others if _is_twin(view, request, other)), None)
    if twin is None:
        others.append(request)
        return request
    _complete(twin, request)
    return None


def _askers(view: View) -> list[int]:
    """Give the spans whose output asks for calls, in order of their end."""
    spans = view.spans
    asking = [
        at
        for at, span in enumerate(spans)
        if (span.role is Role.LLM and keys.SAID in span.attributes) or keys.ASKED in span.attributes
    ]
    return sorted(asking, key=lambda at: (_asked_at(view, at), at))


def _asked_at(view: View, at: int) -> int:
    span = view.spans[at]
    return max(span.start_ns, span.end_ns) if span.role is Role.LLM else span.start_ns


def _turns(view: View, at: int) -> list[tuple[Asked, ...]]:
    messages = view.read(view.spans[at], keys.ASKED) or view.said(at)
    return [message.calls for message in messages if message.calls]


def _from_request(view: View, at: int, asked: Asked) -> Call:
    when = _asked_at(view, at)
    properties = view.properties(norm(asked.tool))
    read = arguments.read((Candidate(asked.arguments),), properties)
    if read.quality is ArgsQuality.MISSING:
        empty = properties == () or view.dialects[at].omits_empty or asked.arguments == ""
        read = read._replace(quality=ArgsQuality.EXACT if empty else ArgsQuality.MISSING)
    return Call(
        at=at,
        tool=asked.tool,
        start_ns=when,
        end_ns=when,
        args=read.args,
        quality=read.quality,
        call_id=asked.call_id,
        source=Source.LLM,
        scope=view.spans[at].scope,
    )


def _is_twin(view: View, request: Call, other: Call) -> bool:
    if request.at == other.at:
        return bool(request.call_id)
    if request.call_id:
        exact = ArgsQuality.EXACT
        doubtful = request.quality is not exact or other.quality is not exact
        return doubtful or request.key == other.key
    above = view.forest.above
    nested = above[request.at] == other.at or above[other.at] == request.at
    return nested and request.key == other.key


def _complete(known: Call, again: Call) -> None:
    if known.quality is not ArgsQuality.EXACT and again.quality is ArgsQuality.EXACT:
        known.args, known.quality = again.args, again.quality
