"""One run's spans with their dialects, and the messages of its models, read once.

Owns what the other files of `assemble` ask again and again: which dialect a span speaks,
what a model heard and said. A message that a hundred turns repeat is read once: equal
items are one object, or at least equal.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import cast

from surefoot.assemble import dialects, messages, schemas
from surefoot.assemble.call import norm
from surefoot.assemble.dialects import keys
from surefoot.assemble.dialects.dialect import Dialect
from surefoot.assemble.limits import lengths
from surefoot.assemble.members import AGENT, CHAIN, LLM
from surefoot.assemble.messages import Message
from surefoot.assemble.tree import Forest
from surefoot.model import Item, Role

_CHAIN = int(CHAIN)


class View:
    """The spans of one run. Indexes are the forest's.

    ai: the AI spans. models, agents: those of that role. listeners: those that tell what was
    heard, overviews included. callers: agents with a model right under them, which may
    call others in their own words. limit, capped: see `limits`.
    """

    __slots__ = (
        "_by_id",
        "_inner",
        "_lists",
        "_messages",
        "_names",
        "_offers",
        "agents",
        "ai",
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
        self.dialects: list[Dialect] = dialects.of_all(forest.spans)
        self.ai = [at for at, span in enumerate(self.spans) if span.role >= _CHAIN]
        self.models = [at for at in self.ai if self.spans[at].role is LLM]
        self.listeners = [at for at in self.ai if keys.HEARD in self.spans[at].attributes]
        self.agents = [at for at in self.ai if self.spans[at].role is AGENT]
        self.callers = frozenset([self.forest.agent[at] for at in self.models])
        self.limit, self.capped = lengths(self.spans)
        self._messages: dict[Item, Message] = {}
        #: By the id of items, which the values keep alive.
        self._lists: dict[int, tuple[tuple[Item, ...], list[Message]]] = {}
        self._by_id: dict[int, Message] = {}
        self._offers: dict[str, tuple[str, ...] | None] | None = None
        self._inner: list[bool] | None = None
        self._names: dict[int, str] | None = None

    def with_role(self, *roles: Role) -> list[int]:
        """Give the AI spans of these roles in order of start."""
        return [at for at in self.ai if self.spans[at].role in roles]

    def said(self, at: int) -> list[Message]:
        """Give what a span's model answered."""
        return self.of(messages.items_at(self.spans[at].attributes, keys.SAID))

    def of(self, items: tuple[Item, ...]) -> list[Message]:
        """Read items, each distinct one once."""
        known = self._lists.get(id(items))
        if known is None:
            known = self._lists[id(items)] = (items, [self._message(item) for item in items])
        return known[1]

    def heard(self) -> Iterator[tuple[int, Message]]:
        """Give what was heard from anybody but a model: (span, message), each message once.

        What the run's own models heard comes before what those that work for others did.
        A history begins as the one before it did, so that only its end is looked at.
        """
        inner = self.inner()
        seen: set[object] = set()
        before: tuple[Item, ...] = ()
        for at in sorted(self.listeners, key=inner.__getitem__):
            items = messages.items_at(self.spans[at].attributes, keys.HEARD)
            known = _common(before, items) if before else 0
            before = items
            for item, place in self._answering(items[known:]):
                mark: object = (id(item), place) if place else id(item)
                if mark in seen:
                    continue
                seen.add(mark)
                message = self._message(item)
                if place:
                    message = message._replace(call_id=place[0], tool=place[1])
                said: object = message if place else -id(message)
                if said not in seen:
                    seen.add(said)
                    yield at, message

    def _answering(self, items: tuple[Item, ...]) -> Iterator[tuple[Item, tuple[str, str] | None]]:
        """Give each item that is no model's; a nameless result with the call it answers.

        LiteLLM's and others' results bear neither an id nor a name: the first after a
        request answers its first call, the second its second.
        """
        request: Item | None = None
        answered = 0
        for item in items:
            role = messages.role_of(item)
            if role == "assistant":
                request, answered = item, 0
            elif role == "tool" and request is not None and messages.is_nameless(item):
                calls = self._message(request).calls
                call = calls[answered] if answered < len(calls) else None
                answered += 1
                yield item, (call.call_id, call.tool) if call else None
            else:
                yield item, None

    def inner(self) -> list[bool]:
        """Say of each span whether it works for a tool, or for an agent that called it.

        Whoever calls an agent does so in its own words, which are no user's.
        """
        if self._inner is None:
            forest = self.forest
            self._inner = [False] * len(self.spans)
            for at in forest.order:
                agent = forest.agent[at]
                self._inner[at] = forest.tool[at] >= 0 or (
                    agent >= 0
                    and (
                        self._inner[agent]
                        or (self.spans[at].role is AGENT and self._calls(agent, at))
                    )
                )
        return self._inner

    def _calls(self, agent: int, at: int) -> bool:
        """Whether an agent with models of its own called the agent whose span `at` is."""
        names = self.agent_names()
        return agent in self.callers and norm(names[agent]) != norm(names[at])

    def _message(self, item: Item) -> Message:
        known = self._by_id.get(id(item))
        if known is None:
            try:
                known = self._messages.get(item)
                if known is None:
                    known = self._messages[item] = messages.read(item)
            except (TypeError, RecursionError):  # a value that cannot be hashed
                known = messages.read(item)
            self._by_id[id(item)] = known
        return known

    def read_so_far(self) -> Iterable[Message]:
        """Give every distinct message that was read."""
        return self._by_id.values()

    def names(self) -> dict[str, str]:
        """Give the tools of the calls that models' histories tell of, by call id."""
        return {
            call.call_id: call.tool
            for at in self.listeners
            for message in self.of(messages.items_at(self.spans[at].attributes, keys.HEARD))
            for call in message.calls
        }

    def agent_names(self) -> dict[int, str]:
        """Give the names on agents' spans, in order of start."""
        if self._names is None:
            self._names = {at: self.dialects[at].agent(self.spans[at]) for at in self.agents}
        return self._names

    def offered(self) -> dict[str, tuple[str, ...] | None]:
        """Give the tools that the run's models were offered, by norm, with argument names."""
        if self._offers is None:
            self._offers = {}
            every = [self.spans[at].attributes.get(keys.OFFERS) for at in self.ai]
            distinct = {id(items): items for items in every if isinstance(items, tuple)}
            for items in distinct.values():
                self._offers.update(_offered(cast("tuple[Item, ...]", items)))
        return self._offers


@lru_cache(maxsize=256)
def _offered(items: tuple[Item, ...]) -> dict[str, tuple[str, ...] | None]:
    """Give by norm what one model was offered: every run of an agent is offered the same."""
    return {norm(name): names for name, names in schemas.from_items(items)}


def _common(before: tuple[Item, ...], items: tuple[Item, ...]) -> int:
    """Count the items that both begin with, back to the last request among them."""
    count = 0
    for one, other in zip(before, items, strict=False):
        if one is not other:
            break
        count += 1
    while count and messages.role_of(items[count - 1]) != "assistant":
        count -= 1
    return max(0, count - 1)
