"""What is let go of at the door, so that an open trace stays small.

Owns the common part of `Dialect.trim`: a model's messages become items in one place,
whatever form they came in, and every copy of them goes; tool definitions become names;
a chain's own long input and output go, since they repeat what the model's spans say.
Which forms there are, `keys` says; what a framework does otherwise, its dialect.

Cost: this runs once a span. Spans whose messages are items already cost a few lookups;
a conversation that is JSON is parsed here, once.
"""

from collections.abc import Iterable

from surefoot.assemble import history, schemas
from surefoot.assemble.dialects import keys
from surefoot.assemble.members import AGENT, CHAIN, LLM, TASK, TOOL
from surefoot.assemble.messages import items_at
from surefoot.assemble.values import is_cut, structure, text_of
from surefoot.model import Item, Span, Value

#: A chain's input or output longer than this is let go; what an agent or a root was given
#: and gave is read, where it is longer, and only the words are kept.
LONG_CHARS = 512
#: Whatever is shorter is not worth the trouble of losing: "" and markers of hiding.
_SHORT = 32
_EVENTS = frozenset({"exception", keys.GRADED})
_COPIES = frozenset((*keys.HEARD_MODEL, *keys.SAID_MODEL, "gen_ai.system_instructions"))
#: Of what an overview has in items, what it was asked is kept; what it answered is often
#: the wrong message.
_OVERVIEWS = frozenset(
    {
        *keys.HEARD_ITEMS,
        *keys.SAID_ITEMS,
        *keys.HEARD_JSON,
        *keys.DEFINITIONS,
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
    }
)
TASKS, ANSWERS, RESULTS = map(frozenset, (keys.TASK, keys.ANSWER, keys.RESULT))
_TEXTS = TASKS | ANSWERS
_MARKS = {
    keys.KIND,
    keys.OPERATION,
    keys.TRACELOOP_KIND,
    keys.AI_SDK,
    keys.MCP_METHOD,
    keys.LANGFUSE_TYPE,
    keys.MLFLOW_TYPE,
    "llm.request.type",
    "error.type",
    "gen_ai.task.status",
    "langfuse.observation.level",
}
_ANY = {*_MARKS, *keys.OWNERS, *keys.SESSION, *keys.EVALUATION}
_OVERVIEW = {*_ANY, *_TEXTS, "graph.node.id", "traceloop.entity.name"}
_MODEL = {
    *_ANY,
    *_COPIES,
    *keys.MODEL,
    *keys.FINISH,
    *keys.USAGE,
}
_TOOL = {
    *_ANY,
    *keys.TOOL,
    *keys.ARGUMENTS,
    *keys.RESULT,
    *keys.CALL_ID,
    "gen_ai.tool.json_schema",
    "gen_ai.tool.status",
    "tool.status",
    "tool.json_schema",
    "tool.run_attempts",
    "traceloop.entity.name",
}
#: What is dropped of a span by its role: of the wanted keys those that nobody asks it for.
_DROPS = {
    CHAIN: keys.KEYS - _OVERVIEW,
    TASK: keys.KEYS - _OVERVIEW,
    AGENT: keys.KEYS - _OVERVIEW - keys.USAGE,
    LLM: keys.KEYS - _MODEL,
    TOOL: keys.KEYS - _TOOL,
}
_AROUND_TOOLS = frozenset({"llm.input_messages", "llm.output_messages", "gen_ai.input.messages"})


def trim_model(attributes: dict[str, Value]) -> None:
    """Make one conversation of a model span's attributes, and let its copies go.

    What a dialect has made of them before stays.
    """
    trim_offers(attributes)
    heard = _pop_items(attributes, keys.HEARD_ITEMS)
    if not heard and keys.HEARD not in attributes:
        heard = system_items(attributes.get("gen_ai.system_instructions"))
        heard += from_json(attributes, keys.HEARD_MODEL, "user")
    said = _pop_items(attributes, keys.SAID_ITEMS)
    if not said and keys.SAID not in attributes:
        said = from_json(attributes, keys.SAID_MODEL, "assistant")
    if heard:
        attributes.setdefault(keys.HEARD, heard)
    if said:
        attributes.setdefault(keys.SAID, said)
    let_go(attributes, _COPIES)


