"""Asks LangChain's agentevals, in a Python that has it: rows and runs in, booleans out.

Run by its tests in a child process. Standard input: what is given for all rows as Python,
the rows' arguments, and courses of turns, each a list of calls.
"""

import importlib
import json
import sys
from typing import Any

Turn = list[dict[str, Any]]


def messages(turns: list[Turn]) -> list[dict[str, Any]]:
    """A course as a chat: a message a turn, and one a result."""
    told: list[dict[str, Any]] = [{"role": "user", "content": "Please refund it."}]
    for calls in turns:
        asked = [
            {"function": {"name": one["tool"], "arguments": json.dumps(one["args"])}}
            for one in calls
        ]
        told.append({"role": "assistant", "content": "", "tool_calls": asked})
        told += [{"role": "tool", "content": one["result"]} for one in calls]
    return [*told, {"role": "assistant", "content": "Done."}]


def main() -> None:
    """Read, judge, write."""
    match = importlib.import_module("agentevals.trajectory.match")
    asked = json.load(sys.stdin)
    given: dict[str, Any] = {}
    exec(asked["given"], given)  # noqa: S102 - our own page
    told = []
    for row in asked["rows"]:
        options = eval(f"dict({row})")  # noqa: S307 - our own page
        evaluator = match.create_trajectory_match_evaluator(**options)
        told.append(
            [
                evaluator(outputs=messages(turns), reference_outputs=given["reference_outputs"])
                for turns in asked["runs"]
            ]
        )
    json.dump([[bool(one["score"]) for one in row] for row in told], sys.stdout)


if __name__ == "__main__":
    main()
