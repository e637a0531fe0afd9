"""What `args` and `args_from` decide on each level of evidence."""

from evaluate.levels import ARGS, BLIND, PARTIAL, Row, a_rule
from evaluate.runs import a_call, a_run

HIDDEN = dict.fromkeys(ARGS, "open open")
WHOLE_ONLY = dict.fromkeys(PARTIAL, "open open")
LOOKUP = a_call("lookup", result='{"id": "A-17"}')

ROWS: dict[str, Row] = {
    "args": Row(
        a_rule(args={"step": "refund", "where": {"amount": {"le": 100}}}),
        a_run(a_call("refund", {"amount": 200})),
        a_run(a_call("refund", {"amount": 20})),
        BLIND | HIDDEN,
    ),
    "args, of an agent": Row(
        a_rule(args={"step": {"tool": "refund", "agent": "main"}, "schema": {"maxProperties": 1}}),
        a_run(a_call("refund", {"amount": 200, "note": "x"})),
        a_run(a_call("refund", {"amount": 20})),
        BLIND | HIDDEN | {"parents_missing": "open open"},
    ),
    "args, required": Row(
        a_rule(args={"step": "refund", "required": ["amount"]}),
        a_run(a_call("refund", {"note": "x"})),
        a_run(a_call("refund", {"amount": 20})),
        BLIND | dict.fromkeys(ARGS, "open ok"),
    ),
    "args, occurrence": Row(
        a_rule(args={"step": "refund", "only": ["amount"], "occurrence": 1}),
        a_run(a_call("refund", {"amount": 200, "note": "x"})),
        a_run(a_call("refund", {"amount": 20})),
        WHOLE_ONLY | HIDDEN,
    ),
    "args_from": Row(
        a_rule(
            args_from={"step": "refund", "arg": "id", "from": {"step": "lookup", "field": "id"}}
        ),
        a_run(LOOKUP, a_call("refund", {"id": "A-18"})),
        a_run(LOOKUP, a_call("refund", {"id": "A-17"})),
        WHOLE_ONLY | HIDDEN | {"text_capped": "open ok"},
    ),
    "args_from, input": Row(
        a_rule(args_from={"step": "refund", "arg": "id", "from": "input"}),
        a_run(a_call("refund", {"id": "A-18"}), task="Refund A-17"),
        a_run(a_call("refund", {"id": "A-17"}), task="Refund A-17"),
        WHOLE_ONLY | HIDDEN | {"text_capped": "open ok", "task_unknown": "open ok"},
    ),
}