def trim_overview(span: Span) -> None:
    """Trim an agent's or a chain's span, which sums up what its children say."""
    attributes = span.attributes
    if not _OVERVIEWS.isdisjoint(attributes):
        trim_offers(attributes)
        heard = _pop_items(attributes, keys.HEARD_ITEMS)
        heard = heard or from_json(attributes, keys.HEARD_JSON, "user")
        said = from_json(attributes, ("gen_ai.output.messages",), "assistant")
        heard = system_items(attributes.get("gen_ai.system_instructions")) + heard
        if heard:
            attributes[keys.HEARD] = heard
        if said:
            attributes[keys.SAID] = said
        for key in _OVERVIEWS.intersection(attributes):
            del attributes[key]
    if span.parent_id and span.role is not AGENT:
        let_go(attributes, _TEXTS, LONG_CHARS)


def is_long(attributes: dict[str, Value], names: frozenset[str]) -> bool:
    """Whether a text under one of `names` is worth reading at the door."""
    for key in names:
        if key in attributes:
            value = attributes[key]
            if not isinstance(value, str) or len(value) > LONG_CHARS:
                return True
    return False


def mark_cut(attributes: dict[str, Value], names: frozenset[str]) -> None:
    """Remember that a text that is let go was only a beginning."""
    if any(is_cut(attributes[key]) for key in names.intersection(attributes)):
        attributes[keys.CUT] = True


def trim_tool(attributes: dict[str, Value]) -> None:
    """Trim a tool's span: the conversation around it is told elsewhere."""
    for key in _AROUND_TOOLS:
        attributes.pop(key, None)


def trim_offers(attributes: dict[str, Value]) -> None:
    """Turn tool definitions into names."""
    for key in keys.DEFINITIONS:
        value = attributes.pop(key) if key in attributes else None
        if value is not None and keys.OFFERS not in attributes:
            found = schemas.held(value)
            if found:
                attributes[keys.OFFERS] = found


def compact(span: Span) -> None:
    """Drop what the role has no use for, into a dict that is as small as it can be.

    Keys that no dialect reads (a spec's own) stay. A dict does not shrink when entries
    are deleted from it, so a new one is made.
    """
    attributes = span.attributes
    for key in _DROPS[span.role].intersection(attributes):
        del attributes[key]
    span.attributes = {**attributes}


def trim_events(span: Span) -> None:
    """Keep exceptions and grades."""
    if span.events:
        span.events = tuple(event for event in span.events if event.name in _EVENTS)


def let_go(attributes: dict[str, Value], names: frozenset[str], above: int = _SHORT) -> None:
    """Drop what is longer than `above`; a marker of hiding stays."""
    for key in names:
        if key in attributes:
            value = attributes[key]
            if not isinstance(value, str) or len(value) > above:
                del attributes[key]


def from_json(attributes: dict[str, Value], names: Iterable[str], role: str) -> tuple[Item, ...]:
    """Give the first conversation that stands under one of `names`.

    One that is only a beginning leaves a mark, since the messages after it are lost.
    """
    for key in names:
        value = attributes.get(key)
        if value is not None:
            items = history.items_of(value, role=role)
            if items:
                if is_cut(value):
                    attributes[keys.CUT] = True
                return items
    return ()


def system_items(value: Value) -> tuple[Item, ...]:
    """Give the system prompt as items; GenAI has it apart from the messages."""
    if value is None:
        return ()
    found = structure(value, partial=True)
    return (history.item("system", history.texts(found.value) if found else text_of(value)),)


def _pop_items(attributes: dict[str, Value], families: Iterable[str]) -> tuple[Item, ...]:
    found: tuple[Item, ...] = ()
    for family in families:
        if family in attributes:
            found = found or items_at(attributes, family)
            del attributes[family]
    return found
