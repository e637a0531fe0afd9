"""What a sender tells whoever operates it.

Owns the kinds; how often a thing is told is said at each. The words are the shell's.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from surefoot.forward.options import Signal


class Kind(enum.Enum):
    """What happened."""

    UNREACHABLE = enum.auto()  #: an attempt failed after all went well; once until it does
    REACHABLE = enum.auto()  #: a request went through again
    UNSUPPORTED = enum.auto()  #: the backend does not know this signal; once
    GIVEN_UP = enum.auto()  #: a request is dropped; each time
    REJECTED = enum.auto()  #: the backend took a request but for some items; once a minute


@dataclass(frozen=True, slots=True)
class News:
    """One thing that happened.

    reason: a gRPC code (`UNAVAILABLE`) or `shutdown`. detail: the backend's own words.
    count: of requests, or of items for REJECTED.
    """

    kind: Kind
    signal: Signal
    endpoint: str
    reason: str = ""
    detail: str = ""
    count: int = 1


#: Called from the sender's threads, and must not block.
Tell: TypeAlias = Callable[[News], None]
