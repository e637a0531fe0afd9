"""What the security checks cost, beside luckrate's and by the length of a run. Prints tables.

    python tests/bench/security.py [--steps N] [--rounds N]

Both judge the same run in this process, in turns, and the best CPU time of each counts:
luckrate its three checks (ground, taint, secrets), Surefoot all six. The texts are of
four kinds, made by chance from one seed. Further tables show ten times the steps, and
texts built to be slow, at one length and at twice that.

It asserts nothing about time: read the ratios.
"""

import argparse
import json
import random
import string
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import luckrate

if __name__ == "__main__":  # where pytest finds the tests' folders, too
    sys.path[0] = str(Path(__file__).parents[1])

from evaluate.runs import a_call, a_run, a_spec
from surefoot.evaluate import Rules, judge
from surefoot.model import Run

CHARS = 8_000
SYLLABLES = tuple(
    "kaloterminsanvelodrapushetonquiberalesingronafi"[at : at + 3] for at in range(45)
)
TOOLS = (
    "lookup_order",
    "check_policy",
    "fetch_page",
    "read_customer",
    "send_email",
    "issue_refund",
    "ask_human",
)
SEEDS: dict[str, Any] = {
    "untrusted": ["fetch_page"],
    "privileged": ["send_email", "issue_refund"],
    "ground": True,
    "secrets": True,
}
#: Of these, no instruction of the third stands in any text: most runs are clean.
RULES: list[dict[str, Any]] = [
    {
        "id": "cleared",
        "taint": {"from": "fetch_page", "to": "issue_refund", "cleared_by": "ask_human"},
    },
    {
        "id": "kept",
        "exfiltration": {"from": "read_customer", "to": ["send_email", "fetch_page"]},
    },
    {
        "id": "three",
        "trifecta": {
            "untrusted": "fetch_page",
            "private": "read_customer",
            "egress": "send_email",
        },
    },
    {
        "id": "planted",
        "injected": {
            "canaries": ["ORD-99999", "attacker@evil.example"],
            "patterns": [
                r"(?i)ignore (?:all |any )?(?:previous|prior) instructions",
                r"(?i)(?:send|mail|forward) (?:it|this|them) to (\S+@\S+)",
            ],
        },
    },
]
#: What a text repeats to be slow, at any length; `*` stands for it in an argument.
CRAFTED: dict[str, tuple[str, dict[str, Any]]] = {
    "one letter": ("a", {"id": "aaaa", "to": "a" * 40}),
    "glued everywhere": ("x88213y", {"id": "88213"}),
    "glued behind": ("-88213x", {"id": "88213"}),
    "glued by é": ("é88213é ", {"id": "88213"}),
    "periodic": ("-aa", {"id": "-aa" * 300 + "-a"}),
    "endings of each other": (
        "1-2-3-4-5-6-7-8-9 ",
        {str(at): "1-2-3-4-5-6-7-8-9-1-2-3-4-5"[at:] for at in range(0, 24, 2)},
    ),
    "beginnings of each other": (
        "1-2-3-4-5-6-7-8-9 ",
        {str(at): "1-2-3-4-5-6-7-8-9-1-2-3-4-5"[: at + 3] for at in range(0, 24, 2)},
    ),
    "the same row": ("order 88213\n", {"id": "88213", "other": "88214"}),
    "zeros": ("1.5000000000", {"total": 1.5, "other": 0.5}),
    "thousands": (",234", {"text": "*", "total": 1234567}),
    "base64": ("QUJD+/9x", {"id": "QUJDabc", "data": "*"}),
    "addresses": ("a@", {"to": "a@a.example"}),
    "sk-": ("sk-", {}),
    "ask-": ("ask-", {}),
    "keys that are none": ("AKIA ghp_ github_pat_ xoxb- AIza pypi-AgEI Bearer ", {}),
    "Bearer": ("Bearer  ", {}),
    "key blocks": ("-----BEGIN PRIVATE KEY-----", {}),
    "nested escapes": ("\\\\\\n\\u005c", {"id": "n88213"}),
    "a quoted code": ("\\u0061", {"id": "aaaa"}),
    "numbers in prose": ("1,234,", {"text": "*"}),
    "dots": ("a.b.", {"text": "*"}),
}
#: Patterns over a text that repeats the second.
PATTERNS: dict[str, tuple[str, str]] = {
    "(a+)+$": (r"(a+)+$", "a"),
    "(.*)*x": (r"(.*)*x", "a"),
    "many matches": (r"(\w+)", "word "),
    "to the end each time": (r"a(.*z)?", "a"),
    "many groups": (r"(a)(b)?(c)?(d)?(a)?(b)?(c)?(d)?", "abcd "),
    "counted": (r"a.{0,200}b.{0,200}c", "ab"),
}


