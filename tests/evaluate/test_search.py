import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.evaluate.search import Finder, _starts
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


#: Beginnings that texts share, so that a literal begins after them, and short ends, with which
#: it does not.
HEADS = ["ord", "https://shop.example/o", "x@y", "dana.lee", "é", "Straße", "a", "7", "0", "-", "_"]
TAILS = ["", "-1", "-12", "-88213", "@mail.example", "/7", ".5", "_x", "-é中", "-1,200", "0" * 45]


@given(
    st.lists(
        st.tuples(st.sampled_from(HEADS), st.sampled_from(TAILS)).map("".join),
        unique=True,
        min_size=9,
        max_size=60,
    ),
    st.lists(st.sampled_from([*HEADS, *TAILS, " ", ",", "8", "\\n"]), max_size=12),
    st.booleans(),
)
def test_a_value_is_found_wherever_its_literal_begins(
    values: list[str],
    parts: list[str],
    substring: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    needles = list(dict.fromkeys(Needle(one) if substring else needle(one) for one in values))
    finder = Finder(needles, substring=substring)

    for text in ("".join(parts), " ".join(values), *values, "".join(values)):
        prepared = text if substring else readable(text)
        found = list(finder.within(text, lambda _: True))
        expected = {one for one in needles if is_in(one, prepared, substring=substring)}
        assert set(found) == expected
        assert len(found) == len(expected)


@pytest.mark.parametrize(
    ("before", "is_there"),
    [
        ("", True),
        ("see ", True),
        ("8", False),
        ("x", False),
        ("é", False),
        ("\\n", True),
        ("-", True),
    ],
)
@pytest.mark.parametrize("value", ["order-88213", "dana@mail.example", "7-88213", "ab/c-1234"])
def test_what_stands_before_the_part_that_is_left_out_counts(
    value: str, before: str, *, is_there: bool
) -> None:
    """The literal begins inside of the value, and its edges are those of all of it."""
    needles = [needle(value), *(needle(f"id-{at}") for at in range(10))]
    finder = Finder(needles, substring=False)

    for text in (f"{before}{value}", f"{before}{value.upper()}, and"):
        assert list(finder.within(text, lambda _: True)) == needles[:is_there]
    assert list(finder.within(f"{value[1:]} {value[:-1]}", lambda _: True)) == []


def test_values_with_the_same_end_are_told_apart() -> None:
    """More of them than may share a literal: names at one host, numbers of one order."""
    names = [f"{name}@mail.example" for name in ("dana", "lee", "kim", "ana", "max", "mia", "tom")]
    orders = [f"{name}-88213" for name in ("ord", "sku", "inv", "rma", "po", "so")]
    needles = [needle(one) for one in (*names, *orders)]
    finder = Finder(needles, substring=False)

    for one in needles:
        assert list(finder.within(f"to {one.text}.", lambda _: True)) == [one]
    assert set(finder.within(" ".join(reversed([*names, *orders])), lambda _: True)) == set(needles)
    for other in ("x@mail.example", "danna@mail.example", "88213", "-88213"):
        assert list(finder.within(other, lambda _: True)) == []


@pytest.mark.parametrize(
    ("value", "starts"),
    [
        ("order-88213", [3, 0]),
        ("or-88213", [0, 0]),
        ("order-882", [0]),
        ("order-8821", [3, 0]),
        ("dana.lee@mail.example", [2, 0]),
        ("88213", [0, 0]),
        ("8821", [0]),
        ("order", [0]),
        ("é-88213", [0, 0]),
    ],
)
def test_a_literal_begins_shortly_before_what_is_no_letter(value: str, starts: list[int]) -> None:
    assert list(_starts(value.encode())) == starts


def test_numbers_are_found_however_they_are_written() -> None:
    needles = [needle(one) for one in ("1200", "1200.5", "0.5", *(f"id-{at}" for at in range(9)))]
    finder = Finder(needles, substring=False)

    for text, found in (
        ("1,200", needles[:1]),
        ("1200.50", needles[:2]),
        ("1,200.500", needles[:2]),
        ("0.500 and 1200", [needles[0], needles[2]]),
        ("1200.505", needles[:1]),
        ("11,200", []),
        ("0.50x", []),
        ("\\u0031200", needles[:1]),
        ("\\n1200", needles[:1]),
        ("x\\n1200x", []),
    ):
        assert sorted(finder.within(text, lambda _: True)) == sorted(found)


@pytest.mark.parametrize("length", [39, 40, 41, 60])
def test_a_value_longer_than_a_literal_is_compared_to_its_end(length: int) -> None:
    long = ("ab-" * 20)[: length - 1] + "x"
    needles = [needle(long), *(needle(f"id-{at}") for at in range(9))]
    finder = Finder(needles, substring=False)

    assert list(finder.within(f"({long})", lambda _: True)) == needles[:1]
    for text in (f"{long}y", f"{long[:-1]}y", f"z{long}", long[:-1]):
        assert list(finder.within(text, lambda _: True)) == []
