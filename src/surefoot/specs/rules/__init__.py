"""The rules of a spec file: one union, told apart by the key that names the check.

A new check is its dataclass in `surefoot.evaluate`, its model in the file of its family
beside this one, and its line in `MODELS`.

    base ─> calls, order, … (a file a family, as in `surefoot.evaluate`) ─> Rule
"""

import difflib
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, Union

from pydantic import BeforeValidator, Discriminator, Tag

from surefoot.specs.rules import (
    agents,
    arguments,
    authority,
    budgets,
    calls,
    compose,
    counts,
    ends,
    failures,
    flows,
    order,
    quality,
    repeats,
    sequence,
)
from surefoot.specs.rules.base import RuleModel

#: Every rule that there is, in the order of the checks' page.
MODELS: Final[tuple[type[RuleModel], ...]] = (
    calls.RequiredRule,
    calls.ForbiddenRule,
    order.BeforeRule,
    calls.MaxStepsRule,
    repeats.NoRepeatRule,
    flows.TaintRule,
    order.PrecedeEachRule,
    order.AfterRule,
    order.NextRule,
    order.NeverAfterRule,
    order.BetweenRule,
    sequence.SequenceRule,
    calls.CallsRule,
    calls.ExclusiveRule,
    counts.TotalRule,
    counts.RateRule,
    counts.UniqueRule,
    repeats.LoopRule,
    repeats.RetriesRule,
    failures.HandledErrorsRule,
    failures.MustSucceedRule,
    failures.EmptyResultRule,
    arguments.ArgsRule,
    arguments.ArgsFromRule,
    flows.ExfiltrationRule,
    flows.TrifectaRule,
    flows.InjectedRule,
    authority.EffectsRule,
    authority.ApprovalRule,
    calls.NoActionRule,
    ends.CompletionRule,
    ends.EndStateRule,
    budgets.BudgetRule,
    agents.ParallelRule,
    agents.HandoffRule,
    agents.AgentToolsRule,
    authority.ModelsRule,
    quality.DataQualityRule,
    compose.AllOfRule,
    compose.AnyOfRule,
    compose.NotRule,
)
#: The rules' models by the key that names their check.
RULES: Final = {model.key: model for model in MODELS}
_COMMON = frozenset(RuleModel.model_fields)


def _one_check(value: Any) -> Any:
    """A rule names exactly one check."""
    if not isinstance(value, dict):
        return value
    named = [key for key in value if key in RULES]
    if len(named) > 1:
        raise ValueError(f"two checks in one rule, {' and '.join(named)}; write a rule for each")
    if not named:
        unknown = [str(key) for key in value if key not in _COMMON]
        near = [n for key in unknown for n in difflib.get_close_matches(key, RULES, n=1)]
        right = f"did you mean {near[0]}?" if near else f"write one of {', '.join(RULES)}"
        raise ValueError(f"no check in this rule; {right}")
    return value


def _tag(value: Any) -> str | None:
    if isinstance(value, RuleModel):
        return _tag_of(value.key)
    named = (key for key in value if key in RULES) if isinstance(value, dict) else iter(())
    return next(map(_tag_of, named), None)


def _tag_of(key: str) -> str:
    """No key of a file is spelled so: the tag is told from what stands in the file."""
    return f"rule {key}"


if TYPE_CHECKING:
    Rule: TypeAlias = RuleModel
else:
    Rule = Annotated[
        Union[  # noqa: UP007 - made of a list
            tuple(Annotated[model, Tag(_tag_of(key))] for key, model in RULES.items())
        ],
        Discriminator(
            _tag,
            custom_error_type="rule",
            custom_error_message="no rule; write a section with an id and a check",
        ),
        BeforeValidator(_one_check),
    ]
    for _model in MODELS:
        _model.model_rebuild(_types_namespace={"Rule": Rule})
