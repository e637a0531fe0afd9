"""What `handled_errors`, `must_succeed` and `empty_result` decide on each level."""

from evaluate.levels import BLIND, PARTIAL, Row, a_rule
from evaluate.runs import a_call, a_run

SEEN = BLIND | {"parents_missing": "open open"}
FAILED = a_call("lookup", ok=False)

ROWS: dict[str, Row] = {
    "handled_errors": Row(
        a_rule(handled_errors=True),
        a_run(FAILED),
        a_run(FAILED, "lookup"),
        dict.fromkeys(PARTIAL, "open open"),
    ),
    "handled_errors, fallback": Row(
        a_rule(handled_errors={"fallback": "escalate", "step": "lookup"}),
        a_run("escalate", FAILED),
        a_run(FAILED, "escalate"),
        dict.fromkeys(PARTIAL, "open open"),
    ),
    "must_succeed": Row(a_rule(must_succeed="lookup"), a_run(FAILED), a_run("lookup"), SEEN),
    "empty_result": Row(
        a_rule(empty_result="lookup"),
        a_run(a_call("lookup", result="[]")),
        a_run(a_call("lookup", result="an order")),
        SEEN | {"text_capped": "open ok"},
    ),
}
