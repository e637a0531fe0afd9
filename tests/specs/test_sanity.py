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


R = dict[str, Any]


def rule(**keys: Any) -> R:
    return {"id": "r"} | keys


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        (
            {"required": ["ab"], "forbidden": ["a*"]},
            ("forbidden", 0),
            "'ab' is required too, so every run is violated; keep one of the two",
        ),
        (
            {"required": ["a"], "rules": [rule(forbidden=["b", "a"])]},
            ("rules", 0, "forbidden", 1),
            "'a' is required too, so every run is violated; keep one of the two",
        ),
        (
            {"forbidden": ["a"], "rules": [rule(required={"tool": "a", "ok": True})]},
            ("forbidden", 0),
            "'a (succeeded)' is required too, so every run is violated; keep one of the two",
        ),
        (
            {"forbidden": ["a", "b"], "rules": [rule(required={"any_of": ["a", "b"]})]},
            ("forbidden", 0),
            "'a or b' is required too, so every run is violated; keep one of the two",
        ),
        (
            {"required": ["a"], "rules": [rule(calls={"step": "a", "max": 0})]},
            ("rules", 0, "calls", "step"),
            "'a' is required too, so every run is violated; keep one of the two",
        ),
        (
            {"rules": [rule(all_of=[{"calls": {"step": "a", "min": 1}}, {"forbidden": "a"}])]},
            ("rules", 0, "all_of", 1, "forbidden", 0),
            "'a' is required too, so every run is violated; keep one of the two",
        ),
        (
            {"max_steps": 2, "required": ["a", "b", "c"]},
            ("max_steps",),
            "3 calls are required, so no run keeps it; write at least 3",
        ),
        (
            {"required": ["a"], "rules": [rule(max_steps=0)]},
            ("rules", 0, "max_steps"),
            "1 call is required, so no run keeps it; write at least 1",
        ),
        (
            {"max_steps": 2, "required": ["a"], "rules": [rule(required="b", min=2)]},
            ("max_steps",),
            "3 calls are required, so no run keeps it; write at least 3",
        ),
        (
            {"max_steps": 0, "rules": [rule(no_action=True)]},
            ("max_steps",),
            "1 call is required, so no run keeps it; write at least 1",
        ),
        (
            {"required": ["a", "b"], "rules": [rule(exclusive=["c", "a", "b"])]},
            ("rules", 0, "exclusive", 2),
            "'b' is required, and so is 'a', so no run keeps it; drop one",
        ),
        (
            {"before": [["a", "b"], ["b", "c"], ["x", "c"], ["c", "a"]]},
            ("before", 3),
            (
                "with pairs above this is a circle, c, a, b, c, so none of them can be called; "
                "drop one"
            ),
        ),
        (
            {"forbidden": ["a"], "rules": [rule(before=["a", "b"])]},
            ("rules", 0, "before"),
            "'a' is forbidden, so 'b' can never be called; forbid that instead",
        ),
        (
            {"forbidden": ["b*"], "before": [["bc", "a"]]},
            ("before", 0),
            "'bc' is forbidden, so 'a' can never be called; forbid that instead",
        ),
        (
            {"scope": "run"},
            ("scope",),
            "without match.agent the whole run is judged anyway; name an agent there, or drop it",
        ),
        (
            {"match": {"agent": "y"}, "rules": [rule(agent_tools={"x": ["a"]})]},
            ("rules", 0, "agent_tools"),
            (
                "this spec judges y alone, so no call is meant; name such an agent, or write "
                "scope: run"
            ),
        ),
        (
            {"match": {"agent": ["y", "z*"]}, "rules": [rule(forbidden={"agent": "x"})]},
            ("rules", 0, "forbidden", 0, 0, "agent"),
            (
                "this spec judges y, z* alone, so no call is meant; name such an agent, or write "
                "scope: run"
            ),
        ),
    ],
)
def test_what_no_run_keeps_or_nothing_comes_of_is_refused(
    keys: dict[str, Any], place: tuple[str | int, ...], words: str
) -> None:
    assert problems(**keys) == [(place, words)]


