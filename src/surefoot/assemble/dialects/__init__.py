"""Every dialect that Surefoot knows, and which of them a span speaks.

The instrumentation scope tells first; a span of a scope that no dialect names speaks the
convention whose mark it bears. To add a framework: one file here, its line in `DIALECTS`,
one recording.
"""

from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import Dialect
from surefoot.assemble.dialects.genai import GenAI
from surefoot.assemble.dialects.openinference import OpenInference
from surefoot.model import Span, Wanted

_OPENINFERENCE, _GENAI = OpenInference(), GenAI()

DIALECTS: tuple[Dialect, ...] = (_OPENINFERENCE, _GENAI)

_BY_SCOPE = {scope: dialect for dialect in DIALECTS for scope in dialect.scopes}
#: The mark of each convention, the most telling first.
_BY_MARK: tuple[tuple[str, Dialect], ...] = (
    (keys.KIND, _OPENINFERENCE),
    (keys.OPERATION, _GENAI),
)
_MARKS = frozenset(key for key, _ in _BY_MARK)

WANTED = Wanted(
    keys=keys.KEYS | {key for dialect in DIALECTS for key in dialect.extra_keys},
    prefixes=keys.EVALUATION_PREFIXES,
    indexed=keys.INDEXED,
    event_keys=keys.EVENT_KEYS,
)


def find(span: Span) -> Dialect | None:
    """Give the dialect of a span; None if no AI convention knows it."""
    dialect = _BY_SCOPE.get(span.scope)
    if dialect is not None:
        return dialect
    attributes = span.attributes
    for key, dialect in _BY_MARK:
        if key in attributes:
            return dialect
    return None


def of(span: Span) -> Dialect:
    """Give the dialect of a reduced span; one without a mark is read by the first."""
    return find(span) or _OPENINFERENCE
