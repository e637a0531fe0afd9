"""The nouns: what is handed from stage to stage. They hold data and do nothing.

Owns the words of the trade (span, step, run, violation, verdict) and no rule about
them. Knows no wire format, no clock and no spec. Ids are `bytes` and become hex only
where a person reads them. Times are nanoseconds (`_ns`) since 1970 as the span gave
them, except `Step.t`, which is milliseconds from the run's start.

Objects that are made once a span are slotted but not frozen, since a frozen dataclass
costs six times as much to make; nobody changes one after it has left the door, except
that the buffer shares equal texts among the spans of one trace.
"""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

#: What an OTLP attribute may hold. Arrays are tuples and key-value lists are dicts.
#: An indexed attribute (`llm.input_messages.0.message.role`) is kept under its
#: prefix as a tuple of `Item`.
Value: TypeAlias = "bool | int | float | str | bytes | tuple[Value, ...] | dict[str, Value] | None"
#: One entry of an indexed attribute: its (suffix, value) pairs in order of arrival.
Item: TypeAlias = "tuple[tuple[str, Value], ...]"


class Cut(str):
    """A text that was longer than the limit: its beginning.

    Equal to no plain text, so that sharing equal texts never loses the mark.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Equal to another cut text with the same beginning only."""
        return isinstance(other, Cut) and str.__eq__(self, other)

    def __hash__(self) -> int:
        """Not the hash of the plain text."""
        return str.__hash__(self) ^ 1


class Role(enum.IntEnum):
    """What a span is, as the dialects know it."""

    NONE = 0  #: no AI convention knows it: held as ids, times and status alone
    OTHER = 1  #: known, but no AI span: embedding, retriever, evaluator, create_agent
    CHAIN = 2
    TASK = 3
    LLM = 4
    AGENT = 5
    TOOL = 6

    @property
    def is_ai(self) -> bool:
        """Whether such a span can make a trace a run."""
        return self >= Role.CHAIN


class Status(enum.IntEnum):
    """A span's status code, as OTLP numbers it."""

    UNSET = 0
    OK = 1
    ERROR = 2


@dataclass(frozen=True, slots=True)
class Resource:
    """Who sent a span. Shared by all the spans of one sender.

    `attributes` holds the resource's scalar attributes.
    """

    service: str = ""
    attributes: Mapping[str, Value] = field(default_factory=dict, hash=False)


@dataclass(slots=True)
class Event:
    """Something that happened within a span: an exception, a message."""

    name: str
    time_ns: int
    attributes: dict[str, Value]


@dataclass(slots=True)
class Link:
    """A pointer to a span, often of another trace."""

    trace_id: bytes
    span_id: bytes


@dataclass(slots=True)
class Span:
    """One OTLP span, reduced at the door to what judging needs.

    `parent_id` is empty for a root. A parent id that is no id (neither 0 nor 8 bytes)
    is kept as it came: it is a parent that never comes. `dropped` counts the
    attributes that the sender's SDK dropped.
    """

    trace_id: bytes
    span_id: bytes
    parent_id: bytes
    name: str
    start_ns: int
    end_ns: int
    status: int
    message: str
    flags: int
    scope: str
    resource: Resource
    attributes: dict[str, Value]
    events: tuple[Event, ...] = ()
    links: tuple[Link, ...] = ()
    dropped: int = 0
    role: Role = Role.NONE


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which attributes the judging side asks the door to keep.

    keys: exact keys. prefixes: keys that start so are kept one by one. indexed:
    prefixes (without the last dot) whose numbered entries are kept as `Item`s.
    event_keys: the keys of span events, exact.
    """

    keys: frozenset[str]
    prefixes: tuple[str, ...] = ()
    indexed: tuple[str, ...] = ()
    event_keys: frozenset[str] = frozenset()


#: What the door does to each span once its wanted attributes are read: find its
#: role, let go of what its dialect has no use for. Changes the span in place.
Reduce: TypeAlias = Callable[[Span], None]


@dataclass(slots=True)
class Step:
    """One tool call of an agent. These six fields are a public contract.

    `t` is milliseconds from the run's start.
    """

    tool: str
    args: dict[str, Any] = field(default_factory=dict)
    ok: bool = True
    result: str = ""
    t: float = 0.0
    agent: str = "main"


class ArgsQuality(enum.StrEnum):
    """How far a step's arguments can be trusted."""

    EXACT = "exact"
    RECOVERED = "recovered"
    WRAPPED_TEXT = "wrapped_text"
    REDACTED = "redacted"
    TRUNCATED = "truncated"
    MISSING = "missing"


