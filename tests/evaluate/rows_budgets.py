"""What `budget` decides on each level of evidence."""

from evaluate.levels import Row, a_rule
from evaluate.runs import a_call, a_run

TWICE = {"parents_missing": "open open"}

ROWS: dict[str, Row] = {
    "budget": Row(a_rule(budget={"tokens": 10}), a_run(tokens=11), a_run(tokens=10), TWICE),
    "budget, without data": Row(
        a_rule(budget={"cost": 1}), a_run(cost=None), a_run(cost=0.5), TWICE
    ),
    "budget, step_duration": Row(
        a_rule(budget={"step_duration": "5ns"}),
        a_run(a_call("lookup", span=(0, 6))),
        a_run(a_call("lookup", span=(0, 5))),
        TWICE | {"no_tool_spans": "violated open"},
    ),
}
