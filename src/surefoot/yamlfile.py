"""One YAML file that a person wrote, read within bounds.

Owns reading: bytes, UTF-8, YAML without code, and what no file may do to the program that
reads it. Knows no key; both configurations and specs come through here.

YAML lets a few lines stand for billions of values (an alias of a list of aliases), for
a list that is in itself, or for a depth at which any reader's stack ends. So the events
of the parser are looked at first, one by one and without recursion; only what passes
is built. The bounds are far above what people write, a few hundred lines five levels
deep, and far below what takes noticeable time.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

import yaml

from surefoot.errors import ConfigError

#: libyaml's parser takes a tenth of the time; PyYAML may have been built without it.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

#: Where in a file: keys and list indices from the top.
Place: TypeAlias = "tuple[str | int, ...]"

MIB: Final = 1 << 20
#: 4 MiB hold ten thousand specs.
LARGEST_BYTES: Final = 4 * MIB
#: The deepest key that we know of stands six levels down.
DEEPEST: Final = 50
#: Keys and values, each alias counted as what it stands for.
MOST_NODES: Final = 200_000
#: A number, a date or the like is no longer; YAML 1.1 makes a number of `1:1:1:…` and
#: takes time in the square of its length.
LONGEST_PLAIN: Final = 100

_TOO_DEEP: Final = f"nested deeper than {DEEPEST} levels; no key stands so deep"
_BUILT_TAGS: Final = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("bool", "float", "int", "null", "timestamp")
)
_TEXT_TAG: Final = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says. tree: the same as nodes, which know their lines; None if empty."""

    content: Any
    tree: yaml.Node | None


def read(path: Path) -> Document:
    """Read one file.

    Raises:
        ConfigError: It cannot be read, is no YAML or passes a bound. The message reads
            `what is wrong; what would be right`, without the file's name.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError as failure:
        raise ConfigError("no such file; name one that is there") from failure
    except PermissionError as failure:
        right = f"let user {os.geteuid()} read it"
        raise ConfigError(f"cannot be read: {failure.strerror}; {right}") from failure
    except OSError as failure:
        raise ConfigError(f"cannot be read: {failure.strerror}; name a text file") from failure
    if len(raw) > LARGEST_BYTES:
        raise ConfigError(f"larger than {LARGEST_BYTES // MIB} MiB; split it, or name another file")
    try:
        return parse(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as failure:
        raise ConfigError(f"cannot be read: {failure}; write a text file in UTF-8") from failure


def parse(text: str) -> Document:
    """Read the text of one file. Time is linear in what its bounds allow.

    Raises:
        ConfigError: See `read`.
    """
    try:
        _measure(text)
        loader = _Loader(text)
        try:
            tree = loader.get_single_node()
            _refuse_long_numbers(tree)
            for at, number in _doubles(tree):
                raise ConfigError(f"{dotted(at)}: written twice; keep one (line {number})")
            return Document(None if tree is None else loader.construct_document(tree), tree)
        finally:
            loader.dispose()
    except yaml.YAMLError as problem:
        raise ConfigError(_words(problem)) from problem
    except _NO_VALUE as problem:
        # `2026-99-99`, `!!int x`: PyYAML lets these through as they come.
        told = str(problem) if isinstance(problem, ValueError) else "a value is not what it says"
        raise ConfigError(f"not YAML: {told}; put texts in quotes") from problem


#: What PyYAML raises where a value does not fit its tag.
_NO_VALUE: Final = (ValueError, KeyError, IndexError, AttributeError, TypeError, OverflowError)


def dotted(at: Place) -> str:
    """Write a place as people do: `specs[0].before[1]`."""
    text = ""
    for part in at:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def line_number(node: yaml.Node | None, at: Place) -> int:
    """The line on which the thing at `at`, or what is nearest above it, begins; 0: none.

    Something that has a key begins with it.
    """
    if node is None:
        return 0
    line: int = node.start_mark.line
    for start, _ in _walk(node, at):
        line = start.start_mark.line
    return line + 1


def spelled(node: yaml.Node | None, at: Place) -> Place:
    """The place with its keys as the file spells them: `yes`, where YAML makes it True."""
    if node is None:
        return at
    keys = [
        key.value if key is not inner and isinstance(key, yaml.ScalarNode) else part
        for part, (key, inner) in zip(at, _walk(node, at), strict=False)
    ]
    return (*keys, *at[len(keys) :])


def _walk(node: yaml.Node, at: Place) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """What the parts of a place begin with and what they are, as far as there are any."""
    for part in at:
        found = _child(node, part)
        if found is None:
            return
        yield found
        node = found[1]


def _child(node: yaml.Node, part: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """What a part of a list or mapping begins with, its key if it has one, and the part.

    Of pairs with one key the last counts: those that `<<` merges in stand before the own.
    """
    if isinstance(node, yaml.MappingNode):
        return next((pair for pair in reversed(node.value) if _means(pair[0], part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        inner: yaml.Node = node.value[part]
        return inner, inner
    return None


def _means(key: yaml.Node, part: str | int) -> bool:
    """Whether a key is told of as `part`: one that is no text as what it was built to.

    To pydantic, `yes` is the number 1 and `~` the text None.
    """
    if isinstance(key, yaml.ScalarNode) and key.tag in _BUILT_TAGS:
        built = yaml.SafeLoader("").construct_object(key)
        return bool(built == part) or str(built) == str(part)
    return bool(key.value == str(part))


# Bounds, before anything is built.


class _Size(NamedTuple):
    """How many nodes a value is with all that its aliases stand for, in how many levels."""

    nodes: int
    depth: int


@dataclass(slots=True)
class _Open:
    """A list or mapping that has not ended."""

    anchor: str | None
    nodes: int = 1
    depth: int = 1

    def add(self, inner: _Size) -> None:
        """Count a value that stands in it."""
        self.nodes += inner.nodes
        self.depth = max(self.depth, inner.depth + 1)


@dataclass(slots=True)
class _Measure:
    """Adds up what has been seen of a file."""

    nodes: int = 0
    open: list[_Open] = field(default_factory=list)
    sizes: dict[str, _Size] = field(default_factory=dict)

    def take(self, event: yaml.Event) -> None:
        """Look at the parser's next event."""
        if isinstance(event, yaml.CollectionStartEvent):
            self.open.append(_Open(event.anchor))
            if event.anchor:
                self.sizes.pop(event.anchor, None)  # an alias within means this one
            self._bound(event, _Size(1, 0))
        elif isinstance(event, yaml.CollectionEndEvent):
            ended = self.open.pop()
            self._close(ended.anchor, _Size(ended.nodes, ended.depth))
        elif isinstance(event, yaml.ScalarEvent):
            self._bound(event, _Size(1, 0))
            self._close(event.anchor, _Size(1, 0))
        elif isinstance(event, yaml.AliasEvent):
            size = self._stands_for(event)
            self._bound(event, size)
            self._close(None, size)

    def _stands_for(self, event: yaml.AliasEvent) -> _Size:
        if event.anchor in self.sizes:
            return self.sizes[event.anchor]
        if any(one.anchor == event.anchor for one in self.open):
            _refuse(event, f"*{event.anchor} stands within itself; write out what it stands for")
        return _Size(1, 0)  # an unknown name: the composer says so

    def _close(self, anchor: str | None, size: _Size) -> None:
        if anchor:
            self.sizes[anchor] = size
        if self.open:
            self.open[-1].add(size)

    def _bound(self, event: yaml.Event, more: _Size) -> None:
        self.nodes += more.nodes
        if len(self.open) + more.depth > DEEPEST:
            _refuse(event, _TOO_DEEP)
        if self.nodes > MOST_NODES:
            right = "write fewer, or split the file"
            _refuse(event, f"more than {MOST_NODES:,} values with those of its aliases; {right}")


