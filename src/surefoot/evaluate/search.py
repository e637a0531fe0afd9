"""Which of many values stand in a text."""

from collections.abc import Collection, Iterator

from surefoot.evaluate.values import Needle, readable, stands_in


class Finder:
    """Looks for the same values in one text after another."""

    def __init__(self, needles: Collection[Needle], *, substring: bool) -> None:
        self._needles = list(needles)
        self._substring = substring

    def within(self, text: str) -> Iterator[Needle]:
        """The needles that stand in `text`."""
        if self._substring:
            return (needle for needle in self._needles if needle.text in text)
        text = readable(text)
        return (needle for needle in self._needles if stands_in(needle, text))
