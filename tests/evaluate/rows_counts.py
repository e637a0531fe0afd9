"""What `total`, `rate` and `unique` decide on each level of evidence."""

from evaluate.levels import ARGS, BLIND, Row, a_rule
from evaluate.runs import a_call, a_run

TWICE = BLIND | {"parents_missing": "open open"}
HIDDEN = dict.fromkeys(ARGS, "open open")

ROWS: dict[str, Row] = {
    "total": Row(
        a_rule(total={"step": "refund", "arg": "amount", "max": 100}),
        a_run(a_call("refund", {"amount": 60}), a_call("refund", {"amount": 60})),
        a_run(a_call("refund", {"amount": 60})),
        TWICE | HIDDEN,
    ),
    "rate": Row(
        a_rule(rate={"step": "mail", "max": 1, "per": "1s"}),
        a_run("mail", "mail"),
        a_run("mail"),
        TWICE,
    ),
    "unique": Row(
        a_rule(unique={"step": "refund", "arg": "id"}),
        a_run(a_call("refund", {"id": 1}), a_call("refund", {"id": 1})),
        a_run(a_call("refund", {"id": 1}), a_call("refund", {"id": 2})),
        TWICE | HIDDEN,
    ),
}
