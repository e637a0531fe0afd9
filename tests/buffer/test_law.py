"""The conservation law, and that order, splits and repeats change nothing."""

from collections import Counter

import hypothesis.strategies as st
from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from spans import MINUTE, REMOTE, SECOND, a_span, a_trace_id
from surefoot.buffer import Limits, TraceBuffer
from surefoot.buffer.whole import is_whole
from surefoot.model import Role, Span

TRACES = st.integers(1, 4)
ROLES = st.sampled_from([Role.NONE, Role.OTHER, Role.LLM, Role.TOOL, Role.AGENT])
SIZES = st.integers(0, 2_000)
PARENTS = st.none() | st.integers(1, 6)


class Life(RuleBasedStateMachine):
    """Anything may happen to a small buffer, in any order."""

    def __init__(self) -> None:
        super().__init__()
        limits = Limits(
            total_bytes=12_000, traces=3, trace_spans=5, trace_bytes=6_000, remembered=2,
            verdicts=1, verdict_bytes=1_500,
        )  # fmt: skip
        self.buffer: TraceBuffer[int] = TraceBuffer(
            limits, looks_at=lambda _service: True, size_of=lambda verdict: verdict
        )
        self.now_ns = 0
        self.sent = 0
        self.looked: set[int] = set()
        self.alive: list[Span] = []  # so that no id is used anew

    @rule(trace=TRACES, n=st.integers(1, 6), parent=PARENTS, role=ROLES, remote=st.booleans(),
          text=st.integers(0, 2_000))  # fmt: skip
    def send(
        self, trace: int, n: int, parent: int | None, role: Role, *, remote: bool, text: int
    ) -> None:
        flags = REMOTE if remote else 0
        attributes = {"text": "x" * text}
        self.buffer.add(
            a_span(
                n, parent, role=role, trace=a_trace_id(trace), flags=flags, attributes=attributes
            ),
            self.now_ns,
        )
        self.sent += 1

    @rule(trace=st.integers(0, 4), reason=st.sampled_from(["trace_id", "span_id"]))
    def send_no_span(self, trace: int, reason: str) -> None:
        self.buffer.reject(reason, a_trace_id(trace) if trace else b"")
        self.sent += 1

    @rule(trace=st.integers(0, 4))
    def lose_some(self, trace: int) -> None:
        self.buffer.lack(a_trace_id(trace) if trace else b"")

    @rule(spans=st.integers(1, 3))
    def send_own(self, spans: int) -> None:
        self.buffer.ignore_own(spans)
        self.sent += spans

    @rule(trace=TRACES)
    def grade(self, trace: int) -> None:
        self.buffer.grade(a_trace_id(trace), "good", self.now_ns)

    @rule(
        span_of_time=st.sampled_from(
            [1, SECOND, 6 * SECOND, 2 * MINUTE, 10 * MINUTE, 25 * 60 * MINUTE]
        )
    )
    def wait(self, span_of_time: int) -> None:
        self.now_ns += span_of_time

    @rule()
    def run_short_of_memory(self) -> None:
        self.buffer.relieve(self.now_ns)

    @rule()
    def hasten(self) -> None:
        self.buffer.hasten(self.now_ns)

    @rule(most=st.integers(1, 4), fails=st.booleans(), size=SIZES)
    def judge(self, most: int, size: int, *, fails: bool) -> None:
        for _ in range(most):
            closed = self.buffer.pop_due(self.now_ns)
            if closed is None:
                return
            assert closed.due_ns <= self.now_ns
            if fails:
                self.buffer.lost(closed, "fault")
            else:
                self.buffer.judged(closed, size)

    @rule(says=st.none() | SIZES)
    def look(self, says: int | None) -> None:
        """A look sees spans that are held, each once, of a trace that is open."""
        while (fresh := self.buffer.pop_fresh(self.now_ns)) is not None:
            held = self.buffer.so_far(fresh.trace_id)
            assert fresh.spans
            assert all(any(span is one for one in held) for span in fresh.spans)
            assert not any(span in self.looked for span in map(id, fresh.spans))
            self.looked |= set(map(id, fresh.spans))
            self.alive += fresh.spans
            if says is not None:
                self.buffer.told(fresh.trace_id, says)

    @invariant()
    def every_span_stands_in_one_place(self) -> None:
        assert self.buffer.counts.received == self.sent
        assert self.buffer.counts.accounted() == self.sent

    @invariant()
    def open_is_what_is_held_and_not_judged(self) -> None:
        held = sum(len(h.spans) for h in self.buffer._open.values())
        waiting = sum(len(c.spans) for c in self.buffer._ready if not c.amends)
        assert self.buffer.counts.open == held + waiting

    @invariant()
    def bytes_are_what_is_held(self) -> None:
        buffer = self.buffer
        assert buffer._open_bytes == sum(h.bytes for h in buffer._open.values())
        assert buffer._kept_bytes == sum(h.bytes for h in buffer._kept.values())
        assert buffer.held_bytes <= buffer.limits.total_bytes
        assert buffer.traces_open <= buffer.limits.traces
        assert len(buffer._lacking) <= buffer.limits.traces

    @invariant()
    def verdicts_take_what_they_may(self) -> None:
        remembered = self.buffer._remembered
        sizes = [size for _, size in remembered._verdicts.values()]
        assert remembered.verdict_bytes == sum(sizes) <= self.buffer.limits.verdict_bytes
        assert remembered._verdicts.keys() <= remembered._ids.keys()
        for held in (*self.buffer._open.values(), *self.buffer._kept.values()):
            assert held.verdict_bytes == (held.verdict or 0)

    @invariant()
    def who_leaves_has_amendments_to_be_handed_out(self) -> None:
        ready = Counter(one.trace_id for one in self.buffer._ready if one.amends and one.spans)
        kept = {k: held.amendments for k, held in self.buffer._kept.items() if held.amendments}
        leaving = {k: held.amendments for k, held in self.buffer._leaving.items()}
        assert kept.keys().isdisjoint(leaving)
        assert ready == kept | leaving

    def teardown(self) -> None:
        """At the end all is judged or counted as lost, and nothing is open."""
        for nth, closed in enumerate(self.buffer.shut(self.now_ns)):
            if nth == 2:
                self.buffer.lost(closed, "shutdown")
                break
            self.buffer.judged(closed, 1)
        self.buffer.abandon()
        assert self.buffer.counts.open == 0
        assert self.buffer.counts.accounted() == self.sent


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)