class Source(enum.StrEnum):
    """Where a step is known from: its own span, or the model's output alone."""

    SPAN = "span"
    LLM = "llm"


class StepKind(enum.StrEnum):
    """What a call is to the agent: work, a hand-over, or the end of the run."""

    TOOL = "tool"
    HANDOFF = "handoff"
    FINAL = "final"


@dataclass(slots=True)
class StepEvidence:
    """What else is known of a step; aligned with `Run.steps` by index.

    span_id: the tool span's, or the LLM span's where `source` is `llm`.
    merged: (span id, call id) of every span that told of this same call.
    named: False where no attribute names the tool and the span's own name stands in.
    hands_to: the agent that a handoff hands over to; empty where no span tells.
    ran: False for a call that the model asked for and no tool ran.
    turn: calls with the same number were asked for together; -1 is unknown.
    result_capped: the result is a beginning.
    result_known: the spans carry a result (also an empty one).
    trace_id: where its spans stand; empty for the run's own trace, which is the latest
    one of a session.
    """

    span_id: bytes
    start_ns: int
    end_ns: int
    call_id: str = ""
    args_quality: ArgsQuality = ArgsQuality.EXACT
    source: Source = Source.SPAN
    attempts: int = 1
    kind: StepKind = StepKind.TOOL
    ran: bool = True
    turn: int = -1
    result_capped: bool = False
    result_known: bool = True
    merged: tuple[tuple[bytes, str], ...] = ()
    trace_id: bytes = b""
    named: bool = True
    hands_to: str = ""


class Evidence(enum.StrEnum):
    """What is known of a whole run. `complete` stands alone."""

    COMPLETE = "complete"
    NO_TOOL_SPANS = "no_tool_spans"
    ARGS_MISSING = "args_missing"
    ARGS_REDACTED = "args_redacted"
    ARGS_TRUNCATED = "args_truncated"
    TEXT_CAPPED = "text_capped"
    ATTRIBUTES_DROPPED = "attributes_dropped"
    ROOT_MISSING = "root_missing"
    PARENTS_MISSING = "parents_missing"
    CLOSED_EARLY = "closed_early"
    TASK_UNKNOWN = "task_unknown"
    MULTI_RUN_TRACE = "multi_run_trace"


class Reason(enum.StrEnum):
    """Why a trace was closed."""

    ROOT = "root"
    IDLE = "idle"
    MAX_AGE = "max_age"
    SPAN_LIMIT = "span_limit"
    BYTE_LIMIT = "byte_limit"
    EVICTED = "evicted"
    SHUTDOWN = "shutdown"

    @property
    def is_early(self) -> bool:
        """Whether spans may have been cut off (evidence `closed_early`)."""
        return self not in (Reason.ROOT, Reason.IDLE)


@dataclass(frozen=True, slots=True)
class Told:
    """What an agent was given besides its tools' results.

    user: every user message, the task first. system: system prompts. history:
    (tool, text) of results that only the model's history tells of (earlier turns).
    """

    user: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    history: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Root:
    """The span that stands for the run: parent of its verdict.

    above: ids of the spans above it, the nearest first, as far as the trace tells.
    """

    span_id: bytes
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Value] = field(default_factory=dict, hash=False)
    above: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Grade:
    """What somebody said of a run's output: a feedback, an evaluator's score.

    name: of the evaluation, as its author wrote it. label: in its author's words, empty
    if there is none. score: None if there is none. time_ns: when it was given, by which
    the latest of one name counts. span_id: of the span that it is about; empty where it
    is about the run as a whole.
    """

    name: str
    label: str = ""
    score: float | None = None
    time_ns: int = 0
    span_id: bytes = b""


