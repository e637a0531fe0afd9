"""How the work of the checks that read texts grows: with a run's calls, and with one text.

Lines of Python are counted, not time, so that a loop in a loop shows on any machine. What
RE2 and other C code take for a line is not seen here: tests/bench/security.py measures it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from evaluate.orders import work
from evaluate.runs import a_call, a_run, a_spec
from surefoot.evaluate import judge
from surefoot.model import Run, Step, StepEvidence

Call = tuple[Step, StepEvidence]

#: Each check alone, with calls that are meant: `page` gives, `send` carries, `ask` clears.
CHECKS: dict[str, dict[str, Any]] = {
    "ground": {"ground": True},
    "taint": {"rules": [{"id": "r", "taint": {"from": "page", "to": "send", "cleared_by": "ask"}}]},
    "exfiltration": {"rules": [{"id": "r", "exfiltration": {"from": "page", "to": "send"}}]},
    "injected": {
        "rules": [{"id": "r", "injected": {"canaries": "id-7", "patterns": r"\bid-(\w+)"}}]
    },
    "secrets": {"secrets": True},
}
TOOLS = ("page", "send", "ask")
KEY = "AKIAIOSFODNN7EXAMPLE"


def own(at: int, **known: Any) -> Call:
    """Each call asks for a value of its own and tells the one that the next asks for."""
    return a_call(TOOLS[at % 3], {"id": f"id-x{at:04}"}, result=f"see id-x{at + 1:04}", **known)


def shared(at: int, **known: Any) -> Call:
    """All calls ask for the same value, which each result tells of, with a credential."""
    args = {"id": "id-7", "key": KEY} if at % 3 else {}
    return a_call(TOOLS[at % 3], args, result=f"see id-7, {KEY}", **known)


def in_vain(at: int, **known: Any) -> Call:
    """Only a result to come tells of what a call asks for."""
    return a_call(TOOLS[at % 3], {"id": f"id-x{at + 3:04}"}, result=f"see id-x{at:04}", **known)


def unknown(at: int, **known: Any) -> Call:
    """No result is recorded."""
    return a_call(TOOLS[at % 3], {"id": f"id-x{at:04}"}, result_known=False, **known)


#: How the calls of a long run stand to each other.
ORDERS: dict[str, Callable[[Callable[..., Call], int, int], Call]] = {
    "in a row": lambda make, at, _count: make(at),
    "nested": lambda make, at, count: make(at, span=(at, 9 * count - at)),
    "one turn": lambda make, at, _count: make(at, turn=0),
}
LONG = [
    (own, "in a row"),
    (shared, "one turn"),
    (in_vain, "nested"),
    (unknown, "in a row"),
]


@cache
def a_long_run(make: Callable[..., Call], order: str, count: int) -> Run:
    return a_run(*(ORDERS[order](make, at, count) for at in range(count)), task="t")


@pytest.mark.parametrize(("make", "order"), LONG, ids=lambda it: getattr(it, "__name__", it))
@pytest.mark.parametrize("check", CHECKS)
def test_ten_times_the_calls_are_some_ten_times_the_work(
    check: str, make: Callable[..., Call], order: str
) -> None:
    spec = a_spec(**CHECKS[check])
    few, many = (a_long_run(make, order, count) for count in (500, 5_000))

    assert work(lambda: judge(many, spec)) < 12 * work(lambda: judge(few, spec))


#: What a text repeats, and what is looked for there.
TEXTS: dict[str, tuple[str, list[str]]] = {
    "nothing": ("lorem ipsum ", ["id-7"]),
    "the value": ("see id-7\n", ["id-7"]),
    "the value, glued": ("xid-7y ", ["id-7", "d-7"]),
    "values inside each other": ("1-2-3-4-5-6-7-8-9 ", [f"{at}-2-3" for at in range(1, 15)]),
    "beginnings of each other": ("1-2-3-4-5 ", ["1-2-3-4-5-1-2-3-4-5"[:at] for at in range(3, 19)]),
    "zeros": ("1.5000000 ", ["1.5", "0.5"]),
    "escapes": ("\\nid-7\\u0031 ", ["id-7"]),
    "letters beyond ASCII": ("éid-7é ", ["id-7"]),
    "credentials": (f"{KEY} ", [KEY]),
    "beginnings of credentials": ("AKIA sk- ghp_ ", ["ghp_"]),
}


def a_run_with_a_text(part: str, values: list[str], times: int, *, many: bool) -> Run:
    """The text is a result, and an argument of a later call beside the values."""
    more = [f"no-{at}" for at in range(20 * many)]
    args = {f"a{at}": value for at, value in enumerate([*values, *more])}
    text = part * times
    return a_run(a_call("page", result=text), a_call("send", args | {"text": text}), task="t")


@pytest.mark.parametrize("many", [False, True], ids=["few values", "many values"])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("check", CHECKS)
def test_twice_the_text_is_at_most_twice_the_work(check: str, text: str, *, many: bool) -> None:
    spec = a_spec(**CHECKS[check])
    once, twice = (a_run_with_a_text(*TEXTS[text], times, many=many) for times in (100, 200))

    assert work(lambda: judge(twice, spec)) <= 2.1 * work(lambda: judge(once, spec))
