import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate.runs import a_call, a_run, a_view, grade, judged, messages
from surefoot.evaluate import mask
from surefoot.evaluate.secrets import SHAPES, Secrets, Shape, _shape, labels
from surefoot.model import ArgsQuality, Cut, Evidence, PathGrade, Severity, StepKind, Undecided

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----"
EXAMPLES = {
    "AWS access key id": "AKIAIOSFODNN7EXAMPLE",
    "GitHub token": "gho_" + "a1" * 18,
    "GitHub fine-grained token": "github_pat_" + "A_" * 25,
    "PyPI token": "pypi-AgEIcHlwaS5vcmc" + "x-" * 8,
    "Slack token": "xoxb-1234567890",
    "OpenAI key": "sk-proj-" + "a_" * 10,
    "Google API key": "AIza" + "b" * 35,
    "private key block": KEY,
    "bearer token": "Bearer  eyJhbGciOiJIUzI1NiIsInR5cCI6",
}
#: What may stand before a credential, glued to it.
GLUE = [
    "x_",
    "a",
    "key_",
    "é",
    "7",
    "\x1b[31m",
    "\x1b[0;1m",
    "\\n",
    "\\u001b",
    "https://h/a",
    "x" * 30,
]
#: Keys whose beginning is in no word.
TELLING = [
    *(secret for label, secret in EXAMPLES.items() if label != "OpenAI key"),
    "sk-ant-api03-" + "a1-_" * 20,
    "sk-proj-" + "a_" * 10 + "T3BlbkFJ" + "b" * 20,
    "sk-" + "a" * 20 + "T3BlbkFJ" + "b" * 20,
]
NOTHING = [
    "550e8400-e29b-41d4-a716-446655440000",
    "a" * 40,
    "sess_abc123def456ghi789",
    "task-risk-desk-12345678901234567890",
    "task-ant-colony-12345678901234567890",
    "ask-proj-owner-about-the-deadline",
    "iVBORw0KGgo" + "x1+/" * 20 + "zAIza" + "b" * 40,
    "Bearer short",
    "2026-09-15T00:00:00.000000Z",
]


@pytest.mark.parametrize("label", EXAMPLES)
def test_each_credential_is_named_and_masked(label: str) -> None:
    secret = EXAMPLES[label]
    text = f"use {secret}, please"

    assert label in labels(text)
    assert mask(text) == f"use [{label}], please"


def test_every_shape_has_an_example() -> None:
    assert [shape.label for shape in SHAPES] == list(EXAMPLES)


@pytest.mark.parametrize("text", NOTHING)
def test_what_only_looks_random_is_no_credential(text: str) -> None:
    assert labels(text) == []
    assert mask(text) == text


def test_a_key_block_without_an_end_is_masked_to_the_end_of_the_text() -> None:
    assert mask(f"a {KEY[:40]}") == "a [private key block]"
    assert mask(f"{KEY} b {KEY}") == "[private key block] b [private key block]"


@pytest.mark.parametrize("secret", TELLING)
@pytest.mark.parametrize("before", GLUE)
@pytest.mark.parametrize("after", ["", "b", "_x", "é", "\x1b[0m"])
def test_what_is_glued_to_a_credential_does_not_hide_it(
    secret: str, before: str, after: str
) -> None:
    text = f"{before}{secret}{after}"

    assert len(labels(text)) == 1
    assert secret not in mask(text)
    assert mask(text).startswith(f"{before}[")


@pytest.mark.parametrize("before", ["x_", "key_", "é", "7", "\x1b[31m", "\\n", "\\u001b", "=", "/"])
def test_a_short_prefix_is_seen_after_all_but_a_letter(before: str) -> None:
    assert mask(f"{before}{EXAMPLES['OpenAI key']}") == f"{before}[OpenAI key]"


@given(st.text(string.ascii_letters + "-_ \\", max_size=5), st.text("aZ0_- é", max_size=5))
def test_the_seed_finds_nothing_that_is_not_found_here(before: str, after: str) -> None:
    for secret in EXAMPLES.values():
        text = f"{before}{secret}{after}"

        assert set(labels(text, seed=True)) <= set(labels(text))


def test_a_glued_credential_is_a_violation_in_traffic() -> None:
    run = a_run(a_call("push", {"a": "key_" + EXAMPLES["AWS access key id"]}))

    assert messages(run, secrets=True) == ["warn: possible AWS access key id in push.arg a"]


@given(st.lists(st.sampled_from([*EXAMPLES.values(), *NOTHING, " ", "\n", '"', "é"])))
def test_a_masked_text_holds_no_credential(parts: list[str]) -> None:
    masked = mask("".join(parts))

    assert labels(masked) == []
    assert mask(masked) == masked


@given(st.text(string.ascii_letters + "-_ ", max_size=30))
def test_a_hint_misses_no_credential(text: str) -> None:
    for secret in EXAMPLES.values():
        whole = f"{text} {secret} {text}"

        assert labels(whole) == [shape.label for shape in SHAPES if shape.pattern.search(whole)]


def test_credentials_are_found_in_arguments_results_and_output() -> None:
    token = EXAMPLES["GitHub token"]
    call = a_call("push", {"a": "fine", "headers": {"auth": token}}, result=f"pushed {token}")
    run = a_run("a", call, output=f"I used {token}")

    verdict = judged(run, secrets=True)

    assert [str(one) for one in verdict.violations] == [
        "warn: possible GitHub token in push.result",
        "warn: possible GitHub token in push.arg headers",
        "warn: possible GitHub token in output",
    ]
    assert [one.step for one in verdict.violations] == [1, 1, None]
    assert [one.arg for one in verdict.violations] == ["", "headers", ""]
    assert token not in str(verdict)


