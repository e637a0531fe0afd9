"""What `required`, `forbidden`, `calls` and their like decide on each level of evidence."""

from evaluate.levels import BLIND, PARTIAL, Row, a_rule
from evaluate.runs import a_call, a_run

ROWS: dict[str, Row] = {
    "required": Row(
        a_rule(required="lookup", min=2),
        a_run("lookup"),
        a_run("lookup", "lookup"),
        dict.fromkeys(PARTIAL, "open ok"),
    ),
    "forbidden": Row(
        a_rule(forbidden={"tool": "refund", "args": {"amount": {"gt": 100}}}),
        a_run(a_call("refund", {"amount": 200})),
        a_run(a_call("refund", {"amount": 20})),
        BLIND | dict.fromkeys(("args_missing", "args_redacted", "args_truncated"), "open open"),
    ),
    "max_steps": Row(
        a_rule(max_steps=1),
        a_run("lookup", "check"),
        a_run("lookup"),
        BLIND | {"parents_missing": "open open"},
    ),
    "calls": Row(
        a_rule(calls={"step": "lookup", "max": 1}),
        a_run("lookup", "lookup"),
        a_run("lookup"),
        BLIND | {"parents_missing": "open open"},
    ),
    "calls, min": Row(
        a_rule(calls={"step": "lookup", "min": 2}),
        a_run("lookup"),
        a_run("lookup", "lookup"),
        dict.fromkeys(PARTIAL, "open ok"),
    ),
    "exclusive": Row(
        a_rule(exclusive=["refund", "escalate"]),
        a_run("refund", "escalate"),
        a_run("refund", "refund"),
        BLIND | {"parents_missing": "open open"},
    ),
    "no_action": Row(
        a_rule(no_action=True),
        a_run(),
        a_run("lookup"),
        dict.fromkeys(PARTIAL, "open ok"),
    ),
}
