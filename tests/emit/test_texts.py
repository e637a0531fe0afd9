import re

import pytest

from emit.builders import a_run, a_step, a_verdict, a_violation, plain
from surefoot.emit.texts import CALLS_SHOWN, MESSAGE_SHOWN, NAME_SHOWN, VALUE_SHOWN, Texts
from surefoot.model import OutputGrade, Severity, Undecided, Verdict

TEXTS = Texts(plain)


def masked(text: str) -> str:
    """A mask for keys of 40 characters that begin with `key-`."""
    return re.sub(r"\bkey-[a-z]{36}\b", "key-***", text)


KEY = "key-" + "a" * 36


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        (a_verdict(), "every check holds and the output is ok (structural)"),
        (
            a_verdict(output=OutputGrade.UNKNOWN),
            "every check holds, and nothing tells whether the output is ok",
        ),
        (
            a_verdict(output=OutputGrade.FAILED, output_source="evaluation"),
            "the output failed (evaluation); every check holds",
        ),
        (
            a_verdict(a_violation()),
            "1 hard violation (forbidden): called forbidden tool issue_refund",
        ),
        (
            a_verdict(
                a_violation("ground", severity=Severity.WARN, message="made up"),
                a_violation("before", message="b without a"),
                a_violation("before", message="c without a"),
            ),
            "2 hard and 1 warn violations (ground, before): b without a, and 2 more",
        ),
        (
            a_verdict(a_violation(message="called x"), output=OutputGrade.FAILED),
            "the output failed (structural); 1 hard violation (forbidden): called x",
        ),
        (
            a_verdict(undecided=[Undecided("ground", "task_unknown")]),
            "1 check could not be decided: ground (task_unknown)",
        ),
        (
            a_verdict(undecided=[Undecided(f"c{n}", "capped") for n in range(5)]),
            "5 checks could not be decided: c0 (capped), c1 (capped), c2 (capped), 2 more",
        ),
    ],
)
def test_an_outcome_is_explained_in_a_sentence(verdict: Verdict, told: str) -> None:
    assert TEXTS.explanation(verdict, a_run("a")) == told


def test_a_long_trajectory_says_how_much_is_left_out() -> None:
    steps = [a_step(f"t{n}") for n in range(103)]
    told = TEXTS.trajectory(steps)

    assert told.startswith("t0 → t1 → ")
    assert told.endswith(" → t99 → … (+3)")
    assert TEXTS.calls(steps).endswith(" → t99() → … (+3)")
    assert TEXTS.trajectory([]) == TEXTS.calls([]) == ""


def test_arguments_are_told_as_json() -> None:
    step = a_step("t", text='say "hi"\n', number=1.5, flag=True, none=None, deep={"a": [1, "ü"]})

    assert TEXTS.calls([step]) == (
        't(text="say \\"hi\\"\\n", number=1.5, flag=true, none=null, deep={"a":[1,"ü"]})'
    )


def test_what_json_cannot_say_is_still_told() -> None:
    assert TEXTS.calls([a_step("t", big=2**70, raw=b"x")]) == f"t(big={2**70}, raw=\"b'x'\")"


def test_long_values_names_and_messages_are_cut() -> None:
    step = a_step("t" * 500, **{f"a{n}": "v" * 1000 for n in range(25)})
    told = TEXTS.calls([step])

    assert told.startswith("t" * (NAME_SHOWN - 1) + "…(")
    assert "v" * VALUE_SHOWN not in told
    assert told.endswith(", … (+5))")
    assert len(TEXTS.message("m" * 9000)) == MESSAGE_SHOWN


def test_a_trajectory_with_huge_arguments_ends_with_a_whole_step() -> None:
    step = a_step("t", **{f"a{n}": "v" * 150 for n in range(20)})
    told = TEXTS.calls([step] * 50)

    assert CALLS_SHOWN < len(told) < 1.5 * CALLS_SHOWN
    assert re.search(r"\) → … \(\+\d+\)$", told)


@pytest.mark.parametrize("gap", range(0, 9000, 37))
def test_no_limit_cuts_a_secret_so_that_the_mask_misses_it(gap: int) -> None:
    text = "x" * gap + " " + KEY + " "
    texts = Texts(masked)
    run = a_run(a_step("t", a=text, b=[text + "\n"]))

    told = [texts.message(text), texts.name(text), texts.calls(run.steps)]

    assert not any("key-a" in one for one in told)


def test_a_secret_behind_an_escape_is_masked() -> None:
    """Written as JSON, the line feed becomes a letter that stands right before the key."""
    step = a_step("t", a=f"line\n{KEY}", b={"c": [f'"\t{KEY}'], f"\n{KEY}": 1})

    assert "key-a" not in Texts(masked).calls([step])


def test_redacted_sentences_name_check_tool_and_argument_alone() -> None:
    texts = Texts(plain, redact_values=True)
    run = a_run(a_step("issue_refund", amount=250))
    violation = a_violation("small", message="250 is over 100", arg="amount", observed="250")

    assert texts.violation(violation, run) == "small is violated by issue_refund, argument amount"
    assert texts.violation(a_violation("required", None), run) == "required is violated"
    assert texts.quoted("250") is None
    assert texts.calls(run.steps) == "issue_refund"
