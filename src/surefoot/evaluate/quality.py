"""Whether the spans tell what judging needs: `data_quality`.

Owns the faults of the evidence itself. It is the one check for which a level of evidence
is no hindrance but the finding, so it is decided on every level. What each fault does to
other checks is their business: they are inconclusive where they need what is missing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from surefoot.evaluate.check import Kind, Needs
from surefoot.evaluate.view import View
from surefoot.model import ArgsQuality, Evidence, Severity, Violation

_ORPHANS = {
    Evidence.ROOT_MISSING: "the root is missing",
    Evidence.PARENTS_MISSING: "parents of spans are missing",
}
_TRUNCATION = {
    Evidence.TEXT_CAPPED: "texts are cut",
    Evidence.ARGS_TRUNCATED: "arguments are cut",
    Evidence.ATTRIBUTES_DROPPED: "attributes were dropped",
}


@dataclass(frozen=True, slots=True)
class DataQuality:
    """Calls have names, arguments and results, and no span is lost, skewed or cut.

    One violation for each kind of fault, at the first call that has it.
    """

    id: str
    severity: Severity = Severity.WARN
    kind: ClassVar[Kind] = Kind.SEEN
    needs: ClassVar[Needs] = Needs(frozenset(), frozenset())

    def __call__(self, view: View) -> Iterator[Violation]:
        """See `Check`."""
        ran, known = view.ran, view.evidence
        missing = ArgsQuality.MISSING
        yield from self._calls(view, "name", [i for i in ran if not known[i].named])
        without = [i for i in ran if known[i].args_quality is missing]
        yield from self._calls(view, "arguments", without)
        yield from self._calls(view, "result", [i for i in ran if view.is_result_missing(i)])
        yield from self._levels(view, "orphans", "every span's parent", _ORPHANS)
        if view.run.skewed:
            spans = f"{view.run.skewed} span{'s' * (view.run.skewed > 1)}"
            fault = f"{spans} out of time with their parents or themselves"
            yield self._violation("skew", "clocks that agree", fault, None)
        yield from self._levels(view, "truncation", "all of every value", _TRUNCATION)

    def _calls(self, view: View, what: str, calls: Sequence[int]) -> Iterator[Violation]:
        if calls:
            fault = f"{len(calls)} of {len(view.ran)} calls without {what}"
            yield self._violation(what, f"every call's {what}", fault, calls[0])

    def _levels(
        self, view: View, what: str, expected: str, faults: dict[Evidence, str]
    ) -> Iterator[Violation]:
        found = [words for level, words in faults.items() if level in view.levels]
        if found:
            yield self._violation(what, expected, ", ".join(found), None)

    def _violation(self, what: str, expected: str, fault: str, step: int | None) -> Violation:
        return Violation(
            self.id,
            self.severity,
            f"data quality: {fault}",
            step=step,
            expected=expected,
            observed=fault,
            subject=what,
        )
