"""What every check's findings have in common: whose they are, how much they weigh, and why."""

from collections.abc import Iterator
from random import Random

import pytest

from evaluate.runs import a_spec
from evaluate.test_hidden import EXAMPLES, RULES, TOOLS, a_chance_run, hide
from surefoot.evaluate import View
from surefoot.evaluate.check import Check, Finding
from surefoot.evaluate.compose import Guarded
from surefoot.model import Severity, Undecided, Violation

#: By another name and weight than any check has of itself.
NAME, WEIGHT = "this rule", Severity.WARN
SPECS = [
    a_spec(rules=[{"id": NAME, "severity": WEIGHT} | rule])
    for rule in (*EXAMPLES, *RULES, {"no_action": True}, {"injected": {"patterns": ["(o.)+"]}})
]
LEVELLED = a_spec(
    untrusted=["fetch_page"],
    privileged=TOOLS,
    ground=True,
    secrets=True,
    max_steps=1,
    no_repeat=True,
    severity=dict.fromkeys(("taint", "ground", "secrets", "max_steps", "no_repeat"), "soft"),
)


def found(seed: int) -> Iterator[tuple[Check, Finding]]:
    """What all checks say of a run made by chance, of which something is hidden."""
    chance = Random(seed)  # noqa: S311 - a run, not a secret
    for run in ((whole := a_chance_run(chance)), hide(chance, whole), hide(chance, whole)):
        for spec in (*SPECS, LEVELLED):
            view = View(run, spec.scope)
            for check in spec.checks:
                for finding in check(view):
                    yield check, finding


@pytest.mark.parametrize("seed", range(25))
def test_a_finding_goes_by_its_checks_id_and_severity_and_says_why(seed: int) -> None:
    for check, finding in found(seed):
        assert finding.check == check.id
        if isinstance(finding, Undecided):
            assert finding.reason
            assert finding.reason == finding.reason.lower()
        else:
            assert finding.severity == check.severity
            assert finding.message


@pytest.mark.parametrize("seed", range(25))
def test_a_violation_stands_at_calls_of_the_run_and_at_the_first_of_them_once(seed: int) -> None:
    for check, finding in found(seed):
        # A guard moves a violation to the call that it means, and leaves the others.
        if isinstance(finding, Violation) and not isinstance(check, Guarded):
            steps = [step for step in (finding.step, *finding.also) if step is not None]
            assert all(0 <= step < 6 for step in steps)
            assert len(set(steps)) == len(steps)
            assert finding.expected != finding.observed
