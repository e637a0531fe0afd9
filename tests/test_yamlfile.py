"""What no file may do to the program that reads it."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import ConfigError
from surefoot.yamlfile import (
    DEEPEST,
    LARGEST_BYTES,
    MOST_NODES,
    dotted,
    line_number,
    parse,
    read,
    spelled,
)

#: Each list holds the one above nine times: 9^10 values in eleven lines.
BOMB = "a: &a [x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{above}'] * 9)}]\n"
    for above, name in zip("abcdefghij", "bcdefghijk", strict=True)
)
MERGES = "a: &a {x: 1}\n" + "".join(
    f"{name}: &{name} {{'<<': [{', '.join([f'*{above}'] * 9)}]}}\n".replace("'<<'", "<<")
    for above, name in zip("abcdefghij", "bcdefghijk", strict=True)
)


def refusal(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return str(caught.value)


@pytest.mark.parametrize("text", [BOMB, MERGES])
def test_aliases_that_stand_for_billions_are_refused(text: str) -> None:
    assert "more than 200,000 values with those of its aliases; write fewer" in refusal(text)


@pytest.mark.parametrize(
    "text", ["&a [*a]", "&a {b: *a}", "x: &a\n  - {b: [*a]}", "&a {? *a : b}", "&a [1, &a [*a]]"]
)
def test_an_alias_of_what_it_stands_in_is_refused(text: str) -> None:
    assert "*a stands within itself; write out what it stands for" in refusal(text)


def test_an_alias_of_something_that_has_ended_is_what_it_stands_for() -> None:
    text = "a: &a [1]\nb: [*a, *a]"

    assert parse(text).content == {"a": [1], "b": [[1], [1]]}


@pytest.mark.parametrize(("start", "end"), [("[", "]"), ("{a: ", "}"), ("- ", "")])
def test_depth_has_a_bound(start: str, end: str) -> None:
    assert parse(f"{start * DEEPEST}1{end * DEEPEST}").content

    assert "nested deeper than 50 levels" in refusal(f"{start * 5000}1{end * 5000}")


def test_depth_counts_what_aliases_stand_for() -> None:
    deep = f"a: &a {'[' * 30}{']' * 30}\nb: {'[' * 20}*a{']' * 20}"

    assert refusal(deep) == "line 2: nested deeper than 50 levels; no key stands so deep"


def test_a_long_list_is_refused_and_a_shorter_one_is_not() -> None:
    assert refusal("[" + "1," * MOST_NODES + "]").startswith("line 1: more than 200,000 values")
    assert len(parse("[" + "1," * (MOST_NODES - 1) + "]").content) == MOST_NODES - 1


def test_a_large_file_is_refused_by_its_size(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    file.write_bytes(b"#" * (LARGEST_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than 4 MiB; split it"):
        read(file)

    file.write_bytes(b"#" * LARGEST_BYTES)
    assert read(file).content is None


@pytest.mark.parametrize(
    "text",
    [
        "9" * 5000,
        "1:" * 500_000 + "1",
        "0x" + "f" * 101,
        "2026-99-99",
        "!!int x",
        "!!int ''",
        "!!bool x",
        "!!float x",
        "!!timestamp x",
        "1" + ":1" * 40 + ".0" + "1" * 70,
        "[1]: 2",
        "{a: 1, a: 2}",
        "!!python/name:os.system ''",
        "*a",
        "a: b: c",
        "\x07",
        "--- 1\n--- 2",
    ],
)
def test_what_is_no_value_is_refused_in_one_line(text: str) -> None:
    assert "\n" not in refusal(text)


def test_a_long_text_is_a_text() -> None:
    assert parse(f"'{'9' * 5000}'").content == "9" * 5000


def test_a_key_written_twice_is_told_where_it_stands_again() -> None:
    assert refusal("a:\n  - b: 1\n    b: 2") == "a[0].b: written twice; keep one (line 3)"


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1")

    assert read(file).content == {"a": 1}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=9,
)


@given(VALUES)
def test_what_is_written_is_read_back(value: object) -> None:
    assert parse(yaml.safe_dump(value)).content == value


@given(st.text(st.sampled_from("a1&*[]{},:-?!<|>'\"%@ \n.0x"), max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ConfigError):
        parse(text)


def test_a_thing_begins_on_the_line_of_its_key() -> None:
    tree = parse("a:\n  b:\n    c: 1\nd:\n  - x\n  -\n    e: 2\n").tree

    assert line_number(tree, ()) == 1
    assert line_number(tree, ("a", "b")) == 2
    assert line_number(tree, ("a", "b", "c")) == 3
    assert line_number(tree, ("a", "b", "nothing")) == 2
    assert line_number(tree, ("d",)) == 4
    assert line_number(tree, ("d", 0)) == 5
    assert line_number(tree, ("d", 1, "e")) == 7
    assert line_number(None, ("a",)) == 0


def test_of_a_merged_and_an_own_key_the_own_one_is_told() -> None:
    """PyYAML puts what is merged in first, and the last one counts."""
    tree = parse("a: &a\n  x: 1\n  y: 2\nb:\n  <<: *a\n  x: 3\nc:\n  x: 4\n  <<: *a\n").tree

    assert line_number(tree, ("b", "x")) == 6
    assert line_number(tree, ("c", "x")) == 8
    assert line_number(tree, ("b", "y")) == 3


@pytest.mark.parametrize(
    ("written", "built"),
    [("yes", True), ("Off", False), ("~", None), ("0x10", 16), ("1e3", "1e3"), ("1.50", 1.5)],
)
def test_a_key_is_told_as_it_is_spelled(written: str, built: object) -> None:
    document = parse(f"a: 1\nb:\n  - x: 1\n    {written}: {{c: 2}}\n")
    assert list(document.content["b"][0])[1] == built

    told: list[str | int] = [str(built), *([int(built)] if isinstance(built, bool) else [])]
    for one in told:
        at = ("b", 0, one, "c", "d")
        assert line_number(document.tree, at) == 4
        assert dotted(spelled(document.tree, at)) == f"b[0].{written}.c.d"


def test_a_date_as_a_key_is_found_and_no_tree_changes_nothing() -> None:
    assert line_number(parse("a: 1\n2026-12-01 10:00:00: 2").tree, ("2026-12-01 10:00:00",)) == 2
    assert spelled(None, ("a", 0)) == ("a", 0)


FORBIDDEN = """
import os, sys
from pathlib import Path
from surefoot.yamlfile import read
os.geteuid() or os.seteuid(65534)
print(os.geteuid())
try:
    read(Path(sys.argv[1]))
except Exception as refused:
    print(refused)
"""


def test_a_file_that_we_may_not_read_names_who_must_be_let(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.touch(0)
    done = subprocess.run(
        [sys.executable, "-c", FORBIDDEN, file], capture_output=True, text=True, check=False
    )
    user, refused = done.stdout.splitlines()

    assert refused == f"cannot be read: Permission denied; let user {user} read it"


def test_a_folder_is_no_text_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: Is a directory; name a text file"):
        read(tmp_path)
