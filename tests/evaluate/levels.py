"""How a test says what a check decides on each level of evidence.

A family's rows stand in `rows_<family>.py`, by rule; `test_levels.py` runs them all, and
fails while a rule of the schema has none.
"""

from typing import Any, NamedTuple

from surefoot.model import Run

PARTIAL = ("root_missing", "parents_missing", "closed_early", "no_tool_spans", "attributes_dropped")
ARGS = ("args_missing", "args_redacted", "args_truncated")
OTHER = ("complete", "text_capped", "task_unknown", "multi_run_trace")
LEVELS = (*OTHER, *PARTIAL, *ARGS)
#: Nothing tells whether calls were made: what was seen stands, and nothing else does.
BLIND = {"no_tool_spans": "violated open"}


class Row(NamedTuple):
    """One rule of the table.

    spec: keys of the spec. violating, clean: a run that breaks the rule, and one that
    keeps it, on whole evidence. table: by level, what becomes of the first and of the
    second (`violated`, `ok` or `open`); a level that is not named decides both.
    """

    spec: dict[str, Any]
    violating: Run
    clean: Run
    table: dict[str, str]


def a_rule(**keys: Any) -> dict[str, Any]:
    """A spec with one rule, `r`."""
    return {"rules": [{"id": "r"} | keys]}
