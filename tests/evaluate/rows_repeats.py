"""What `no_repeat`, `loop` and `retries` decide on each level of evidence."""

from evaluate.levels import ARGS, BLIND, Row, a_rule
from evaluate.runs import a_call, a_run

SEEN = BLIND | {"parents_missing": "open open"}
#: Arguments are compared: where they are hidden, nothing of it is.
COMPARED = SEEN | dict.fromkeys(ARGS, "open open")
FAILED = a_call("lookup", {"id": 1}, ok=False)

ROWS: dict[str, Row] = {
    "no_repeat": Row(
        a_rule(no_repeat=True),
        a_run("lookup", "lookup"),
        a_run("lookup", a_call("lookup", {"id": 1})),
        COMPARED,
    ),
    "no_repeat, changed_result_ok": Row(
        a_rule(no_repeat=True, changed_result_ok=True),
        a_run("lookup", "lookup"),
        a_run(a_call("lookup", result="a"), a_call("lookup", result="b")),
        COMPARED | {"text_capped": "open open"},
    ),
    "loop": Row(
        a_rule(loop={"window": 2, "times": 2}),
        a_run("lookup", "lookup"),
        a_run("lookup", a_call("lookup", {"id": 1})),
        COMPARED | {"text_capped": "open ok"},
    ),
    "retries": Row(
        a_rule(retries={"max": 1}),
        a_run(FAILED, FAILED),
        a_run(FAILED, a_call("lookup", {"id": 2}, ok=False)),
        SEEN | dict.fromkeys(ARGS, "open open"),
    ),
}
