"""The forest: order, duplicates, missing parents, rings, ancestors."""

from hypothesis import given
from hypothesis import strategies as st

from assemble.runs_of import a_span, a_tool, an_agent
from surefoot import assemble
from surefoot.assemble.tree import Forest
from surefoot.model import Role, Span

ROLES = [Role.NONE, Role.OTHER, Role.CHAIN, Role.LLM, Role.AGENT, Role.TOOL]


@st.composite
def forests(draw: st.DrawFn) -> list[Span]:
    """Spans with any parents at all: missing ones, themselves, rings."""
    size = draw(st.integers(1, 12))
    spans = []
    for n in range(1, size + 1):
        parent = draw(st.none() | st.integers(1, size + 2))
        span = a_span(
            n, parent, start=draw(st.integers(0, 5)), flags=draw(st.sampled_from([0, 0x300]))
        )
        span.role = draw(st.sampled_from(ROLES))
        spans.append(span)
    return spans


@given(forests())
def test_every_span_is_there_once_and_after_its_parent(spans: list[Span]) -> None:
    forest = Forest(spans)

    assert sorted(forest.order) == list(range(len(spans)))
    place = {at: nth for nth, at in enumerate(forest.order)}
    assert all(place[parent] < place[at] for at, parent in enumerate(forest.parent) if parent >= 0)


@given(forests())
def test_ancestors_are_the_nearest_of_their_role(spans: list[Span]) -> None:
    forest = Forest(spans)

    for at in range(len(spans)):
        line = []
        up = forest.parent[at]
        while up >= 0:
            line.append(up)
            up = forest.parent[up]
        for found, fits in (
            (forest.above[at], lambda role: role.is_ai),
            (forest.agent[at], lambda role: role is Role.AGENT),
            (forest.tool[at], lambda role: role is Role.TOOL),
        ):
            assert found == next((i for i in line if fits(forest.spans[i].role)), -1)


@given(forests())
def test_only_spans_of_a_ring_lose_their_parent(spans: list[Span]) -> None:
    held = {span.span_id for span in spans}
    forest = Forest(spans)

    lost = [
        at
        for at, span in enumerate(forest.spans)
        if forest.parent[at] < 0 and span.parent_id in held
    ]
    rings = 0
    parents = {span.span_id: span.parent_id for span in spans}
    seen: set[bytes] = set()
    for start in parents:
        path = []
        at = start
        while at in parents and at not in seen:
            seen.add(at)
            path.append(at)
            at = parents[at]
        rings += at in path
    assert len(lost) == rings


def test_spans_stand_in_order_of_start_end_and_id() -> None:
    forest = Forest([a_span(3, start=1, end=2), a_span(2, start=1, end=2), a_span(1, start=5)])

    assert [span.span_id[-1] for span in forest.spans] == [2, 3, 1]


def test_of_two_spans_with_one_id_the_same_one_stays_whichever_came_first() -> None:
    one, other = a_tool(1, tool="look"), a_span(1, name="another")
    for span in (one, other):
        assemble.reduce(span)

    assert Forest([one, other]).spans == Forest([other, one]).spans


def test_a_remote_parent_makes_a_root_and_a_missing_one_does_not() -> None:
    remote, orphan = an_agent(1, 9, flags=0x300), an_agent(2, 9)

    assert Forest([remote, orphan]).rooted == [True, False]