def _measure(text: str) -> None:
    measure = _Measure()
    for event in yaml.parse(text, Loader=_Loader):
        measure.take(event)


def _refuse(event: yaml.Event, words: str) -> NoReturn:
    mark = event.start_mark
    raise ConfigError(f"line {mark.line + 1}: {words}" if mark else words)


def _refuse_long_numbers(tree: yaml.Node | None) -> None:
    """Refuse what is no text and yet long. A text has no length."""
    left = [] if tree is None else [tree]
    seen: set[int] = set()
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            left += [inner for pair in node.value for inner in pair]
        elif isinstance(node, yaml.SequenceNode):
            left += node.value
        elif node.tag != _TEXT_TAG and len(node.value) > LONGEST_PLAIN:
            where = f"line {node.start_mark.line + 1}"
            raise ConfigError(
                f"{where}: a number of {len(node.value)} characters; put it in quotes"
            )


def _doubles(node: yaml.Node | None, at: Place = ()) -> Iterator[tuple[Place, int]]:
    """Keys that stand twice in one mapping, and on which line again.

    YAML keeps the last, in silence.
    """
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                yield (*at, name), key.start_mark.line + 1
            seen.add(name)
            yield from _doubles(value, (*at, name))
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _doubles(item, (*at, index))


def _words(failure: yaml.YAMLError) -> str:
    """Say where a file stops being YAML."""
    if isinstance(failure, yaml.MarkedYAMLError) and (mark := failure.problem_mark):
        what = failure.problem or failure.context or "not YAML"
        if "nesting depth" in what:  # libyaml's own bound, which it reaches reading ahead
            return f"line {mark.line + 1}: {_TOO_DEEP}"
        return f"line {mark.line + 1}, column {mark.column + 1}: {what}"
    return f"not YAML: {' '.join(str(failure).split())}"
