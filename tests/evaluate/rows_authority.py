"""What `effects`, `approval` and `models` decide on each level of evidence."""

from evaluate.levels import ARGS, BLIND, PARTIAL, Row, a_rule
from evaluate.runs import a_call, a_run

WHOLE_ONLY = dict.fromkeys(PARTIAL, "open open")
HIDDEN = dict.fromkeys(ARGS, "open open")

ROWS: dict[str, Row] = {
    "effects": Row(
        a_rule(effects={}),
        a_run("send_email"),
        a_run("list_runs"),
        BLIND,
    ),
    "effects, authorised": Row(
        a_rule(effects={"authorised": "send_email"}),
        a_run("send_email", "issue_refund"),
        a_run("send_email"),
        WHOLE_ONLY,
    ),
    "approval": Row(
        a_rule(approval={"step": "refund", "by": "ask", "same": ["id"]}),
        a_run(a_call("ask", {"id": 2}), a_call("refund", {"id": 1})),
        a_run(a_call("ask", {"id": 1}), a_call("refund", {"id": 1})),
        WHOLE_ONLY | HIDDEN,
    ),
    "approval, granted": Row(
        a_rule(approval={"step": "refund", "by": "ask", "granted": {"ok": True}}),
        a_run(a_call("ask", result='{"ok": false}'), "refund"),
        a_run(a_call("ask", result='{"ok": true}'), "refund"),
        WHOLE_ONLY | {"text_capped": "open open"},
    ),
    "models": Row(
        a_rule(models=["gpt-*"]),
        a_run(models=("gpt-4o", "claude-3")),
        a_run(models=("gpt-4o",)),
        {},
    ),
}
