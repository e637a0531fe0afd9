"""What each check can decide on each level of evidence: the whole table."""

from typing import Any

import pytest

from evaluate.runs import WHOLE, a_call, a_run, judged
from surefoot.evaluate.check import NEEDS, Kind
from surefoot.model import ArgsQuality, Evidence, PathGrade, Run
from surefoot.specs.sanity import SEEDS

OK, VIOLATED, OPEN = PathGrade.OK, PathGrade.VIOLATED, PathGrade.INCONCLUSIVE

PARTIAL = ("root_missing", "parents_missing", "closed_early", "no_tool_spans", "attributes_dropped")
ARGS = ("args_missing", "args_redacted", "args_truncated")
OTHER = ("complete", "text_capped", "task_unknown", "multi_run_trace")

TOKEN = "ghp_" + "a" * 36
LOOKUP = a_call("lookup", {"id": "88213"})
TAINT = {"untrusted": ["fetch"], "privileged": ["refund"]}

#: check: its spec, a run that violates it, one that does not, and by level what becomes of
#: the first and of the second; a level that is not named decides both.
TABLE: dict[str, tuple[dict[str, Any], Run, Run, dict[str, str]]] = {
    "tools": (
        {"tools": ["lookup"]},
        a_run("delete"),
        a_run("lookup"),
        {"no_tool_spans": "violated open"},
    ),
    "required": (
        {"required": ["lookup"]},
        a_run("check"),
        a_run("lookup"),
        dict.fromkeys(PARTIAL, "open ok"),
    ),
    "forbidden": (
        {"forbidden": ["refund"]},
        a_run("refund"),
        a_run("lookup"),
        {"no_tool_spans": "violated open"},
    ),
    "before": (
        {"before": [["lookup", "check"]]},
        a_run("check", "lookup"),
        a_run("lookup", "check"),
        dict.fromkeys(PARTIAL, "open open"),
    ),
    "before, none": (
        {"before": [["lookup", "check"]]},
        a_run("check"),
        a_run("lookup"),
        dict.fromkeys(PARTIAL, "open open"),
    ),
    "max_steps": (
        {"max_steps": 1},
        a_run("lookup", "check"),
        a_run("lookup"),
        {"parents_missing": "open open", "no_tool_spans": "violated open"},
    ),
    "no_repeat": (
        {"no_repeat": True},
        a_run(LOOKUP, LOOKUP),
        a_run(LOOKUP, a_call("lookup", {"id": "5"})),
        {"parents_missing": "open open", "no_tool_spans": "violated open"}
        | dict.fromkeys(ARGS, "open open"),
    ),
    "ground": (
        {"ground": True},
        a_run(LOOKUP, task="refund 48327"),
        a_run(LOOKUP, task="refund 88213"),
        dict.fromkeys((*PARTIAL, *ARGS), "open open")
        | {"task_unknown": "open ok", "text_capped": "open ok"},
    ),
    "taint": (
        TAINT,
        a_run(a_call("fetch", result="refund 88213"), a_call("refund", {"id": "88213"})),
        a_run(a_call("fetch", result="nothing"), a_call("refund", {"id": "88213"})),
        dict.fromkeys((*PARTIAL, *ARGS), "open open")
        | {"task_unknown": "open ok", "text_capped": "open open"},
    ),
    "secrets": (
        {"secrets": True},
        a_run(a_call("lookup", result=TOKEN)),
        a_run(a_call("lookup", result="fine")),
        dict.fromkeys(("no_tool_spans", "text_capped", *ARGS), "violated open"),
    ),
}
GRADES = {"ok": OK, "violated": VIOLATED, "open": OPEN}


def test_every_check_of_a_specs_own_keys_has_a_row() -> None:
    assert {name.partition(",")[0] for name in TABLE} == set(SEEDS)


@pytest.mark.parametrize("level", [*OTHER, *PARTIAL, *ARGS])
@pytest.mark.parametrize("name", TABLE)
def test_each_level_decides_what_the_table_says(name: str, level: str) -> None:
    spec, violating, clean, table = TABLE[name]
    bad, good = table.get(level, "violated ok").split()
    levels = frozenset({Evidence(level)})

    for run, expected in ((violating, bad), (clean, good)):
        run.levels = levels
        verdict = judged(run, **spec)

        assert verdict.path is GRADES[expected]
        assert bool(verdict.undecided) == (verdict.path is OPEN)
        if verdict.undecided:
            assert [one.check for one in verdict.undecided] == [name.partition(",")[0]]
            assert level in verdict.undecided[0].reason


@pytest.mark.parametrize("quality", ["redacted", "truncated", "missing"])
def test_hidden_arguments_of_one_step_leave_the_checks_open_that_read_them(quality: str) -> None:
    hidden = a_call("refund", quality=ArgsQuality(quality))
    run = a_run(a_call("fetch", result="x"), hidden, hidden, task="t", levels=WHOLE)

    verdict = judged(run, ground=True, secrets=True, no_repeat=True, max_steps=5, **TAINT)

    assert verdict.path is OPEN
    assert [(one.check, one.reason) for one in verdict.undecided] == [
        (check, f"args_{quality}") for check in ("no_repeat", "taint", "ground", "secrets")
    ]


def test_a_certain_violation_outweighs_what_is_undecided_beside_it() -> None:
    run = a_run(LOOKUP, a_call("check", quality=ArgsQuality.REDACTED), task="t")

    verdict = judged(run, ground=True)

    assert verdict.path is VIOLATED
    assert not verdict.undecided


def test_every_kind_says_what_it_needs() -> None:
    assert set(NEEDS) == set(Kind)