def main() -> None:
    """Run all of it and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--steps", type=int, default=500, help="calls of a run")
    arguments.add_argument("--rounds", type=int, default=5, help="rounds, of which the best counts")
    chosen = arguments.parse_args()
    for line in table(chosen.steps, chosen.rounds):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def table(steps: int, rounds: int) -> Iterator[str]:
    """Measure; give the lines of the report, in Markdown."""
    spec = a_spec(**SEEDS, rules=RULES)
    yield f"| texts, {steps} steps | luckrate ms | surefoot ms | luckrate / surefoot | x10 steps |"
    yield "|---|---|---|---|---|"
    for kind, write in KINDS.items():
        yield _compare(kind, calls(write, steps), spec, rounds, calls(write, 10 * steps))
    yield ""
    yield "| crafted text | ms | twice the text | 10x the steps |"
    yield "|---|---|---|---|"
    for name, (part, args) in CRAFTED.items():
        yield _growth(name, partial(crafted, part, args), spec, rounds)
    for name, (pattern, part) in PATTERNS.items():
        signs = a_spec(rules=[{"id": "r", "injected": {"patterns": [pattern]}}])
        yield _growth(name, partial(crafted, part, {"id": "88"}), signs, rounds)


def calls(
    write: Callable[[random.Random, list[str], list[str]], str], count: int
) -> list[tuple[str, dict[str, Any], str]]:
    """Calls with two values each, of which most stand in an earlier result."""
    chance = random.Random(1)  # noqa: S311 - for texts, not for secrets
    words = sorted(
        {"".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(3000)}
    )
    known: list[str] = []
    made = []
    for _ in range(count):
        args = {
            name: chance.choice(known)
            if known and chance.random() < 0.6
            else new(write, chance, words)
            for name in ("id", "ref")
        }
        args["note"] = " ".join(chance.choices(words, k=8))
        told = [new(write, chance, words) for _ in range(3)]
        known += told
        made.append((chance.choice(TOOLS), args, write(chance, words, told)[:CHARS]))
    return made


def new(write: object, chance: random.Random, words: list[str]) -> str:
    """A value that no text holds yet; without digits where the texts are of words alone."""
    if write is plain_words:
        return "-".join(chance.choices(words, k=2))[:39]
    mail = f"{chance.choice(words)}.{chance.choice(words)}@{chance.choice(words)}.example"
    return chance.choice([f"ORD-{chance.randint(10_000, 999_999)}", mail])


def prose(chance: random.Random, words: list[str], told: list[str]) -> str:
    """Sentences, a few of them with numbers."""
    found, length = [f"See {value}. " for value in told], 0
    while length < CHARS:
        sentence = " ".join(chance.choices(words, k=chance.randint(6, 18))).capitalize()
        if chance.random() < 0.2:
            sentence += f" on {chance.randint(1, 28)} May for {chance.randint(10, 900)}"
        found.append(f"{sentence}. ")
        length += len(sentence)
    chance.shuffle(found)
    return "".join(found)


def plain_words(chance: random.Random, words: list[str], told: list[str]) -> str:
    """Sentences; the values have no digits either."""
    return prose(chance, words, told)


def rows(chance: random.Random, words: list[str], told: list[str]) -> str:
    """JSON: a list of objects with ids, addresses, amounts and times."""
    values, found, length = list(told), [], 0
    while length < CHARS:
        at = f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T08:{length % 60:02}:00Z"
        row = {
            "order_id": values.pop() if values else f"ORD-{chance.randint(10_000, 999_999)}",
            "customer": f"{chance.choice(words)}.{chance.choice(words)}@{chance.choice(words)}.com",
            "total": round(chance.random() * 1000, 2),
            "created": at,
            "note": " ".join(chance.choices(words, k=5)),
            "sku": "".join(chance.choices(string.hexdigits, k=12)),
        }
        found.append(json.dumps(row))
        length += len(found[-1])
    return f"[{', '.join(found)}]"


def mixed(chance: random.Random, words: list[str], told: list[str]) -> str:
    """JSON in JSON, as MCP servers write it: escaped quotation marks and line feeds."""
    page = prose(chance, words, told[:2])[: CHARS // 2].replace(". ", ".\n", 20)
    return json.dumps({"page": page, "data": rows(chance, words, told[2:])[: CHARS // 2]})


KINDS = {"JSON": rows, "prose": prose, "mixed": mixed, "words": plain_words}


def crafted(part: str, args: dict[str, Any], steps: int, chars: int) -> Run:
    """A run whose results repeat `part`."""
    text = (part * (chars // len(part) + 1))[:chars]
    full = {name: text if value == "*" else value for name, value in args.items()}
    return run_of((TOOLS[at % 7], full, text) for at in range(steps))


def run_of(made: Iterable[tuple[str, dict[str, Any], str]]) -> Run:
    """The calls as a run."""
    listed = [a_call(tool, args, result=result) for tool, args, result in made]
    return a_run(*listed, task="look at my orders, please")


def _compare(
    kind: str,
    made: list[tuple[str, dict[str, Any], str]],
    spec: Rules,
    rounds: int,
    more: list[tuple[str, dict[str, Any], str]],
) -> str:
    run, long = run_of(made), run_of(more)
    steps = [luckrate.Step(tool, args, True, result) for tool, args, result in made]  # noqa: FBT003
    theirs, own, longer = [], [], []
    for number in range(rounds):
        theirs.append(_cpu_s(lambda: luckrate.check(steps, SEEDS, run.task)))
        own.append(_cpu_s(lambda: judge(run, spec)))
        if number < 2:  # it is slow, and warm already
            longer.append(_cpu_s(lambda: judge(long, spec)))
    cells = f"{1e3 * min(theirs):.0f} | {1e3 * min(own):.1f} | {min(theirs) / min(own):.1f}"
    return f"| {kind} | {cells} | {min(longer) / min(own):.1f} |"


def _growth(name: str, make: Callable[[int, int], Run], spec: Rules, rounds: int) -> str:
    short, twice, many = make(20, CHARS), make(20, 2 * CHARS), make(200, CHARS)
    took = [
        min(_cpu_s(partial(judge, run, spec)) for _ in range(rounds))
        for run in (short, twice, many)
    ]
    cells = f"{1e3 * took[0]:.2f} | {took[1] / took[0]:.1f} | {took[2] / took[0]:.1f}"
    return f"| {name} | {cells} |"


def _cpu_s(do: Callable[[], object]) -> float:
    start = time.process_time()
    do()
    return time.process_time() - start


if __name__ == "__main__":
    main()
