"""What `data_quality` decides on each level of evidence: all, since some are its findings."""

from evaluate.levels import Row, a_rule
from evaluate.runs import a_call, a_run

FAULTS = ("root_missing", "parents_missing", "text_capped", "args_truncated", "attributes_dropped")

ROWS: dict[str, Row] = {
    "data_quality": Row(
        a_rule(data_quality=True),
        a_run(a_call("lookup", named=False)),
        a_run("lookup"),
        dict.fromkeys(FAULTS, "violated violated"),
    ),
}
