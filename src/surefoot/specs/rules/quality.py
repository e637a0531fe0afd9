"""Rules on the spans themselves."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from surefoot.evaluate.check import Check
from surefoot.evaluate.quality import DataQuality
from surefoot.model import Severity
from surefoot.specs.rules.base import RuleModel


class DataQualityRule(RuleModel):
    """Calls have names, arguments and results, and no span is lost, skewed or cut."""

    key: ClassVar[str] = "data_quality"
    usual: ClassVar[Severity] = Severity.WARN
    example: ClassVar[Mapping[str, Any]] = {"id": "spans-are-whole", "data_quality": True}

    data_quality: Literal[True]
    """`true`: each kind of fault in the spans is a violation."""

    def make(self, check_id: str, severity: Severity) -> Check:
        """See `RuleModel`."""
        return DataQuality(check_id, severity)
