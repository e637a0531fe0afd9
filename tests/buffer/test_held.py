"""What a trace shares, and that its weight is told honestly."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from spans import a_span
from surefoot.buffer import TraceBuffer
from surefoot.buffer.held import Held
from surefoot.buffer.limits import Timers
from surefoot.model import Cut, Span, Value

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text("ab", max_size=4)
    | st.sampled_from(["x" * 200, "y" * 200, Cut("x" * 200)])
    | st.binary(max_size=4)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.sampled_from("kl"), inner)
    ),
    max_leaves=8,
)
texts = st.text("ab", max_size=3) | st.sampled_from(["x" * 200, "y" * 200])
entries = st.lists(st.tuples(st.sampled_from(["role", "content"]), texts), max_size=3).map(tuple)
attributes = st.dictionaries(
    st.sampled_from("abc"), values | st.lists(entries, max_size=4).map(tuple), max_size=3
)


def a_trace(text_limit: int = 1 << 30) -> Held[None]:
    return Held(b"t" * 16, 0, Timers(), text_limit)


def a_turn(number: int, text: str) -> Span:
    """A model call that is told all that was said before; each text is a copy of its own."""
    heard = tuple(
        (("message.role", "user"), ("message.content", "".join((str(turn), text))))
        for turn in range(number)
    )
    return a_span(number, attributes={"llm.input_messages": heard})


@given(st.lists(attributes, max_size=6))
def test_what_is_held_equals_what_came(told: list[dict[str, Value]]) -> None:
    held = a_trace()
    for number, of_span in enumerate(told):
        held.put(a_span(number + 1, attributes=dict(of_span)))

    assert [span.attributes for span in held.spans.values()] == told


def test_a_repeated_history_is_held_once() -> None:
    held = a_trace()
    for number in range(1, 30):
        held.put(a_turn(number, "x" * 100))
    last, before = (
        held.spans[one].attributes["llm.input_messages"] for one in list(held.spans)[-2:]
    )

    assert isinstance(last, tuple)
    assert isinstance(before, tuple)
    assert all(one is other for one, other in zip(last, before, strict=False))


def test_a_text_is_shared_wherever_it_stands() -> None:
    held = a_trace()
    for number, name in enumerate(("a", "b"), start=1):
        text = "".join(["x"] * 200)
        entry = (("message.content", text), (name, "".join(["y"] * 200)))
        held.put(a_span(number, attributes={"plain": text, "entries": (entry,)}))
    first, second = (span.attributes for span in held.spans.values())

    assert first["plain"] is second["plain"]
    assert first["entries"][0][1][1] is second["entries"][0][1][1]  # type: ignore[index] # tuples, by the lines above


def test_its_bytes_are_what_python_takes() -> None:
    """To a quarter, both with long texts and without: short ones leave the structure."""
    for text in ("x" * 10, "x" * 2_000, "é" * 2_000, "😀" * 2_000):
        buffer: TraceBuffer[None] = TraceBuffer()
        tracemalloc.start()
        try:
            for number in range(1, 40):
                buffer.add(a_turn(number, text), 0)
            real, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

        assert 0.75 < buffer.held_bytes / real < 1.25
