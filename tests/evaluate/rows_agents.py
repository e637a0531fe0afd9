"""What `parallel`, `handoff` and `agent_tools` decide on each level of evidence."""

from evaluate.levels import BLIND, Row, a_rule
from evaluate.runs import a_call, a_run
from surefoot.model import StepKind

_SEEN = BLIND | {"parents_missing": "open open"}

ROWS: dict[str, Row] = {
    "parallel": Row(
        a_rule(parallel={"max": 1}),
        a_run(a_call("lookup", span=(0, 9)), a_call("check", span=(1, 9))),
        a_run("lookup", "check"),
        _SEEN,
    ),
    "handoff": Row(
        a_rule(handoff={"allow": [["main", "refund"]]}),
        a_run(a_call("transfer", kind=StepKind.HANDOFF, hands_to="billing")),
        a_run(a_call("transfer", kind=StepKind.HANDOFF, hands_to="refund")),
        _SEEN,
    ),
    "agent_tools": Row(
        a_rule(agent_tools={"main": ["lookup"]}), a_run("refund"), a_run("lookup"), _SEEN
    ),
}
