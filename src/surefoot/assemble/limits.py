"""Whether the sender's SDK cuts attribute values, and where.

An SDK's length limit leaves no mark on the wire: a text just ends. What it does leave is
many texts of exactly one length, and none that is longer. Cut JSON is seen where it is
read; this finds cut plain texts.
"""

from collections.abc import Iterable

from surefoot.model import Span

#: So many different texts of the greatest length are no accident.
_ENOUGH = 3
#: No one sets a limit below this, and short texts are often of one length.
_LEAST = 32


def length_limit(spans: Iterable[Span]) -> int:
    """Give the length at which values are cut; 0 if they do not seem to be."""
    longest = _LEAST - 1
    texts: set[str] = set()
    for span in spans:
        for value in span.attributes.values():
            if isinstance(value, str) and len(value) >= longest:
                if len(value) > longest:
                    longest = len(value)
                    texts = set()
                texts.add(value)
    return longest if len(texts) >= _ENOUGH and not any(map(_is_closed, texts)) else 0


def _is_closed(text: str) -> bool:
    """Whether a structure ends as it should; dumps of like objects are of one length."""
    return text[:1] + text[-1:] in ("{}", "[]")
