"""One run's spans with their dialects, and the messages of its models, read once.

Owns what the other files of `assemble` ask again and again: which dialect a span speaks,
what a model heard and said. A message that a hundred turns repeat is read once: equal
items are one object, or at least equal.
"""

from collections.abc import Iterable, Iterator

from surefoot.assemble import dialects, messages, schemas
from surefoot.assemble.call import norm
from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import Dialect
from surefoot.assemble.limits import lengths
from surefoot.assemble.messages import Message
from surefoot.assemble.tree import Forest
from surefoot.model import Item, Role, Span


class View:
    """The spans of one run. Indexes are the forest's."""

    __slots__ = (
        "_by_id",
        "_lists",
        "_messages",
        "_offers",
        "callers",
        "capped",
        "dialects",
        "forest",
        "limit",
        "listeners",
        "models",
        "spans",
    )

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.spans = forest.spans
        self.dialects: list[Dialect] = [dialects.of(span) for span in forest.spans]
        self.models = [at for at, span in enumerate(self.spans) if span.role is Role.LLM]
        #: Every span that tells what was heard, overviews included.
        self.listeners = [at for at, span in enumerate(self.spans) if keys.HEARD in span.attributes]
        self._messages: dict[Item, Message] = {}
        self._lists: dict[int, list[Message]] = {}
        self._by_id: dict[int, Message] = {}  # the spans keep the items alive
        #: Agents with a model right under them: those that call others in their own words.
        self.callers = frozenset(self.forest.agent[at] for at in self.models)
        self.limit, self.capped = lengths(self.spans)
        self._offers: dict[str, tuple[str, ...] | None] | None = None

    def with_role(self, *roles: Role) -> list[int]:
        """Give the spans of these roles in order of start."""
        return [at for at, span in enumerate(self.spans) if span.role in roles]

    def heard(self, at: int) -> list[Message]:
        """Give what a span's model was given."""
        return self.read(self.spans[at], keys.HEARD)

    def said(self, at: int) -> list[Message]:
        """Give what a span's model answered."""
        return self.read(self.spans[at], keys.SAID)

    def read(self, span: Span, key: str) -> list[Message]:
        """Give the messages under one of our keys."""
        return self.of(messages.items_at(span.attributes, key))

    def of(self, items: tuple[Item, ...]) -> list[Message]:
        """Read items, each distinct one once."""
        known = self._lists.get(id(items))
        if known is None:
            known = self._lists[id(items)] = [self._message(item) for item in items]
        return known

    def _message(self, item: Item) -> Message:
        known = self._by_id.get(id(item))
        if known is None:
            known = self._by_id[id(item)] = self._equal(item)
        return known

    def _equal(self, item: Item) -> Message:
        try:
            known = self._messages.get(item)
        except (TypeError, RecursionError):  # a value that cannot be hashed
            return messages.read(item)
        if known is None:
            known = self._messages[item] = messages.read(item)
        return known

    def read_so_far(self) -> Iterable[Message]:
        """Give every distinct message that was read."""
        return self._by_id.values()

    def properties(self, tool: str) -> tuple[str, ...] | None:
        """Give the argument names that the models were offered for a tool (its norm)."""
        return self.offered().get(tool)

    def offered(self) -> dict[str, tuple[str, ...] | None]:
        """Give the tools that the run's models were offered, by norm."""
        if self._offers is None:
            self._offers = {}
            distinct = {id(items): items for items in self._offer_items()}
            for items in distinct.values():
                self._offers.update(
                    (norm(name), names) for name, names in schemas.from_items(items)
                )
        return self._offers

    def _offer_items(self) -> Iterator[tuple[Item, ...]]:
        for span in self.spans:
            items = messages.items_at(span.attributes, keys.OFFERS)
            if items:
                yield items
