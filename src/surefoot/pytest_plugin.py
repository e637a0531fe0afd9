"""The fixture `surefoot`: a test of an agent fails where `surefoot check` would.

    def test_a_refund(surefoot):
        run_the_agent()
        surefoot(exporter.get_finished_spans(), "specs/refund-desk.yaml")

Owns what becomes of a judgement in a test: what gates fails it, with the text that the
command prints; so does what cannot be relied on (no run, no run that met a spec, a check
that crashed, a broken file or spec), whatever else was asked for. What the evidence could
not decide never passes in silence: it warns, skips or fails, as the test chooses.

pytest loads this in every environment that has Surefoot, also for tests that know
nothing of it. So nothing is imported before the fixture is called.
"""

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

import pytest

if TYPE_CHECKING:
    from surefoot.testing import Judgement

Inconclusive: TypeAlias = Literal["warn", "skip", "fail"]
_POLICIES = ("warn", "skip", "fail")


class InconclusiveWarning(UserWarning):
    """A check could not be decided: the spans do not tell what it must know."""


class Surefoot:
    """Judges runs within a test. Holds no state."""

    def __call__(
        self,
        source: object,
        spec: object,
        *,
        fail_on: str | Iterable[str] = (),
        inconclusive: Inconclusive = "warn",
        unit: str = "trace",
    ) -> "Judgement":
        """Judge every run in `source` by every spec that it meets; fail if one gates.

        Args:
            source: A path or paths of OTLP files and folders, or the spans of an
                `InMemorySpanExporter`.
            spec: A path or paths of spec files and folders, or one or several dicts of a
                spec's keys and `surefoot.Spec`s.
            fail_on: Fail on any of `hard`, `soft`, `warn`, `output`, `inconclusive`, in
                place of the usual: a hard violation, or a soft check violated in more
                than half of the runs in which it was decided.
            inconclusive: What a check that could not be decided does to a test that
                does not fail already: `warn`, `skip` or `fail`.
            unit: What is one run: `trace`, `agent` or `session`.

        Returns:
            The runs, steps and verdicts, for further asserts.
        """
        __tracebackhide__ = True
        if inconclusive not in _POLICIES:
            raise ValueError(f"inconclusive={inconclusive!r} is none of {', '.join(_POLICIES)}")
        from surefoot import errors, testing  # noqa: PLC0415 - see the module

        try:
            found = testing.judgement(source, spec, fail_on=fail_on, unit=unit)
        except errors.SurefootError as error:
            raise pytest.fail.Exception(str(error)) from None
        if found.faults:
            pytest.fail("\n".join((found.text, *found.faults)))
        if found.gating:
            pytest.fail(found.text)
        if found.undecided:
            self._say(found, inconclusive)
        return found

    def _say(self, found: "Judgement", policy: Inconclusive) -> None:
        """Make something of checks that nobody could decide."""
        __tracebackhide__ = True
        told = "; ".join(found.undecided)
        if policy == "fail":
            pytest.fail(f"{found.text}\n{told}")
        if policy == "skip":
            pytest.skip(told)
        warnings.warn(InconclusiveWarning(told), stacklevel=3)


@pytest.fixture(scope="session")
def surefoot() -> Surefoot:
    """Judge an agent's recorded runs by specs: `surefoot(spans_or_paths, spec)`."""
    return Surefoot()
