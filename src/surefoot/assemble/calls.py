"""The calls that tools' spans tell of, and the calls that models asked for.

Owns the reading of both into `Call`s. A tool's span gives a call that ran; a model's
output gives a request, known by the id that the model gave it. Which of them are one and
the same, `merge` and `match` decide. Only outputs are requests: inputs repeat history.
"""

from typing import NamedTuple

from surefoot.assemble import arguments, dialects
from surefoot.assemble.arguments import Arguments, Candidate
from surefoot.assemble.call import Call, norm
from surefoot.assemble.dialects import keys
from surefoot.assemble.members import ABSENT, EXACT, LLM, RECOVERED, TOOL, TRUNCATED, WRAPPED_TEXT
from surefoot.assemble.messages import Asked, items_at
from surefoot.assemble.results import Result
from surefoot.assemble.values import text_of
from surefoot.assemble.view import View
from surefoot.model import Source, Span


def from_tools(view: View) -> list[Call]:
    """Give one call a tool's span, in order of start."""
    return [
        _from_span(view, at)
        for at, span in enumerate(view.spans)
        if span.role is TOOL and view.dialects[at].is_step(span)
    ]


def _from_span(view: View, at: int) -> Call:
    span, dialect = view.spans[at], view.dialects[at]
    told = dialect.told_tool(span)
    tool = told or dialect.tool(span)
    read = arguments.read(dialect.candidates(span), lambda: _properties(view, span, tool))
    if read.quality is ABSENT and (dialect.omits_empty or _properties(view, span, tool) == ()):
        read = read._replace(quality=EXACT)
    result = dialect.result(span)
    if view.limit:
        read, result = _cut(view, span, read, result)
    return Call(
        at=at,
        tool=tool,
        start_ns=span.start_ns,
        end_ns=max(span.start_ns, span.end_ns),
        arguments=read,
        result=result,
        failed=dialect.failed(span) or result.failed is True,
        call_id=dialect.call_id(span) or result.call_id,
        attempts=dialect.attempts(span),
        scope=span.scope,
        named=bool(told),
    )


def _properties(view: View, span: Span, tool: str) -> tuple[str, ...] | None:
    """Give a tool's argument names, by its span or by what models were offered."""
    names = dialects.of(span).properties(span)
    return view.offered().get(norm(tool)) if names is None else names


def _cut(view: View, span: Span, read: Arguments, result: Result) -> tuple[Arguments, Result]:
    """Mark what ends where the sender's SDK cuts."""
    wrapped = read.quality in (WRAPPED_TEXT, RECOVERED)
    if wrapped and any(len(text_of(value)) == view.limit for value in read.args.values()):
        read = Arguments({}, TRUNCATED)
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
    known = _Known(view)
    turn = 0
    for at in _askers(view):
        for asked in _turns(view, at):
            place = 0
            for call in asked:
                request = _from_request(view, at, call)
                if not known.has(request):
                    request.turn, request.place = turn, place
                    found.append(request)
                    place += 1
            turn += place > 0
    return found


class _Known:
    """The requests so far, by what makes two of them one."""

    def __init__(self, view: View) -> None:
        self._above = view.forest.above
        self._by_id: dict[tuple[str, str], list[Call]] = {}
        self._asked: dict[tuple[int, str, str], bool] = {}
        self._asked_below: dict[tuple[int, str, str], bool] = {}

    def has(self, request: Call) -> bool:
        """Whether a request was told before; if not, it is known from now on."""
        return self._has_id(request) if request.call_id else self._has_place(request)

    def _has_id(self, request: Call) -> bool:
        key = (request.call_id, norm(request.tool))
        others = self._by_id.get(key)
        if others is None:
            self._by_id[key] = [request]
            return False
        for other in others[-_LOOKED_AT:]:
            if request.at == other.at or _may_be_one(request, other):
                _complete(other, request)
                return True
        others.append(request)
        return False

    def _has_place(self, request: Call) -> bool:
        """Look among the requests of the span above, and of those right below."""
        above = self._above[request.at]
        for known, at in ((self._asked, above), (self._asked_below, request.at)):
            if known.pop((at, request.name, request.key), None):
                return True
        self._asked[request.at, request.name, request.key] = True
        self._asked_below[above, request.name, request.key] = True
        return False


#: One id with many different arguments is no id; it is not searched without end.
_LOOKED_AT = 8


def _may_be_one(one: Call, other: Call) -> bool:
    exact = EXACT
    return one.quality is not exact or other.quality is not exact or one.key == other.key


def _complete(known: Call, again: Call) -> None:
    if known.quality is not EXACT and again.quality is EXACT:
        known.give(again.args, again.quality)


def _askers(view: View) -> list[int]:
    """Give the spans that ask for calls: models in order of their end, then the others."""
    spans = view.spans
    asking = [
        (span.role is not LLM, _asked_at(span), at)
        for at, span in enumerate(spans)
        if (keys.SAID in span.attributes and span.role is LLM) or keys.ASKED in span.attributes
    ]
    asking.sort()
    return [at for _, _, at in asking]


def _asked_at(span: Span) -> int:
    return max(span.start_ns, span.end_ns) if span.role is LLM else span.start_ns


def _turns(view: View, at: int) -> list[tuple[Asked, ...]]:
    asked = items_at(view.spans[at].attributes, keys.ASKED)
    messages = (view.of(asked) if asked else ()) or view.said(at)
    return [message.calls for message in messages if message.calls]


def _from_request(view: View, at: int, asked: Asked) -> Call:
    when = _asked_at(view.spans[at])
    return Call(
        at=at,
        tool=asked.tool,
        start_ns=when,
        end_ns=when,
        arguments=_Requested(view, at, asked),
        call_id=asked.call_id,
        source=Source.LLM,
        scope=view.spans[at].scope,
    )


class _Requested(NamedTuple):
    """The arguments of a request, not read yet."""

    view: View
    at: int
    asked: Asked

    def read(self) -> Arguments:
        """Read them; models leave out what is empty, but not all of them."""
        view, at, asked = self
        read = arguments.read((Candidate(asked.arguments),), self._names)
        if read.quality is not ABSENT:
            return read
        empty = view.dialects[at].omits_empty or asked.arguments == "" or self._names() == ()
        return read._replace(quality=EXACT) if empty else read

    def _names(self) -> tuple[str, ...] | None:
        return self.view.offered().get(norm(self.asked.tool))
