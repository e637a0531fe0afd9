"""Whether the sender's SDK cuts attribute values, and where.

An SDK's length limit leaves no mark on the wire: a text just ends. What it does leave is
many texts of exactly one length, and none that is longer. Cut JSON is seen where it is
read; this finds cut plain texts.
"""

from collections.abc import Iterable
from typing import NamedTuple

from surefoot.assemble.dialects import keys
from surefoot.model import Cut, Span

#: So many different texts of the greatest length are no accident.
_ENOUGH = 3
#: How a dump of an object or a list begins.
_STRUCTURES = ('{"', "[{", '["', "{'", "['")
#: No one sets a limit below this, and short texts are often of one length.
_LEAST = 32


class Lengths(NamedTuple):
    """limit: where values are cut by the sender, in characters; 0 if they do not seem to be.

    capped: whether our own limit cut one, in a conversation too.
    """

    limit: int
    capped: bool


def lengths(spans: Iterable[Span]) -> Lengths:
    """Look at the length of every text."""
    longest = _LEAST - 1
    texts: set[str] = set()
    capped = False
    for span in spans:
        if keys.CUT in span.attributes:
            capped = True
        for value in span.attributes.values():
            kind = value.__class__
            if kind is str:
                size = len(value)  # type: ignore[arg-type] # its class is str
                if size >= longest:
                    if size > longest:
                        longest, texts = size, set()
                    texts.add(value)  # type: ignore[arg-type] # its class is str
            elif kind is Cut:
                capped = True
    return Lengths(longest if _are_cut(texts) else 0, capped)


def _are_cut(texts: set[str]) -> bool:
    """Whether the different texts of the greatest length are beginnings.

    Structures that end as they should say nothing: dumps of like objects are of one
    length, and a cut text may happen to end with a bracket. One that does not end says
    more than a plain text does.
    """
    open_texts = [text for text in texts if text[:1] + text[-1:] not in ("{}", "[]")]
    broken = any(text.startswith(_STRUCTURES) for text in open_texts)
    return len(open_texts) >= (_ENOUGH - 1 if broken else _ENOUGH)
