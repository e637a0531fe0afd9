"""Steps against checks: verdicts, violations, and what cannot be decided.

    judge ─> view (which steps count) ─> checks ─> settle (what stands on the evidence)
               └─> provenance ─> search (many values in many texts)

One file a family of checks: `calls`, `order`, `repeats`, `grounding`, `secrets`. A new
check is a frozen dataclass in one of them that fits `check.Check`, and one model in
`specs.schema` that builds it.
"""

from surefoot.evaluate.check import Check, Kind, Needs
from surefoot.evaluate.judge import OUTPUT_OK, OutputSource, Rules, judge
from surefoot.evaluate.secrets import mask
from surefoot.evaluate.view import Scope, View

__all__ = [
    "OUTPUT_OK",
    "Check",
    "Kind",
    "Needs",
    "OutputSource",
    "Rules",
    "Scope",
    "View",
    "judge",
    "mask",
]
