"""Steps against checks: verdicts, violations, and what cannot be decided.

    judge ─> view (which steps count) ─> checks ─> settle (what stands on the evidence)
               └─> provenance ─> search (many values in many texts)

One file a family of checks: `calls`, `order`, `repeats`, `grounding`, `secrets`. A new
check is a frozen dataclass in one of them that fits `check.Check`, its key in
`specs.schema`, and a line in `specs.build`.

Why RE2 for values too: a run of 500 calls with results of 8,000 characters has 250,000
pairs of a value and a text. luckrate looks at each, in 1.0 to 1.3 s; here all security
checks together take 45 to 55 ms (December 2026, two shared cores), and twice the calls
twice the time. `re` has no automaton for many literals; pyahocorasick walks a list of
children at each character, which costs 5 to 25 ns of it, RE2's tables 3.
"""

from surefoot.evaluate.check import Check, Kind, Needs
from surefoot.evaluate.judge import Rules, judge
from surefoot.evaluate.outputs import OUTPUT_OK, OutputSource
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
