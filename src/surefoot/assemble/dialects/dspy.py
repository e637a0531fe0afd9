"""DSPy through OpenInference.

What is peculiar, by openinference-instrumentation-dspy: a tool's name is in its span's
name alone (`lookup_order.__call__`); results are JSON texts; `finish` ends the run; and
the model's user message is a form that holds the whole trajectory, results included, so
that it is no word of a user.
"""

from surefoot.assemble.dialects.openinference import OpenInference


class DSPy(OpenInference):
    """See the module."""

    scopes = ("openinference.instrumentation.dspy",)

    def users_words(self, _text: str) -> str:
        """Take nothing for the user's: the form holds tools' results."""
        return ""
