"""Asks agentevals-cli's trajectory score, in a Python that has it: booleans come out.

Run by its tests in a child process. Standard input: the golden set as JSON, the rows'
options of the command line, and courses, each a list of calls.
"""

import importlib
import json
import shlex
import sys


def main() -> None:
    """Read, judge, write."""
    metrics = importlib.import_module("agentevals.builtin_metrics")
    cases = importlib.import_module("google.adk.evaluation.eval_case")
    sets = importlib.import_module("google.adk.evaluation.eval_set")
    asked = json.load(sys.stdin)
    (case,) = sets.EvalSet.model_validate_json(asked["given"]).eval_cases
    told = []
    for row in asked["rows"]:
        option, how = shlex.split(row)
        assert option == "--trajectory-match-type"
        metric = metrics.build_eval_metric(
            "tool_trajectory_avg_score", None, None, match_type=how.upper()
        )
        evaluator = metrics.get_evaluator(metric)
        scores = []
        for calls in asked["runs"]:
            uses = [{"name": one["tool"], "args": one["args"]} for one in calls]
            made = {"tool_uses": uses}
            actual = cases.Invocation.model_validate(
                case.conversation[0].model_dump() | {"intermediate_data": made}
            )
            result = evaluator.evaluate_invocations([actual], case.conversation)
            scores.append(result.overall_eval_status.name == "PASSED")
        told.append(scores)
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
