"""`check()` is luckrate's, line for line."""

import random
from typing import Any

import luckrate
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surefoot import Spec, Step, check

_USUALLY = 0.7
TOOLS = ["a", "b", "Ä", "fetch page", "x" * 3]
NAMES = st.sampled_from(TOOLS)
#: Texts that meet as values and in results: parts of each other, escapes, credentials.
WORDS = [
        "88213", "8821", "ab-12", "AB-12", "abc\n", "\n", "", " ", "200", "200.0", "1e-05", "None",
        "yes", "nan", "dana@example.com", "two words", "é中文", "x" * 40, "x" * 41, "True",
        "a.b:c/d+e-f",
        "AKIAIOSFODNN7EXAMPLE", "sk-" + "a" * 24, "Bearer " + "t" * 20, "xoxb-1234567890",
        "-----BEGIN PRIVATE KEY-----", "ghp_" + "b" * 36, "item-1", "item-12", "12", "1234",
]  # fmt: skip
TEXTS = st.sampled_from(WORDS)
SCALARS = st.none() | st.booleans() | st.integers(-5, 90_000) | st.floats() | TEXTS | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
RESULTS = st.lists(TEXTS | st.text(max_size=5), max_size=4).map("".join)
STEPS = st.builds(
    Step,
    NAMES,
    st.dictionaries(st.sampled_from(["id", "to", "é"]) | st.text(max_size=3), VALUES, max_size=3),
    st.booleans(),
    RESULTS,
)
LISTS = st.lists(NAMES, max_size=4) | st.lists(NAMES, max_size=3).map(tuple) | st.sets(NAMES)
FLAGS = st.booleans() | st.sampled_from([None, 0, 1, "", "yes"])
PAIRS = st.lists(NAMES, min_size=2, max_size=2)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "tools": LISTS | st.none() | st.just(TOOLS),
        "required": LISTS,
        "forbidden": LISTS,
        "before": st.lists(st.tuples(NAMES, NAMES) | PAIRS, max_size=3),
        "max_steps": st.none() | st.integers(-1, 6) | st.floats(0, 5),
        "no_repeat": FLAGS,
        "ground": FLAGS,
        "secrets": FLAGS,
        "untrusted": LISTS,
        "privileged": LISTS,
        "unknown": FLAGS,
    },
)  # fmt: skip
TASKS = RESULTS | st.none() | st.integers() | st.just(["88213"])


def outcome(checked: Any, *args: Any) -> list[str] | str:
    """The lines, or why the spec was refused."""
    try:
        return [str(violation) for violation in checked(*args)]
    except ValueError as refused:
        return f"ValueError: {refused}"


def assert_equal(steps: list[Step], spec: dict[str, Any], task: Any) -> None:
    assert outcome(check, steps, spec, task) == outcome(luckrate.check, steps, spec, task)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, max_size=8), SPECS, TASKS)
def test_any_run_is_judged_as_luckrate_judges_it(
    steps: list[Step], spec: dict[str, Any], task: Any
) -> None:
    assert_equal(steps, spec, task)


@pytest.mark.parametrize("seed", range(25))
def test_a_thousand_runs_of_each_seed_are_judged_as_luckrate_judges_them(seed: int) -> None:
    """Made by plain chance, which is much quicker than choices that can shrink."""
    chance = random.Random(seed)  # noqa: S311 - for tests, not for secrets

    for _ in range(1_000):
        steps = [a_step(chance) for _ in range(chance.randint(0, 8))]
        task = chance.choice([a_text(chance), a_text(chance), None, 88213, ["88213"]])
        assert_equal(steps, a_plain_spec(chance), task)


def a_text(chance: random.Random) -> str:
    return "".join(chance.choices(WORDS, k=chance.randint(0, 4)))


def a_step(chance: random.Random) -> Step:
    values = [*WORDS, None, True, 200, 200.0, 1e-05, float("nan"), ["88213"], {"id": "88213"}]
    names = chance.sample(["id", "to", "é", "", "a b"], k=chance.randint(0, 3))
    args = {name: chance.choice(values) for name in names}
    return Step(chance.choice(TOOLS), args, chance.random() < _USUALLY, a_text(chance))


