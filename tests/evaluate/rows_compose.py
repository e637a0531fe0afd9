"""What `all_of`, `any_of`, `not` and `when` decide on each level of evidence."""

from evaluate.levels import BLIND, PARTIAL, Row, a_rule
from evaluate.runs import a_run

ROWS: dict[str, Row] = {
    "all_of": Row(
        a_rule(all_of=[{"forbidden": "refund"}, {"max_steps": 1}]),
        a_run("refund"),
        a_run("lookup"),
        BLIND | {"parents_missing": "violated open"},
    ),
    "any_of": Row(
        a_rule(any_of=[{"forbidden": "refund"}, {"required": "ask"}]),
        a_run("refund"),
        a_run("ask", "refund"),
        dict.fromkeys(PARTIAL, "open ok"),
    ),
    "not": Row(
        a_rule(**{"not": {"forbidden": "ask"}}),
        a_run("lookup"),
        a_run("ask"),
        dict.fromkeys(PARTIAL, "open open"),
    ),
    "not, when": Row(
        a_rule(forbidden="refund", when={"step": "lookup"}),
        a_run("refund", "lookup"),
        a_run("refund"),
        dict.fromkeys(PARTIAL, "open open"),
    ),
}
