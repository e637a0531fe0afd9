"""What each check of a spec means, in the words of the schema.

Owns where those words stand: of a spec's own keys in `schema`, of rules in the docstring
of their model. So a report, `surefoot schema` and the checks' page say the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from surefoot.specs.build import checks
from surefoot.specs.rules import RULES
from surefoot.specs.sanity import SEEDS
from surefoot.specs.schema import Spec


@dataclass(frozen=True, slots=True)
class Meaning:
    """A check of a spec.

    key: what names it in the file (`forbidden`, `approval`); id: what violations carry.
    text: in a sentence or two, what it asks. severity: what a violation weighs; a part of
    a composite may weigh otherwise. kind: what it can decide on a partial run.
    """

    id: str
    key: str
    text: str
    severity: str
    kind: str


def meanings(spec: Spec) -> Iterator[Meaning]:
    """The checks of a spec in the order in which they report, without those switched off."""
    rules = {rule.label(): rule for rule in spec.rules}
    for check in checks(spec):
        rule = rules.get(check.id)
        key = rule.key if rule else check.id
        yield Meaning(check.id, key, _text(key, rule=rule is not None), check.severity, check.kind)


def _text(key: str, *, rule: bool) -> str:
    field = None if rule or key not in SEEDS else Spec.model_fields.get(key)
    text = field.description if field else RULES[key].__doc__
    return " ".join((text or key).split())