@dataclass(slots=True)
class Run:
    """One trajectory to judge.

    key: empty for unit trace, the agent root's span id, or the session id.
    levels: `{Evidence.COMPLETE}`, or every level that limits what can be decided.
    task: the task's text as the user gave it; told.user[0] is the same text.
    flaw: why the answer does not look right by its structure (an error on the agent
    chain, no answer, a redacted or cut one); empty where it looks right, None where
    the spans do not tell.
    models: names of the models used. tokens, cost: None if no span tells. llm_calls: how
    often a model was asked. skewed: AI spans that start before their parent, or end
    before they start. grades: what others said of the output.
    """

    trace_id: bytes
    key: bytes
    service: str
    agent: str
    session: str | None
    root: Root
    resource: Resource
    steps: list[Step]
    evidence: list[StepEvidence]
    levels: frozenset[Evidence]
    reason: Reason
    task: str = ""
    told: Told = Told()
    output: str = ""
    flaw: str | None = None
    start_ns: int = 0
    end_ns: int = 0
    spans: int = 0
    tokens: int | None = None
    models: tuple[str, ...] = ()
    llm_calls: int = 0
    cost: float | None = None
    skewed: int = 0
    grades: tuple[Grade, ...] = ()


class Severity(enum.StrEnum):
    """How much a violation weighs in alerts and in CI. It never changes a grade."""

    HARD = "hard"
    SOFT = "soft"
    WARN = "warn"


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule.

    step: the offending step's index, or None where no step is. subject: what tells
    two violations of one check on one step apart (an argument's path, a tool, a pair).
    also: the other steps that offend in the same way, where one violation stands for all.
    """

    check: str
    severity: Severity
    message: str
    step: int | None = None
    expected: str = ""
    observed: str = ""
    subject: str = ""
    arg: str = ""
    also: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        """The message as luckrate prints it: severity first, unless it is hard."""
        prefix = "" if self.severity is Severity.HARD else f"{self.severity.value}: "
        return prefix + self.message


@dataclass(frozen=True, slots=True)
class Undecided:
    """A check that the evidence cannot decide, and why."""

    check: str
    reason: str


class PathGrade(enum.StrEnum):
    """What a spec says of the path."""

    OK = "ok"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"


class OutputGrade(enum.StrEnum):
    """What is known of the answer."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Outcome(enum.StrEnum):
    """Both grades in one word."""

    PASS = "pass"  # noqa: S105 - a grade, not a password
    LUCKY = "lucky"
    VIOLATED = "violated"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"

    @staticmethod
    def of(path: PathGrade, output: OutputGrade) -> "Outcome":
        """Join the grades: a failed output first, then the path's."""
        if output is OutputGrade.FAILED:
            return Outcome.FAIL
        if path is PathGrade.VIOLATED:
            return Outcome.LUCKY if output is OutputGrade.OK else Outcome.VIOLATED
        return Outcome.INCONCLUSIVE if path is PathGrade.INCONCLUSIVE else Outcome.PASS


@dataclass(frozen=True, slots=True)
class Verdict:
    """One spec's judgement of one run."""

    spec: str
    spec_hash: str
    path: PathGrade
    output: OutputGrade
    output_source: str
    violations: tuple[Violation, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    crashed: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Both grades in one word."""
        return Outcome.of(self.path, self.output)

    @property
    def is_green(self) -> bool:
        """Output ok, and a path that could be decided: Luck Rate's denominator."""
        return self.output is OutputGrade.OK and self.path is not PathGrade.INCONCLUSIVE

    @property
    def is_lucky(self) -> bool:
        """Output ok on a bad path: Luck Rate's numerator."""
        return self.outcome is Outcome.LUCKY
