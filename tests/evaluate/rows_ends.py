"""What `completion` and `end_state` decide on each level of evidence."""

from evaluate.levels import PARTIAL, Row, a_rule
from evaluate.runs import a_call, a_run

ABSENT = dict.fromkeys(PARTIAL, "open open")
CUT = ABSENT | {"text_capped": "open open"}
OPEN, CLOSED = '{"status": "open"}', '{"status": "closed"}'

ROWS: dict[str, Row] = {
    "completion": Row(
        a_rule(completion=True),
        a_run(flaw="error in agent"),
        a_run(flaw="", output="done"),
        ABSENT,
    ),
    "end_state": Row(
        a_rule(end_state={"output": True, "equals": {"status": "closed"}}),
        a_run(output=OPEN),
        a_run(output=CLOSED),
        CUT,
    ),
    "end_state, last": Row(
        a_rule(end_state={"last": "lookup", "equals": {"status": "closed"}}),
        a_run(a_call("lookup", result=OPEN)),
        a_run(a_call("lookup", result=OPEN), a_call("lookup", result=CLOSED)),
        CUT,
    ),
    "end_state, attribute": Row(
        a_rule(end_state={"attribute": "order.state", "contains": "closed"}),
        a_run(attributes={"order.state": "open"}),
        a_run(attributes={"order.state": "closed"}),
        ABSENT,
    ),
}