def a_plain_spec(chance: random.Random) -> dict[str, Any]:
    def some(most: int) -> Any:
        return chance.choice((list, tuple))(chance.choices(TOOLS, k=chance.randint(0, most)))

    every = {
        "tools": chance.choice([TOOLS, TOOLS, some(4), None]),
        "required": some(2),
        "forbidden": some(2),
        "before": [tuple(chance.choices(TOOLS, k=2)) for _ in range(chance.randint(0, 3))],
        "max_steps": chance.choice([None, 0, 1, 3, 2.5]),
        "no_repeat": chance.choice([True, False, None, 1]),
        "ground": chance.choice([True, False, None, "yes"]),
        "secrets": chance.choice([True, False, 0]),
        "untrusted": some(3),
        "privileged": some(3),
        "unknown": 1,
    }
    return {key: value for key, value in every.items() if chance.random() < _USUALLY}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=1, max_size=6), SPECS, TASKS, st.integers(1, 520), st.booleans())
def test_long_runs_and_many_values_too(
    steps: list[Step],
    spec: dict[str, Any],
    task: Any,
    length: int,
    numbered: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    """Past the cap on provenance, and past the number of values looked for one by one."""
    long = [steps[index % len(steps)] for index in range(length)]
    if numbered:
        long = [
            Step(
                step.tool,
                step.args | {"n": f"id-{index}", "w": f"{step.tool}@x{index % 7}"},
                step.ok,
                f"{step.result} id-{index * 3} {step.tool}@x{index % 5}y",
            )
            for index, step in enumerate(long)
        ]

    assert_equal(long, spec, task)


def test_arguments_may_have_any_keys_that_luckrate_takes() -> None:
    steps = [Step("a", {1: "88213", 2: None}), Step("a", {1: "88213", 2: None})]  # type: ignore[dict-item]  # odd on purpose
    spec = {"secrets": False, "no_repeat": True}

    assert_equal(steps, spec, "")


def test_a_budget_below_zero_is_passed_by_no_step_at_all() -> None:
    assert_equal([], {"max_steps": -1}, None)


def test_luckrates_own_steps_will_do() -> None:
    theirs = [luckrate.Step("a", {"id": "88213"}), luckrate.Step("b")]

    assert outcome(check, theirs, {"forbidden": ["b"]}) == [
        "called forbidden tool: b",
        "warn: ungrounded arg a.id='88213'",
    ]


def test_a_spec_says_by_itself_how_values_are_found() -> None:
    steps = [Step("a", {"id": "88213"})]
    spec = Spec(name="s", provenance="substring")

    assert check(steps, spec, "order 1882134") == []
    assert outcome(check, steps, Spec(name="s"), "order 1882134") == [
        "warn: ungrounded arg a.id='88213'"
    ]


def test_a_spec_says_the_same_as_the_dict_of_its_keys() -> None:
    keys: dict[str, Any] = {
        "tools": ["a", "b", "c"],
        "required": ["c"],
        "forbidden": ["b"],
        "before": [["c", "a"]],
        "max_steps": 2,
        "no_repeat": True,
        "untrusted": ["a"],
        "privileged": ["b"],
    }
    steps = [Step("a", result="order 88213"), Step("a"), Step("b", {"id": "88213"}), Step("x")]
    spec = Spec.model_validate({"name": "s", "provenance": "substring"} | keys)

    assert outcome(check, steps, spec) == outcome(luckrate.check, steps, keys, "")


TIMED = ("ask", "mail", "mail", "pay")


def test_rules_on_time_read_each_steps_time() -> None:
    rate = {"id": "slow", "rate": {"step": "mail", "max": 1, "per": "10s"}}
    approval = {"id": "fresh", "approval": {"step": "pay", "by": "ask", "max_age": "1m"}}
    spec = Spec.model_validate({"name": "s", "rules": [rate, approval]})

    def found(*times_ms: float) -> list[str]:
        steps = [Step(tool, t=t) for tool, t in zip(TIMED, times_ms, strict=True)]
        return [one.check for one in check(steps, spec)]

    assert found(0, 0, 10_000, 20_000) == []
    assert found(0, 0, 9_999, 60_000) == ["slow"]
    assert found(0, 0, 10_000, 60_001) == ["fresh"]
    assert found(0, 70_000, 0, 0) == ["slow", "fresh"]  # never before the step above it
    assert found(0, 0, float("nan"), float("inf")) == ["slow"]


@pytest.mark.parametrize("t", [0.0, 5.0])
def test_steps_of_one_time_are_in_the_order_of_the_list(t: float) -> None:
    spec = Spec.model_validate(
        {
            "name": "s",
            "rules": [
                {"id": "b", "before": ["a", "b"], "ended": True},
                {"id": "p", "precede_each": ["a", "b"]},
                {"id": "q", "sequence": {"expect": ["a", "b"]}},
                {"id": "n", "next": ["a", "b"]},
            ],
        }
    )

    assert check([Step("a", t=t), Step("b", t=t)], spec) == []
    found = {one.check for one in check([Step("b", t=t), Step("a", t=t)], spec)}
    assert found == {"b", "p", "q", "n"}
