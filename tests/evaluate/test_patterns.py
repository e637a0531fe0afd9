"""Users' regular expressions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.evaluate.patterns import LONGEST, Regex, Screen


def test_a_pattern_is_found_anywhere_unless_it_is_anchored() -> None:
    assert Regex.of("escal").is_in("we escalate")
    assert not Regex.of("^escal").is_in("we escalate")
    assert not Regex.of("escal$").is_in("we escalate")


def test_case_counts_unless_the_pattern_says_otherwise() -> None:
    assert not Regex.of("ORD").is_in("ord")
    assert Regex.of("(?i)ORD").is_in("ord")


@pytest.mark.parametrize("pattern", ["(?=a)", "(?<!a)b", r"(a)\1", "[", "a{1,2000}", "(?P<n>"])
def test_what_re2_refuses_is_refused_with_its_reason(pattern: str) -> None:
    with pytest.raises(
        ValueError, match=r"^RE2 refuses the pattern .*: .+; RE2 has no look-around"
    ):
        Regex.of(pattern)


def test_a_pattern_that_is_a_table_is_refused() -> None:
    assert Regex.of("a" * LONGEST).is_in("a" * LONGEST)
    with pytest.raises(ValueError, match=r"^longer than 1000 characters; write several patterns$"):
        Regex.of("a" * (LONGEST + 1))


def test_matches_tell_what_was_caught() -> None:
    regex = Regex.of(r"refund (?:order )?(\d+)(?: now)?( please)?")

    assert regex.groups == 2
    assert list(regex.matches("refund 12, refund order 34 now please ü")) == [
        ("refund 12", ("12",)),
        ("refund order 34 now please", ("34", " please")),
    ]


def test_letters_beyond_ascii_are_whole() -> None:
    assert list(Regex.of("ü(.)ß").matches("xüéß")) == [("üéß", ("é",))]


def test_half_a_surrogate_pair_is_searched_as_a_question_mark() -> None:
    assert Regex.of(r"a\?b").is_in("a\ud800b")


@given(st.text(), st.text(max_size=5))
def test_no_text_makes_a_search_fail(text: str, part: str) -> None:
    assert Regex.of("(a+)+$").is_in(text) == (text.endswith("a"))
    assert list(Regex.of("(.?)").matches(part)) is not None


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(.*)*x", "(a?){50}a{50}$", "([a-z]+)*!"]
)
def test_what_makes_others_backtrack_ends(pattern: str) -> None:
    assert not Regex.of(pattern).is_in("a" * 40_000 + "?")


@given(
    st.lists(st.sampled_from(["a", "b+", "^a", "b$", "(?i)AB", "(a)(b)", "é", r"\\n", "a?"])),
    st.text("abAé \\n", max_size=12),
)
def test_a_screen_finds_what_each_pattern_alone_would(patterns: list[str], text: str) -> None:
    listed = [Regex.of(pattern) for pattern in patterns]

    assert set(Screen(listed).found(text)) == {one for one in listed if one.is_in(text)}


def test_a_screen_tells_which_of_its_patterns_are_found() -> None:
    order, mail, page = (Regex.of(text) for text in (r"ORD-\d", "@", "^https"))
    screen = Screen([order, mail, page])

    assert set(screen.found("ORD-7 for x@y.example")) == {order, mail}
    assert screen.found("see https://a.example") == ()
    assert screen.found("https://a.example") == (page,)
    assert screen.found("") == ()


def test_a_screen_knows_its_own_patterns_and_no_others_like_them() -> None:
    one = Regex.of("a")

    assert one in Screen([Regex.of("b"), one])
    assert Regex.of("a") not in Screen([one])
    assert one not in Screen([])
    assert Screen([]).found("a") == ()


def test_a_screen_reads_text_that_is_none() -> None:
    mark, letter = Regex.of(r"a\?b"), Regex.of("ü.ß")
    screen = Screen([mark, letter])

    assert screen.found("a\ud800b") == (mark,)
    assert set(screen.found("a\udfffb üéß")) == {mark, letter}


def test_what_is_too_much_for_one_pass_is_refused() -> None:
    large = Regex.of(r"\pL{300}")

    with pytest.raises(ValueError, match=r"^too much for one pass$"):
        Screen([large])
    assert large.is_in("é" * 300)


def test_half_a_letter_that_a_pattern_caught_is_shown_as_one_that_is_none() -> None:
    assert list(Regex.of(r"a(\C)").matches("aé")) == [("a\ufffd", ("\ufffd",))]


def test_a_refused_pattern_is_told_to_nobody_else(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match=r"^RE2 refuses"):
        Regex.of("(secret")

    assert capfd.readouterr() == ("", "")