def a_tree(parents: list[int | None]) -> list[Span]:
    """Spans 1..n, each below an earlier one or a root."""
    roles = (Role.AGENT, Role.LLM, Role.TOOL, Role.NONE)
    return [
        a_span(n, None if p is None else p % n or None, role=roles[n % 4])
        for n, p in enumerate(parents, start=1)
    ]


@given(
    parents=st.lists(st.none() | st.integers(0, 9), min_size=1, max_size=9),
    data=st.data(),
)
@settings(deadline=None)
def test_any_order_with_any_repeats_closes_to_the_same_trace(
    parents: list[int | None], data: st.DataObject
) -> None:
    """Sent whole, shuffled or twice: the same spans, reason and wholeness."""
    spans = a_tree(parents)
    seen = []
    for _ in range(2):
        again = data.draw(st.lists(st.sampled_from(a_tree(parents))))
        order = data.draw(st.permutations(a_tree(parents) + again))
        buffer: TraceBuffer[int] = TraceBuffer()
        for pause, span in enumerate(order):
            buffer.add(span, pause * data.draw(st.integers(0, SECOND)))
        closed = list(buffer.finish(MINUTE))
        seen.append([(c.reason, c.whole, {s.span_id for s in c.spans}) for c in closed])

    assert seen[0] == seen[1]
    if any(span.role.is_ai for span in spans):
        assert seen[0][0][2] == {span.span_id for span in spans}


@given(parents=st.lists(st.integers(1, 12), min_size=1, max_size=12))
def test_wholeness_equals_its_definition(parents: list[int]) -> None:
    """Against the plain way: walk up from each AI span, one step at a time."""
    roles = (Role.AGENT, Role.NONE, Role.TOOL)
    spans = {
        s.span_id: s
        for s in (
            a_span(n, None if p == n else p, role=roles[(n + p) % 3], flags=REMOTE * (p % 5 == 0))
            for n, p in enumerate(parents, start=1)
        )
    }

    def leads(span: Span | None) -> bool:
        for _ in range(len(spans) + 1):
            if span is None:
                return False
            if not span.parent_id or span.flags == REMOTE:
                return True
            span = spans.get(span.parent_id)
        return False

    agents = [s for s in spans.values() if s.role.is_ai]
    expected = all(map(leads, agents)) if agents else any(not s.parent_id for s in spans.values())
    assert is_whole(spans) is expected