def test_two_fields_do_not_make_a_credential_together() -> None:
    run = a_run(a_call("push", {"a": "Bearer", "b": "eyJhbGciOiJIUzI1NiIsInR5cCI6"}))

    assert messages(run, secrets=True) == []


def test_in_a_cut_text_nothing_found_is_undecided() -> None:
    levels = {Evidence.TEXT_CAPPED}
    capped = a_call("lookup", result="a", result_capped=True)

    assert grade(a_run(capped, levels=levels), secrets=True) is PathGrade.INCONCLUSIVE
    cut_output = a_run("a", output=Cut("a"), levels=levels)
    assert grade(cut_output, secrets=True) is PathGrade.INCONCLUSIVE
    cut_task = a_run("a", task=Cut("a"), levels=levels)
    assert grade(cut_task, secrets=True) is PathGrade.OK


def test_a_shape_is_what_it_was_made_of() -> None:
    made = _shape("a key", b"ab", "ab+", "abb", rest="c.*?e")

    assert made == Shape(
        "a key",
        b"ab",
        re.compile("ab+"),
        re.compile("ab+c.*?e", re.DOTALL),
        re.compile("abb"),
    )
    assert _shape("a key", b"ab", "ab+", "abb").whole.pattern == "ab+"


@pytest.mark.parametrize("label", EXAMPLES)
def test_a_credential_alone_is_a_text(label: str) -> None:
    assert mask(EXAMPLES[label]) == f"[{label}]"
    assert labels(EXAMPLES[label]) == [label]


def test_the_shortest_credential_is_seen_and_one_shorter_is_none() -> None:
    assert mask("xoxb-1234567890") == "[Slack token]"
    assert labels("xoxb-1234567890") == ["Slack token"]
    assert labels("xoxb-123456789") == []
    assert mask("xoxb-123456789") == "xoxb-123456789"


def test_several_credentials_of_a_text_are_named_in_the_order_of_shapes() -> None:
    text = " ".join(reversed(EXAMPLES.values()))

    assert labels(text) == list(EXAMPLES)
    assert mask(text) == " ".join(f"[{label}]" for label in reversed(EXAMPLES))


def test_a_credential_found_says_what_and_where() -> None:
    run = a_run("a", a_call("push", {"auth": EXAMPLES["Slack token"]}), output=KEY)
    arg, output = judged(run, secrets=True).violations

    assert (arg.check, arg.severity, arg.step) == ("secrets", Severity.WARN, 1)
    assert arg.message == "possible Slack token in push.arg auth"
    assert (arg.expected, arg.observed) == ("no credential", "Slack token")
    assert (arg.subject, arg.arg) == ("Slack token, arg auth", "auth")
    assert (output.step, output.arg) == (None, "")
    assert output.message == "possible private key block in output"
    assert (output.observed, output.subject) == ("private key block", "private key block, output")


def test_an_argument_keeps_its_whole_name() -> None:
    (found,) = judged(a_run(a_call("a", {"arg x": KEY})), secrets=True).violations

    assert (found.arg, found.subject) == ("arg x", "private key block, arg arg x")


@pytest.mark.parametrize("label", EXAMPLES)
def test_a_credential_in_a_result_alone_is_found(label: str) -> None:
    run = a_run(a_call("a", {"n": 1}, result=EXAMPLES[label]))

    assert messages(run, secrets=True) == [f"warn: possible {label} in a.result"]


def test_by_the_seeds_shapes_a_glued_credential_is_none() -> None:
    key = EXAMPLES["AWS access key id"]
    glued = a_call("push", {"a": f"key_{key}"}, result=f"x_{key}")
    run = a_run(glued, a_call("push", {"a": key}), output=f"x_{key}")
    view = a_view(run)

    by_seed = [str(one) for one in Secrets(seed=True)(view)]
    assert by_seed == ["warn: possible AWS access key id in push.arg a"]
    assert len(list(Secrets()(view))) == 4


@pytest.mark.parametrize(
    ("quality", "reason"),
    [
        (ArgsQuality.REDACTED, "args_redacted"),
        (ArgsQuality.TRUNCATED, "args_truncated"),
        (ArgsQuality.MISSING, "args_missing"),
    ],
)
def test_what_hidden_arguments_hold_is_undecided(quality: ArgsQuality, reason: str) -> None:
    view = a_view(a_run("a", a_call("b", quality=quality)))

    assert list(Secrets()(view)) == [Undecided("secrets", reason)]


def test_what_a_cut_text_held_is_undecided() -> None:
    capped = Undecided("secrets", "text_capped")
    levels = {Evidence.TEXT_CAPPED}
    result = a_run("a", a_call("b", result="x", result_capped=True), levels=levels)
    output = a_run("a", output=Cut("x"), levels=levels)
    nobody_knows_which = a_run("a", levels=levels)

    for run in (result, output, nobody_knows_which):
        assert list(Secrets()(a_view(run))) == [capped]
    assert list(Secrets()(a_view(a_run("a", output="x")))) == []


def test_a_credential_in_a_handoff_counts_though_a_vocabulary_leaves_it_out() -> None:
    handoff = a_call("to_desk", {"note": KEY}, kind=StepKind.HANDOFF)

    assert messages(a_run("a", handoff), tools=["a"], secrets=True) == [
        "warn: possible private key block in to_desk.arg note"
    ]
