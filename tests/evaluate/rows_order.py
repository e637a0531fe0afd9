"""What the order rules decide on each level of evidence."""

from evaluate.levels import ARGS, BLIND, PARTIAL, Row, a_rule
from evaluate.runs import a_call, a_run

_PAIR = ["check", "refund"]
_ABSENT = dict.fromkeys(PARTIAL, "open open")
_LARGE = {"tool": "refund", "args": {"amount": {"gt": 100}}}

ROWS: dict[str, Row] = {
    "before": Row(
        a_rule(before=_PAIR), a_run("refund", "check"), a_run("check", "refund"), _ABSENT
    ),
    "before, ended": Row(
        a_rule(before=_PAIR, ended=True),
        a_run(a_call("check", ok=False), "refund"),
        a_run("check", "refund"),
        _ABSENT,
    ),
    "before, args": Row(
        a_rule(before=["check", _LARGE]),
        a_run(a_call("refund", {"amount": 200})),
        a_run(a_call("refund", {"amount": 20})),
        _ABSENT | dict.fromkeys(ARGS, "open open"),
    ),
    "precede_each": Row(
        a_rule(precede_each=_PAIR),
        a_run("check", "refund", "refund"),
        a_run("check", "refund"),
        _ABSENT,
    ),
    "after": Row(a_rule(after=_PAIR), a_run("check"), a_run("check", "refund"), _ABSENT),
    "next": Row(
        a_rule(next=_PAIR), a_run("check", "lookup", "refund"), a_run("check", "refund"), _ABSENT
    ),
    "never_after": Row(
        a_rule(never_after=_PAIR),
        a_run("refund", "check"),
        a_run("check", "refund"),
        BLIND | {"parents_missing": "open open"},
    ),
    "between": Row(
        a_rule(between={"absent": "fetch", "from": "check", "to": "refund"}),
        a_run("check", "fetch", "refund"),
        a_run("fetch", "check", "refund"),
        _ABSENT,
    ),
    "sequence": Row(
        a_rule(sequence={"expect": _PAIR}), a_run("refund", "check"), a_run(*_PAIR), _ABSENT
    ),
}
