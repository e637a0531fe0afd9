from hypothesis import given
from hypothesis import strategies as st

from surefoot.evaluate.search import Finder
from surefoot.evaluate.values import Needle, is_in, needle, readable

#: Characters that meet in marks, joints, numbers, escapes and foldings.
CHARS = 'ab1209-,.@_ \\nu"éßK中'
words = st.text("ab1209-,.@_é中K", min_size=3, max_size=9)
#: Blanks and backslashes, which canaries may have, and words longer than a literal.
wide = words | st.text("a n\\1", min_size=1, max_size=4) | words.map(lambda word: word * 9)
texts = st.text(CHARS, max_size=60)


@given(
    st.lists(words, unique=True, min_size=1, max_size=60)
    | st.lists(wide, unique=True, min_size=1, max_size=20),
    st.lists(texts, max_size=4),
    st.booleans(),
    st.data(),
)
def test_many_values_are_found_where_each_alone_would_be(
    values: list[str],
    plain: list[str],
    substring: bool,  # noqa: FBT001 - hypothesis gives it
    data: st.DataObject,
) -> None:
    """Up to 60 values, inside each other and across each other's ends."""
    planted = st.lists(st.sampled_from(values) | st.sampled_from([" ", ",", "x", "0", ".0"]))
    sources = [*plain, *("".join(data.draw(planted)) for _ in range(3))]
    needles = [Needle(value) if substring else needle(value) for value in values]
    needles = list(dict.fromkeys(needles))
    finder = Finder(needles, substring=substring)

    for text in sources:
        prepared = text if substring else readable(text)

        assert set(finder.within(text, lambda _: True)) == {
            one for one in needles if is_in(one, prepared, substring=substring)
        }


def test_a_forgotten_value_takes_no_other_with_it() -> None:
    needles = [Needle(f"id-{number}") for number in range(100, 150)]
    finder = Finder(needles, substring=True)
    text = "id-100 id-101 id-1010"
    list(finder.within(text, lambda _: True))

    finder.forget(Needle("id-100"))

    for held in (text, f"{text} xid-100", "id-101"):
        assert set(finder.within(held, lambda _: True)) == {Needle("id-101")}


def test_a_value_is_told_once_and_only_if_it_is_asked_for() -> None:
    needles = [Needle(f"id-{number}") for number in range(100, 150)]
    finder = Finder(needles, substring=True)

    assert list(finder.within("id-100 id-100 id-101", lambda one: one.text != "id-101")) == [
        Needle("id-100")
    ]


def test_values_that_nobody_asks_for_leave_the_pattern() -> None:
    needles = [Needle(f"id-{number}") for number in range(100, 110)]
    finder = Finder(needles, substring=False)
    finder.forget(needles[0])
    size = finder._size

    for _ in range(3):
        assert list(finder.within("id-100 " * 20, lambda _: True)) == []

    assert (size, finder._size) == (10, 9)
    assert list(finder.within("id-101", lambda _: True)) == [needles[1]]


def test_a_long_value_counts_by_its_first_thousand_characters() -> None:
    long = needle("x-" * 500 + "end")
    finder = Finder([long, needle("abc")], substring=False)

    for text, found in (("x-" * 500, [long]), (f"{'x-' * 500}other", [long]), ("x-" * 499, [])):
        assert list(finder.within(text, lambda _: True)) == found
