from typing import Any

import pytest
from pydantic import ValidationError

from surefoot.specs import Spec

TOOLS = ["a", "b", "mail_*"]


def problems(**keys: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """Where a spec contradicts itself, and how."""
    try:
        Spec.model_validate({"name": "s"} | keys)
    except ValidationError as failure:
        found: list[tuple[tuple[str | int, ...], str]] = failure.errors()[0]["ctx"]["found"]
        return found
    return []


def places(**keys: Any) -> list[tuple[str | int, ...]]:
    return [where for where, _ in problems(**keys)]


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"required": ["a", "x"]}, ("required", 1)),
        ({"forbidden": ["x"]}, ("forbidden", 0)),
        ({"before": [["a", "x"]]}, ("before", 0, 1)),
        ({"untrusted": ["x"], "privileged": ["a"]}, ("untrusted", 0)),
        ({"untrusted": ["a"], "privileged": ["x"]}, ("privileged", 0)),
    ],
)
def test_a_name_outside_the_vocabulary_is_refused(
    keys: dict[str, Any], place: tuple[str | int, ...]
) -> None:
    assert places(tools=TOOLS, **keys) == [place]
    assert places(**keys) == []


def test_the_message_names_the_vocabulary() -> None:
    assert problems(tools=["a", "b"], required=["x"])[0][1] == (
        "'x' is not in this spec's tools; name one of a, b, or add it there"
    )
    assert problems(tools=["lookup_order", "b"], required=["lookup_ordr"])[0][1] == (
        "'lookup_ordr' is not in this spec's tools; did you mean lookup_order? Else add it there"
    )


@pytest.mark.parametrize("name", ["a", "mail_read", "mail_*", "[ab]", "*"])
def test_globs_are_inside_if_they_may_fit(name: str) -> None:
    assert places(tools=TOOLS, required=[name]) == []
    assert places(tools=["a"], required=["x*"]) == [("required", 0)]


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        ({"required": ["a"], "forbidden": ["b", "a"]}, ("forbidden", 1), "is required too"),
        ({"before": [["a", "a"]]}, ("before", 0), "cannot come before itself"),
        ({"before": [["a", "b"], ["b", "a"]]}, ("before", 1), "the other way round"),
        ({"before": [["a", "b"]], "forbidden": ["a"]}, ("before", 0), "can never be called"),
        ({"untrusted": ["a"]}, ("untrusted",), "without privileged this can never fire"),
        ({"privileged": ["a"]}, ("privileged",), "without untrusted this can never fire"),
        ({"severity": {"no_repeat": "hard"}}, ("severity", "no_repeat"), "can never fire"),
        (
            {"severity": {"ground": "hard"}, "ground": False},
            ("severity", "ground"),
            "can never fire",
        ),
    ],
)
def test_a_rule_that_can_never_fire_or_be_kept_is_refused(
    keys: dict[str, Any], place: tuple[str | int, ...], words: str
) -> None:
    found = problems(**keys)

    assert [where for where, _ in found] == [place]
    assert words in found[0][1]
    assert "; " in found[0][1]


def test_switching_off_what_is_not_there_does_no_harm() -> None:
    assert places(severity={"no_repeat": "off", "ground": "off"}) == []


def test_all_contradictions_are_told_at_once() -> None:
    assert places(tools=["a"], required=["a", "x"], forbidden=["a"], untrusted=["a"]) == [
        ("required", 1),
        ("forbidden", 0),
        ("untrusted",),
    ]