@pytest.mark.parametrize(
    "keys",
    [
        {"required": ["ba"], "forbidden": ["a*"]},
        {"required": ["a*"], "forbidden": ["ab"]},
        {"required": ["Ab"], "forbidden": ["A*"]},  # also a call of `ab`
        {"required": ["a"], "forbidden": ["a"], "severity": {"forbidden": "off"}},
        {"required": ["a"], "forbidden": ["a"], "severity": {"required": "off"}},
        {"required": ["a"], "rules": [rule(forbidden={"tool": "a", "ok": False})]},
        {"required": ["a"], "rules": [rule(forbidden={"tool": "a", "agent": "x"})]},
        {"required": ["a"], "rules": [rule(forbidden={"tool": "a", "args": {"n": 1}})]},
        {"required": ["a"], "rules": [rule(forbidden={"tool": "a", "result": "no"})]},
        {"required": ["a"], "rules": [rule(forbidden="a", when={"step": "b"})]},
        {"required": ["a"], "rules": [rule(forbidden="a", severity="off")]},
        {"required": ["a"], "rules": [rule(any_of=[{"forbidden": "a"}, {"forbidden": "b"}])]},
        {"forbidden": ["a"], "rules": [rule(required={"any_of": ["a", "b"]})]},
        {"required": ["a"], "rules": [rule(calls={"step": "a", "max": 1})]},
        {"max_steps": 3, "required": ["a", "b", "c"]},
        {"max_steps": 1, "required": ["Get Order", "get_order"]},
        {"max_steps": 1, "required": ["functions_look", "look"]},
        {"max_steps": 1, "required": ["a*", "ab"]},
        {"max_steps": 1, "rules": [rule(no_action=True)]},
        {"max_steps": 1, "required": ["a", "b"], "severity": {"max_steps": "off"}},
        {"required": ["a"], "rules": [rule(exclusive=["a", "b"])]},
        {"required": ["a", "b"], "rules": [rule(exclusive=["a", "b"], when={"step": "c"})]},
        {"before": [["a", "b"], ["b", "c"], ["a", "c"]]},
        {"before": [["a", "b"]], "rules": [rule(before=["b", {"tool": "a", "ok": True}])]},
        {"before": [["a", "b"], ["b", "a"]], "severity": {"before": "off"}},
        {"before": [["a", "b"], ["b", "c"]], "rules": [rule(before=["c", "a"])]},  # in one turn
        {"forbidden": ["a"], "before": [["b", "a"]]},
        {"scope": "run", "match": {"agent": "y"}},
        {"scope": "agent"},
        {"match": {"agent": "y*"}, "rules": [rule(agent_tools={"*x": ["a"]})]},
        {"match": {"agent": "y*"}, "rules": [rule(agent_tools={"yx": ["a"], "x": ["b"]})]},
        {"match": {"agent": "y"}, "rules": [rule(agent_tools={"?": ["a"]})]},
        {"match": {"agent": "y"}, "scope": "run", "rules": [rule(forbidden={"agent": "x"})]},
        {"match": {"agent": "y"}, "rules": [rule(forbidden={"agent": ["x", "y"]})]},
        {"match": {"agent": "y"}, "rules": [rule(taint={"from": {"agent": "x"}, "to": "a"})]},
    ],
    ids=str,
)
def test_what_a_run_may_keep_and_break_is_let_be(keys: dict[str, Any]) -> None:
    assert problems(**keys) == []


def test_switching_off_what_is_not_there_does_no_harm() -> None:
    assert places(severity={"no_repeat": "off", "ground": "off"}) == []


def test_all_contradictions_are_told_at_once() -> None:
    assert places(tools=["a"], required=["a", "x"], forbidden=["a"], untrusted=["a"]) == [
        ("required", 1),
        ("forbidden", 0),
        ("untrusted",),
    ]
